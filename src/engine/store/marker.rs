//! What proves that the rows of a Session are as they were: `host/storage.md` 3.7.
//!
//! Nothing ever updates an event, and every event takes the next ordinal of its
//! Session, so the last one and their number name the state of the ledger; the
//! rowids of the first and the last say that the table was not written anew.
//! Text that arrives is updated in place; its size and time name it. What only
//! older hosts write has no marker.

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
const ORDINALS: &str = "SELECT count(*) FROM runtime_session_event_ordinals WHERE session_id = ?1";
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

/// The state of a Session's rows. Equal markers, and an equal header, mean equal
/// rows; the header has to be compared beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    events: Events,
    streams: [f64; 3],
    segments: [f64; 3],
    openings: i64,
    outcomes: i64,
}

/// The state of a Session's events.
#[derive(Clone, Debug, Default, PartialEq)]
struct Events {
    last_ordinal: i64,
    last_event: Box<[u8]>,
    /// Of the first and the last.
    rowids: [i64; 2],
    ordinals: i64,
}

impl Marker {
    /// Bytes held beside the marker itself.
    pub(in crate::engine) fn bytes(&self) -> usize {
        self.events.last_event.len()
    }
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
            (cell::integer(row, 0), cell::bytes(row, 1).into(), cell::integer(row, 2))
        })?;
        let Some((last_ordinal, last_event, last_rowid)) = last else {
            return self.marker_of(session_id, Events::default());
        };
        let number = |sql| self.database.first(sql, [session_id], |row| cell::integer(row, 0));
        let rowids = [number(FIRST_ROWID)?.unwrap_or_default(), last_rowid];
        let ordinals = number(ORDINALS)?.unwrap_or_default();
        self.marker_of(session_id, Events { last_ordinal, last_event, rowids, ordinals })
    }

    /// [`Self::marker`] of a Session whose events are those of an earlier
    /// marker: [none was appended](Self::appended_since), and none is gone. Its
    /// ordinals may be others: a conversion deals them out anew.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn marker_since(&self, earlier: &Marker, session_id: &str) -> Result<Marker, RecallError> {
        let last = self.database.first(LAST_ORDINAL, [session_id], |row| {
            let Events { last_ordinal, last_event, .. } = &earlier.events;
            cell::integer(row, 0) == *last_ordinal && *cell::bytes(row, 1) == **last_event
        })?;
        if last != Some(true) {
            return self.marker(session_id);
        }
        self.marker_of(session_id, earlier.events.clone())
    }

    fn marker_of(&self, session_id: &str, events: Events) -> Result<Marker, RecallError> {
        let beside = self.beside()?;
        let sums = |sums: &Sums| sums.get(session_id.as_bytes()).copied().unwrap_or_default();
        let (streams, segments) = (sums(&beside.streams), sums(&beside.segments));
        let outcomes = self.count_of(beside.outcomes, OUTCOMES, session_id)?;
        let openings = self.count_of(beside.openings, OPENINGS, session_id)?;
        Ok(Marker { events, streams, segments, openings, outcomes })
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
