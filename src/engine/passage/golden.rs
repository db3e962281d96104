//! Passages and materials of golden cases whose messages the host hands over.
//!
//! The hits are found by the predicate said plainly, so that these tests need
//! nothing but this room and the text rules.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    Anchor, Around, PassageBuilder, Query, SessionView, TermSet, TurnFiles,
    held::{Held, tool_result, viewer},
    recall_more_anchor,
};
use crate::engine::{
    limits::{ECHO_TOOLS, ENVELOPE_BYTES},
    reply::{Match, Material, MaterialLocation, MessageMaterial, Passage, PassageMessage},
    text::{
        Needle, fold,
        message::{redacted, stored},
    },
    transcript::{Attachment, Body, FileRef, RowKind},
};

fn cases() -> Vec<Value> {
    serde_json::from_str(include_str!("../../../tests/fixtures/passages.json")).unwrap()
}

#[test]
fn passages_and_materials_are_those_of_the_golden_cases() {
    for case in cases() {
        let name = text(&case, "name");
        let mut sessions = sessions(&case);
        let eligible: Vec<_> = strings(&case["eligible"]);
        let eligible: Vec<_> = eligible.iter().map(String::as_str).collect();
        let viewer = viewer(case["active"].as_str(), &eligible);
        if let Some(id) = case["more"].as_str() {
            let held = sessions.get_mut(&text(&case, "sessionId")).unwrap();
            let (session, bodies) = held.parts();
            let row = recall_more_anchor(session.rows, id, bodies).unwrap().unwrap();
            let around = Around {
                before: case["before"].as_u64().unwrap_or(8) as usize,
                after: case["after"].as_u64().unwrap_or(8) as usize,
            };
            let mut builder = PassageBuilder { session, viewer: &viewer, bodies };
            let passage = builder.expanded(row, around).unwrap().unwrap();
            assert_eq!(passage_json(&passage), sorted(&case["passages"][0]), "{name}");
            continue;
        }
        let terms = strings(&case["terms"]);
        let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
        let (mut left, mut files) = (ENVELOPE_BYTES, TurnFiles::default());
        for expected in case["passages"].as_array().unwrap() {
            let held = sessions.get_mut(&text(expected, "sessionId")).unwrap();
            let excluded = strings(&case["excluded"]);
            let hits = hits(held, &needles, &excluded);
            let (session, bodies) = held.parts();
            let row = expected["sequence"].as_u64().unwrap() as usize;
            let query = Query { terms: &terms, needles: &needles, hits: &|row| hits[row] };
            let best_term = hits[row].unwrap().iter().next().unwrap();
            let score = expected["score"].as_f64().unwrap();
            let anchor = Anchor { row, best_term, score, explain: None };
            let mut builder = PassageBuilder { session, viewer: &viewer, bodies };
            let built = builder.recalled(query, anchor, left).unwrap().unwrap();
            assert_eq!(passage_json(&built.passage), sorted(expected), "{name}");
            let messages = &passage_json(&built.passage)["messages"];
            let written: usize =
                messages.as_array().unwrap().iter().map(|one| one.to_string().len()).sum();
            assert_eq!(built.cost, written, "{name}");
            left -= built.cost;
            files.add(session, row, &viewer, bodies).unwrap();
        }
        let materials: Vec<_> = files.into_materials().iter().map(material_json).collect();
        assert_eq!(Value::from(materials), sorted(&case["materials"]), "{name}");
    }
}

/// The terms that each row holds by the plain predicate.
fn hits(held: &mut Held, needles: &[Needle], excluded: &[String]) -> Vec<Option<TermSet>> {
    let (SessionView { rows, .. }, bodies) = held.parts();
    rows.iter()
        .map(|row| {
            let in_flight =
                row.turn_id.as_ref().is_some_and(|id| excluded.contains(&id.to_string()));
            if !row.searchable || in_flight {
                return None;
            }
            let body = super::Bodies::body(bodies, row).unwrap()?;
            let (stored, shown) = (stored(&body)?, redacted(&body)?.text);
            let (stored, shown) = (fold(&stored), fold(&shown));
            let both = |needle: &Needle| needle.is_in(&stored) && needle.is_in(&shown);
            let held: TermSet = (0..needles.len()).filter(|&at| both(&needles[at])).collect();
            (held != TermSet::default()).then_some(held)
        })
        .collect()
}

fn sessions(case: &Value) -> HashMap<String, Held> {
    let sessions = case["sessions"].as_array().unwrap().iter();
    sessions
        .map(|session| {
            let id = text(session, "id");
            let mut held = Held::new(&id);
            held.header.name = text(session, "name");
            held.header.last_message_at = session["lastMessageAt"].as_f64();
            let messages = case["messages"][&id].as_array().unwrap();
            for (index, message) in messages.iter().enumerate() {
                read(&mut held, message, &messages[..index]);
            }
            (id, held)
        })
        .collect()
}

/// Adds a message as the host stores it.
fn read(held: &mut Held, message: &Value, earlier: &[Value]) {
    let (id, turn) = (text(message, "id"), message["turnId"].as_str());
    let body = match message["type"].as_str().unwrap() {
        "user" => Body::User {
            text: text(message, "text"),
            display_text: message["displayText"].as_str().map(str::to_owned),
            attachments: message["attachments"]
                .as_array()
                .map(|files| files.iter().filter_map(attachment).collect())
                .unwrap_or_default(),
        },
        "assistant" => Body::Assistant { text: text(message, "text") },
        "tool_call" => Body::ToolCall {
            tool_name: text(message, "toolName"),
            intent: message["intent"].as_str().filter(|it| !it.is_empty()).map(str::to_owned),
        },
        "tool_result" => tool_result(&message["content"].to_string()),
        _ => {
            held.row(RowKind::Other("system_note"), &id, turn, None);
            return;
        }
    };
    held.push(&id, turn, body);
    let row = held.rows.last_mut().unwrap();
    row.ts = message["ts"].as_f64().unwrap();
    if let Some(call) = message["toolUseId"].as_str() {
        let of_call = |one: &&Value| one["type"] == "tool_call" && one["id"] == call;
        let tool = earlier.iter().rev().find(of_call).map(|one| text(one, "toolName"));
        row.searchable = tool.is_none_or(|tool| !ECHO_TOOLS.contains(&tool.as_str()));
    }
}

/// An attachment of the declared shape.
fn attachment(file: &Value) -> Option<Attachment> {
    let kind = file["kind"].as_str()?;
    if !["image", "pdf", "doc", "code", "other"].contains(&kind) {
        return None;
    }
    let place = &file["ref"];
    let reference = match place["kind"].as_str()? {
        "session_file" => FileRef::SessionFile {
            session_id: text(place, "sessionId"),
            relative_path: text(place, "relativePath"),
        },
        "workspace_file" => FileRef::WorkspaceFile,
        _ => FileRef::ExternalFile,
    };
    Some(Attachment {
        kind: kind.to_owned(),
        name: text(file, "name"),
        mime_type: text(file, "mimeType"),
        bytes: file["bytes"].as_u64()? as f64,
        reference,
    })
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("{key} of {value}")).to_owned()
}

fn strings(value: &Value) -> Vec<String> {
    let list = value.as_array().into_iter().flatten();
    list.map(|one| one.as_str().unwrap().to_owned()).collect()
}

/// Numbers as `f64`, so that they compare whatever way they were written.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(sorted).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, one)| (key.clone(), sorted(one))).collect())
        }
        Value::Number(number) => number_json(number.as_f64().unwrap()),
        _ => value.clone(),
    }
}

/// Whole numbers without a point, as JavaScript writes them.
fn number_json(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

fn object(members: Vec<(&str, Option<Value>)>) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

fn passage_json(passage: &Passage) -> Value {
    let Passage {
        session_id,
        session_title,
        turn_id,
        anchor,
        anchor_message_id,
        sequence,
        messages,
        matched_terms,
        score,
        last_message_at,
        has_more_before,
        has_more_after,
        truncated,
        explain,
    } = passage;
    assert_eq!(*explain, None);
    object(vec![
        ("sessionId", Some(json!(**session_id))),
        ("sessionTitle", Some(json!(session_title))),
        ("turnId", turn_id.as_deref().map(|id| json!(id))),
        ("anchor", Some(json!(anchor))),
        ("anchorMessageId", Some(json!(**anchor_message_id))),
        ("sequence", Some(json!(sequence))),
        ("messages", Some(messages.iter().map(message_json).collect())),
        ("matchedTerms", Some(json!(matched_terms))),
        ("score", Some(number_json(*score))),
        ("lastMessageAt", last_message_at.map(number_json)),
        ("hasMoreBefore", Some(json!(has_more_before))),
        ("hasMoreAfter", Some(json!(has_more_after))),
        ("truncated", truncated.then_some(json!(true))),
    ])
}

fn message_json(message: &PassageMessage) -> Value {
    let PassageMessage {
        message_id,
        match_kind,
        text,
        timestamp,
        is_anchor,
        truncated,
        matches,
        materials,
    } = message;
    let list = |matches: &Vec<Match>| {
        matches.iter().map(|m| json!({"term": m.term, "start": m.start, "end": m.end})).collect()
    };
    object(vec![
        ("messageId", Some(json!(**message_id))),
        ("role", Some(json!(match_kind.role()))),
        ("matchKind", Some(json!(match_kind.as_str()))),
        ("text", Some(json!(text))),
        ("timestamp", Some(number_json(*timestamp))),
        ("isAnchor", Some(json!(is_anchor))),
        ("truncated", truncated.then_some(json!(true))),
        ("matches", matches.as_ref().map(list)),
        ("materials", materials.as_ref().map(|all| all.iter().map(file_json).collect())),
    ])
}

fn file_json(material: &MessageMaterial) -> Value {
    let MessageMaterial { name, kind, mime_type, bytes, location } = material;
    let (resource, source) = match location {
        Some(MaterialLocation::Resource(address)) => (Some(address), None),
        Some(MaterialLocation::Source { session_id, material_id }) => {
            (None, Some((session_id, material_id)))
        }
        None => (None, None),
    };
    object(vec![
        ("name", Some(json!(name))),
        ("kind", Some(json!(kind))),
        ("mimeType", Some(json!(mime_type))),
        ("bytes", Some(number_json(*bytes))),
        ("resource", resource.map(|address| json!(address))),
        ("sourceSessionId", source.map(|(session, _)| json!(session))),
        ("materialId", source.map(|(_, id)| json!(id))),
    ])
}

fn material_json(material: &Material) -> Value {
    let Material { id, kind, name, mime_type, bytes, session_id, turn_id, message_id } = material;
    object(vec![
        ("id", id.as_ref().map(|id| json!(id))),
        ("kind", Some(json!(kind))),
        ("name", Some(json!(name))),
        ("mimeType", Some(json!(mime_type))),
        ("bytes", bytes.map(number_json)),
        ("sessionId", Some(json!(**session_id))),
        ("turnId", turn_id.as_deref().map(|id| json!(id))),
        ("messageId", Some(json!(**message_id))),
    ])
}
