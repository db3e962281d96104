//! Passages of any messages: within their budgets, and cut at whole code points.

use recall_native::engine::{
    Call, Cancel,
    host::HostMessage,
    limits::{ENVELOPE_BYTES, MESSAGE_TEXT_BYTES, NEIGHBOURS, PASSAGE_BYTES},
    recall, recall_more,
    reply::{Match, MaterialLocation, MessageMaterial, Passage, PassageMessage},
    text::fold,
};
use serde_json::{Value, json};

use crate::support::{
    budget::rounds,
    generate::encode,
    host::Source,
    prose::{LONE, long_text, part, text},
    random::Random,
    results::result,
};

fn messages(random: &mut Random) -> (Vec<HostMessage>, Vec<String>) {
    let mut said = Vec::new();
    let mut messages = Vec::new();
    for at in 0..1 + random.below(30) {
        let text = match random.below(5) {
            0 => long_text(random, 5_000),
            1 => "\u{1}\"\\".repeat(random.below(3_000)),
            _ => text(random, 20),
        };
        let turn = format!("t{}", random.below(4));
        let mut message = json!({"id": format!("m{at}"), "turnId": turn, "ts": at, "text": text});
        let fields = match random.below(6) {
            0 | 1 => json!({"type": "assistant"}),
            2 => json!({"type": "tool_call", "toolName": "Bash", "intent": text}),
            3 => {
                let content = result(random, "s", &[]);
                json!({"type": "tool_result", "toolUseId": "c", "content": content})
            }
            _ => json!({"type": "user", "attachments": files(random)}),
        };
        for (key, value) in fields.as_object().unwrap() {
            message[key] = value.clone();
        }
        said.push(text);
        messages.push(HostMessage { json: encode(&message).into_bytes(), matched: None });
    }
    (messages, said)
}

fn files(random: &mut Random) -> Value {
    let file = |at: usize| {
        let name = format!("file \"{at}\".png");
        let reference = json!({"kind": "session_file", "sessionId": "s", "relativePath": "att_1"});
        json!({"kind": "image", "name": name, "mimeType": "image/png", "bytes": 5, "ref": reference})
    };
    let many = [0, 0, 0, 2, 60][random.below(5)];
    (0..many).map(file).collect()
}

#[test]
fn a_passage_is_within_its_budget() {
    let (mut cut, mut dropped, mut full) = (0, 0, 0);
    rounds(300, |seed| {
        let mut random = Random::new(seed);
        let (messages, said) = messages(&mut random);
        let source = Source::of_messages("title", messages);
        let terms: Vec<String> = (0..1 + random.below(3))
            .map(|_| {
                let drawn = &said[random.below(said.len())];
                part(&mut random, drawn, 4).replace(LONE, "")
            })
            .collect();
        let request = json!({"terms": terms, "limit": 25}).to_string().into_bytes();
        let call = Call { request, ..Call::default() };
        let Ok(envelope) = recall(&call, &source, &Cancel::default()) else { return };
        let mut all = 0;
        for passage in &envelope.passages {
            all += check(passage, seed);
            assert!(passage.messages.len() <= 2 * NEIGHBOURS + 1);
            cut += usize::from(passage.truncated);
        }
        assert!(all <= ENVELOPE_BYTES, "seed {seed}: {all}");
        full += usize::from(ENVELOPE_BYTES / 2 < all);
        dropped += envelope.coverage.dropped_passages;

        let anchor = format!("s/m{}", random.below(said.len()));
        let request = json!({"anchor": anchor}).to_string().into_bytes();
        if let Ok(passage) =
            recall_more(&Call { request, ..Call::default() }, &source, &Cancel::default())
        {
            check(&passage, seed);
            assert!(passage.messages.iter().all(|message| message.matches.is_none()));
        }
    });
    assert!(100 < cut, "{cut} cut");
    let _ = (dropped, full);
}

/// The bytes of the JSON of a passage's messages.
#[track_caller]
fn check(passage: &Passage, seed: u64) -> usize {
    let size: usize = passage.messages.iter().map(|message| spelled(message).len()).sum();
    assert!(size <= PASSAGE_BYTES, "seed {seed}: {size} in {passage:?}");
    let anchors = passage.messages.iter().filter(|message| message.is_anchor);
    assert_eq!(anchors.count(), 1, "seed {seed}: {passage:?}");
    for message in &passage.messages {
        let PassageMessage { text, truncated, matches, .. } = message;
        assert!(text.len() <= MESSAGE_TEXT_BYTES, "seed {seed}: {message:?}");
        assert!(!truncated || passage.truncated, "seed {seed}: {passage:?}");
        assert!(!truncated || text.contains('…'), "seed {seed}: {message:?}");
        let units: Vec<u16> = text.encode_utf16().collect();
        for Match { term, start, end } in matches.iter().flatten() {
            let there = units.get(*start..*end).map(String::from_utf16);
            assert!(matches!(there, Some(Ok(_))), "seed {seed}: {message:?}");
            assert!(fold(text).contains(&*fold(term)), "seed {seed}: {term:?} in {message:?}");
        }
        assert!(matches.as_ref().is_none_or(|matches| matches.len() <= 32));
    }
    size
}

/// A message as it leaves.
fn spelled(message: &PassageMessage) -> String {
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
    // Whole numbers have no point in JSON.
    let whole = |number: f64| number as i64;
    let mut json = json!({
        "messageId": &**message_id, "role": match_kind.role(), "matchKind": match_kind.as_str(),
        "text": text, "timestamp": whole(*timestamp), "isAnchor": is_anchor,
    });
    if *truncated {
        json["truncated"] = json!(true);
    }
    if let Some(matches) = matches {
        json["matches"] = matches
            .iter()
            .map(|Match { term, start, end }| json!({"term": term, "start": start, "end": end}))
            .collect();
    }
    if let Some(materials) = materials {
        json["materials"] = materials.iter().map(|file| material(file, whole)).collect();
    }
    json.to_string()
}

fn material(file: &MessageMaterial, whole: impl Fn(f64) -> i64) -> Value {
    let MessageMaterial { name, kind, mime_type, bytes, location } = file;
    let mut json =
        json!({"name": name, "kind": kind, "mimeType": mime_type, "bytes": whole(*bytes)});
    match location {
        Some(MaterialLocation::Resource(resource)) => json["resource"] = json!(resource),
        Some(MaterialLocation::Source { session_id, material_id }) => {
            json["sourceSessionId"] = json!(session_id);
            json["materialId"] = json!(material_id);
        }
        None => {}
    }
    json
}
