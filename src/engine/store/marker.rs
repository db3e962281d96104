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

const ANY_STREAM: &str = "SELECT 1 FROM runtime_partial_snapshots LIMIT 1";
const ANY_OPENING: &str = "SELECT 1 FROM runtime_legacy_invocation_openings LIMIT 1";
const ANY_OUTCOME: &str = "SELECT 1 FROM core_interaction_outcomes LIMIT 1";

/// Which tables of a snapshot hold anything: most are empty most of the time,
/// and need not be asked about every Session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Occupied {
    streams: bool,
    openings: bool,
    outcomes: bool,
}

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
        let occupied = self.occupied()?;
        let streams = self.sums(occupied.streams, STREAMS, session_id)?;
        let segments = self.sums(streams[0] != 0.0, SEGMENTS, session_id)?;
        let outcomes = self.count_of(occupied.outcomes, OUTCOMES, session_id)?;
        let openings = self.count_of(occupied.openings, OPENINGS, session_id)?;
        Ok(Marker { last_ordinal, last_event, rowids, streams, segments, openings, outcomes })
    }

    fn occupied(&self) -> Result<Occupied, RecallError> {
        if let Some(occupied) = self.occupied.get() {
            return Ok(*occupied);
        }
        let any = |sql| Ok::<_, RecallError>(self.database.first(sql, [], |_| ())?.is_some());
        let occupied = Occupied {
            streams: any(ANY_STREAM)?,
            openings: any(ANY_OPENING)?,
            outcomes: self.shape.outcomes && any(ANY_OUTCOME)?,
        };
        Ok(*self.occupied.get_or_init(|| occupied))
    }

    fn count_of(&self, any: bool, sql: &str, session_id: &str) -> Result<i64, RecallError> {
        if !any {
            return Ok(0);
        }
        let count = self.database.first(sql, [session_id], |row| cell::integer(row, 0))?;
        Ok(count.unwrap_or_default())
    }

    fn sums(&self, any: bool, sql: &str, session_id: &str) -> Result<[f64; 3], RecallError> {
        if !any {
            return Ok([0.0; 3]);
        }
        let sums = self
            .database
            .first(sql, [session_id], |row| [0, 1, 2].map(|column| cell::number(row, column)))?;
        Ok(sums.unwrap_or_default())
    }
}
