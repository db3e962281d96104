//! One stored message: a record of `session_messages`, or what a host hands
//! over (`host/storage.md` 6).

use super::{
    Body, Words,
    contents::{assistant_body, call_body, result_body, user_body},
    event::{Flaw, string},
};
use crate::engine::json::{RawString, RawValue, Visitor, visit};

/// What kind of message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MessageKind {
    User,
    Assistant,
    ToolCall,
    ToolResult,
    PermissionDecision,
    TokenUsage,
    TurnState,
    SystemNote,
    /// A known type that has no text.
    Silent(&'static str),
    Unknown,
}

/// A message, in place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Message<'a> {
    pub(super) kind: MessageKind,
    pub(super) id: RawString<'a>,
    pub(super) members: Members<'a>,
}

/// What else a message may hold. A member of another type than the declared
/// one is absent.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Members<'a> {
    pub(super) turn_id: Option<RawString<'a>>,
    pub(super) ts: Option<f64>,
    pub(super) text: Option<RawString<'a>>,
    display_text: Option<RawString<'a>>,
    attachments: Option<RawValue<'a>>,
    /// The event that brought a user message into a running turn.
    pub(super) steering_event_id: Option<RawString<'a>>,
    pub(super) thinking: Option<RawValue<'a>>,
    pub(super) tool_name: Option<RawString<'a>>,
    intent: Option<RawString<'a>>,
    pub(super) tool_use_id: Option<RawString<'a>>,
    is_error: bool,
    pub(super) content: Option<RawValue<'a>>,
    /// How a turn ended.
    pub(super) status: Option<RawString<'a>>,
    pub(super) error_class: Option<RawString<'a>>,
    /// Which note.
    pub(super) note: Option<RawString<'a>>,
}

impl<'a> Message<'a> {
    /// Decodes a message in one pass over its bytes. It must be an object with
    /// the strings `type` and `id`.
    pub(super) fn read(json: &'a [u8]) -> Result<Self, Flaw> {
        let mut fields = Fields::default();
        if !visit(json, (), &mut fields) {
            return Err("it is not a JSON object".into());
        }
        let Fields { kind, id, members } = fields;
        let kind = MessageKind::read(string(kind, "type")?);
        Ok(Self { kind, id: string(id, "id")?, members })
    }

    /// What it says; `None` for kinds that have no text.
    pub(super) fn body(&self) -> Option<Body> {
        let Members { text, display_text, attachments, tool_name, intent, .. } = self.members;
        let Members { tool_use_id, is_error, content, .. } = self.members;
        match self.kind {
            MessageKind::User => Some(user_body(text, display_text, attachments)),
            MessageKind::Assistant => Some(assistant_body(text)),
            MessageKind::ToolCall => Some(call_body(tool_name, intent)),
            MessageKind::ToolResult => Some(result_body(tool_use_id, is_error, content)),
            _ => None,
        }
    }

    /// What is matched of it; `None` for kinds that have no text.
    fn words(&self) -> Option<Words<'a>> {
        let Members { text, intent, content, .. } = self.members;
        Some(match (self.kind, content) {
            (MessageKind::Assistant, _) => Words::said(text.map(RawString::decode)?),
            (MessageKind::ToolCall, _) => Words::said(intent.map(RawString::decode)?),
            (MessageKind::ToolResult, Some(content)) => Words::of_result(content),
            _ => return self.body()?.words().map(Words::into_owned),
        })
    }
}

/// What is found while a message is checked.
#[derive(Default)]
struct Fields<'a> {
    kind: Option<RawValue<'a>>,
    id: Option<RawValue<'a>>,
    members: Members<'a>,
}

impl<'a> Visitor<'a> for Fields<'a> {
    type Place = ();

    fn enter(&mut self, (): (), _: &[u8]) -> Option<()> {
        None
    }

    fn member(&mut self, (): (), name: &[u8], value: RawValue<'a>) {
        let text = value.raw_string();
        let Self { kind, id, members } = self;
        match name {
            b"type" => *kind = Some(value),
            b"id" => *id = Some(value),
            b"turnId" => members.turn_id = text,
            b"ts" => members.ts = value.number().filter(|ts| ts.is_finite()),
            b"text" => members.text = text,
            b"displayText" => members.display_text = text,
            b"attachments" => members.attachments = Some(value),
            b"steeringEventId" => members.steering_event_id = text,
            b"thinking" => members.thinking = Some(value),
            b"toolName" => members.tool_name = text,
            b"intent" => members.intent = text,
            b"toolUseId" => members.tool_use_id = text,
            b"isError" => members.is_error = value.bool() == Some(true),
            b"content" => members.content = Some(value),
            b"status" => members.status = text,
            b"errorClass" => members.error_class = text,
            b"kind" => members.note = text,
            _ => {}
        }
    }
}

impl MessageKind {
    fn read(kind: RawString<'_>) -> Self {
        match &*kind.decode() {
            "user" => Self::User,
            "assistant" => Self::Assistant,
            "tool_call" => Self::ToolCall,
            "tool_result" => Self::ToolResult,
            "permission_decision" => Self::PermissionDecision,
            "token_usage" => Self::TokenUsage,
            "turn_state" => Self::TurnState,
            "system_note" => Self::SystemNote,
            "workhub_coordination" => Self::Silent("workhub_coordination"),
            "workhub_evidence" => Self::Silent("workhub_evidence"),
            "workhub_evidence_resolution" => Self::Silent("workhub_evidence_resolution"),
            "form_interaction" => Self::Silent("form_interaction"),
            _ => Self::Unknown,
        }
    }
}

/// The contents of a `session_messages` record, or of a message that a host
/// callback handed over; `None` when it is neither or has no text.
#[must_use]
pub fn message_body(record: &[u8]) -> Option<Body> {
    Message::read(record).ok()?.body()
}

/// What is matched of a record or a message like that.
#[must_use]
pub fn message_words(record: &[u8]) -> Option<Words<'_>> {
    Message::read(record).ok()?.words()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_needs_a_type_and_an_id() {
        let flaw =
            |json: &str| Message::read(json.as_bytes()).map(|_| ()).map_err(Flaw::into_owned);
        assert_eq!(flaw("[]"), Err("it is not a JSON object".to_owned()));
        assert_eq!(flaw("{"), Err("it is not a JSON object".to_owned()));
        assert_eq!(flaw(r#"{"id":"a"}"#), Err("its `type` is not a string".to_owned()));
        assert_eq!(flaw(r#"{"type":"user","id":1}"#), Err("its `id` is not a string".to_owned()));
        assert_eq!(flaw(r#"{"type":"new","id":"a"}"#), Ok(()));
    }

    #[test]
    fn bodies_of_odd_messages() {
        let body = |json: &str| message_body(json.as_bytes());
        assert_eq!(
            body(r#"{"type":"user","id":"a","text":"same","displayText":"same"}"#),
            Some(Body::User { text: "same".into(), display_text: None, attachments: vec![] })
        );
        assert_eq!(
            body(r#"{"type":"user","id":"a","text":7,"displayText":"","attachments":"x"}"#),
            Some(Body::User { text: "".into(), display_text: None, attachments: vec![] })
        );
        assert_eq!(
            body(r#"{"type":"tool_call","id":"a","intent":4}"#),
            Some(Body::ToolCall { tool_name: "".into(), intent: None })
        );
        assert_eq!(
            body(r#"{"type":"tool_result","id":"a"}"#),
            Some(Body::ToolResult {
                tool_use_id: "".into(),
                is_error: false,
                content: (*b"null").into(),
                stored: None,
            })
        );
        assert_eq!(
            body(r#"{"type":"tool_result","id":"a","isError":true,"content":{"kind":"mystery"}}"#),
            Some(Body::ToolResult {
                tool_use_id: "".into(),
                is_error: true,
                content: (*br#"{"kind":"mystery"}"#).into(),
                stored: None,
            })
        );
        assert_eq!(body(r#"{"type":"turn_state","id":"a","text":"x"}"#), None);
        assert_eq!(body(r#"{"type":"new","id":"a","text":"x"}"#), None);
    }
}
