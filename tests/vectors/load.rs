//! The vectors as stored rows: what a store would have read.

#![expect(clippy::disallowed_methods, reason = "vectors are no databases")]

use std::{borrow::Cow, collections::HashMap, fs, path::Path};

use recall_native::engine::{
    SessionHeader,
    json::RawValue,
    transcript::records::{
        EventRecord, InvocationForm, InvocationRecord, MessageRecord, OutcomeRecord,
        SessionRecords, StreamRecord,
    },
};

/// One vector: its name and its bytes.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) json: Vec<u8>,
}

/// The vectors of a folder, by name.
pub(crate) fn vectors(folder: &str) -> Vec<Vector> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/vectors").join(folder);
    let mut vectors: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            Vector { name, json: fs::read(path).unwrap() }
        })
        .collect();
    vectors.sort_by(|a, b| a.name.cmp(&b.name));
    vectors
}

impl Vector {
    pub(crate) fn value(&self) -> RawValue<'_> {
        RawValue::parse(&self.json).unwrap()
    }
}

/// What may happen to a stored text on its way into the records.
pub(crate) type Change<'c> = &'c mut dyn FnMut(&[u8]) -> Vec<u8>;

/// Leaves a stored text as it is.
pub(crate) fn unchanged(text: &[u8]) -> Vec<u8> {
    text.to_vec()
}

/// A Session of a `projection/` vector: its events in order, as one ledger.
///
/// The vectors are of the projector alone, which asks nothing of runs but the
/// opening. So a run that has ended goes on as another run (a read refuses two
/// endings: session-11), and a run without opening gets one that names no model
/// (a read leaves such a run out: session-10).
pub(crate) fn projection(vector: &Vector, change: Change<'_>) -> (SessionHeader, SessionRecords) {
    let value = vector.value();
    let mut records = SessionRecords::default();
    let mut openings: HashMap<String, Vec<u8>> = value
        .get("invocations")
        .unwrap()
        .elements()
        .map(|opened| (text(opened, "runId"), opened.get("opening").unwrap().bytes().to_vec()))
        .collect();
    let mut ended: HashMap<String, usize> = HashMap::new();
    let mut opened: Vec<String> = Vec::new();
    let mut session_id = None;
    for (index, event) in value.get("events").unwrap().elements().enumerate() {
        let run = text(event, "runId");
        let again = ended.get(&run).copied().unwrap_or(0);
        let mut payload = String::from_utf8_lossy(event.bytes()).into_owned();
        if again != 0 {
            payload = payload.replace(&format!("{run}\""), &format!("{run}-{again}\""));
        }
        let payload = RawValue::parse(payload.as_bytes()).unwrap();
        let run_id = text(payload, "runId");
        if !opened.contains(&run_id) {
            let opening = openings.entry(run.clone()).or_insert_with(|| b"{}".to_vec()).clone();
            let opening = change(&opening);
            let opening = InvocationRecord {
                form: InvocationForm::Opening,
                invocation_id: records.push(text(payload, "invocationId").as_bytes()),
                run_id: records.push(run_id.as_bytes()),
                turn_id: records.push(text(payload, "turnId").as_bytes()),
                opened_at: 1000.0,
                json: records.push(&opening),
            };
            records.invocations.push(opening);
            opened.push(run_id);
        }
        let record = EventRecord {
            rowid: 100 + index as i64,
            event_id: records.push(text(payload, "id").as_bytes()),
            invocation_id: records.push(text(payload, "invocationId").as_bytes()),
            run_id: records.push(text(payload, "runId").as_bytes()),
            turn_id: records.push(text(payload, "turnId").as_bytes()),
            event_seq: 1 + index as i64,
            opening: false,
            committed_at: number(payload, "ts"),
            ordinal: Some(1 + index as i64),
            payload: {
                let changed = change(payload.bytes());
                records.push(&changed)
            },
        };
        records.events.push(record);
        if payload.get("status").is_some() {
            *ended.entry(run).or_default() += 1;
        }
        session_id = Some(text(payload, "sessionId"));
    }
    let header = format!(r#"{{"id":"{}","transcriptLedgerVersion":1}}"#, session_id.unwrap());
    for outcome in value.get("outcomes").iter().flat_map(|outcomes| outcomes.elements()) {
        let answer = format!(
            r#"{{"outcome":{{"kind":"permission_answer","committedAt":{}}}}}"#,
            number(outcome, "committedAt")
        );
        let outcome = OutcomeRecord {
            request_id: records.push(text(outcome, "requestId").as_bytes()),
            turn_id: records.push(b"turn-1"),
            run_id: records.push(b"run-1"),
            request_kind: records.push(b"permission"),
            request: {
                let changed = change(outcome.bytes());
                records.push(&changed)
            },
            outcome: {
                let changed = change(answer.as_bytes());
                records.push(&changed)
            },
        };
        records.outcomes.push(outcome);
    }
    (read_header(&header), records)
}

/// The rows of a `session/` vector.
pub(crate) fn session(vector: &Vector, change: Change<'_>) -> (SessionHeader, SessionRecords) {
    let value = vector.value();
    let tables = value.get("tables").unwrap();
    let table = |name| tables.get(name).into_iter().flat_map(|rows| rows.elements());
    let mut records = SessionRecords::default();
    let ordinals: HashMap<String, i64> = table("runtime_session_event_ordinals")
        .map(|row| (text(row, "event_id"), number(row, "ordinal") as i64))
        .collect();
    for (index, row) in table("runtime_events").enumerate() {
        let payload = change(text(row, "payload_json").as_bytes());
        let event = EventRecord {
            rowid: 100 + index as i64,
            event_id: records.push(text(row, "event_id").as_bytes()),
            invocation_id: records.push(text(row, "invocation_id").as_bytes()),
            run_id: records.push(text(row, "run_id").as_bytes()),
            turn_id: records.push(text(row, "turn_id").as_bytes()),
            event_seq: number(row, "event_seq") as i64,
            opening: text(row, "event_kind") == "invocation_opened",
            committed_at: number(row, "committed_at"),
            ordinal: ordinals.get(&text(row, "event_id")).copied(),
            payload: records.push(&payload),
        };
        records.events.push(event);
    }
    // Any order will do.
    records.events.reverse();
    let mut snapshots: Vec<_> = table("runtime_partial_snapshots").collect();
    snapshots.sort_by_key(|row| (number(*row, "updated_at") as i64, text(*row, "stream_key")));
    for row in snapshots {
        let key = text(row, "stream_key");
        let mut segments: Vec<_> = table("runtime_partial_segments")
            .filter(|segment| text(*segment, "stream_key") == key)
            .collect();
        segments.sort_by_key(|segment| number(*segment, "segment_seq") as i64);
        let mut content = text(row, "text_content");
        content.extend(segments.into_iter().map(|segment| text(segment, "text_content")));
        let payload = change(text(row, "payload_json").as_bytes());
        let anchor = row.get("after_event_id").and_then(RawValue::string);
        let stream = StreamRecord {
            key: records.push(key.as_bytes()),
            invocation_id: records.push(text(row, "invocation_id").as_bytes()),
            run_id: records.push(text(row, "run_id").as_bytes()),
            turn_id: records.push(text(row, "turn_id").as_bytes()),
            after_event_id: anchor.map(|anchor| records.push(anchor.as_bytes())),
            payload: records.push(&payload),
            text: records.push(content.as_bytes()),
        };
        records.streams.push(stream);
    }
    let id = text(value, "sessionId");
    (read_header(&format!(r#"{{"id":"{id}","transcriptLedgerVersion":1}}"#)), records)
}

/// The rows of a `legacy/` vector. A turn that the ledger owns is one that a
/// run has opened, here one that has not said anything.
pub(crate) fn legacy(vector: &Vector, change: Change<'_>) -> (SessionHeader, SessionRecords) {
    let value = vector.value();
    let mut records = SessionRecords::default();
    for row in value.get("session_messages").unwrap().elements() {
        let json = change(row.get("message").unwrap().bytes());
        let json = Some(records.push(&json));
        let sequence = number(row, "sequence") as i64;
        records.messages.push(MessageRecord { sequence, json });
    }
    for turn in value.get("ledger").unwrap().get("ownedTurnIds").unwrap().elements() {
        let invocation = InvocationRecord {
            form: InvocationForm::Opening,
            invocation_id: records.push(b"inv-owner"),
            run_id: records.push(b"run-owner"),
            turn_id: records.push(turn.string().unwrap().as_bytes()),
            opened_at: 1.0,
            json: records.push(b"{}"),
        };
        records.invocations.push(invocation);
    }
    let header = SessionHeader::read(value.get("header").unwrap()).unwrap();
    (header, records)
}

/// The member `key`, a string.
pub(crate) fn text(value: RawValue<'_>, key: &str) -> String {
    value.get(key).and_then(RawValue::string).map(Cow::into_owned).unwrap()
}

/// The member `key`, a number.
pub(crate) fn number(value: RawValue<'_>, key: &str) -> f64 {
    value.get(key).and_then(RawValue::number).unwrap()
}

fn read_header(json: &str) -> SessionHeader {
    SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap()
}
