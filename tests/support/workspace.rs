//! A writer of workspaces, as the host of either generation leaves them.

use std::{
    cell::Cell,
    fs,
    path::{Path, PathBuf},
};

use rusqlite::{Connection, ToSql};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::schema;

/// A record over this many bytes is chunked.
const CHUNK: usize = 65_536;

/// The shape that runs are recorded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generation {
    Headers,
    Openings,
}

pub(crate) const GENERATIONS: [Generation; 2] = [Generation::Headers, Generation::Openings];

/// A run of a Session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run<'a> {
    pub(crate) session: &'a str,
    pub(crate) run: &'a str,
    pub(crate) turn: &'a str,
}

/// A workspace that is being written, in WAL mode and open, like that of a host
/// that runs. Times count up from 1 as rows are added.
pub(crate) struct Workspace {
    folder: TempDir,
    connection: Connection,
    generation: Generation,
    clock: Cell<i64>,
}

impl Workspace {
    pub(crate) fn new(generation: Generation) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let connection = Connection::open(folder.path().join("runtime.sqlite")).unwrap();
        let own = match generation {
            Generation::Headers => schema::HEADERS,
            Generation::Openings => schema::OPENINGS,
        };
        let journal = "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;";
        connection.execute_batch(&format!("{journal}{}{own}", schema::COMMON)).unwrap();
        Self { folder, connection, generation, clock: Cell::new(0) }
    }

    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Ends writing as a host does that quits; the folder stays.
    pub(crate) fn close(self) -> TempDir {
        self.connection.close().unwrap();
        self.folder
    }

    /// Runs one statement.
    pub(crate) fn execute(&self, sql: &str, params: &[&dyn ToSql]) {
        let changed = self.connection.prepare_cached(sql).unwrap().execute(params).unwrap();
        assert_ne!(changed, 0, "{sql}");
    }

    /// Adds a Session; `header` has what differs from a converted, active one.
    pub(crate) fn session(&self, id: &str, header: Value) {
        let now = self.tick();
        let mut full = json!({
            "id": id, "name": format!("Session {id}"), "backend": "ai-sdk", "isArchived": false,
            "createdAt": now, "lastMessageAt": now, "model": "model-a",
            "transcriptLedgerVersion": 1,
        });
        merge(&mut full, header);
        self.execute(
            "INSERT INTO session_metadata VALUES (?1, ?2, ?3, ?3, 0, 1, ?3)",
            &[&id, &full.to_string(), &now],
        );
    }

    /// Opens a run: by a header, or by an event.
    pub(crate) fn open(&self, run: Run<'_>) {
        match self.generation {
            Generation::Openings => {
                self.event(run, "invocation_opened", opening());
            }
            Generation::Headers => self.header(run, json!({})),
        }
    }

    /// Adds a run header; `record` has what differs from a completed one.
    pub(crate) fn header(&self, run: Run<'_>, record: Value) {
        let now = self.tick();
        let mut full = json!({
            "runId": run.run, "invocationId": invocation(run), "sessionId": run.session,
            "turnId": run.turn, "status": "completed", "modelId": "model-a", "createdAt": now,
        });
        merge(&mut full, record);
        self.execute(
            "INSERT INTO core_agent_runs VALUES (?1, ?2, ?3, ?4, NULL)",
            &[&run.session, &run.run, &now, &full.to_string()],
        );
    }

    /// Puts the opening of a run on the shelf, anchored at one of its events.
    pub(crate) fn shelve(&self, run: Run<'_>, anchor: &str) {
        let now = self.tick();
        self.execute(
            "INSERT INTO runtime_legacy_invocation_openings VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            &[
                &invocation(run),
                &run.session,
                &run.run,
                &run.turn,
                &now,
                &opening().to_string(),
                &anchor,
            ],
        );
    }

    /// Adds an event with a content, and says its id.
    pub(crate) fn event(&self, run: Run<'_>, kind: &str, content: Value) -> String {
        let role = match kind {
            "function_response" => "tool",
            "invocation_opened" => "system",
            _ => "model",
        };
        self.event_with(run, kind, json!({"content": content, "role": role, "author": role}))
    }

    /// Adds what a person said.
    pub(crate) fn said(&self, run: Run<'_>, text: &str) -> String {
        let content = json!({"kind": "text", "text": text});
        self.event_with(run, "text", json!({"content": content, "role": "user", "author": "user"}))
    }

    /// Adds what the model answered.
    pub(crate) fn answered(&self, run: Run<'_>, text: &str) -> String {
        self.event(run, "text", json!({"kind": "text", "text": text}))
    }

    /// Ends a run as completed.
    pub(crate) fn complete(&self, run: Run<'_>) -> String {
        let fields = json!({
            "status": "completed", "role": "system", "author": "system",
            "actions": {"endInvocation": true},
        });
        self.event_with(run, "completed", fields)
    }

    /// Adds an event with these fields beside its identity.
    pub(crate) fn event_with(&self, run: Run<'_>, kind: &str, fields: Value) -> String {
        let id = format!("ev-{}", self.clock.get() + 1);
        let mut payload = json!({
            "id": id, "invocationId": invocation(run), "runId": run.run,
            "sessionId": run.session, "turnId": run.turn, "ts": self.clock.get() + 1,
            "partial": false,
        });
        merge(&mut payload, fields);
        self.raw_event(run, &id, kind, &payload.to_string());
        id
    }

    /// Adds an event with any payload: text, a blob, a number or NULL.
    pub(crate) fn raw_event(&self, run: Run<'_>, id: &str, kind: &str, payload: &dyn ToSql) {
        let now = self.tick();
        self.execute(
            "INSERT INTO runtime_events VALUES (?1, ?2, ?3, ?4, ?5, \
             (SELECT count(*) + 1 FROM runtime_events WHERE invocation_id = ?3), ?6, ?7, ?8)",
            &[&id, &run.session, &invocation(run), &run.run, &run.turn, &kind, payload, &now],
        );
        self.execute(
            "INSERT INTO runtime_session_event_ordinals VALUES (?1, \
             (SELECT ifnull(max(ordinal), 0) + 1 FROM runtime_session_event_ordinals \
             WHERE session_id = ?1), ?2)",
            &[&run.session, &id],
        );
    }

    /// Adds text that is still arriving, in segments.
    pub(crate) fn partial(
        &self,
        run: Run<'_>,
        key: &str,
        after: Option<&str>,
        payload: &Value,
        segments: &[&str],
    ) {
        let now = self.tick();
        self.execute(
            "INSERT INTO runtime_partial_snapshots VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, '', ?8)",
            &[
                &key,
                &run.session,
                &invocation(run),
                &run.run,
                &run.turn,
                &after,
                &payload.to_string(),
                &now,
            ],
        );
        for (at, segment) in segments.iter().enumerate() {
            self.execute(
                "INSERT INTO runtime_partial_segments VALUES (?1, ?2, ?3, ?4)",
                &[&key, &(at as i64 + 1), segment, &now],
            );
        }
    }

    /// Adds an old message row, in chunks when it is large, and says its
    /// sequence.
    pub(crate) fn message(&self, session: &str, record: &Value) -> i64 {
        let text = record.to_string();
        let kind = record["type"].as_str().unwrap();
        if text.len() <= CHUNK {
            return self.raw_message(session, kind, &text);
        }
        let sequence = self.raw_message(session, kind, &r#"{"$maka":"session-message-chunks-v1"}"#);
        let bytes = text.as_bytes();
        self.execute(
            "INSERT INTO session_message_payloads VALUES (?1, ?2, ?3, ?4)",
            &[&session, &sequence, &(bytes.len() as i64), &hex(bytes)],
        );
        for (at, chunk) in bytes.chunks(CHUNK).enumerate() {
            self.execute(
                "INSERT INTO session_message_chunks VALUES (?1, ?2, ?3, ?4, ?5)",
                &[&session, &sequence, &(at as i64), &chunk, &hex(chunk)],
            );
        }
        sequence
    }

    /// Adds an old message row with any record.
    pub(crate) fn raw_message(&self, session: &str, kind: &str, record: &dyn ToSql) -> i64 {
        let now = self.tick();
        let next =
            "SELECT ifnull(max(sequence) + 1, 0) FROM session_messages WHERE session_id = ?1";
        let sequence: i64 = self.connection.query_row(next, [session], |row| row.get(0)).unwrap();
        self.execute(
            "INSERT INTO session_messages VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            &[&session, &sequence, &format!("msg-{now}"), &kind, &now, record],
        );
        sequence
    }

    /// Adds a fact, global or of a workspace, found by these keys.
    pub(crate) fn fact(&self, id: &str, content: &str, scope: Option<&str>, keys: &[&str]) {
        let now = self.tick();
        let facts = Connection::open(self.root().join("memory.sqlite")).unwrap();
        facts.execute_batch(schema::FACTS).unwrap();
        let kind = if scope.is_some() { "workspace" } else { "global" };
        facts
            .execute(
                "INSERT INTO memory_items VALUES (?1, ?2, 'knowledge', ?3, ?4, ?5, 'active', ?5)",
                (id, content, kind, scope, now),
            )
            .unwrap();
        for key in keys {
            let insert = "INSERT INTO memory_item_keys VALUES (?1, ?2, lower(?2))";
            facts.execute(insert, (id, key)).unwrap();
        }
    }

    /// Adds a live upload with its bytes; `record` has what differs. Says where
    /// the file is.
    pub(crate) fn artifact(&self, session: &str, id: &str, bytes: &[u8], record: Value) -> PathBuf {
        let now = self.tick();
        let mut full = json!({
            "id": id, "sessionId": session, "turnId": "t", "createdAt": now, "name": "note.txt",
            "kind": "file", "mimeType": "text/plain", "source": "user_upload",
            "sizeBytes": bytes.len(),
        });
        merge(&mut full, record);
        let path = format!("{session}/{id}-{}", full["name"].as_str().unwrap());
        merge(&mut full, json!({"relativePath": path}));
        let text = full.to_string();
        match self.generation {
            Generation::Headers => self.execute(
                "INSERT INTO artifact_records VALUES (?1, ?2, ?3, ?4, 'live', ?5, ?6)",
                &[&hex(json!(id).to_string().as_bytes()), &id, &session, &now, &path, &text],
            ),
            Generation::Openings => self.execute(
                "INSERT INTO artifact_records VALUES (?1, ?2, ?3, ?4, ?5)",
                &[&id, &session, &now, &path, &text],
            ),
        }
        let file = self.root().join("artifacts").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, bytes).unwrap();
        file
    }

    fn tick(&self) -> i64 {
        self.clock.set(self.clock.get() + 1);
        self.clock.get()
    }
}

/// The invocation of a run.
pub(crate) fn invocation(run: Run<'_>) -> String {
    format!("inv-{}", run.run)
}

/// The content of an opening event: a fresh run of a person.
pub(crate) fn opening() -> Value {
    json!({
        "kind": "invocation_opened", "protocol": "invocation_opened_v1",
        "route": {"provenance": "runtime", "backendKind": "ai-sdk", "modelId": "model-a"},
        "configuration": {}, "root": {"kind": "user"}, "source": {"kind": "fresh"},
    })
}

fn merge(into: &mut Value, fields: Value) {
    let (Value::Object(into), Value::Object(fields)) = (into, fields) else {
        panic!("only objects merge")
    };
    into.extend(fields);
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
