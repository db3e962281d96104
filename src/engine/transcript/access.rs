//! The stored bytes behind a row, and behind a whole Session.

use super::{
    Body, Projection, RowKind, Words,
    contents::{event_body, stream_body},
    event::Place,
    message::{message_body, message_words},
    records::SessionRecords,
};
use crate::engine::text::{Narrowing, Verdict};

impl Projection {
    /// The stored bytes that a row's text is made of: an event's payload, the
    /// text of a stream, or a message record. A term that one stored string of
    /// the row holds stands in them, as it is or as a JSON escape. What only the
    /// projection wrote does not, nor what arises where strings are joined.
    /// Empty for a row that stands nowhere.
    ///
    /// `records` are those that were projected.
    #[must_use]
    pub fn raw<'a>(&self, records: &'a SessionRecords, row: usize) -> &'a [u8] {
        let span = match self.places.get(row) {
            Some((Place::Event(index), _)) => {
                records.events.get(*index).map(|event| &event.payload)
            }
            Some((Place::Stream(index), _)) => {
                records.streams.get(*index).map(|stream| &stream.text)
            }
            Some((Place::Message(index), _)) => {
                records.messages.get(*index).and_then(|message| message.json.as_ref())
            }
            Some((Place::Nothing, _)) | None => None,
        };
        span.map(|span| records.bytes(span)).unwrap_or_default()
    }

    /// Whether a row may hold a term of the query that `records` were read for,
    /// which `narrowing` narrows.
    #[must_use]
    pub fn may_hold(&self, records: &SessionRecords, row: usize, narrowing: &Narrowing) -> bool {
        match self.places.get(row) {
            Some((Place::Event(index), _)) => records.may_hold(*index),
            _ => narrowing.verdict(self.raw(records, row)) != Verdict::No,
        }
    }

    /// What is matched of a row; `None` for rows that have nothing to match.
    ///
    /// `records` are those that were projected.
    #[must_use]
    pub fn words<'a>(&self, records: &'a SessionRecords, row: usize) -> Option<Words<'a>> {
        let raw = self.raw(records, row);
        let (place, words) = *self.places.get(row)?;
        match place {
            Place::Event(_) => words.read(raw),
            Place::Stream(_) => Some(Words::said(String::from_utf8_lossy(raw))),
            Place::Message(_) => message_words(raw),
            Place::Nothing => {
                let kind = self.transcript.rows.get(row)?.kind;
                (kind == RowKind::Assistant).then(|| Words::said(""))
            }
        }
    }

    /// The contents of a row; `None` for rows that have none.
    ///
    /// `records` are those that were projected.
    #[must_use]
    pub fn body(&self, records: &SessionRecords, row: usize) -> Option<Body> {
        let raw = self.raw(records, row);
        match self.places.get(row)?.0 {
            Place::Event(_) => event_body(raw),
            Place::Stream(_) => Some(stream_body(&String::from_utf8_lossy(raw))),
            Place::Message(_) => message_body(raw),
            Place::Nothing => {
                let kind = self.transcript.rows.get(row)?.kind;
                (kind == RowKind::Assistant).then(|| stream_body(""))
            }
        }
    }
}

/// The stored texts that a Session could hold a term in, were it readable:
/// event payloads other than openings, stream texts, and old records.
pub fn stored_texts(records: &SessionRecords) -> impl Iterator<Item = &[u8]> {
    let events = records.events.iter().filter(|event| !event.opening).map(|event| &event.payload);
    let streams = records.streams.iter().map(|stream| &stream.text);
    let messages = records.messages.iter().filter_map(|message| message.json.as_ref());
    events.chain(streams).chain(messages).map(|span| records.bytes(span))
}

/// Whether a chunked record could not be put together: what it holds is unknown.
#[must_use]
pub fn has_broken_chunk(records: &SessionRecords) -> bool {
    records.messages.iter().any(|message| message.json.is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::records::{EventRecord, MessageRecord, StreamRecord};

    #[test]
    fn everything_but_openings_could_hold_a_term() {
        let mut records = SessionRecords::default();
        for (opening, payload) in [(true, "opening"), (false, "said")] {
            let payload = records.push(payload.as_bytes());
            records.events.push(EventRecord {
                rowid: 1,
                event_id: 0..0,
                invocation_id: 0..0,
                run_id: 0..0,
                turn_id: 0..0,
                event_seq: 1,
                opening,
                committed_at: 0.0,
                ordinal: None,
                payload,
            });
        }
        let (payload, text) = (records.push(b"first delta"), records.push(b"arriving"));
        records.streams.push(StreamRecord {
            key: 0..0,
            invocation_id: 0..0,
            run_id: 0..0,
            turn_id: 0..0,
            after_event_id: None,
            payload,
            text,
        });
        let json = Some(records.push(b"old"));
        records.messages.push(MessageRecord { sequence: 0, json });
        let texts: Vec<_> = stored_texts(&records).collect();
        assert_eq!(texts, [b"said".as_slice(), b"arriving", b"old"]);
        assert!(!has_broken_chunk(&records));
        records.messages.push(MessageRecord { sequence: 1, json: None });
        assert!(has_broken_chunk(&records));
    }
}
