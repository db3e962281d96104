//! Transcripts that are held, for tests.

use std::sync::Arc;

use super::{Bodies, SessionView, Viewer};
use crate::engine::{
    RecallError, SessionHeader,
    json::RawValue,
    random::Random,
    transcript::{Attachment, Body, FileRef, Row, RowKind, RowSource},
};

/// A Session whose messages are held.
pub(super) struct Held {
    pub(super) header: SessionHeader,
    pub(super) rows: Vec<Row>,
    pub(super) bodies: HeldBodies,
}

/// The contents of rows, by the index that their source names.
pub(super) struct HeldBodies(Vec<Option<Body>>);

impl Bodies for HeldBodies {
    fn body(&mut self, row: &Row) -> Result<Option<Body>, RecallError> {
        let RowSource::Message(index) = row.source else { return Ok(None) };
        Ok(self.0.get(index as usize).cloned().flatten())
    }
}

impl Held {
    pub(super) fn new(id: &str) -> Self {
        let json = format!(r#"{{"id":"{id}","name":"title of {id}","lastMessageAt":5}}"#);
        let header = SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap();
        Self { header, rows: Vec::new(), bodies: HeldBodies(Vec::new()) }
    }

    /// Adds a row with the contents `body`.
    pub(super) fn push(&mut self, id: &str, turn: Option<&str>, body: Body) -> &mut Self {
        let kind = match body {
            Body::User { .. } => RowKind::User,
            Body::Assistant { .. } => RowKind::Assistant,
            Body::ToolCall { .. } => RowKind::ToolCall,
            Body::ToolResult { .. } => RowKind::ToolResult,
        };
        self.row(kind, id, turn, Some(body))
    }

    /// Adds a row of any kind.
    pub(super) fn row(
        &mut self,
        kind: RowKind,
        id: &str,
        turn: Option<&str>,
        body: Option<Body>,
    ) -> &mut Self {
        self.rows.push(Row {
            kind,
            id: Arc::from(id),
            turn_id: turn.map(Arc::from),
            ts: 1_700_000_000_000.0 + self.rows.len() as f64,
            searchable: body.is_some(),
            may_carry_files: true,
            source: RowSource::Message(self.rows.len() as i64),
        });
        self.bodies.0.push(body);
        self
    }

    /// The Session taken apart, so that its bodies can be read beside its rows.
    pub(super) fn parts(&mut self) -> (SessionView<'_>, &mut HeldBodies) {
        (SessionView { header: &self.header, rows: &self.rows }, &mut self.bodies)
    }
}

pub(super) fn assistant(text: &str) -> Body {
    Body::Assistant { text: text.to_owned() }
}

pub(super) fn user(text: &str, attachments: Vec<Attachment>) -> Body {
    Body::User { text: text.to_owned(), display_text: None, attachments }
}

pub(super) fn tool_call(intent: Option<&str>) -> Body {
    Body::ToolCall { tool_name: "Bash".to_owned(), intent: intent.map(str::to_owned) }
}

pub(super) fn tool_result(content: &str) -> Body {
    Body::ToolResult {
        tool_use_id: "call".to_owned(),
        is_error: false,
        content: content.as_bytes().into(),
        stored: None,
    }
}

/// A file of kind `kind` that is an artifact.
pub(super) fn artifact(kind: &str, name: &str, session_id: &str, id: &str) -> Attachment {
    Attachment {
        kind: kind.to_owned(),
        name: name.to_owned(),
        mime_type: "image/png".to_owned(),
        bytes: 2048.0,
        reference: FileRef::SessionFile {
            session_id: session_id.to_owned(),
            relative_path: id.to_owned(),
        },
    }
}

/// A viewer that may search `eligible`.
pub(super) fn viewer(active: Option<&str>, eligible: &[&str]) -> Viewer {
    Viewer {
        active_session_id: active.map(str::to_owned),
        eligible: eligible.iter().map(|&id| Arc::from(id)).collect(),
    }
}

/// Up to `most` characters of every width in bytes and in JSON.
pub(super) fn random_text(random: &mut Random, most: usize) -> String {
    const CHARACTERS: [char; 12] =
        ['a', 'B', ' ', '"', '\\', '\n', '\u{1}', '\u{7f}', 'é', '模', '😀', '\u{301}'];
    (0..random.below(most + 1)).map(|_| CHARACTERS[random.below(CHARACTERS.len())]).collect()
}
