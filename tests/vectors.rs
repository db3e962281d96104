//! Every vector of the host's projection, row by row.
//!
//! `projection/` holds events and the rows they become, `session/` tables and
//! the order of their events, `legacy/` message rows and their conversion. What
//! is compared of a row is what the product keeps.

#[path = "vectors/load.rs"]
mod load;

use load::{Vector, text, unchanged, vectors};
use recall_native::engine::{
    Cancel, SessionHeader,
    json::{Kind, RawValue},
    transcript::{
        Attachment, Body, FileRef, Projection, Row, RowKind, RowSource, event_body, message_body,
        ordered_events, project, records::SessionRecords, stream_body,
    },
};
use serde_json::{Map, Value, json};

#[test]
fn events_become_rows() {
    let vectors = vectors("projection");
    assert_eq!(vectors.len(), 56);
    for vector in vectors {
        let (header, records) = load::projection(&vector, &mut unchanged);
        check_rows(&vector, &header, &records);
    }
}

#[test]
fn tables_become_rows() {
    let vectors = vectors("session");
    assert_eq!(vectors.len(), 18);
    for vector in vectors {
        let (header, records) = load::session(&vector, &mut unchanged);
        check_rows(&vector, &header, &records);
        let ordered = ordered_events(&header, &records);
        let expected = vector.value().get("orderedEventIds").unwrap();
        match expected.kind() {
            // Two endings, or an ending of another turn: the order is not asked for.
            Kind::Null => assert!(ordered.is_err(), "{}", vector.name),
            _ => {
                let ids = ordered.unwrap().into_iter().map(|(id, _)| Value::from(id));
                assert_eq!(ids.collect::<Value>(), value(expected), "{}", vector.name);
            }
        }
    }
}

#[test]
fn old_messages_become_events_and_rows() {
    let vectors = vectors("legacy");
    assert_eq!(vectors.len(), 10);
    for vector in vectors {
        let (header, records) = load::legacy(&vector, &mut unchanged);
        check_rows(&vector, &header, &records);
        let expected: Vec<_> = vector
            .value()
            .get("convertedEvents")
            .unwrap()
            .elements()
            .map(|event| (text(event, "id"), load::number(event, "ts")))
            .collect();
        assert_eq!(ordered_events(&header, &records), Ok(expected), "{}", vector.name);
    }
}

/// Compares the rows, or the fact that there are none.
#[track_caller]
fn check_rows(vector: &Vector, header: &SessionHeader, records: &SessionRecords) {
    let Vector { name, .. } = vector;
    let expected = vector.value();
    let readable = expected.get("readable").and_then(RawValue::bool).unwrap();
    let projection = match project(header, records, &Cancel::default()).unwrap() {
        Ok(projection) => projection,
        Err(unreadable) => {
            assert!(!readable, "{name}: {}", unreadable.why);
            assert!(names_its_event(expected, &unreadable.why), "{name}: {}", unreadable.why);
            return;
        }
    };
    assert!(readable, "{name} was read");
    let rows: Vec<_> = (0..projection.transcript.rows.len())
        .map(|index| {
            check_reading_again(name, records, &projection, index);
            shown(&projection.transcript.rows[index], projection.body(records, index))
        })
        .collect();
    let expected = expected.get("expectedMessages").unwrap();
    let kept: Vec<_> = expected.elements().map(kept).collect();
    assert_eq!(rows, kept, "{name}");
    let mut contents = expected.elements().map(|row| row.get("content"));
    for index in 0..rows.len() {
        let content = contents.next().unwrap();
        if let Some(Body::ToolResult { content: json, .. }) = projection.body(records, index) {
            let json = RawValue::parse(&json).unwrap();
            assert_eq!(in_order(json), in_order(content.unwrap()), "{name}");
        }
    }
}

/// A refusal names the event of a hard diagnostic, where the vector lists any.
fn names_its_event(expected: RawValue<'_>, why: &str) -> bool {
    let Some(diagnostics) = expected.get("diagnostics") else { return true };
    let mut events = diagnostics.elements().filter_map(|diagnostic| diagnostic.get("eventId"));
    diagnostics.elements().next().is_none()
        || events.any(|id| why.starts_with(&format!("event {}:", id.string().unwrap())))
}

/// What a row's source leads to says the same as the projection.
fn check_reading_again(
    name: &str,
    records: &SessionRecords,
    projection: &Projection,
    index: usize,
) {
    let row = &projection.transcript.rows[index];
    let (raw, body) = match &row.source {
        RowSource::Event(rowid) => {
            let event = records.events.iter().find(|event| event.rowid == *rowid).unwrap();
            let payload = records.bytes(&event.payload);
            (payload, event_body(payload))
        }
        RowSource::Stream(key) => {
            let mut streams = records.streams.iter();
            let is_it = |span| records.bytes(span) == key.as_bytes();
            let text = records.bytes(&streams.find(|stream| is_it(&stream.key)).unwrap().text);
            (text, Some(stream_body(std::str::from_utf8(text).unwrap())))
        }
        RowSource::Message(sequence) => {
            let mut messages = records.messages.iter();
            let message = messages.find(|message| message.sequence == *sequence).unwrap();
            let json = records.bytes(message.json.as_ref().unwrap());
            (json, message_body(json))
        }
        RowSource::Nothing if row.kind == RowKind::Assistant => {
            (b"".as_slice(), Some(stream_body("")))
        }
        RowSource::Nothing => (b"".as_slice(), None),
    };
    assert_eq!(projection.raw(records, index), raw, "{name}");
    assert_eq!(projection.body(records, index), body, "{name}");
}

/// The members that the product keeps of an expected row.
fn kept(row: RawValue<'_>) -> Value {
    let mut keys = vec!["type", "id", "turnId", "ts"];
    keys.extend(match &*text(row, "type") {
        "user" => ["text", "displayText", "attachments"].as_slice(),
        "assistant" => &["text"],
        "tool_call" => &["toolName", "intent"],
        "tool_result" => &["toolUseId", "isError", "content"],
        _ => &[],
    });
    let members = row.entries().map(|(key, member)| (key.decode().into_owned(), value(member)));
    Value::Object(members.filter(|(key, _)| keys.contains(&&**key)).collect())
}

/// A row as the host would hand it over.
fn shown(row: &Row, body: Option<Body>) -> Value {
    let Row { kind, id, turn_id, ts, searchable: _, may_carry_files: _, source: _ } = row;
    let mut shown = Map::new();
    let kind = match kind {
        RowKind::User => "user",
        RowKind::Assistant => "assistant",
        RowKind::ToolCall => "tool_call",
        RowKind::ToolResult => "tool_result",
        RowKind::Other(kind) => kind,
    };
    shown.insert("type".to_owned(), kind.into());
    shown.insert("id".to_owned(), (**id).into());
    shown.extend(turn_id.iter().map(|turn| ("turnId".to_owned(), Value::from(&**turn))));
    shown.insert("ts".to_owned(), (*ts).into());
    match body {
        Some(Body::User { text, display_text, attachments }) => {
            shown.insert("text".to_owned(), text.into());
            shown.extend(display_text.map(|text| ("displayText".to_owned(), text.into())));
            if !attachments.is_empty() {
                let attachments = attachments.into_iter().map(attachment).collect();
                shown.insert("attachments".to_owned(), attachments);
            }
        }
        Some(Body::Assistant { text }) => {
            shown.insert("text".to_owned(), text.into());
        }
        Some(Body::ToolCall { tool_name, intent }) => {
            shown.insert("toolName".to_owned(), tool_name.into());
            shown.extend(intent.map(|intent| ("intent".to_owned(), intent.into())));
        }
        Some(Body::ToolResult { tool_use_id, is_error, content, stored: _ }) => {
            shown.insert("toolUseId".to_owned(), tool_use_id.into());
            shown.insert("isError".to_owned(), is_error.into());
            shown.insert("content".to_owned(), value(RawValue::parse(&content).unwrap()));
        }
        None => {}
    }
    Value::Object(shown)
}

fn attachment(attachment: Attachment) -> Value {
    let Attachment { kind, name, mime_type, bytes, reference } = attachment;
    let FileRef::SessionFile { session_id, relative_path } = reference else {
        panic!("the vectors hold no other reference")
    };
    json!({
        "kind": kind, "name": name, "mimeType": mime_type, "bytes": bytes,
        "ref": {"kind": "session_file", "sessionId": session_id, "relativePath": relative_path},
    })
}

/// Numbers as `f64`, lone surrogates as U+FFFD. The fixtures are not deep.
fn value(json: RawValue<'_>) -> Value {
    match json.kind() {
        Kind::Null => Value::Null,
        Kind::Bool => json.bool().into(),
        Kind::Number => json.number().into(),
        Kind::String => json.string().map(|text| text.into_owned()).into(),
        Kind::Array => json.elements().map(value).collect(),
        Kind::Object => Value::Object(
            json.entries()
                .map(|(key, member)| (key.decode().into_owned(), value(member)))
                .collect(),
        ),
    }
}

/// A value with its keys in stored order: the order of a result's leaves.
fn in_order(json: RawValue<'_>) -> String {
    serde_json::to_string(&value(json)).unwrap()
}
