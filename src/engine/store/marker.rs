//! What proves that the rows of a Session are as they were: `host/storage.md` 3.7.
//!
//! Nothing ever updates an event, and every event takes the next ordinal of its
//! Session, so the last one names the state of the ledger. Text that arrives is
//! updated in place; its size and time name it. A table that is written anew
//! numbers its rows anew, in their order and without gaps: when the first and
//! the last event have their old rowids, all between them have. What only older
//! hosts write has no marker.

use super::{cell, shape::Generation, snapshot::Snapshot};
use crate::engine::RecallError;

const LAST_EVENT: &str = "SELECT o.ordinal, o.event_id, e.rowid \
    FROM runtime_session_event_ordinals AS o LEFT JOIN runtime_events AS e USING (event_id) \
    WHERE o.session_id = ?1 ORDER BY o.ordinal DESC LIMIT 1";
const FIRST_ROWID: &str = "SELECT e.rowid \
    FROM runtime_session_event_ordinals AS o LEFT JOIN runtime_events AS e USING (event_id) \
    WHERE o.session_id = ?1 ORDER BY o.ordinal LIMIT 1";
const STREAMS: &str = "SELECT count(*), total(updated_at), total(octet_length(text_content)) \
    FROM runtime_partial_snapshots WHERE session_id = ?1";
const SEGMENTS: &str = "SELECT count(*), total(g.updated_at), total(octet_length(g.text_content)) \
    FROM runtime_partial_snapshots AS s JOIN runtime_partial_segments AS g USING (stream_key) \
    WHERE s.session_id = ?1";
const OPENINGS: &str =
    "SELECT count(*) FROM runtime_legacy_invocation_openings WHERE session_id = ?1";
const OUTCOMES: &str = "SELECT count(*) FROM core_interaction_requests AS r \
    JOIN core_interaction_outcomes USING (request_id) WHERE r.session_id = ?1";

/// The state of a Session's rows. Equal markers, and an equal header, mean equal
/// rows; the header has to be compared beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    last_ordinal: i64,
    last_event: Vec<u8>,
    rowids: [i64; 2],
    streams: [f64; 3],
    segments: [f64; 3],
    openings: i64,
    outcomes: i64,
}

impl Snapshot<'_> {
    /// The state that this snapshot shows. It equals the one of an earlier
    /// snapshot of the same [`Store`](super::Store) exactly when nothing was
    /// committed in between.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn state(&self) -> Result<i64, RecallError> {
        // Inside a transaction the number is that of the transaction's state.
        self.database.pragma("data_version")
    }

    /// Whether Sessions of this workspace have markers: those of the openings
    /// generation do.
    #[must_use]
    pub fn has_markers(&self) -> bool {
        self.shape.generation == Generation::Openings
    }

    /// The marker of a Session whose transcript stands in the ledger.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn marker(&self, session_id: &str) -> Result<Marker, RecallError> {
        let last = self.database.first(LAST_EVENT, [session_id], |row| {
            (cell::integer(row, 0), cell::bytes(row, 1).to_vec(), cell::integer(row, 2))
        })?;
        let (last_ordinal, last_event, last_rowid) = last.unwrap_or_default();
        let first_rowid =
            self.database.first(FIRST_ROWID, [session_id], |row| cell::integer(row, 0))?;
        let rowids = [first_rowid.unwrap_or_default(), last_rowid];
        let streams = self.sums(STREAMS, session_id)?;
        let segments = if streams[0] == 0.0 { [0.0; 3] } else { self.sums(SEGMENTS, session_id)? };
        let outcomes = match self.shape.outcomes {
            true => self.count_of(OUTCOMES, session_id)?,
            false => 0,
        };
        let openings = self.count_of(OPENINGS, session_id)?;
        Ok(Marker { last_ordinal, last_event, rowids, streams, segments, openings, outcomes })
    }

    fn count_of(&self, sql: &str, session_id: &str) -> Result<i64, RecallError> {
        let count = self.database.first(sql, [session_id], |row| cell::integer(row, 0))?;
        Ok(count.unwrap_or_default())
    }

    fn sums(&self, sql: &str, session_id: &str) -> Result<[f64; 3], RecallError> {
        let sums = self
            .database
            .first(sql, [session_id], |row| [0, 1, 2].map(|column| cell::number(row, column)))?;
        Ok(sums.unwrap_or_default())
    }
}
