//! One row of a transcript.

use std::{collections::HashSet, sync::Arc};

/// The messages of a Session, in order: the index of a row is its `sequence`.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    /// Every row, searchable or not.
    pub rows: Vec<Row>,
}

/// One message, without its contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// What kind of message.
    pub kind: RowKind,
    /// The message id. Not unique in a Session.
    pub id: Arc<str>,
    /// The turn, where there is one.
    pub turn_id: Option<Arc<str>>,
    /// Epoch ms.
    pub ts: f64,
    /// Whether its text may be matched: false for kinds without text, for
    /// results of the recall tools and for text that only the projection wrote.
    pub searchable: bool,
    /// Whether its contents may name files: a user message, or an image result.
    pub may_carry_files: bool,
    /// Where the contents stand.
    pub source: RowSource,
}

impl Row {
    /// Whether it belongs to one of these turns.
    #[must_use]
    pub fn is_of(&self, turns: &HashSet<String>) -> bool {
        self.turn_id.as_deref().is_some_and(|turn| turns.contains(turn))
    }
}

/// The kind of a row. Only the first four have contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// What the person said.
    User,
    /// What the model said.
    Assistant,
    /// A call of a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// A row that takes a place and has no text: its `type`.
    Other(&'static str),
}

/// Where the contents of a row stand, so that they can be read again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// `runtime_events`, by rowid.
    Event(i64),
    /// `runtime_partial_snapshots` and its segments, by stream key.
    Stream(Arc<str>),
    /// `session_messages`, by sequence; of a callback's messages, by index.
    Message(i64),
    /// Nowhere: the row has no contents (an empty text put there by the projection).
    Nothing,
}

/// Why a Session cannot be shown. It is never shown in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong, for which event or message.
    pub why: String,
}

impl Unreadable {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self { why: why.into() }
    }

    /// Reading was broken off by a [`Cancel`](crate::engine::Cancel): whoever
    /// asked for it is told that, and never this.
    pub(super) fn broken_off() -> Self {
        Self::new("reading it was broken off")
    }

    /// `flaw` is a sentence about the event.
    pub(super) fn of_event(id: &str, flaw: &str) -> Self {
        Self { why: format!("event {id}: {flaw}") }
    }
}
