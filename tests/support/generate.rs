//! Whole workspaces, generated: Sessions of every kind that a store can hold.
//!
//! A seed gives the same Sessions in both generations, so their answers can be
//! compared.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{
    events::Ledger,
    messages,
    prose::text,
    random::Random,
    workspace::{Generation, Run, Workspace},
};

/// Which Sessions a workspace has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Population {
    /// Unreadable ones among them.
    Any,
    /// Only such as can be shown.
    Readable,
}

/// A workspace and what is known of it.
pub(crate) struct Generated {
    pub(crate) workspace: Workspace,
    /// What was said in it, for terms to be drawn from.
    pub(crate) texts: Vec<String>,
    /// The ids of its Sessions, listed or not.
    pub(crate) sessions: Vec<String>,
    /// The turns of its Sessions.
    pub(crate) turns: BTreeSet<(String, String)>,
    /// Every time of a message is below.
    pub(crate) end: usize,
}

/// What becomes of a Session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Ledger,
    Arriving,
    Old,
    WrittenTwice,
    Staging,
    NoJson,
    TwoEndings,
    UnknownResult,
    BrokenChunk,
    AnotherIdentity,
    UnclaimedThinking,
    UnknownMessage,
}

const READABLE: [Fate; 8] = [
    Fate::Ledger,
    Fate::Ledger,
    Fate::Ledger,
    Fate::Ledger,
    Fate::Arriving,
    Fate::Arriving,
    Fate::Old,
    Fate::WrittenTwice,
];

const UNREADABLE: [Fate; 8] = [
    Fate::Staging,
    Fate::NoJson,
    Fate::TwoEndings,
    Fate::UnknownResult,
    Fate::BrokenChunk,
    Fate::AnotherIdentity,
    Fate::UnclaimedThinking,
    Fate::UnknownMessage,
];

/// The workspace of a seed.
pub(crate) fn generate(seed: u64, generation: Generation, population: Population) -> Generated {
    let mut random = Random::new(seed);
    let workspace = Workspace::new(generation);
    workspace.connection().execute_batch("BEGIN").unwrap();
    let mut generator = Generator {
        ledger: Ledger::new(&workspace, generation, population, Random::new(seed ^ 0x5e55)),
        sessions: Vec::new(),
        turns: BTreeSet::new(),
    };
    for at in 0..3 + random.below(10) {
        let unreadable = population == Population::Any && random.below(4) == 0;
        let fates = if unreadable { &UNREADABLE } else { &READABLE };
        let fate = fates[random.below(fates.len())];
        generator.session(&mut random, at, fate);
    }
    generator.strangers(&mut random, population);
    let Generator { ledger, sessions, turns } = generator;
    let Ledger { mut texts, clock, .. } = ledger;
    workspace.connection().execute_batch("COMMIT").unwrap();
    for at in 0..random.below(4) {
        let content = text(&mut random, 8);
        let key = text(&mut random, 3);
        let scope = [None, Some("/w/a")][random.below(2)];
        workspace.fact(&format!("fact-{at}"), &content, scope, &[&key, "recall key"]);
        texts.extend([content, key]);
    }
    texts.retain(|text| !text.is_empty());
    Generated { workspace, texts, sessions, turns, end: clock }
}

struct Generator<'w> {
    ledger: Ledger<'w>,
    sessions: Vec<String>,
    turns: BTreeSet<(String, String)>,
}

impl Generator<'_> {
    fn session(&mut self, random: &mut Random, at: usize, fate: Fate) {
        let id = format!("s{at}");
        let name = if random.below(4) == 0 { "New Session".to_owned() } else { text(random, 5) };
        self.ledger.texts.push(name.clone());
        let version = match fate {
            Fate::Staging => json!(0),
            Fate::Old | Fate::WrittenTwice | Fate::BrokenChunk | Fate::UnknownMessage => {
                json!(null)
            }
            _ => json!(1),
        };
        let last = [json!(50), json!(60), json!(null), json!(10 + at)];
        let mut header = json!({
            "name": name,
            "backend": if random.below(12) == 0 { "fake" } else { "ai-sdk" },
            "isArchived": random.below(8) == 0,
            "lastMessageAt": last[random.below(4)],
            "statusUpdatedAt": 40 + random.below(3),
            "transcriptLedgerVersion": version,
            "workspaceRoot": random.pick(&["/w/a", "/w/b"]),
            "unknownKey": {"of": ["a", "newer", "host"]},
        });
        if random.below(5) == 0 && 0 < at {
            let root = &self.sessions[random.below(self.sessions.len())];
            header["revisionRootSessionId"] = json!(root);
            header["revisionParentSessionId"] = json!(root);
            header["revisionState"] = json!(random.pick(&["preparing", "ready"]));
        }
        if random.below(14) == 0 {
            header["conversationCopy"] = json!({"state": "preparing"});
        }
        if fate == Fate::Old && random.below(4) == 0 {
            header["externalOrigin"] = json!({"adapter": "other"});
        }
        self.ledger.workspace.session(&id, header);
        self.transcript(random, &id, fate);
        self.sessions.push(id);
    }

    fn transcript(&mut self, random: &mut Random, id: &str, fate: Fate) {
        let is_old = matches!(fate, Fate::Old | Fate::BrokenChunk | Fate::UnknownMessage);
        if is_old || matches!(fate, Fate::WrittenTwice | Fate::Staging) {
            for at in 0..1 + random.below(4) {
                let turn = format!("{id}-t{at}");
                messages::turn(&mut self.ledger, random, id, &turn);
                self.turns.insert((id.to_owned(), turn));
            }
        }
        if !is_old && fate != Fate::Staging {
            for at in 0..1 + random.below(5) {
                let (turn, run) = (format!("{id}-t{at}"), format!("{id}-r{at}"));
                self.ledger.turn(Run { session: id, run: &run, turn: &turn });
                self.turns.insert((id.to_owned(), turn));
            }
        }
        if fate == Fate::Arriving {
            let (turn, run) = (format!("{id}-ta"), format!("{id}-ra"));
            self.ledger.arriving(Run { session: id, run: &run, turn: &turn });
            self.turns.insert((id.to_owned(), turn));
        }
        let (run, turn) = (format!("{id}-rx"), format!("{id}-tx"));
        self.harm(random, Run { session: id, run: &run, turn: &turn }, fate);
        if random.below(3) == 0 {
            let (run, turn) = (format!("{id}-child"), format!("{id}-t0"));
            self.ledger.child(Run { session: id, run: &run, turn: &turn });
        }
        if random.below(4) == 0 {
            let (run, turn) = (format!("{id}-never"), format!("{id}-t0"));
            self.ledger.never_opened(Run { session: id, run: &run, turn: &turn });
        }
    }

    /// What makes a Session unreadable.
    fn harm(&mut self, random: &mut Random, run: Run<'_>, fate: Fate) {
        let ledger = &mut self.ledger;
        let said = text(random, 6);
        match fate {
            Fate::Ledger | Fate::Arriving | Fate::Old | Fate::WrittenTwice | Fate::Staging => {
                return;
            }
            Fate::NoJson => {
                ledger.open(run);
                ledger.raw(run, "text", &format!("{{\"text\": \"{said}"));
            }
            Fate::TwoEndings => {
                ledger.turn(run);
                ledger.end(run);
            }
            Fate::UnknownResult => {
                ledger.open(run);
                ledger.call(run, "c-x", "Bash");
                let content = json!({
                    "kind": "function_response", "id": "c-x", "name": "Bash",
                    "result": {"kind": "hologram", "text": said},
                });
                ledger.event(run, "function_response", "tool", json!({"content": content}));
            }
            Fate::AnotherIdentity => {
                ledger.open(run);
                let content = json!({"kind": "text", "text": said});
                ledger.event(run, "text", "user", json!({"content": content, "turnId": "other"}));
            }
            Fate::UnclaimedThinking => {
                ledger.open(run);
                let content = json!({"kind": "thinking", "text": said});
                ledger.event(run, "thinking", "model", json!({"content": content}));
            }
            Fate::UnknownMessage => {
                let record = json!({"type": "hologram", "id": "m", "ts": 5, "text": said});
                ledger.workspace.raw_message(run.session, "hologram", &record.to_string());
            }
            Fate::BrokenChunk => {
                let sequence = messages::chunked(ledger, random, run.session, run.turn);
                let harm = random.pick(&[
                    "DELETE FROM session_message_chunks WHERE session_id = ?1 AND sequence = ?2 \
                     AND chunk_index = 1",
                    "UPDATE session_message_chunks SET sha256 = 'no' WHERE session_id = ?1 \
                     AND sequence = ?2",
                    "UPDATE session_message_payloads SET record_bytes = record_bytes + 1 \
                     WHERE session_id = ?1 AND sequence = ?2",
                ]);
                ledger.workspace.execute(harm, &[&run.session, &sequence]);
            }
        }
        ledger.texts.push(said);
    }

    /// Rows that belong to no Session, and shapes that are unknown.
    fn strangers(&mut self, random: &mut Random, population: Population) {
        let workspace = self.ledger.workspace;
        if random.below(2) == 0 {
            self.ledger.turn(Run { session: "deleted", run: "deleted-r", turn: "deleted-t" });
        }
        if random.below(3) == 0 {
            workspace.session("role", json!({"role": "coordination"}));
            self.ledger.turn(Run { session: "role", run: "role-r", turn: "role-t" });
        }
        if population == Population::Any && random.below(3) == 0 {
            workspace.execute(
                "INSERT INTO session_metadata VALUES ('damaged', '{', 1, 1, 0, 1, 1)",
                &[],
            );
        }
        if random.below(2) == 0 {
            workspace
                .connection()
                .execute_batch(
                    "ALTER TABLE runtime_events ADD COLUMN of_a_newer_host TEXT;
                     ALTER TABLE session_metadata ADD COLUMN of_a_newer_host TEXT;
                     CREATE TABLE of_a_newer_host (a, b);",
                )
                .unwrap();
        }
    }
}

/// JSON as `JSON.stringify` writes it, halves of surrogate pairs included.
pub(crate) fn encode(value: &Value) -> String {
    value.to_string().replace(super::prose::LONE, "\\ud83d")
}
