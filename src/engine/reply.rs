//! What an answer is made of. All text in here is redacted.

use std::sync::Arc;

/// The answer of `recall`.
#[derive(Clone, Debug, PartialEq)]
pub struct Envelope {
    /// Distilled facts that match, the best first; at most ten.
    pub facts: Vec<Fact>,
    /// Passages in rank order.
    pub passages: Vec<Passage>,
    /// Files of the turns that the passages come from.
    pub materials: Vec<Material>,
    /// What the search did not find or cover, in sentences for the model.
    pub gaps: String,
    /// The same as data.
    pub coverage: Coverage,
    /// Whether every Session was read: the opposite of `coverage.narrowed`.
    pub scanned_fully: bool,
}

/// One distilled fact.
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// What is known.
    pub content: String,
    /// `preference`, `identity`, `context`, `knowledge`, `failure` or `note`.
    pub kind: String,
    /// Epoch ms.
    pub observed_at: f64,
}

/// A message that matched, with its neighbours.
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    /// The Session.
    pub session_id: Arc<str>,
    /// Its title.
    pub session_title: String,
    /// The turn, where there is one.
    pub turn_id: Option<Arc<str>>,
    /// `<sessionId>/<messageId>`: what `recallMore` takes.
    pub anchor: String,
    /// The message that matched.
    pub anchor_message_id: Arc<str>,
    /// The index of that message in the Session's whole transcript.
    pub sequence: usize,
    /// The anchor and its visible neighbours, in order.
    pub messages: Vec<PassageMessage>,
    /// The terms the anchor holds, in the caller's spelling and order.
    pub matched_terms: Vec<String>,
    /// BM25, rounded half up to 4 decimals.
    pub score: f64,
    /// Epoch ms of the Session's last message.
    pub last_message_at: Option<f64>,
    /// Whether visible messages of the turn precede the first one shown.
    pub has_more_before: bool,
    /// Whether visible messages of the turn follow the last one shown.
    pub has_more_after: bool,
    /// Whether a message was cut or left out for its size.
    pub truncated: bool,
    /// How the score came about, when asked for.
    pub explain: Option<Explain>,
}

/// One message of a passage.
#[derive(Clone, Debug, PartialEq)]
pub struct PassageMessage {
    /// The message id.
    pub message_id: Arc<str>,
    /// Who said it, and as what.
    pub match_kind: MatchKind,
    /// The text, redacted, then cut.
    pub text: String,
    /// Epoch ms.
    pub timestamp: f64,
    /// Whether this is the message that matched.
    pub is_anchor: bool,
    /// Whether text was cut.
    pub truncated: bool,
    /// Where the terms stand in `text`; only on messages that are hits.
    pub matches: Option<Vec<Match>>,
    /// The files of the message; only when there are any.
    pub materials: Option<Vec<MessageMaterial>>,
}

/// What kind of message stands in a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchKind {
    /// Of the person.
    User,
    /// Of the model.
    Assistant,
    /// What a tool call was for.
    ToolIntent,
    /// What a tool answered.
    ToolResult,
}

impl MatchKind {
    /// `user`, `assistant` or `tool`.
    #[must_use]
    pub fn role(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::ToolIntent | Self::ToolResult => "tool",
        }
    }

    /// The word that stands in a reply.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user_message",
            Self::Assistant => "assistant_message",
            Self::ToolIntent => "tool_intent",
            Self::ToolResult => "tool_result",
        }
    }
}

/// A term in a text, for highlighting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// The term in the caller's spelling.
    pub term: String,
    /// First UTF-16 unit of `text`.
    pub start: usize,
    /// Past the last UTF-16 unit.
    pub end: usize,
}

/// A file that a message of a passage carries.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageMaterial {
    /// The file name.
    pub name: String,
    /// `image`, `pdf`, `doc`, `code` or `other`.
    pub kind: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: f64,
    /// How it can be read, if it can.
    pub location: Option<MaterialLocation>,
}

/// How a file of a message can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaterialLocation {
    /// It belongs to the asking Session: `maka://runtime/attachments/<id>`.
    Resource(String),
    /// It belongs to another eligible Session: `recallMaterial` fetches it.
    Source {
        /// The Session that owns it.
        session_id: String,
        /// Its artifact id.
        material_id: String,
    },
}

/// A file of a turn that a passage comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// `<sessionId>/<artifactId>` for `recallMaterial`; absent when it cannot be fetched.
    pub id: Option<String>,
    /// `image`, `pdf`, `doc`, `code` or `other`.
    pub kind: String,
    /// The file name.
    pub name: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes, where it is recorded.
    pub bytes: Option<f64>,
    /// Where it was found.
    pub session_id: Arc<str>,
    /// The turn it was found in.
    pub turn_id: Option<Arc<str>>,
    /// The message that carries it.
    pub message_id: Arc<str>,
}

/// What was searched, and what was not.
#[derive(Clone, Debug, PartialEq)]
pub struct Coverage {
    /// Sessions that may be searched, before the cap.
    pub sessions_eligible: usize,
    /// Sessions that were, without the unreadable ones.
    pub sessions_searched: usize,
    /// Sessions that cannot be read and could hold a term.
    pub sessions_unreadable: Vec<Arc<str>>,
    /// The cap, where there is one.
    pub session_cap: Option<usize>,
    /// Messages of the corpus: N of BM25.
    pub corpus_messages: u64,
    /// Messages that hold a term.
    pub matched_messages: usize,
    /// Passages that did not fit.
    pub dropped_passages: usize,
    /// Tool results that hold a term and are longer than what is matched.
    pub truncated_tool_results: usize,
    /// Whether the facts were searched.
    pub facts_status: FactsStatus,
    /// Whether storage named the Sessions that were read.
    pub narrowed: bool,
    /// Epoch ms over the searched Sessions.
    pub oldest_activity_at: Option<f64>,
    /// Epoch ms over the searched Sessions.
    pub newest_activity_at: Option<f64>,
}

/// Whether the facts were searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactsStatus {
    /// They were.
    Ok,
    /// There is no store of facts.
    None,
    /// The store could not be read.
    Unavailable,
}

impl FactsStatus {
    /// The word that stands in a reply.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::None => "none",
            Self::Unavailable => "unavailable",
        }
    }
}

/// How a score came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Explain {
    /// Messages of the corpus.
    pub n: f64,
    /// Mean length of the messages that matched, in code points.
    pub avgdl: f64,
    /// One entry per term the message holds.
    pub terms: Vec<ExplainTerm>,
}

/// What one term adds to a score.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainTerm {
    /// The term in the caller's spelling.
    pub term: String,
    /// Occurrences in the message.
    pub tf: usize,
    /// Messages that hold it.
    pub df: usize,
    /// Its rarity.
    pub idf: f64,
    /// Length of the message in code points.
    pub length: usize,
    /// 1, or 0.5 for a tool result.
    pub weight: f64,
    /// What it adds.
    pub contribution: f64,
}

/// The answer of `recallMaterial`.
#[derive(Clone, Debug, PartialEq)]
pub enum MaterialContent {
    /// A reference that the host turns into an image, and the bytes when asked for.
    Image {
        /// The declared type.
        mime_type: String,
        /// The Session that owns it.
        session_id: String,
        /// Its artifact id.
        relative_path: String,
        /// The file.
        bytes: Option<Vec<u8>>,
    },
    /// The redacted text of a file.
    Text {
        /// The text.
        text: String,
    },
    /// What the host's `fetchMaterial` answered: JSON, passed on.
    Host(Vec<u8>),
}

/// One result of the modal's search.
#[derive(Clone, Debug, PartialEq)]
pub struct ThreadResult {
    /// The Session's title.
    pub title: String,
    /// What matched: the title, or a message of some kind.
    pub summary: String,
    /// The text around the match.
    pub snippet: String,
    /// The Session.
    pub session_id: Arc<str>,
    /// The turn of a message.
    pub turn_id: Option<Arc<str>>,
    /// The index of a message in its transcript.
    pub sequence: Option<usize>,
    /// Whether the snippet was cut.
    pub truncated: bool,
    /// Where the query stands in the snippet.
    pub matches: Vec<Match>,
}
