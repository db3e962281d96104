//! Parts of a reply as the golden cases write them.

use recall_native::engine::reply::{
    Fact, Match, Material, MaterialLocation, MessageMaterial, Passage, PassageMessage,
};
use serde_json::{Map, Value, json};

/// `value` with its numbers written one way.
pub(crate) fn plain(value: &Value) -> Value {
    match value {
        Value::Array(elements) => elements.iter().map(plain).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, one)| (key.clone(), plain(one))).collect())
        }
        Value::Number(written) => number(written.as_f64().unwrap()),
        _ => value.clone(),
    }
}

/// Whole numbers without a point, as JavaScript writes them.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 { json!(value as i64) } else { json!(value) }
}

fn object(members: Vec<(&str, Option<Value>)>) -> Value {
    let present = members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

pub(crate) fn passage(passage: &Passage) -> Value {
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
        ("messages", Some(messages.iter().map(message).collect())),
        ("matchedTerms", Some(json!(matched_terms))),
        ("score", Some(number(*score))),
        ("lastMessageAt", last_message_at.map(number)),
        ("hasMoreBefore", Some(json!(has_more_before))),
        ("hasMoreAfter", Some(json!(has_more_after))),
        ("truncated", truncated.then_some(json!(true))),
    ])
}

fn message(message: &PassageMessage) -> Value {
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
        ("timestamp", Some(number(*timestamp))),
        ("isAnchor", Some(json!(is_anchor))),
        ("truncated", truncated.then_some(json!(true))),
        ("matches", matches.as_ref().map(list)),
        ("materials", materials.as_ref().map(|all| all.iter().map(file).collect())),
    ])
}

fn file(material: &MessageMaterial) -> Value {
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
        ("bytes", Some(number(*bytes))),
        ("resource", resource.map(|address| json!(address))),
        ("sourceSessionId", source.map(|(session, _)| json!(session))),
        ("materialId", source.map(|(_, id)| json!(id))),
    ])
}

pub(crate) fn material(material: &Material) -> Value {
    let Material { id, kind, name, mime_type, bytes, session_id, turn_id, message_id } = material;
    object(vec![
        ("id", id.as_ref().map(|id| json!(id))),
        ("kind", Some(json!(kind))),
        ("name", Some(json!(name))),
        ("mimeType", Some(json!(mime_type))),
        ("bytes", bytes.map(number)),
        ("sessionId", Some(json!(**session_id))),
        ("turnId", turn_id.as_deref().map(|id| json!(id))),
        ("messageId", Some(json!(**message_id))),
    ])
}

pub(crate) fn fact(fact: &Fact) -> Value {
    let Fact { content, kind, observed_at } = fact;
    object(vec![
        ("content", Some(json!(content))),
        ("kind", Some(json!(kind))),
        ("observedAt", Some(number(*observed_at))),
    ])
}
