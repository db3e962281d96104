//! One runtime event, in place: `host/projection.md` 4, and `host/storage.md` 3.2.
//!
//! Strict on what the projection needs (the envelope repeats its row, texts are
//! strings, ids are there), tolerant of keys, actions and values it does not
//! know: every host version brings new ones.

use std::borrow::Cow;

use super::{
    envelope::{Done, Envelope, Named, Said},
    permission::Permission,
    result::Shown,
    turn::{Turn, Turns},
    words::WordsAt,
};
use crate::engine::json::{Kind, RawString, RawValue};

/// What is wrong with a row, without the row's name.
pub(super) type Flaw = Cow<'static, str>;

/// What the projection needs of an event.
#[derive(Debug)]
pub(super) struct Event<'a> {
    pub(super) id: EventId<'a>,
    /// Index of its run among the inline ones.
    pub(super) run: usize,
    pub(super) turn: Turn,
    pub(super) ts: f64,
    pub(super) partial: bool,
    pub(super) role: Role,
    pub(super) status: Option<Status>,
    pub(super) content: Content<'a>,
    pub(super) actions: Actions,
    pub(super) permission: Option<Box<Permission<'a>>>,
    pub(super) refs: Refs<'a>,
    pub(super) place: Place,
    /// Where its words stand in its payload.
    pub(super) words: WordsAt,
}

/// An event's id.
#[derive(Clone, Debug)]
pub(super) enum EventId<'a> {
    /// As it is stored.
    Stored(RawString<'a>),
    /// Of an event that only the projection makes.
    Made(Box<str>),
}

/// Where the contents of an event stand: an index into the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Event(usize),
    Stream(usize),
    Message(usize),
    Nothing,
}

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Model,
    Other,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Completed,
    Failed,
    Aborted,
    Cancelled,
}

/// What an event says.
#[derive(Clone, Copy, Debug)]
pub(super) enum Content<'a> {
    /// Nothing: a control fact.
    None,
    Text,
    Thinking,
    Call {
        id: RawString<'a>,
        name: RawString<'a>,
    },
    Response {
        id: RawString<'a>,
        /// `None` when it has a shape that no host known to us writes.
        result: Option<Shown<'a>>,
    },
    Note,
    /// Something that never has a row.
    Silent,
    Error,
    /// A kind that no host known to us writes.
    Unknown(RawString<'a>),
}

/// The actions that decide rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Actions {
    pub(super) ends_invocation: bool,
    pub(super) handoff_pause: bool,
    pub(super) coordination: bool,
    pub(super) token_usage: bool,
    /// It failed because a turn may not take more steps.
    pub(super) step_cap: bool,
}

/// The references that name rows.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Refs<'a> {
    pub(super) stored_message: Option<RawString<'a>>,
    pub(super) provider_event: Option<RawString<'a>>,
    pub(super) tool_call: Option<RawString<'a>>,
}

/// The columns that a payload must repeat.
pub(super) struct Columns<'a> {
    /// Absent for a stream: its row has no such column.
    pub(super) event_id: Option<&'a [u8]>,
    pub(super) session_id: &'a [u8],
    pub(super) invocation_id: &'a [u8],
    pub(super) run_id: &'a [u8],
    pub(super) turn_id: &'a [u8],
}

impl<'a> Event<'a> {
    /// Decodes a payload.
    pub(super) fn decode(
        payload: &'a [u8],
        columns: &Columns<'_>,
        place: Place,
        turns: &mut Turns,
    ) -> Result<Self, Flaw> {
        let envelope = Envelope::read(payload).ok_or("it is not a JSON object")?;
        let same = |value: Option<RawValue<'a>>, column: &[u8], name: &'static str| {
            let text = string(value, name)?;
            if is_column(text, column) {
                Ok(text)
            } else {
                Err(Flaw::Owned(format!("its `{name}` is not that of its row")))
            }
        };
        let id = match columns.event_id {
            Some(column) => same(envelope.id, column, "id")?,
            None => string(envelope.id, "id")?,
        };
        same(envelope.session_id, columns.session_id, "sessionId")?;
        same(envelope.invocation_id, columns.invocation_id, "invocationId")?;
        same(envelope.run_id, columns.run_id, "runId")?;
        let turn = same(envelope.turn_id, columns.turn_id, "turnId")?;
        let ts = envelope.ts.and_then(RawValue::number).filter(|ts| ts.is_finite());
        for (value, subject) in [
            (envelope.content, "its `content`"),
            (envelope.actions, "its `actions`"),
            (envelope.refs, "its `refs`"),
        ] {
            value.map(|value| object(value, subject)).transpose()?;
        }
        let refs = Refs::read(&envelope.named)?;
        let content = match envelope.content {
            Some(_) => Content::read(&envelope.said)?,
            None => Content::None,
        };
        let role = Role::read(string(envelope.role, "role")?);
        let mut event = Self {
            id: EventId::Stored(id),
            run: 0,
            turn: turns.intern(&turn.decode()),
            ts: ts.ok_or("its `ts` is not a number")?,
            partial: envelope
                .partial
                .and_then(RawValue::bool)
                .ok_or("its `partial` is not a boolean")?,
            role,
            status: envelope
                .status
                .map(|status| string(Some(status), "status"))
                .transpose()?
                .and_then(Status::read),
            content,
            actions: Actions::default(),
            permission: None,
            refs,
            place,
            words: WordsAt::of(payload, (role, &content), &envelope.said, &envelope.done),
        };
        event.take_actions(&envelope.done, envelope.content)?;
        Ok(event)
    }

    fn take_actions(&mut self, done: &Done<'a>, content: Option<RawValue<'a>>) -> Result<(), Flaw> {
        let is_there =
            |value: Option<RawValue<'a>>| value.is_some_and(|value| value.kind() != Kind::Null);
        self.actions.ends_invocation = done.end_invocation.and_then(RawValue::bool) == Some(true);
        self.actions.handoff_pause = is_there(done.handoff_pause);
        self.actions.coordination = is_there(done.coordination);
        self.actions.token_usage = is_there(done.token_usage);
        self.permission = Permission::read(done)?.map(Box::new);
        if self.status == Some(Status::Failed) {
            self.actions.step_cap =
                failure_class(done.state_delta, content).is_some_and(is_step_cap);
        }
        Ok(())
    }

    /// Whether it ends its run.
    pub(super) fn is_terminal(&self) -> bool {
        self.status.is_some() || self.actions.ends_invocation
    }

    /// The message that a thinking belongs to.
    pub(super) fn thought_id(&self) -> Cow<'_, str> {
        let Refs { stored_message, provider_event, .. } = self.refs;
        provider_event.or(stored_message).map_or_else(|| self.id.text(), RawString::decode)
    }
}

impl EventId<'_> {
    /// The id.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Stored(id) => id.decode(),
            Self::Made(id) => Cow::Borrowed(id),
        }
    }
}

impl Role {
    fn read(role: RawString<'_>) -> Self {
        if role.is("user") {
            Self::User
        } else if role.is("model") {
            Self::Model
        } else {
            Self::Other
        }
    }
}

impl Status {
    /// The four endings; `None` for `streaming` and whatever comes.
    fn read(status: RawString<'_>) -> Option<Self> {
        match &*status.decode() {
            "completed" => Some(Self::Completed),
            "failed" => Some(Self::Failed),
            "aborted" => Some(Self::Aborted),
            "cancelled" => Some(Self::Cancelled),
            _ => None,
        }
    }
}

impl<'a> Content<'a> {
    fn read(said: &Said<'a>) -> Result<Self, Flaw> {
        let Said { id, name, .. } = *said;
        let kind = string(said.kind, "content.kind")?;
        Ok(match &*kind.decode() {
            "text" => string(said.text, "content.text").map(|_| Self::Text)?,
            "thinking" => string(said.text, "content.text").map(|_| Self::Thinking)?,
            "function_call" => {
                Self::Call { id: string(id, "content.id")?, name: string(name, "content.name")? }
            }
            "function_response" => {
                let id = string(id, "content.id")?;
                let result = said.result.ok_or("it has no `content.result`")?;
                Self::Response { id, result: Shown::with(result, &said.result_members) }
            }
            "system_note" => Self::Note,
            "invocation_opened" | "injection" => Self::Silent,
            "error" => Self::Error,
            _ => Self::Unknown(kind),
        })
    }
}

impl<'a> Refs<'a> {
    fn read(named: &Named<'a>) -> Result<Self, Flaw> {
        let read = |value: Option<RawValue<'a>>, name| {
            value.map(|value| string(Some(value), name)).transpose()
        };
        Ok(Self {
            stored_message: read(named.stored_message, "refs.storedMessageId")?,
            provider_event: read(named.provider_event, "refs.providerEventId")?,
            tool_call: read(named.tool_call, "refs.toolCallId")?,
        })
    }
}

/// Whether a failure is the one that has a note of its own.
pub(super) fn is_step_cap(class: RawString<'_>) -> bool {
    class.is("tool_step_cap_reached")
}

/// The string at `value`, which is the member `name` of an event.
pub(super) fn string<'a>(
    value: Option<RawValue<'a>>,
    name: &'static str,
) -> Result<RawString<'a>, Flaw> {
    value
        .and_then(RawValue::raw_string)
        .ok_or_else(|| Flaw::Owned(format!("its `{name}` is not a string")))
}

/// `value` when it is an object; `subject` names it.
pub(super) fn object<'a>(value: RawValue<'a>, subject: &'static str) -> Result<RawValue<'a>, Flaw> {
    if value.kind() == Kind::Object {
        Ok(value)
    } else {
        Err(Flaw::Owned(format!("{subject} is not an object")))
    }
}

/// The first class that a failure names.
fn failure_class<'a>(
    state_delta: Option<RawValue<'a>>,
    content: Option<RawValue<'a>>,
) -> Option<RawString<'a>> {
    let first = |object: Option<RawValue<'a>>, keys: &[&str]| {
        keys.iter().find_map(|key| object?.get(key)?.raw_string())
    };
    first(state_delta, &["failureClass", "errorClass", "reason", "code"])
        .or_else(|| first(content, &["reason", "code"]))
}

/// Whether a JSON string is the text of a column.
fn is_column(text: RawString<'_>, column: &[u8]) -> bool {
    if text.bytes() == column && !column.contains(&b'\\') {
        return true;
    }
    text.decode() == String::from_utf8_lossy(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: Columns<'_> = Columns {
        event_id: Some(b"e\\1"),
        session_id: b"s",
        invocation_id: b"i",
        run_id: b"r",
        turn_id: b"t",
    };

    fn decode(rest: &str) -> Result<String, String> {
        let payload = format!(
            r#"{{"id":"e\\1","sessionId":"s","invocationId":"i","runId":"r","turnId":"t",{rest}}}"#
        );
        let mut turns = Turns::default();
        match Event::decode(payload.as_bytes(), &COLUMNS, Place::Event(0), &mut turns) {
            Ok(event) => Ok(format!("{} {:?}", event.id.text(), event.content)),
            Err(flaw) => Err(flaw.into_owned()),
        }
    }

    #[track_caller]
    fn refused(rest: &str, flaw: &str) {
        assert_eq!(decode(rest), Err(flaw.to_owned()), "{rest}");
    }

    #[test]
    fn unknown_keys_are_no_flaw() {
        let text = r#""ts":1,"partial":false,"role":"user","new":[{}],"status":"dreaming",
            "content":{"kind":"text","text":"x","new":1},"actions":{"new":1},"refs":{"new":1}"#;
        assert_eq!(decode(text), Ok("e\\1 Text".to_owned()));
    }

    #[test]
    fn what_the_projection_needs_must_be_there() {
        let start = r#""partial":false,"role":"user""#;
        refused(start, "its `ts` is not a number");
        refused(&format!(r#"{start},"ts":1e999"#), "its `ts` is not a number");
        refused(r#""ts":1,"role":"user""#, "its `partial` is not a boolean");
        refused(r#""ts":1,"partial":true"#, "its `role` is not a string");
        let start = r#""ts":1,"partial":false,"role":"user""#;
        refused(&format!(r#"{start},"turnId":"u""#), "its `turnId` is not that of its row");
        refused(&format!(r#"{start},"runId":1"#), "its `runId` is not a string");
        refused(&format!(r#"{start},"content":null"#), "its `content` is not an object");
        refused(&format!(r#"{start},"refs":[]"#), "its `refs` is not an object");
        refused(&format!(r#"{start},"actions":1"#), "its `actions` is not an object");
        refused(
            &format!(r#"{start},"content":{{"kind":"text"}}"#),
            "its `content.text` is not a string",
        );
        refused(&format!("{start}}}"), "it is not a JSON object");
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        let text = r#""ts":1,"partial":false,"role":"user","content":{"kind":"error"},
            "content":{"kind":"thinking","text":1,"text":"x"}"#;
        assert_eq!(decode(text), Ok("e\\1 Thinking".to_owned()));
    }
}
