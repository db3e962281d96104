//! The records of a Session without most of what they say.
//!
//! Rows are projected from what an event is, not from what it says. A Session
//! that grows is projected anew from the bones of its old events and from the
//! events behind them, and only those are read.

use super::{
    Projection,
    event::Place,
    records::{EventRecord, SessionRecords, Span},
    words::WordsAt,
};

/// A result that is shown as it is stored, searchable, and no image.
const EMPTY_RESULT: &[u8] = br#"{"kind":"text","text":""}"#;
const EMPTY_TEXT: &[u8] = br#""""#;

/// The events of `records`, with texts and results that nothing but matching
/// asks for left empty: they project to the same rows. None of them may hold a
/// term. What stands beside the events is left out.
#[must_use]
pub fn bones(records: &SessionRecords, projection: &Projection) -> SessionRecords {
    let mut words = vec![WordsAt::Nowhere; records.events.len()];
    for (row, (place, at)) in projection.transcript.rows.iter().zip(&projection.places) {
        if let Place::Event(index) = place
            && row.searchable
            && !row.may_carry_files
        {
            words[*index] = *at;
        }
    }
    let mut bones = SessionRecords::default();
    for (event, words) in records.events.iter().zip(words) {
        let mut copy = |span: &Span| bones.push(records.bytes(span));
        let EventRecord { event_id, invocation_id, run_id, turn_id, .. } = event;
        let [event_id, invocation_id, run_id, turn_id] =
            [event_id, invocation_id, run_id, turn_id].map(&mut copy);
        let payload = reduced(records.bytes(&event.payload), words);
        let payload = bones.push(&payload);
        let event =
            EventRecord { event_id, invocation_id, run_id, turn_id, payload, ..event.clone() };
        bones.push_event(event, false);
    }
    bones
}

fn reduced(payload: &[u8], words: WordsAt) -> Vec<u8> {
    let (at, empty) = match words {
        WordsAt::Text(at) => (at.range(), EMPTY_TEXT),
        WordsAt::Result(at) => (at.range(), EMPTY_RESULT),
        _ => return payload.to_vec(),
    };
    [&payload[..at.start], empty, &payload[at.end..]].concat()
}
