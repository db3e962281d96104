//! What `recallMore` is asked: `semantics.md` 9.

use super::field::{id, integer, invalid, object, split};
use crate::engine::{RecallError, json::RawValue, limits::MORE_NEIGHBOURS};

/// An admitted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoreRequest {
    /// The Session of the anchor.
    pub session_id: String,
    /// The anchor's message id.
    pub message_id: String,
    /// Visible messages before the anchor at most.
    pub before: usize,
    /// Visible messages after the anchor at most.
    pub after: usize,
}

impl MoreRequest {
    /// Admits `request`, JSON of the caller's value.
    pub fn parse(request: &[u8]) -> Result<Self, RecallError> {
        let request = object(request, "Expand request must be an object.")?;
        let named = match request.get("anchor") {
            Some(anchor) => split(anchor),
            None => request
                .get("sessionId")
                .and_then(id)
                .zip(request.get("anchorMessageId").and_then(id)),
        };
        let (session_id, message_id) =
            named.ok_or_else(|| invalid("Expand requires a Session id and a passage anchor."))?;
        let before = bound(request.get("before"))?;
        let after = bound(request.get("after"))?;
        Ok(Self { session_id, message_id, before, after })
    }
}

fn bound(value: Option<RawValue<'_>>) -> Result<usize, RecallError> {
    let Some(value) = value else { return Ok(MORE_NEIGHBOURS) };
    integer(value, 0, MORE_NEIGHBOURS)
        .ok_or_else(|| invalid("Expand bounds must be between 0 and 8."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_anchor_is_cut_at_its_first_slash() {
        let request = MoreRequest::parse(br#"{"anchor":" s / m/1 ","before":0}"#).unwrap();
        let expected =
            MoreRequest { session_id: "s".into(), message_id: "m/1".into(), before: 0, after: 8 };
        assert_eq!(request, expected);
    }

    #[test]
    fn a_bare_string_is_refused() {
        let error = MoreRequest::parse(br#""s/m""#).unwrap_err();
        assert_eq!(error, invalid("Expand request must be an object."));
    }
}
