//! Turns of old Sessions, generated: rows from before the ledger.

use serde_json::{Value, json};

use super::{
    events::Ledger,
    generate::encode,
    prose::{LONE, long_text, text},
    random::Random,
    results::result,
};

/// Adds the rows of one turn; now and then one that stands in chunks.
pub(crate) fn turn(ledger: &mut Ledger<'_>, random: &mut Random, session: &str, turn: &str) {
    let mut user = json!({"type": "user", "text": ledger.say(14)});
    if random.below(4) == 0 {
        user["attachments"] = json!([ledger.attachment(session)]);
    }
    if random.below(6) == 0 {
        user["steeringEventId"] = json!("ev-steer");
    }
    row(ledger, session, turn, user);
    for _ in 0..random.below(6) {
        match random.below(8) {
            0..=2 => {
                let mut answer = json!({"type": "assistant", "text": ledger.say(14)});
                answer["modelId"] = json!("model-a");
                if random.below(3) == 0 {
                    answer["thinking"] = json!({"text": text(random, 4)});
                }
                row(ledger, session, turn, answer);
            }
            3 | 4 => {
                let tool = random.pick(&["Bash", "Recall"]);
                let call = json!({
                    "type": "tool_call", "id": "call", "toolName": tool, "intent": ledger.say(4),
                    "args": {"command": text(random, 3)},
                });
                row(ledger, session, turn, call);
                let content = ledger.storable(result(random, session, &[]));
                let result = json!({
                    "type": "tool_result", "toolUseId": "call", "isError": false,
                    "content": content,
                });
                row(ledger, session, turn, result);
            }
            5 => {
                row(ledger, session, turn, json!({"type": "token_usage", "input": 1, "output": 2}));
            }
            6 => {
                let note = json!({"type": "system_note", "kind": "error", "text": ledger.say(4)});
                row(ledger, session, turn, note);
            }
            _ if random.below(3) == 0 => {
                chunked(ledger, random, session, turn);
            }
            _ => {}
        }
    }
    if random.below(3) != 0 {
        row(ledger, session, turn, json!({"type": "turn_state", "status": "completed"}));
    }
}

/// Adds a row that is over 64 KiB, and says its sequence. Chunks cut its
/// characters wherever they fall.
pub(crate) fn chunked(
    ledger: &mut Ledger<'_>,
    random: &mut Random,
    session: &str,
    turn: &str,
) -> i64 {
    let start = long_text(random, 2_000).replace(LONE, "");
    let filler = random.pick(&["上下文", "模", "x", "É"]);
    let near = format!("{}{}", filler.repeat(66_000 / filler.len()), text(random, 20));
    let said = format!("{start}{}", near.replace(LONE, ""));
    let tail: String = said.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    ledger.texts.extend([start, tail]);
    let mut record = json!({"type": "assistant", "text": said});
    complete(ledger, turn, &mut record);
    ledger.workspace.message(session, &record)
}

fn row(ledger: &mut Ledger<'_>, session: &str, turn: &str, mut record: Value) {
    complete(ledger, turn, &mut record);
    let kind = record["type"].as_str().unwrap().to_owned();
    ledger.workspace.raw_message(session, &kind, &encode(&record));
}

fn complete(ledger: &mut Ledger<'_>, turn: &str, record: &mut Value) {
    record["turnId"] = json!(turn);
    record["ts"] = json!(ledger.tick());
    if record.get("id").is_none() {
        record["id"] = json!(ledger.next_id());
    }
}
