//! Hosts: one that only lets an answer be made, and one that is its source.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use recall_native::engine::{
    Cancel, RecallError, SessionHeader,
    facts::match_facts,
    host::{FactsQuestion, Host, HostAnswer, HostMessage},
    store::{FactsRead, FactsStore, Store},
    text::{Narrowing, Needle, fold},
    transcript::{Attachment, Body, FileRef, Projection, Row, project, records::SessionRecords},
};
use serde_json::{Value, json};

/// A host with no callbacks but an open privacy.
pub(crate) struct Open;

impl Host for Open {
    fn privacy(&self, _: &Cancel) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        Ok(HostAnswer::Value(br#"{"incognitoActive":false}"#.to_vec()))
    }

    fn is_source(&self) -> bool {
        false
    }

    fn list_sessions(&self, _: &Cancel) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        Ok(HostAnswer::Absent)
    }

    fn candidates(
        &self,
        _: &[&str],
        _: &[&str],
        _: &Cancel,
    ) -> Result<HostAnswer<Vec<String>>, RecallError> {
        Ok(HostAnswer::Absent)
    }

    fn count(&self, _: &[&str], _: &Cancel) -> Result<HostAnswer<f64>, RecallError> {
        Ok(HostAnswer::Absent)
    }

    fn messages(&self, _: &str, _: &Cancel) -> Result<HostAnswer<Vec<HostMessage>>, RecallError> {
        Ok(HostAnswer::Absent)
    }

    fn facts(
        &self,
        _: &FactsQuestion<'_>,
        _: &Cancel,
    ) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        Ok(HostAnswer::Absent)
    }

    fn fetches_material(&self) -> bool {
        false
    }

    fn fetch_material(
        &self,
        _: &str,
        _: &str,
        _: &str,
        _: &Cancel,
    ) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        Ok(HostAnswer::Absent)
    }
}

/// A host that hands over Sessions and messages: every callback answers.
pub(crate) struct Source {
    /// Where candidates, counts and facts are looked up.
    root: Option<PathBuf>,
    /// What it answers when it is asked for its Sessions.
    listed: HostAnswer<Vec<Vec<u8>>>,
    headers: Vec<SessionHeader>,
    messages: HashMap<String, Vec<HostMessage>>,
}

impl Source {
    /// What the native reader reads of the workspace at `root`, once.
    pub(crate) fn of(root: &Path) -> Self {
        let mut store = Store::open(root, &Cancel::default()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let headers = snapshot.sessions().unwrap().headers;
        let headers: Vec<SessionHeader> = headers.into_iter().map(Arc::unwrap_or_clone).collect();
        let messages = headers
            .iter()
            .filter_map(|header| {
                let records = snapshot.read(header).unwrap();
                let projection = project(header, &records, &Cancel::default()).unwrap().ok()?;
                Some((header.id.to_string(), hand_over(&projection, &records)))
            })
            .collect();
        let listed = HostAnswer::Value(headers.iter().map(summary).collect());
        Self { root: Some(root.to_owned()), listed, headers, messages }
    }

    /// The same, and each message stands for itself, so that none is passed over
    /// by what is stored of it.
    pub(crate) fn unnarrowed(mut self) -> Self {
        for message in self.messages.values_mut().flatten() {
            message.matched.get_or_insert_with(|| message.json.clone());
        }
        self
    }

    /// One Session, named `s`, with these messages and this title.
    pub(crate) fn of_messages(title: &str, messages: Vec<HostMessage>) -> Self {
        let summary = json!({"id": "s", "name": title, "lastMessageAt": 7}).to_string();
        Self {
            root: None,
            listed: HostAnswer::Value(vec![summary.into_bytes()]),
            headers: Vec::new(),
            messages: HashMap::from([("s".to_owned(), messages)]),
        }
    }

    /// Its list of Sessions fails.
    pub(crate) fn failing(why: String) -> Self {
        let listed = HostAnswer::Failed(why);
        Self { root: None, listed, headers: Vec::new(), messages: HashMap::new() }
    }

    fn header(&self, id: &str) -> &SessionHeader {
        self.headers.iter().find(|header| &*header.id == id).unwrap()
    }
}

impl Host for Source {
    fn privacy(&self, cancel: &Cancel) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        Open.privacy(cancel)
    }

    fn is_source(&self) -> bool {
        true
    }

    fn list_sessions(&self, _: &Cancel) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        Ok(self.listed.clone())
    }

    fn candidates(
        &self,
        session_ids: &[&str],
        terms: &[&str],
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<String>>, RecallError> {
        let Some(narrowing) = Narrowing::new(terms) else { return Ok(HostAnswer::Declined) };
        let Some(root) = &self.root else { return Ok(HostAnswer::Declined) };
        let mut store = Store::open(root, cancel)?;
        let snapshot = store.snapshot()?;
        let mut named = Vec::new();
        for id in session_ids {
            if snapshot.may_hit(self.header(id), &narrowing)? {
                named.push((*id).to_owned());
            }
        }
        Ok(HostAnswer::Value(named))
    }

    fn count(&self, session_ids: &[&str], cancel: &Cancel) -> Result<HostAnswer<f64>, RecallError> {
        let Some(root) = &self.root else { return Ok(HostAnswer::Declined) };
        let mut store = Store::open(root, cancel)?;
        Ok(HostAnswer::Value(store.snapshot()?.corpus_count(session_ids)? as f64))
    }

    fn messages(
        &self,
        session_id: &str,
        _: &Cancel,
    ) -> Result<HostAnswer<Vec<HostMessage>>, RecallError> {
        let messages = self.messages.get(session_id).cloned();
        Ok(messages.map_or(HostAnswer::Declined, HostAnswer::Value))
    }

    fn facts(
        &self,
        question: &FactsQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        let Some(root) = &self.root else { return Ok(HostAnswer::Absent) };
        let asking = question.session_id.and_then(|id| {
            self.headers.iter().find(|header| &*header.id == id)?.workspace_root.as_deref()
        });
        let items = match FactsStore::default().read(root, asking, cancel) {
            FactsRead::Items(items) => items,
            FactsRead::Missing => return Ok(HostAnswer::Absent),
            FactsRead::Unavailable(why) => return Ok(HostAnswer::Failed(why)),
        };
        let needles: Vec<Needle> =
            question.terms.iter().map(|term| Needle::new(&fold(term))).collect();
        // A host hands facts over as they are stored: each has its own time.
        let stored = |observed_at: f64| {
            let item = items.iter().find(|item| item.observed_at == observed_at).unwrap();
            json!({"content": item.content, "kind": item.kind, "observedAt": observed_at})
        };
        let found = match_facts(&items, question.terms, &needles);
        let found = found.iter().map(|fact| stored(fact.observed_at).to_string().into_bytes());
        Ok(HostAnswer::Value(found.collect()))
    }

    fn fetches_material(&self) -> bool {
        false
    }

    fn fetch_material(
        &self,
        source_session_id: &str,
        material_id: &str,
        target_session_id: &str,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        Open.fetch_material(source_session_id, material_id, target_session_id, cancel)
    }
}

fn summary(header: &SessionHeader) -> Vec<u8> {
    json!({
        "id": &*header.id,
        "name": header.name,
        "backend": header.backend,
        "isArchived": header.archived,
        "createdAt": header.created_at,
        "lastMessageAt": header.last_message_at,
        "statusUpdatedAt": header.status_updated_at,
        "revisionRootSessionId": header.revision_root,
        "revisionParentSessionId": header.revision_parent,
        "revisionState": header.revision_state,
        "workspaceRoot": header.workspace_root,
    })
    .to_string()
    .into_bytes()
}

fn hand_over(projection: &Projection, records: &SessionRecords) -> Vec<HostMessage> {
    let rows = projection.transcript.rows.iter().enumerate();
    rows.map(|(index, row)| message(row, projection.body(records, index))).collect()
}

fn message(row: &Row, body: Option<Body>) -> HostMessage {
    let mut message = json!({"id": &*row.id, "turnId": row.turn_id.as_deref(), "ts": row.ts});
    let mut whole = |fields: Value| {
        for (key, value) in fields.as_object().unwrap() {
            message[key] = value.clone();
        }
        message.to_string()
    };
    let plain = |json: String| HostMessage { json: json.into_bytes(), matched: None };
    match body {
        None => plain(whole(json!({"type": "system_note", "kind": "note"}))),
        Some(Body::User { text, display_text, attachments }) => {
            let files: Vec<Value> = attachments.iter().map(attachment).collect();
            let mut fields = json!({"type": "user", "text": text, "attachments": files});
            if let Some(shown) = display_text {
                fields["displayText"] = json!(shown);
            }
            plain(whole(fields))
        }
        Some(Body::Assistant { text }) => plain(whole(json!({"type": "assistant", "text": text}))),
        Some(Body::ToolCall { tool_name, intent }) => {
            plain(whole(json!({"type": "tool_call", "toolName": tool_name, "intent": intent})))
        }
        Some(Body::ToolResult { tool_use_id, is_error, content, stored: _ }) => {
            let start = whole(json!({
                "type": "tool_result", "toolUseId": tool_use_id, "isError": is_error,
            }));
            let with = |content: &str| {
                format!("{},\"content\":{content}}}", start.strip_suffix('}').unwrap())
            };
            let content = String::from_utf8_lossy(&content);
            let caption = !row.searchable && content.contains(r#""text":"Inspected "#);
            HostMessage {
                json: with(&content).into_bytes(),
                // What `syntheticTextPatterns` leave of a caption.
                matched: caption.then(|| with(r#"{"kind":"text","text":""}"#).into_bytes()),
            }
        }
    }
}

fn attachment(file: &Attachment) -> Value {
    let reference = match &file.reference {
        FileRef::SessionFile { session_id, relative_path } => json!({
            "kind": "session_file", "sessionId": session_id, "relativePath": relative_path,
        }),
        FileRef::WorkspaceFile => json!({"kind": "workspace_file", "relativePath": "x"}),
        FileRef::ExternalFile => json!({"kind": "external_file", "absolutePath": "/x"}),
    };
    json!({
        "kind": file.kind, "name": file.name, "mimeType": file.mime_type, "bytes": file.bytes,
        "ref": reference,
    })
}
