//! Requests to a generated workspace.

use std::collections::HashSet;

use recall_native::engine::{Call, Options};
use serde_json::{Map, Value, json};

use super::{
    generate::Generated,
    prose::{LONE, PIECES, part, respelled},
    random::Random,
    secrets,
};

/// Words that stand in stored rows beside what was said.
const STRUCTURE: [&str; 12] = [
    "text",
    "kind",
    "json",
    "ask",
    "s",
    "model",
    "session_file",
    "image/png",
    "inspected",
    "plan_submitted",
    "execute",
    "redacted",
];

/// A request and its options; where it is to be asked is left open.
pub(crate) fn recall_call(random: &mut Random, generated: &Generated) -> Call {
    let mut request = Map::new();
    let terms: Vec<String> = (0..1 + random.below(4)).map(|_| term(random, generated)).collect();
    request.insert("terms".to_owned(), json!(terms));
    if random.below(3) == 0 {
        request.insert("limit".to_owned(), json!(1 + random.below(25)));
    }
    if random.below(6) == 0 {
        let ids = &generated.sessions;
        request.insert("sessionId".to_owned(), json!(ids[random.below(ids.len())]));
    }
    let (one, other) = (random.below(generated.end + 1), random.below(generated.end + 1));
    if random.below(6) == 0 {
        request.insert("since".to_owned(), json!(one.min(other)));
    }
    if random.below(6) == 0 {
        request.insert("until".to_owned(), json!(one.max(other)));
    }
    Call { request: spell(request), options: options(random, generated), ..Call::default() }
}

/// A request of the modal's search.
pub(crate) fn threads_call(random: &mut Random, generated: &Generated) -> Call {
    let mut request = Map::new();
    request.insert("source".to_owned(), json!("thread"));
    request.insert("query".to_owned(), json!(term(random, generated)));
    request.insert("limit".to_owned(), json!(1 + random.below(40)));
    let options = Options { max_results: Some(40), ..options(random, generated) };
    Call { request: spell(request), options, ..Call::default() }
}

fn spell(request: Map<String, Value>) -> Vec<u8> {
    Value::from(request).to_string().replace(LONE, "\\ude00").into_bytes()
}

fn options(random: &mut Random, generated: &Generated) -> Options {
    let mut options = Options { explain: random.below(3) == 0, ..Options::default() };
    if random.below(2) == 0 {
        let ids = &generated.sessions;
        let active = &ids[random.below(ids.len())];
        options.exclude_turn_ids = generated
            .turns
            .iter()
            .filter(|(session, _)| session == active && random.below(3) == 0)
            .map(|(_, turn)| turn.clone())
            .collect::<HashSet<_>>();
        options.active_session_id = Some(active.clone());
    }
    options.include_archived = random.below(3) == 0;
    if random.below(6) == 0 {
        options.max_sessions = Some(1 + random.below(8));
    }
    options
}

/// A term that stands in the workspace, nearly stands there, or does not.
fn term(random: &mut Random, generated: &Generated) -> String {
    let texts = &generated.texts;
    let said = &texts[random.below(texts.len())];
    match random.below(16) {
        0 => format!("absent{}", random.below(1_000)),
        1 => random.pick(&STRUCTURE).to_owned(),
        2 => random.pick(&PIECES).to_owned(),
        3 => {
            let secret = secrets::any(random).text;
            part(random, &secret, 8)
        }
        4 | 5 => part(random, said, 1),
        6..=8 => {
            let drawn = part(random, said, 6);
            respelled(random, &drawn)
        }
        9 => part(random, said, 400),
        _ => part(random, said, 12),
    }
}
