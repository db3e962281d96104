//! Why there is no answer.
//!
//! What a caller can act on is a [`Refusal`], data in the reply. Everything
//! else is a bug, and rejects with a stable code.

use std::fmt;

/// Why a request was refused: part of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The request is malformed, or asks for what is not offered.
    InvalidQuery,
    /// Privacy is on, or could not be verified.
    IncognitoActive,
    /// No such Session, message or material, or none that may be shown.
    NotFound,
    /// The caller aborted.
    Aborted,
    /// The workspace cannot be read now.
    Unavailable,
    /// The workspace is not of a shape that can be read.
    UnsupportedWorkspace,
    /// The search names a source that is not searched.
    Disabled,
}

impl Reason {
    /// The word that stands in a reply.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidQuery => "invalid_query",
            Self::IncognitoActive => "incognito_active",
            Self::NotFound => "not_found",
            Self::Aborted => "aborted",
            Self::Unavailable => "unavailable",
            Self::UnsupportedWorkspace => "unsupported_workspace",
            Self::Disabled => "disabled",
        }
    }
}

/// A reply that is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// What for, and what to do: a sentence for the caller.
    pub message: String,
}

impl Refusal {
    /// The caller aborted.
    #[must_use]
    pub fn aborted() -> Self {
        Self { reason: Reason::Aborted, message: "Recall was aborted.".to_owned() }
    }
}

/// Why an operation of the engine gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecallError {
    /// An expected failure.
    Refused(Refusal),
    /// A bug: a panic was caught.
    Panic(String),
    /// A bug of the caller: neither a workspace root nor the callbacks that stand in for one.
    NoSource,
}

impl RecallError {
    /// The stable code of a bug.
    pub const PANIC: &'static str = "RECALL_PANIC";
    /// The stable code of a call that names nothing to read from.
    pub const NO_SOURCE: &'static str = "RECALL_NO_SOURCE";

    /// A refusal for `reason`.
    pub fn refused(reason: Reason, message: impl Into<String>) -> Self {
        Self::Refused(Refusal { reason, message: message.into() })
    }

    /// The caller aborted.
    #[must_use]
    pub fn aborted() -> Self {
        Self::Refused(Refusal::aborted())
    }

    /// The workspace cannot be read now.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::refused(Reason::Unavailable, message)
    }

    /// Whether the caller aborted.
    #[must_use]
    pub fn is_aborted(&self) -> bool {
        matches!(self, Self::Refused(Refusal { reason: Reason::Aborted, .. }))
    }
}

impl fmt::Display for RecallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(Refusal { reason, message }) => {
                write!(f, "{}: {message}", reason.as_str())
            }
            Self::Panic(what) => write!(f, "internal error: {what}"),
            Self::NoSource => f.write_str(
                "recall needs `workspaceRoot`, or the callbacks `listSessions` and `readMessages`",
            ),
        }
    }
}

impl std::error::Error for RecallError {}
