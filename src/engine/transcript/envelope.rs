//! The members of an event's payload, found in one pass over its bytes:
//! `host/storage.md` 3.2.

use super::result::Members;
use crate::engine::json::{RawValue, Visitor, visit};

/// What a payload holds of the members that rows are made of. Of two members
/// with one name the last counts.
#[derive(Default)]
pub(super) struct Envelope<'a> {
    pub(super) id: Option<RawValue<'a>>,
    pub(super) session_id: Option<RawValue<'a>>,
    pub(super) invocation_id: Option<RawValue<'a>>,
    pub(super) run_id: Option<RawValue<'a>>,
    pub(super) turn_id: Option<RawValue<'a>>,
    pub(super) ts: Option<RawValue<'a>>,
    pub(super) partial: Option<RawValue<'a>>,
    pub(super) role: Option<RawValue<'a>>,
    pub(super) status: Option<RawValue<'a>>,
    pub(super) content: Option<RawValue<'a>>,
    pub(super) actions: Option<RawValue<'a>>,
    pub(super) refs: Option<RawValue<'a>>,
    /// The members of `content`.
    pub(super) said: Said<'a>,
    /// The members of `actions`.
    pub(super) done: Done<'a>,
    /// The members of `refs`.
    pub(super) named: Named<'a>,
}

/// Members of `content`.
#[derive(Default)]
pub(super) struct Said<'a> {
    pub(super) kind: Option<RawValue<'a>>,
    pub(super) text: Option<RawValue<'a>>,
    pub(super) display_text: Option<RawValue<'a>>,
    pub(super) attachments: Option<RawValue<'a>>,
    pub(super) id: Option<RawValue<'a>>,
    pub(super) name: Option<RawValue<'a>>,
    pub(super) is_error: Option<RawValue<'a>>,
    pub(super) result: Option<RawValue<'a>>,
    /// The members of `result`.
    pub(super) result_members: Members<'a>,
}

/// Members of `actions`.
#[derive(Default)]
pub(super) struct Done<'a> {
    pub(super) end_invocation: Option<RawValue<'a>>,
    pub(super) handoff_pause: Option<RawValue<'a>>,
    pub(super) coordination: Option<RawValue<'a>>,
    pub(super) token_usage: Option<RawValue<'a>>,
    pub(super) state_delta: Option<RawValue<'a>>,
    pub(super) permission_request: Option<RawValue<'a>>,
    pub(super) permission_answer: Option<RawValue<'a>>,
    pub(super) permission_decision: Option<RawValue<'a>>,
}

/// Members of `refs`.
#[derive(Default)]
pub(super) struct Named<'a> {
    pub(super) stored_message: Option<RawValue<'a>>,
    pub(super) provider_event: Option<RawValue<'a>>,
    pub(super) tool_call: Option<RawValue<'a>>,
}

impl<'a> Envelope<'a> {
    /// Reads a payload; `None` when it is no JSON object.
    pub(super) fn read(payload: &'a [u8]) -> Option<Self> {
        let mut envelope = Self::default();
        visit(payload, Place::Event, &mut envelope).then_some(envelope)
    }
}

/// The objects that are looked into.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Event,
    Content,
    Actions,
    Refs,
    Result,
}

impl<'a> Visitor<'a> for Envelope<'a> {
    type Place = Place;

    fn enter(&mut self, place: Place, name: &[u8]) -> Option<Place> {
        // What an earlier member of this name held does not count.
        match (place, name) {
            (Place::Event, b"content") => {
                self.said = Said::default();
                Some(Place::Content)
            }
            (Place::Event, b"actions") => {
                self.done = Done::default();
                Some(Place::Actions)
            }
            (Place::Event, b"refs") => {
                self.named = Named::default();
                Some(Place::Refs)
            }
            (Place::Content, b"result") => {
                self.said.result_members = Members::default();
                Some(Place::Result)
            }
            _ => None,
        }
    }

    fn member(&mut self, place: Place, name: &[u8], value: RawValue<'a>) {
        let member = match (place, name) {
            (Place::Event, b"id") => &mut self.id,
            (Place::Event, b"sessionId") => &mut self.session_id,
            (Place::Event, b"invocationId") => &mut self.invocation_id,
            (Place::Event, b"runId") => &mut self.run_id,
            (Place::Event, b"turnId") => &mut self.turn_id,
            (Place::Event, b"ts") => &mut self.ts,
            (Place::Event, b"partial") => &mut self.partial,
            (Place::Event, b"role") => &mut self.role,
            (Place::Event, b"status") => &mut self.status,
            (Place::Event, b"content") => &mut self.content,
            (Place::Event, b"actions") => &mut self.actions,
            (Place::Event, b"refs") => &mut self.refs,
            (Place::Content, b"kind") => &mut self.said.kind,
            (Place::Content, b"text") => &mut self.said.text,
            (Place::Content, b"displayText") => &mut self.said.display_text,
            (Place::Content, b"attachments") => &mut self.said.attachments,
            (Place::Content, b"id") => &mut self.said.id,
            (Place::Content, b"name") => &mut self.said.name,
            (Place::Content, b"isError") => &mut self.said.is_error,
            (Place::Content, b"result") => &mut self.said.result,
            (Place::Actions, b"endInvocation") => &mut self.done.end_invocation,
            (Place::Actions, b"handoffPause") => &mut self.done.handoff_pause,
            (Place::Actions, b"coordination") => &mut self.done.coordination,
            (Place::Actions, b"tokenUsage") => &mut self.done.token_usage,
            (Place::Actions, b"stateDelta") => &mut self.done.state_delta,
            (Place::Actions, b"permissionRequest") => &mut self.done.permission_request,
            (Place::Actions, b"permissionAnswerAccepted") => &mut self.done.permission_answer,
            (Place::Actions, b"permissionDecision") => &mut self.done.permission_decision,
            (Place::Refs, b"storedMessageId") => &mut self.named.stored_message,
            (Place::Refs, b"providerEventId") => &mut self.named.provider_event,
            (Place::Refs, b"toolCallId") => &mut self.named.tool_call,
            (Place::Result, name) => return self.said.result_members.take(name, value),
            _ => return,
        };
        *member = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_members_with_one_name_the_last_counts() {
        let payload = br#"{"content":{"kind":"text","text":"x","result":{"kind":"a"}},"id":1,
            "content":{"kind":"error","result":{"text":"b"}},"id":2,"refs":{"toolCallId":"c"},
            "refs":[{"toolCallId":"d"}]}"#;
        let Envelope { id, said, named, refs, .. } = Envelope::read(payload).unwrap();
        assert_eq!(id.unwrap().number(), Some(2.0));
        assert!(said.kind.unwrap().is("error") && said.text.is_none());
        assert!(said.result_members.kind.is_none());
        // An array holds no references; whoever asks for them sees that.
        assert_eq!(refs.unwrap().bytes(), br#"[{"toolCallId":"d"}]"#);
        assert!(named.tool_call.unwrap().is("c"));
    }
}
