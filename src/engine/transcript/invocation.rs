//! The invocations of a Session, and which of them its transcript shows:
//! `host/projection.md` 2.
//!
//! One list from two shelves: opening events of the ledger, and what is
//! recorded beside them. A run header of the headers generation stands in for
//! an opening. The ledger's own opening wins.

use std::{borrow::Cow, cmp::Ordering, collections::HashSet};

use super::{
    Unreadable,
    event::{Columns, Event, Flaw, Place},
    records::{EventRecord, InvocationForm, InvocationRecord, SessionRecords, Span},
    turn::Turns,
};
use crate::engine::{
    SessionHeader,
    json::{Kind, RawValue},
};

/// One run of the agent.
#[derive(Debug)]
pub(super) struct Invocation<'a> {
    pub(super) id: Cow<'a, str>,
    pub(super) run_id: Cow<'a, str>,
    pub(super) turn_id: Cow<'a, str>,
    /// Epoch ms.
    pub(super) opened_at: f64,
    /// Whether the opening names the model that answers.
    pub(super) has_model: bool,
}

/// The invocations that the transcript shows, in no order: child runs are not
/// among them.
pub(super) fn inline<'a>(
    header: &SessionHeader,
    records: &'a SessionRecords,
) -> Result<Vec<Invocation<'a>>, Unreadable> {
    let mut invocations = Vec::new();
    let mut in_ledger = HashSet::new();
    for event in records.events.iter().filter(|event| event.opening) {
        in_ledger.insert(text(records, &event.invocation_id));
        let opening = opening_of(header, records, event)?;
        if opening.is_inline {
            invocations.push(Invocation {
                id: text(records, &event.invocation_id),
                run_id: text(records, &event.run_id),
                turn_id: text(records, &event.turn_id),
                opened_at: event.committed_at,
                has_model: opening.has_model,
            });
        }
    }
    for record in &records.invocations {
        let (invocation, opening) = recorded(records, record)?;
        if opening.is_inline && !in_ledger.contains(&invocation.id) {
            invocations.push(invocation);
        }
    }
    Ok(invocations)
}

impl Invocation<'_> {
    /// The order of runs: by opening time, then id.
    pub(super) fn by_opening(&self, other: &Self) -> Ordering {
        let by_time = self.opened_at.partial_cmp(&other.opened_at).unwrap_or(Ordering::Equal);
        by_time.then_with(|| self.id.cmp(&other.id))
    }
}

/// What an opening says.
struct Opening {
    is_inline: bool,
    has_model: bool,
}

impl Opening {
    /// Reads `content` of an `invocation_opened` event.
    fn read(content: RawValue<'_>) -> Self {
        let member = |object: &str, key: &str| content.get(object)?.get(key);
        let is_fresh = member("source", "kind").is_none_or(|kind| kind.is("fresh"));
        Self {
            is_inline: !is_there(member("lineage", "parentRunId"))
                || (!is_fresh && !is_there(member("lineage", "agentId"))),
            has_model: is_text(member("route", "modelId")),
        }
    }

    /// Reads a run header.
    fn read_header(header: RawValue<'_>) -> Self {
        Self {
            is_inline: !is_there(header.get("parentRunId"))
                || (is_there(header.get("continuationSource")) && !is_there(header.get("agentId"))),
            has_model: is_text(header.get("modelId")),
        }
    }
}

fn opening_of(
    header: &SessionHeader,
    records: &SessionRecords,
    event: &EventRecord,
) -> Result<Opening, Unreadable> {
    let payload = records.bytes(&event.payload);
    let columns = columns(header, records, event);
    let flawed = |flaw: Flaw| Unreadable::of_event(&text(records, &event.event_id), &flaw);
    Event::decode(payload, &columns, Place::Nothing, &mut Turns::default()).map_err(flawed)?;
    let content = RawValue::parse(payload).and_then(|payload| payload.get("content"));
    content
        .filter(|content| content.get("kind").is_some_and(|kind| kind.is("invocation_opened")))
        .map(Opening::read)
        .ok_or_else(|| flawed("its row says that it opens an invocation".into()))
}

/// The columns of an event that its payload repeats.
pub(super) fn columns<'a>(
    header: &'a SessionHeader,
    records: &'a SessionRecords,
    event: &EventRecord,
) -> Columns<'a> {
    Columns {
        event_id: Some(records.bytes(&event.event_id)),
        session_id: header.id.as_bytes(),
        invocation_id: records.bytes(&event.invocation_id),
        run_id: records.bytes(&event.run_id),
        turn_id: records.bytes(&event.turn_id),
    }
}

fn recorded<'a>(
    records: &'a SessionRecords,
    record: &InvocationRecord,
) -> Result<(Invocation<'a>, Opening), Unreadable> {
    let run_id = text(records, &record.run_id);
    let json = RawValue::parse(records.bytes(&record.json))
        .filter(|json| json.kind() == Kind::Object)
        .ok_or_else(|| Unreadable::new(format!("run {run_id}: its opening is not JSON")))?;
    let string = |key: &str| json.get(key).and_then(RawValue::string);
    let (id, turn_id, opening) = match record.form {
        InvocationForm::Opening => (
            text(records, &record.invocation_id),
            text(records, &record.turn_id),
            Opening::read(json),
        ),
        InvocationForm::RunHeader => (
            string("invocationId").filter(|id| !id.is_empty()).unwrap_or_else(|| run_id.clone()),
            string("turnId").unwrap_or_default(),
            Opening::read_header(json),
        ),
    };
    let has_model = opening.has_model;
    let opened_at = record.opened_at;
    Ok((Invocation { id, run_id, turn_id, opened_at, has_model }, opening))
}

/// The text of a column.
pub(super) fn text<'a>(records: &'a SessionRecords, span: &Span) -> Cow<'a, str> {
    String::from_utf8_lossy(records.bytes(span))
}

fn is_there(value: Option<RawValue<'_>>) -> bool {
    value.is_some_and(|value| value.kind() != Kind::Null)
}

fn is_text(value: Option<RawValue<'_>>) -> bool {
    value.and_then(RawValue::raw_string).is_some_and(|text| !text.bytes().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(json: &str) -> (bool, bool) {
        let Opening { is_inline, has_model } =
            Opening::read(RawValue::parse(json.as_bytes()).unwrap());
        (is_inline, has_model)
    }

    fn header(json: &str) -> bool {
        Opening::read_header(RawValue::parse(json.as_bytes()).unwrap()).is_inline
    }

    #[test]
    fn child_runs_are_not_shown() {
        assert_eq!(opening(r#"{"source":{"kind":"fresh"},"route":{"modelId":"m"}}"#), (true, true));
        let child = r#""lineage":{"parentRunId":"r"}"#;
        assert!(!opening(&format!(r#"{{"source":{{"kind":"fresh"}},{child}}}"#)).0);
        assert!(opening(&format!(r#"{{"source":{{"kind":"continuation"}},{child}}}"#)).0);
        assert!(opening(&format!(r#"{{"source":{{"kind":"handoff"}},{child}}}"#)).0);
        let retry =
            r#"{"source":{"kind":"continuation"},"lineage":{"parentRunId":"r","agentId":"a"}}"#;
        assert!(!opening(retry).0);
        assert!(opening(r#"{"source":{"kind":"fresh"},"lineage":{"agentId":"a"}}"#).0);
        assert_eq!(opening(r#"{"route":{"modelId":""}}"#), (true, false));
    }

    #[test]
    fn run_headers_say_the_same_in_other_words() {
        assert!(header("{}"));
        assert!(!header(r#"{"parentRunId":"r"}"#));
        assert!(header(r#"{"parentRunId":"r","continuationSource":{}}"#));
        assert!(!header(r#"{"parentRunId":"r","continuationSource":{},"agentId":"a"}"#));
    }
}
