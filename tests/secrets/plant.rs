//! A workspace full of secrets.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::{
    prose::cut_anywhere,
    random::Random,
    secrets::{Secret, behind_a_key, each_kind, letters},
    workspace::{Generation, Run, Workspace},
};

/// What a text is cut to, and how far around it secrets stand.
const MESSAGE: usize = 4_096;
const RESULT: usize = 10_240;
const CHUNK: usize = 65_536;

/// A workspace, and where it hides what.
pub(crate) struct Planted {
    workspace: Workspace,
    /// No answer may tell them.
    pub(crate) secrets: Vec<Secret>,
    /// Texts without their secrets: what may be found.
    pub(crate) visible: Vec<String>,
    /// Words that find a message or a fact that hides one.
    pub(crate) words: Vec<String>,
    /// Text files of the Session `s` that hide some.
    pub(crate) materials: Vec<String>,
}

impl Planted {
    pub(crate) fn root(&self) -> &Path {
        self.workspace.root()
    }
}

/// Plants secrets of each kind in every place.
pub(crate) fn plant(seed: u64, generation: Generation) -> Planted {
    let workspace = Workspace::new(generation);
    workspace.connection().execute_batch("BEGIN").unwrap();
    let mut planter = Planter {
        random: Random::new(seed),
        planted: Planted {
            workspace,
            secrets: Vec::new(),
            visible: Vec::new(),
            words: Vec::new(),
            materials: Vec::new(),
        },
    };
    planter.prose();
    planter.results();
    planter.cuts();
    planter.titles_and_names();
    planter.old_messages(generation);
    planter.streams();
    planter.planted.workspace.connection().execute_batch("COMMIT").unwrap();
    planter.facts();
    planter.planted
}

struct Planter {
    random: Random,
    planted: Planted,
}

impl Planter {
    /// One secret of each kind that nothing else holds.
    fn fresh(&mut self) -> Vec<Secret> {
        let secrets = each_kind(&mut self.random);
        self.planted.secrets.extend(secrets.iter().cloned());
        secrets
    }

    /// A word that finds the text it stands in.
    fn word(&mut self) -> String {
        let word = format!("word{}", letters(&mut self.random, 10));
        self.planted.words.push(word.clone());
        word
    }

    /// Notes what of a text may be found.
    fn show(&mut self, text: &str, secret: &Secret) {
        self.planted.visible.push(text.replace(&secret.value, " "));
    }

    fn session(&mut self, id: &str) {
        self.planted.workspace.session(id, json!({"name": format!("Session {id}")}));
    }

    /// What is said, whole and in part: questions, answers, intents.
    fn prose(&mut self) {
        self.session("s");
        for secret in self.fresh() {
            let (question, answer, intent) = (self.word(), self.word(), self.word());
            let run = Run { session: "s", run: &question, turn: &question };
            let texts = [&question, &answer, &intent]
                .map(|word| format!("common {word} {} and more", secret.text));
            texts.iter().for_each(|text| self.show(text, &secret));
            let workspace = &self.planted.workspace;
            workspace.open(run);
            let said = json!({"kind": "text", "text": "sent", "displayText": texts[0]});
            workspace.event_with(run, "text", json!({"content": said, "role": "user"}));
            workspace.answered(run, &texts[1]);
            let call = json!({"kind": "function_call", "id": "c", "name": secret.text, "args": {}});
            let actions = json!({"stateDelta": {"intent": texts[2]}});
            let call = json!({"content": call, "role": "model", "actions": actions});
            workspace.event_with(run, "function_call", call);
            workspace.complete(run);
        }
        for secret in self.fresh() {
            let id = format!("att_{}", self.planted.materials.len());
            let text = format!("material word, then {} and more", secret.text);
            self.show(&text, &secret);
            let workspace = &self.planted.workspace;
            workspace.artifact("s", &id, text.as_bytes(), json!({}));
            let run = Run { session: "s", run: &id, turn: &id };
            workspace.open(run);
            let reference = json!({"kind": "session_file", "sessionId": "s", "relativePath": id});
            let file = json!({
                "kind": "code", "name": "note.txt", "mimeType": "text/plain", "bytes": 5,
                "ref": reference,
            });
            let said = json!({"kind": "text", "text": "a file", "attachments": [file]});
            workspace.event_with(run, "text", json!({"content": said, "role": "user"}));
            workspace.complete(run);
            self.planted.materials.push(id);
        }
    }

    /// Tool results: in texts, behind sensitive keys of any type, in JSON inside
    /// of a text, and as keys, which are no text.
    fn results(&mut self) {
        self.session("results");
        for secret in self.fresh() {
            let word = self.word();
            let text = format!("common {word} {} and more", secret.text);
            self.show(&text, &secret);
            let results = [
                json!({"kind": "text", "text": text}),
                json!({"kind": "json", "value": {"n": 1, "note": [text, {"deep": text}]}}),
                json!({"kind": "json", "value": [word, behind_a_key(&secret.value, &mut self.random)]}),
                json!({"kind": "text", "text": json!({
                    "word": word, "more": behind_a_key(&secret.value, &mut self.random),
                }).to_string()}),
                json!({"kind": "json", "value": {secret.text.as_str(): word}}),
            ];
            self.answer_calls("results", &word, results.as_slice());
        }
    }

    fn answer_calls(&self, session: &str, run: &str, results: &[Value]) {
        let workspace = &self.planted.workspace;
        let run = Run { session, run, turn: run };
        workspace.open(run);
        for (at, result) in results.iter().enumerate() {
            let id = format!("c{at}");
            let call = json!({"kind": "function_call", "id": id, "name": "Bash", "args": {}});
            workspace.event(run, "function_call", call);
            let response =
                json!({"kind": "function_response", "id": id, "name": "Bash", "result": result});
            workspace.event(run, "function_response", response);
        }
        workspace.complete(run);
    }

    /// Where a text is cut: at its size, in front of its window, and where tool
    /// results end. Nine long messages of a turn are more than a passage holds.
    fn cuts(&mut self) {
        self.session("cuts");
        for (at, secret) in self.fresh().into_iter().enumerate() {
            let turn = format!("cut-{at}");
            let run = Run { session: "cuts", run: &turn, turn: &turn };
            self.planted.workspace.open(run);
            for step in 0..5 {
                // The end of what is shown, then the start of it.
                let inside = step * secret.text.len() / 4;
                for before in [MESSAGE - inside, 2 * MESSAGE] {
                    let word = self.word();
                    let text = if before < 2 * MESSAGE {
                        let filler = filler(before - word.len() - 9);
                        format!("common {word} {filler} {} end of it", secret.text)
                    } else {
                        let (lead, between) = (filler(MESSAGE), filler(MESSAGE / 4 - inside));
                        format!("{lead} {} {between} {word} {}", secret.text, filler(MESSAGE))
                    };
                    self.show(&text, &secret);
                    self.planted.workspace.answered(run, &text);
                }
            }
            self.planted.workspace.complete(run);
            let results: Vec<Value> = (0..5)
                .map(|step| {
                    let word = self.word();
                    let inside = step * secret.text.len() / 4;
                    let filler = filler(RESULT - inside - word.len() - 2);
                    let text = format!("{word} {filler} {} end", secret.text);
                    self.show(&text, &secret);
                    json!({"kind": "text", "text": text})
                })
                .collect();
            self.answer_calls("cuts", &format!("result-{at}"), &results);
        }
    }

    fn titles_and_names(&mut self) {
        for (at, secret) in self.fresh().into_iter().enumerate() {
            let (id, word) = (format!("titled-{at}"), self.word());
            let title = format!("title {} and more", secret.text);
            let name = format!("name {} and more.txt", secret.text);
            self.show(&title, &secret);
            self.show(&name, &secret);
            let workspace = &self.planted.workspace;
            workspace.session(&id, json!({"name": title}));
            let run = Run { session: &id, run: &id, turn: "t" };
            workspace.open(run);
            let file = json!({
                "kind": "other", "name": name, "mimeType": "text/plain", "bytes": 5,
                "ref": {"kind": "session_file", "sessionId": id, "relativePath": "att_x"},
            });
            let said = json!({"kind": "text", "text": word, "attachments": [file]});
            workspace.event_with(run, "text", json!({"content": said, "role": "user"}));
            workspace.complete(run);
        }
    }

    /// Records in chunks that cut a secret, and small ones.
    /// A generation has every second kind in chunks: they are slow to read.
    fn old_messages(&mut self, generation: Generation) {
        let header = json!({"transcriptLedgerVersion": null, "name": "old"});
        self.planted.workspace.session("old", header);
        let rest = usize::from(generation == Generation::Openings);
        let secrets = self.fresh().into_iter().enumerate();
        for (at, secret) in secrets.filter(|(at, _)| at % 2 == rest) {
            let (turn, small, large) = (format!("old-{at}"), self.word(), self.word());
            let user = format!("{small} {} and more", secret.text);
            let before =
                format!(r#"{{"type":"assistant","id":"l{at}","turnId":"{turn}","ts":7,"text":""#);
            let inside = secret.text.len() / 2 + at % 3;
            let filler = filler(CHUNK - before.len() - large.len() - 2 - inside);
            let text = format!("{large} {filler} {} and more", secret.text);
            self.show(&user, &secret);
            self.show(&text, &secret);
            let workspace = &self.planted.workspace;
            let record = json!({"type": "user", "id": format!("u{at}"), "turnId": turn, "ts": 6, "text": user});
            workspace.message("old", &record);
            let record = json!({
                "type": "assistant", "id": format!("l{at}"), "turnId": turn, "ts": 7, "text": text,
            });
            assert!(record.to_string().starts_with(&before));
            workspace.message("old", &record);
        }
    }

    /// Text that is still arriving, cut anywhere.
    fn streams(&mut self) {
        self.session("streams");
        for (at, secret) in self.fresh().into_iter().enumerate() {
            let (run, word) = (format!("stream-{at}"), self.word());
            let run = Run { session: "streams", run: &run, turn: &run };
            let text = format!("{word} {} and more", secret.text);
            self.show(&text, &secret);
            let workspace = &self.planted.workspace;
            workspace.open(run);
            let payload = json!({
                "id": format!("e-{at}"), "invocationId": format!("inv-{}", run.run),
                "runId": run.run, "sessionId": "streams", "turnId": run.turn, "ts": at,
                "partial": true, "role": "model", "author": "agent",
                "content": {"kind": "text", "text": ""}, "refs": {"providerEventId": run.run},
            });
            let segments = cut_anywhere(&mut self.random, &text);
            workspace.partial(run, run.run, None, &payload, &segments);
        }
    }

    fn facts(&mut self) {
        for (at, secret) in self.fresh().into_iter().enumerate() {
            let (word, key) = (self.word(), format!("the {} key", secret.text));
            let content = format!("{word} {} and more", secret.text);
            self.show(&content, &secret);
            self.show(&key, &secret);
            let keys = [&*key, &*secret.text, "plain"];
            self.planted.workspace.fact(&format!("fact-{at}"), &content, None, &keys);
        }
    }
}

/// Words of `bytes` bytes.
fn filler(bytes: usize) -> String {
    "filler ".chars().cycle().take(bytes).collect()
}
