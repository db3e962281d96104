//! Events of the ledger.

use std::{collections::HashMap, ops::ControlFlow, sync::Arc};

use rusqlite::Row;

use super::{cell, settle::may_hold, snapshot::Snapshot};
use crate::engine::{
    RecallError, SessionHeader,
    text::Narrowing,
    transcript::records::{EventRecord, SessionRecords, Span},
};

const COLUMNS: &str = "rowid, event_id, invocation_id, run_id, turn_id, event_seq, \
    event_kind, payload_json, committed_at";
/// Rows that were appended: those of other Sessions are passed over.
const APPENDED: &str = "FROM runtime_events NOT INDEXED WHERE rowid > ?2 AND session_id = ?1";
const COUNT: &str = "SELECT count(*) FROM runtime_events WHERE session_id = ?1";
const EVENT_ID: &str = "SELECT event_id FROM runtime_events WHERE rowid = ?1";
const ORDINALS: &str = "SELECT ordinal, event_id FROM runtime_session_event_ordinals \
    WHERE session_id = ?1 ORDER BY ordinal";
const PAYLOAD: &str = "SELECT payload_json FROM runtime_events WHERE rowid = ?1";

/// Kinds of events that are messages of the corpus: `semantics.md` 7.
pub(super) const CORPUS_KINDS: [&[u8]; 3] = [b"text", b"function_call", b"function_response"];

impl Snapshot<'_> {
    /// The `payload_json` of the event at `rowid`; `None` when there is none.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn event_payload(&self, rowid: i64) -> Result<Option<Vec<u8>>, RecallError> {
        self.database.first(PAYLOAD, [rowid], |row| cell::bytes(row, 0).to_vec())
    }

    /// Reads the events of a Session, and notes for each whether `may_hold` says
    /// so of its payload. Their ordinals are [another question](Self::number_events).
    pub(super) fn read_events(
        &self,
        session_id: &Arc<str>,
        records: &mut SessionRecords,
        mut may_hold: impl FnMut(&[u8]) -> bool,
    ) -> Result<(), RecallError> {
        let mut counted = 0;
        self.events(session_id, COLUMNS, |row| {
            counted += u64::from(CORPUS_KINDS.contains(&cell::bytes(row, 6)));
            push_event(row, records, &mut may_hold);
            Ok(ControlFlow::Continue(()))
        })?;
        self.counted.borrow_mut().insert(Arc::clone(session_id), counted);
        Ok(())
    }

    /// Reads what was appended to a Session, `records` being the events that it
    /// had, and what stands beside its events. `false` when they are not the
    /// first of the events that it has, under the same rowids.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn read_appended(
        &self,
        session: &SessionHeader,
        narrowing: &Narrowing,
        records: &mut SessionRecords,
    ) -> Result<bool, RecallError> {
        let rowids = || records.events.iter().map(|event| event.rowid);
        let (Some(first), Some(last)) = (rowids().min(), rowids().max()) else { return Ok(false) };
        for event in records.events.iter().filter(|event| [first, last].contains(&event.rowid)) {
            let id = self.database.first(EVENT_ID, [event.rowid], |row| {
                cell::bytes(row, 0) == records.bytes(&event.event_id)
            })?;
            if id != Some(true) {
                return Ok(false);
            }
        }
        let appended = format!("SELECT {COLUMNS} {APPENDED}");
        self.database.rows(&appended, (&*session.id, last), |row| {
            push_event(row, records, |payload| may_hold(narrowing, payload));
            Ok(ControlFlow::Continue(()))
        })?;
        let count = self.database.first(COUNT, [&*session.id], |row| cell::integer(row, 0))?;
        if count != i64::try_from(records.events.len()).ok() {
            return Ok(false);
        }
        self.read_beside_events(session, records)?;
        Ok(true)
    }

    /// Gives the events that were read their ordinals.
    pub(super) fn number_events(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        let mut ordinals = self.ordinals(session_id)?;
        for index in 0..records.events.len() {
            let ordinal = ordinals.of(records.bytes(&records.events[index].event_id));
            records.events[index].ordinal = ordinal;
        }
        Ok(())
    }

    fn ordinals(&self, session_id: &str) -> Result<Ordinals, RecallError> {
        let mut ordinals = Ordinals::default();
        self.database.rows(ORDINALS, [session_id], |row| {
            ordinals.push(cell::integer(row, 0), cell::bytes(row, 1));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(ordinals)
    }
}

/// Adds the event of a row of [`COLUMNS`].
fn push_event(
    row: &Row<'_>,
    records: &mut SessionRecords,
    mut may_hold: impl FnMut(&[u8]) -> bool,
) {
    let payload = cell::bytes(row, 7);
    let [invocation_id, run_id, turn_id] =
        keys(records, [2, 3, 4].map(|column| cell::bytes(row, column)));
    let event = EventRecord {
        rowid: cell::integer(row, 0),
        event_id: records.push(cell::bytes(row, 1)),
        invocation_id,
        run_id,
        turn_id,
        event_seq: cell::integer(row, 5),
        opening: cell::bytes(row, 6) == b"invocation_opened",
        committed_at: cell::number(row, 8),
        ordinal: None,
        payload: records.push(payload),
    };
    records.push_event(event, may_hold(payload));
}

/// Where the invocation, run and turn of an event stand: where those of the
/// event before it do, when they are the same.
fn keys(records: &mut SessionRecords, keys: [&[u8]; 3]) -> [Span; 3] {
    let before = records
        .events
        .last()
        .map(|event| [event.invocation_id.clone(), event.run_id.clone(), event.turn_id.clone()]);
    let mut spans = [0..0, 0..0, 0..0];
    for (at, (span, key)) in spans.iter_mut().zip(keys).enumerate() {
        let known = before.as_ref().map(|before| &before[at]);
        *span = match known {
            Some(known) if records.bytes(known) == key => known.clone(),
            _ => records.push(key),
        };
    }
    spans
}

/// The ordinals of a Session by event id.
///
/// Events come in the order they were appended, and so do ordinals: the next
/// event nearly always has the next one. Where it has not, a map is made, once.
#[derive(Default)]
struct Ordinals {
    ids: Vec<u8>,
    entries: Vec<(i64, Span)>,
    next: usize,
    by_id: Option<HashMap<Box<[u8]>, usize>>,
}

impl Ordinals {
    fn push(&mut self, ordinal: i64, event_id: &[u8]) {
        let start = self.ids.len();
        self.ids.extend_from_slice(event_id);
        self.entries.push((ordinal, start..self.ids.len()));
    }

    fn of(&mut self, event_id: &[u8]) -> Option<i64> {
        let Self { ids, entries, next, by_id } = self;
        if let Some((ordinal, span)) = entries.get(*next)
            && &ids[span.clone()] == event_id
        {
            *next += 1;
            return Some(*ordinal);
        }
        let by_id = by_id.get_or_insert_with(|| {
            let id = |span: &Span| Box::from(&ids[span.clone()]);
            entries.iter().enumerate().map(|(at, (_, span))| (id(span), at)).collect()
        });
        let at = *by_id.get(event_id)?;
        *next = at + 1;
        entries.get(at).map(|(ordinal, _)| *ordinal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinal_is_found_in_any_order() {
        let mut ordinals = Ordinals::default();
        for (ordinal, id) in [(3, "c"), (4, "a"), (9, "b"), (10, "")] {
            ordinals.push(ordinal, id.as_bytes());
        }
        let found =
            ["c", "a", "x", "b", "", "", "c", "a", "y", "b"].map(|id| ordinals.of(id.as_bytes()));
        assert_eq!(
            found,
            [Some(3), Some(4), None, Some(9), Some(10), Some(10), Some(3), Some(4), None, Some(9)]
        );
    }

    #[test]
    fn keys_are_kept_once_while_they_stay_the_same() {
        let mut records = SessionRecords::default();
        let event = |[invocation_id, run_id, turn_id]: [Span; 3]| EventRecord {
            rowid: 0,
            event_id: 0..0,
            invocation_id,
            run_id,
            turn_id,
            event_seq: 0,
            opening: false,
            committed_at: 0.0,
            ordinal: None,
            payload: 0..0,
        };
        for turn in ["t1", "t1", "t2"] {
            let spans = keys(&mut records, [b"inv", b"run", turn.as_bytes()]);
            records.events.push(event(spans));
        }
        assert_eq!(records.len(), "invrunt1t2".len());
        let turns: Vec<_> =
            records.events.iter().map(|event| records.bytes(&event.turn_id)).collect();
        assert_eq!(turns, [b"t1", b"t1", b"t2"]);
    }
}
