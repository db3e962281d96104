//! Sessions that grow while they are kept: what is kept of the state before, and
//! what was appended, give the answer of a reading of everything. In a process
//! of its own: what the store was asked is counted for the process.

mod support;

use recall_native::engine::{Call, Cancel, WarmOptions, recall, stats, warm};
use serde_json::{Value, json};
use support::{
    host::Open,
    random::Random,
    workspace::{Generation, Run, Workspace},
};

const SESSIONS: [&str; 3] = ["a", "b", "c"];
const STEPS: usize = 400;
const WORDS: [&str; 6] = ["needle", "模型", "ÉTÉ", "token=abc", "window", "42"];
const TERMS: [&str; 8] = ["needle", "模型", "été", "abc", "window", "42", "redacted", "absent"];

/// A turn that is being written.
struct Turn {
    session: &'static str,
    run: String,
    calls: usize,
}

impl Turn {
    fn run(&self) -> Run<'_> {
        Run { session: self.session, run: &self.run, turn: &self.run }
    }
}

fn text(random: &mut Random) -> String {
    (0..1 + random.below(5)).map(|_| WORDS[random.below(WORDS.len())]).collect::<Vec<_>>().join(" ")
}

fn result(random: &mut Random) -> Value {
    let text = text(random);
    match random.below(5) {
        0 => json!({"kind": "json", "value": {"note": text, "password": "needle"}}),
        1 => json!({"kind": "text", "text": format!("{text} {}", "filler ".repeat(2_000))}),
        2 => json!({"kind": "explore_agent", "filesInspected": 3, "report": text}),
        3 => json!({"kind": "subagent", "permissionMode": "execute", "report": text}),
        _ => json!({"kind": "text", "text": text}),
    }
}

/// One more event, or more of them in one transaction.
fn step(workspace: &Workspace, random: &mut Random, turns: &mut Vec<Turn>, number: usize) {
    workspace.connection().execute_batch("BEGIN").unwrap();
    for event in 0..1 + random.below(3) {
        if turns.len() < 2 || random.below(8) == 0 {
            let session = SESSIONS[random.below(SESSIONS.len())];
            let run = format!("r{number}-{event}");
            let turn = Turn { session, run, calls: 0 };
            workspace.open(turn.run());
            workspace.said(turn.run(), &text(random));
            turns.push(turn);
        }
        let at = random.below(turns.len());
        let turn = &mut turns[at];
        match random.below(6) {
            0 => {
                workspace.answered(turn.run(), &text(random));
            }
            1 | 2 => {
                turn.calls += 1;
                let (id, turn) = (format!("{}-c{}", turn.run, turn.calls), &*turn);
                let name = if random.below(4) == 0 { "Recall" } else { "Read" };
                let call = json!({"kind": "function_call", "id": id, "name": name, "args": {}});
                workspace.event(turn.run(), "function_call", call);
                let response = json!({
                    "kind": "function_response", "id": id, "name": name, "result": result(random),
                });
                workspace.event(turn.run(), "function_response", response);
            }
            3 => {
                workspace.complete(turn.run());
                turns.remove(at);
            }
            4 => {
                let key = format!("k{number}-{event}");
                let payload = json!({
                    "id": key, "sessionId": turn.session, "invocationId": format!("inv-{}", turn.run),
                    "runId": turn.run, "turnId": turn.run, "ts": number, "partial": true,
                    "role": "model", "refs": {"providerEventId": key},
                    "content": {"kind": "text", "text": ""},
                });
                let arrived = text(random);
                workspace.partial(turn.run(), &key, None, &payload, &[&arrived]);
            }
            _ => {
                let all =
                    "DELETE FROM runtime_partial_segments; DELETE FROM runtime_partial_snapshots";
                workspace.connection().execute_batch(all).unwrap();
            }
        }
    }
    workspace.connection().execute_batch("COMMIT").unwrap();
}

fn ask(workspace: &Workspace, term: &str, full_scan: bool) -> String {
    let request = json!({"terms": [term], "limit": 25}).to_string().into_bytes();
    let workspace_root = Some(workspace.root().to_owned());
    let mut call = Call { request, workspace_root, ..Call::default() };
    call.options.full_scan = full_scan;
    call.options.explain = true;
    let mut envelope = recall(&call, &Open, &Cancel::default()).unwrap();
    envelope.scanned_fully = false;
    envelope.coverage.narrowed = false;
    format!("{envelope:?}")
}

#[test]
fn a_session_that_grew_answers_as_one_that_is_read() {
    let workspace = Workspace::new(Generation::Openings);
    for id in SESSIONS {
        workspace.session(id, json!({}));
    }
    let (mut random, mut turns) = (Random::new(77), Vec::new());
    for number in 0..40 {
        step(&workspace, &mut random, &mut turns, number);
    }
    warm(workspace.root(), WarmOptions::default(), &Cancel::default()).unwrap();
    let mut from_memory = 0;
    for number in 40..STEPS {
        step(&workspace, &mut random, &mut turns, number);
        let term = TERMS[random.below(TERMS.len())];
        let before = stats().misses;
        let warm = ask(&workspace, term, false);
        from_memory += usize::from(stats().misses == before);
        assert_eq!(warm, ask(&workspace, term, true), "{term} after step {number}");
    }
    // The rest were asked while a Session was being kept anew.
    assert!(STEPS / 2 < from_memory, "{from_memory} of {STEPS}");
}
