//! What proves that the rows of a Session are as they were: `host/storage.md` 3.7.
//!
//! Nothing ever updates an event, and every event takes the next ordinal of its
//! Session, so the last one names the state of the ledger. Text that arrives is
//! updated in place; its size and time name it. A table that is written anew
//! numbers its rows anew, in their order and without gaps: when the first and
//! the last event have their old rowids, all between them have. What only older
//! hosts write has no marker.

use std::{collections::HashMap, ops::ControlFlow};

use super::{cell, shape::Generation, snapshot::Snapshot};
use crate::engine::RecallError;

const LAST_EVENT: &str = "SELECT o.ordinal, o.event_id, e.rowid \
    FROM runtime_session_event_ordinals AS o LEFT JOIN runtime_events AS e USING (event_id) \
    WHERE o.session_id = ?1 ORDER BY o.ordinal DESC LIMIT 1";
const FIRST_ROWID: &str = "SELECT e.rowid \
    FROM runtime_session_event_ordinals AS o LEFT JOIN runtime_events AS e USING (event_id) \
    WHERE o.session_id = ?1 ORDER BY o.ordinal LIMIT 1";
const LAST_ORDINAL: &str = "SELECT ordinal, event_id FROM runtime_session_event_ordinals \
    WHERE session_id = ?1 ORDER BY ordinal DESC LIMIT 1";
const STREAMS: &str = "SELECT session_id, count(*), total(updated_at), total(octet_length(text_content)) \
    FROM runtime_partial_snapshots GROUP BY session_id";
const SEGMENTS: &str = "SELECT s.session_id, count(*), total(g.updated_at), total(octet_length(g.text_content)) \
    FROM runtime_partial_snapshots AS s JOIN runtime_partial_segments AS g USING (stream_key) \
    GROUP BY s.session_id";
const OPENINGS: &str =
    "SELECT count(*) FROM runtime_legacy_invocation_openings WHERE session_id = ?1";
const OUTCOMES: &str = "SELECT count(*) FROM core_interaction_requests AS r \
    JOIN core_interaction_outcomes USING (request_id) WHERE r.session_id = ?1";

const ANY_OPENING: &str = "SELECT 1 FROM runtime_legacy_invocation_openings LIMIT 1";
const ANY_OUTCOME: &str = "SELECT 1 FROM core_interaction_outcomes LIMIT 1";

const FIRST_ROW: &str = "SELECT rowid, event_id FROM runtime_events ORDER BY rowid LIMIT 1";
const LAST_ROW: &str = "SELECT rowid, event_id FROM runtime_events ORDER BY rowid DESC LIMIT 1";
const ROW: &str = "SELECT event_id FROM runtime_events WHERE rowid = ?1";

/// What of a snapshot is asked once for all Sessions: arriving text, of which
/// there is little, and which tables hold anything: most are empty most of the
/// time.
#[derive(Debug)]
pub(super) struct Beside {
    streams: Sums,
    segments: Sums,
    openings: bool,
    outcomes: bool,
}

/// Three sums by Session.
type Sums = HashMap<Box<[u8]>, [f64; 3]>;

/// How the rows of all events are numbered: the first and the last of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Numbering([(i64, Vec<u8>); 2]);

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
        self.marker_of(session_id, last_ordinal, last_event, rowids)
    }

    /// [`Self::marker`], knowing an earlier one of a snapshot whose rows still
    /// have their [numbers](Self::is_numbered_as): in a third of the time.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn marker_since(&self, earlier: &Marker, session_id: &str) -> Result<Marker, RecallError> {
        let last = self.database.first(LAST_ORDINAL, [session_id], |row| {
            (cell::integer(row, 0), cell::bytes(row, 1).to_vec())
        })?;
        let (last_ordinal, last_event) = last.unwrap_or_default();
        if (last_ordinal, &last_event) != (earlier.last_ordinal, &earlier.last_event) {
            return self.marker(session_id);
        }
        self.marker_of(session_id, last_ordinal, last_event, earlier.rowids)
    }

    /// How the rows of this snapshot are numbered; `None` when there are none.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn numbering(&self) -> Result<Option<Numbering>, RecallError> {
        let row = |sql| {
            self.database
                .first(sql, [], |row| (cell::integer(row, 0), cell::bytes(row, 1).to_vec()))
        };
        Ok(row(FIRST_ROW)?.zip(row(LAST_ROW)?).map(|(first, last)| Numbering([first, last])))
    }

    /// Whether the rows of an earlier snapshot that are still there have the
    /// numbers they had: the first and the last have.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn is_numbered_as(&self, earlier: &Numbering) -> Result<bool, RecallError> {
        for (rowid, event_id) in &earlier.0 {
            let there = self.database.first(ROW, [rowid], |row| cell::bytes(row, 0) == event_id)?;
            if there != Some(true) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn marker_of(
        &self,
        session_id: &str,
        last_ordinal: i64,
        last_event: Vec<u8>,
        rowids: [i64; 2],
    ) -> Result<Marker, RecallError> {
        let beside = self.beside()?;
        let sums = |sums: &Sums| sums.get(session_id.as_bytes()).copied().unwrap_or_default();
        let (streams, segments) = (sums(&beside.streams), sums(&beside.segments));
        let outcomes = self.count_of(beside.outcomes, OUTCOMES, session_id)?;
        let openings = self.count_of(beside.openings, OPENINGS, session_id)?;
        Ok(Marker { last_ordinal, last_event, rowids, streams, segments, openings, outcomes })
    }

    fn beside(&self) -> Result<&Beside, RecallError> {
        if let Some(beside) = self.beside.get() {
            return Ok(beside);
        }
        let any = |sql| Ok::<_, RecallError>(self.database.first(sql, [], |_| ())?.is_some());
        let beside = Beside {
            streams: self.sums(STREAMS)?,
            segments: self.sums(SEGMENTS)?,
            openings: any(ANY_OPENING)?,
            outcomes: self.shape.outcomes && any(ANY_OUTCOME)?,
        };
        Ok(self.beside.get_or_init(|| beside))
    }

    fn count_of(&self, any: bool, sql: &str, session_id: &str) -> Result<i64, RecallError> {
        if !any {
            return Ok(0);
        }
        let count = self.database.first(sql, [session_id], |row| cell::integer(row, 0))?;
        Ok(count.unwrap_or_default())
    }

    fn sums(&self, sql: &str) -> Result<Sums, RecallError> {
        let mut sums = Sums::new();
        self.database.rows(sql, [], |row| {
            sums.insert(
                cell::bytes(row, 0).into(),
                [1, 2, 3].map(|column| cell::number(row, column)),
            );
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(sums)
    }
}
