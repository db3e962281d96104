//! Whether the host's privacy snapshot allows a search: `host/projection.md` 10.

use crate::engine::{
    Reason, RecallError,
    host::HostAnswer,
    json::{Kind, RawValue},
};

/// What the snapshot says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Privacy {
    /// Searching is allowed.
    Open,
    /// Privacy is on.
    Incognito,
    /// The snapshot is not one: nothing may be assumed.
    Unverified,
}

/// Reads the host's answer.
#[must_use]
pub fn privacy(answer: &HostAnswer<Vec<u8>>) -> Privacy {
    let HostAnswer::Value(json) = answer else { return Privacy::Unverified };
    let flag = RawValue::parse(json)
        .filter(|snapshot| snapshot.kind() == Kind::Object)
        .and_then(|snapshot| snapshot.get("incognitoActive"))
        .and_then(RawValue::bool);
    match flag {
        Some(false) => Privacy::Open,
        Some(true) => Privacy::Incognito,
        None => Privacy::Unverified,
    }
}

impl Privacy {
    /// Refuses unless searching is allowed. Only `recall` has a sentence of its
    /// own for a snapshot that could not be verified.
    pub fn admit(self, unverified: &str) -> Result<(), RecallError> {
        let message = match self {
            Self::Open => return Ok(()),
            Self::Incognito => INCOGNITO,
            Self::Unverified => unverified,
        };
        Err(RecallError::refused(Reason::IncognitoActive, message))
    }
}

/// What every operation says while privacy is on.
pub const INCOGNITO: &str = "Recall is unavailable while incognito is active.";
/// What `recall` says of a snapshot that is not one.
pub const UNVERIFIED: &str =
    "Recall is unavailable because workspace privacy state could not be verified.";
