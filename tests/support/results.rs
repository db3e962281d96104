//! Tool results of every kind that the host stores.

use serde_json::{Map, Value, json};

use super::{
    prose::{long_text, text},
    random::Random,
    secrets,
};

/// A result of any kind. `ids` are of artifacts that an image may be.
pub(crate) fn result(random: &mut Random, session: &str, ids: &[String]) -> Value {
    let said = said(random);
    match random.below(29) {
        0..=7 => json!({"kind": "text", "text": said}),
        8..=13 => json!({"kind": "json", "value": value(random, 4)}),
        14 => json!({"kind": "file_diff", "path": said, "diff": text(random, 8)}),
        15 => json!({"kind": "file_write", "path": said, "bytes": 7}),
        16 => json!({
            "kind": "terminal", "cwd": "/w", "cmd": said, "status": "completed", "exitCode": 0,
            "output": text(random, 12),
        }),
        17 => json!({"kind": "shell_run", "status": "failed", "exitCode": 2, "stdout": said}),
        18 => {
            let id = if ids.is_empty() { "att_none" } else { &ids[random.below(ids.len())] };
            let reference =
                json!({"kind": "session_file", "sessionId": session, "relativePath": id});
            json!({"kind": "image", "mimeType": "image/png", "ref": reference})
        }
        19 => json!({"kind": "summary", "summary": said}),
        20 => json!({"kind": "web_search", "results": [{"url": said, "title": text(random, 4)}]}),
        21 => json!({"kind": "web_search_error", "error": said}),
        22 => {
            let mode = random.pick(&["execute", "ask"]);
            json!({"kind": "subagent", "report": said, "permissionMode": mode})
        }
        23 => json!({"kind": "agent_swarm", "agents": [said, {"kind": text(random, 2)}]}),
        24 => json!({"kind": "plan_submitted", "plan": said, "steps": [text(random, 4)]}),
        25 => json!({
            "kind": "explore_agent", "filesInspected": random.below(40), "objective": said,
            "report": if random.below(2) == 0 { "" } else { "the report 上下文" },
        }),
        26 => archived("maka.archived_tool_result", &said),
        27 => archived("archived_tool_result", &said),
        _ => json!({"text": long_text(random, 14_000), "kind": "text", "unknown": {"n": 1.5}}),
    }
}

/// A text, or JSON in a text.
fn said(random: &mut Random) -> String {
    match random.below(8) {
        0 => value(random, 3).to_string(),
        1 => {
            let value = secrets::letters(random, 12);
            secrets::behind_a_key(&value, random).to_string()
        }
        _ => text(random, 10),
    }
}

/// Any JSON, with keys of all sorts.
pub(crate) fn value(random: &mut Random, depth: usize) -> Value {
    let most = if depth == 0 { 5 } else { 8 };
    match random.below(most) {
        0 => Value::Null,
        1 => json!(random.below(2) == 0),
        2 => json!([7.0, -0.0, 1e300, 1.5][random.below(4)]),
        3 | 4 => json!(text(random, 6)),
        5 => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
        6 => {
            let hidden = secrets::letters(random, 14);
            secrets::behind_a_key(&hidden, random)
        }
        _ => {
            let keys = ["kind", "a", "token", "7", "0", "key\"", "名", "text", ""];
            let members = (0..random.below(4))
                .map(|_| (random.pick(&keys).to_owned(), value(random, depth - 1)));
            members.collect::<Map<_, _>>().into()
        }
    }
}

fn archived(kind: &str, said: &str) -> Value {
    json!({
        "kind": kind, "runtimeEventId": "e", "toolCallId": "c", "toolName": "Bash",
        "artifactId": "a", "bodySha256": "f", "originalEstimatedTokens": 3, "originalBytes": 9,
        "rewriteVersion": 1, "reason": "stale_tool_result_pruned_before_compact", "note": said,
    })
}
