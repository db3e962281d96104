//! Turns of the ledger, generated.

use serde_json::{Value, json};

use super::{
    generate::{Population, encode},
    prose::{cut_anywhere, long_text, text},
    random::Random,
    results::result,
    workspace::{Generation, Run, Workspace, invocation, opening},
};

/// Names of files as people and programs give them.
const NAMES: [&str; 8] = [
    "image.png",
    "合同.pdf",
    "E\u{301}TE\u{301}.TXT",
    "a \"b\" \\c.md",
    "log ghp_0123456789abcdefghijABCDEF.txt",
    "two\nlines.rs",
    "\u{202e}gnp.exe",
    "",
];

const TOOLS: [&str; 7] =
    ["Bash", "Read", "Recall", "RecallMore", "SearchHistory", "ReadHistory", "WebSearch"];

/// Writes turns and remembers what was said in them.
pub(crate) struct Ledger<'w> {
    pub(crate) workspace: &'w Workspace,
    pub(crate) texts: Vec<String>,
    /// The time of the next message.
    pub(crate) clock: usize,
    generation: Generation,
    population: Population,
    random: Random,
    serial: usize,
    artifacts: Vec<String>,
}

impl<'w> Ledger<'w> {
    pub(crate) fn new(
        workspace: &'w Workspace,
        generation: Generation,
        population: Population,
        random: Random,
    ) -> Self {
        Self {
            workspace,
            texts: Vec::new(),
            clock: 1,
            generation,
            population,
            random,
            serial: 0,
            artifacts: Vec::new(),
        }
    }

    /// A whole turn: a run that was opened, had its say and ended.
    pub(crate) fn turn(&mut self, run: Run<'_>) {
        self.open(run);
        self.user(run);
        for _ in 0..self.random.below(7) {
            match self.random.below(8) {
                0..=2 => self.answer(run),
                3..=5 => self.tool(run),
                6 => {
                    let usage = json!({"actions": {"tokenUsage": {"input": 3, "output": 4}}});
                    self.event(run, "runtime_fact", "system", usage);
                }
                _ => {
                    let content = json!({"kind": "injection", "text": self.say(6)});
                    self.event(run, "injection", "user", json!({"content": content}));
                }
            }
        }
        self.end(run);
    }

    /// A run that has not ended, with texts that are still arriving.
    pub(crate) fn arriving(&mut self, run: Run<'_>) {
        self.open(run);
        let mut after = Some(self.user(run));
        for step in 0..1 + self.random.below(3) {
            if self.random.below(2) == 0 {
                self.tool(run);
            }
            let (message, said) = (format!("{}-step{step}", run.run), self.say(30));
            let kinds: &[&str] =
                [&["text"][..], &["thinking", "text"], &["thinking"]][self.random.below(3)];
            for kind in kinds {
                self.tick();
                let mut payload = self.envelope(run, "model");
                payload["partial"] = json!(true);
                payload["content"] = json!({"kind": kind, "text": ""});
                payload["refs"] = json!({"providerEventId": message});
                let said = said.replace(super::prose::LONE, "\u{fffd}");
                let segments = cut_anywhere(&mut self.random, &said);
                let key = format!("{message}-{kind}");
                self.workspace.partial(run, &key, after.as_deref(), &payload, &segments);
            }
            if self.random.below(3) == 0 {
                after = None;
            }
        }
        if self.random.below(2) == 0 {
            self.tick();
            let mut payload = self.envelope(run, "tool");
            payload["partial"] = json!(true);
            payload["refs"] = json!({"toolCallId": "c"});
            self.workspace.partial(run, &format!("{}-tool", run.run), None, &payload, &[]);
        }
    }

    /// A run of a child agent: it is in the corpus and never shown.
    pub(crate) fn child(&mut self, run: Run<'_>) {
        let lineage = json!({"parentRunId": "parent", "agentId": "explorer"});
        let mut content = opening();
        content["lineage"] = lineage.clone();
        match self.generation {
            Generation::Openings => self.opening(run, content),
            Generation::Headers => self.workspace.header(run, lineage),
        }
        self.user(run);
        self.answer(run);
        self.end(run);
    }

    /// Events of a run that nothing lists.
    pub(crate) fn never_opened(&mut self, run: Run<'_>) {
        self.user(run);
        self.answer(run);
    }

    /// Opens a run: by an event, on the shelf, or by a header.
    pub(crate) fn open(&mut self, run: Run<'_>) {
        let on_shelf = self.random.below(3) == 0;
        match self.generation {
            Generation::Openings if on_shelf => {
                self.workspace.shelve(run, &format!("{}-anchor", run.run));
            }
            Generation::Openings => self.opening(run, opening()),
            Generation::Headers => self.workspace.header(run, json!({})),
        }
    }

    /// One generation has no such event: it takes no time and no number.
    fn opening(&mut self, run: Run<'_>, content: Value) {
        let fields = json!({"id": format!("{}-opened", run.run), "content": content});
        self.write(run, "invocation_opened", "system", fields, 0);
    }

    /// What a person says; says the id of the event.
    fn user(&mut self, run: Run<'_>) -> String {
        let mut content = json!({"kind": "text", "text": self.say(14)});
        if self.random.below(6) == 0 {
            content["displayText"] =
                json!(if self.random.below(3) == 0 { String::new() } else { self.say(6) });
        }
        if self.random.below(4) == 0 {
            let files = 1 + self.random.below(3);
            content["attachments"] = (0..files).map(|_| self.attachment(run.session)).collect();
        }
        let mut fields = json!({"content": content});
        if self.random.below(3) == 0 {
            fields["refs"] = json!({"storedMessageId": format!("stored-{}", self.serial)});
        }
        self.event(run, "text", "user", fields)
    }

    /// What the model says, with or without what it thought.
    fn answer(&mut self, run: Run<'_>) {
        let message = format!("step-{}", self.serial);
        let refs = json!({"providerEventId": message});
        if self.random.below(3) == 0 {
            let content = json!({"kind": "thinking", "text": self.say(8)});
            let fields = json!({"content": content, "refs": refs});
            self.event(run, "thinking", "model", fields);
        }
        let said = match self.random.below(24) {
            0 => long_text(&mut self.random, 5_000),
            1 => String::new(),
            _ => text(&mut self.random, 20),
        };
        self.texts.push(said.clone());
        let content = json!({"kind": "text", "text": said});
        self.event(run, "text", "model", json!({"content": content, "refs": refs}));
    }

    fn tool(&mut self, run: Run<'_>) {
        let id = format!("call-{}", self.serial);
        let tool = self.random.pick(&TOOLS);
        self.call(run, &id, tool);
        let result = result(&mut self.random, run.session, &self.artifacts);
        let result = self.storable(result);
        self.texts.extend(strings(&result));
        let content = json!({
            "kind": "function_response", "id": id, "name": tool, "result": result,
            "isError": self.random.below(4) == 0,
        });
        self.event(run, "function_response", "tool", json!({"content": content}));
    }

    /// Whoever hands a renamed mode over does not say what is stored: no Session
    /// that a host can hand over has one.
    pub(crate) fn storable(&self, mut result: Value) -> Value {
        if self.population == Population::Readable && result["permissionMode"] == "execute" {
            result["permissionMode"] = json!("ask");
        }
        result
    }

    pub(crate) fn call(&mut self, run: Run<'_>, id: &str, tool: &str) {
        let args = json!({"command": self.say(5)});
        let content = json!({"kind": "function_call", "id": id, "name": tool, "args": args});
        let mut fields = json!({"content": content});
        if self.random.below(2) == 0 {
            fields["actions"] = json!({"stateDelta": {"intent": self.say(6)}});
        }
        self.event(run, "function_call", "model", fields);
    }

    /// Ends a run, well or not.
    pub(crate) fn end(&mut self, run: Run<'_>) {
        let ends = json!({"endInvocation": true});
        match self.random.below(5) {
            0 => {
                let content = json!({"kind": "error", "message": self.say(6), "code": "x"});
                let fields = json!({"status": "failed", "actions": ends, "content": content});
                self.event(run, "error", "system", fields)
            }
            1 => {
                self.event(run, "aborted", "system", json!({"status": "aborted", "actions": ends}))
            }
            2 => self.event(run, "cancelled", "system", json!({"status": "cancelled"})),
            _ => {
                let fields = json!({"status": "completed", "actions": ends});
                self.event(run, "completed", "system", fields)
            }
        };
    }

    /// Adds an event, and says its id.
    pub(crate) fn event(&mut self, run: Run<'_>, kind: &str, role: &str, fields: Value) -> String {
        let ts = self.tick();
        self.write(run, kind, role, fields, ts)
    }

    /// Adds an event whose payload is no JSON, or another than it should be.
    pub(crate) fn raw(&mut self, run: Run<'_>, kind: &str, payload: &str) {
        self.serial += 1;
        let id = format!("ev-{}", self.serial);
        self.workspace.raw_event(run, &id, kind, &payload);
    }

    fn write(&mut self, run: Run<'_>, kind: &str, role: &str, fields: Value, ts: usize) -> String {
        let mut payload = self.envelope(run, role);
        payload["ts"] = json!(ts);
        let Value::Object(fields) = fields else { panic!("fields are an object") };
        for (key, value) in fields {
            payload[key] = value;
        }
        let id = payload["id"].as_str().unwrap().to_owned();
        let payload = encode(&payload);
        // Now and then from a writer that escapes whatever it can.
        let payload = if self.serial.is_multiple_of(16) { escaped(&payload) } else { payload };
        self.workspace.raw_event(run, &id, kind, &payload);
        id
    }

    fn envelope(&self, run: Run<'_>, role: &str) -> Value {
        json!({
            "id": format!("ev-{}", self.serial), "invocationId": invocation(run), "runId": run.run,
            "sessionId": run.session, "turnId": run.turn, "ts": self.clock, "partial": false,
            "role": role, "author": role,
        })
    }

    pub(crate) fn attachment(&mut self, session: &str) -> Value {
        let name = self.random.pick(&NAMES).to_owned();
        self.texts.push(name.clone());
        let reference = match self.random.below(4) {
            0 => json!({"kind": "workspace_file", "relativePath": "src/main.rs"}),
            1 => json!({"kind": "external_file", "absolutePath": "/tmp/x"}),
            _ => {
                let id = format!("att_{}", self.artifacts.len());
                self.workspace.artifact(session, &id, b"\x89PNG\r\n\x1a\n", json!({}));
                self.artifacts.push(id.clone());
                json!({"kind": "session_file", "sessionId": session, "relativePath": id})
            }
        };
        let kind = self.random.pick(&["image", "pdf", "code", "other"]);
        json!({"kind": kind, "name": name, "mimeType": "text/plain", "bytes": 9, "ref": reference})
    }

    /// A text that is remembered.
    pub(crate) fn say(&mut self, pieces: usize) -> String {
        let said = text(&mut self.random, pieces);
        self.texts.push(said.clone());
        said
    }

    pub(crate) fn next_id(&mut self) -> String {
        self.serial += 1;
        format!("m-{}", self.serial)
    }

    /// The time of the next message: some are of the same millisecond.
    pub(crate) fn tick(&mut self) -> usize {
        self.serial += 1;
        self.clock += self.random.below(3);
        self.clock
    }
}

/// The same JSON in ASCII.
fn escaped(json: &str) -> String {
    let mut escaped = String::new();
    for character in json.chars() {
        match character {
            '/' => escaped.push_str("\\/"),
            'k' => escaped.push_str("\\u006b"),
            _ if character.is_ascii() => escaped.push(character),
            _ => character
                .encode_utf16(&mut [0; 2])
                .iter()
                .for_each(|unit| escaped.push_str(&format!("\\u{unit:04x}"))),
        }
    }
    escaped
}

/// Every string of a value.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}
