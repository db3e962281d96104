//! A Session as the host lists it.

use std::sync::Arc;

use crate::engine::json::{Kind, RawValue};

/// Whether a Session's transcript stands in the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerVersion {
    /// `transcriptLedgerVersion` 1: the ledger is the transcript.
    Ledger,
    /// 0: an import that is still being staged; eligible and unreadable.
    Staging,
    /// Anything else: old rows are converted on reading.
    Unconverted,
}

/// What Recall needs of a Session header (`session_metadata.payload_json`) or
/// of the summary that `listSessions` gives: `host/storage.md` 5.1.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionHeader {
    /// The Session id.
    pub id: Arc<str>,
    /// The title, not redacted.
    pub name: String,
    /// `ai-sdk` or `fake`.
    pub backend: Option<String>,
    /// Archived by the person.
    pub archived: bool,
    /// Epoch ms.
    pub created_at: f64,
    /// Epoch ms of the last message.
    pub last_message_at: Option<f64>,
    /// Epoch ms.
    pub status_updated_at: Option<f64>,
    /// The family of a revision, when it is not the Session's own id.
    pub revision_root: Option<String>,
    /// Set on a revision of another Session.
    pub revision_parent: Option<String>,
    /// `preparing` while a revision is being made.
    pub revision_state: Option<String>,
    /// Where the transcript stands.
    pub ledger: LedgerVersion,
    /// The workspace the Session works in: the scope of its facts.
    pub workspace_root: Option<String>,
    /// The model of converted messages.
    pub model: Option<String>,
    /// Imported from another program: only its conversation converts.
    pub external: bool,
    /// Whether the Session is listed: no copy in preparation, no reserved role.
    pub listed: bool,
}

impl SessionHeader {
    /// Reads a header; `None` when it is no object with an `id`.
    #[must_use]
    pub fn read(json: RawValue<'_>) -> Option<Self> {
        let text =
            |key: &str| json.get(key).and_then(RawValue::string).map(|text| text.into_owned());
        let number = |key: &str| json.get(key).and_then(RawValue::number);
        let preparing = json
            .get("conversationCopy")
            .and_then(|copy| copy.get("state"))
            .is_some_and(|state| state.is("preparing"));
        let role = json.get("role").is_some_and(|role| role.kind() != Kind::Null);
        Some(Self {
            id: text("id")?.into(),
            name: text("name").unwrap_or_default(),
            backend: text("backend"),
            archived: json.get("isArchived").and_then(RawValue::bool) == Some(true),
            created_at: number("createdAt").unwrap_or_default(),
            last_message_at: number("lastMessageAt"),
            status_updated_at: number("statusUpdatedAt"),
            revision_root: text("revisionRootSessionId"),
            revision_parent: text("revisionParentSessionId"),
            revision_state: text("revisionState"),
            ledger: match number("transcriptLedgerVersion") {
                Some(1.0) => LedgerVersion::Ledger,
                Some(0.0) => LedgerVersion::Staging,
                _ => LedgerVersion::Unconverted,
            },
            workspace_root: text("workspaceRoot"),
            model: text("model"),
            external: json.get("externalOrigin").is_some_and(|origin| origin.kind() != Kind::Null),
            listed: !preparing && !role,
        })
    }

    /// Bytes held beside the header itself.
    #[must_use]
    pub(in crate::engine) fn bytes(&self) -> usize {
        let texts = [
            &self.backend,
            &self.revision_root,
            &self.revision_parent,
            &self.revision_state,
            &self.workspace_root,
            &self.model,
        ];
        let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
        self.id.len() + self.name.len() + texts.into_iter().map(text).sum::<usize>()
    }
}
