//! Requests for permission and their answers: which rows they make, and when
//! they contradict each other (`host/projection.md` 4, the table of actions).

use std::{borrow::Cow, collections::HashMap};

use super::{
    envelope::Done,
    event::{Flaw, object, string},
    records::{OutcomeRecord, SessionRecords},
};
use crate::engine::json::{RawString, RawValue};

/// What an event says about permissions.
#[derive(Debug, Default)]
pub(super) struct Permission<'a> {
    pub(super) request: Option<Request<'a>>,
    /// The id of a request whose answer was accepted.
    pub(super) answer: Option<RawString<'a>>,
    pub(super) decision: Option<Decision<'a>>,
}

/// A question to the person.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) id: RawString<'a>,
    tool_use_id: Option<RawString<'a>>,
    tool_name: Option<RawString<'a>>,
}

/// An answer that stands in the event itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision<'a> {
    pub(super) request_id: RawString<'a>,
    pub(super) tool_name: Option<RawString<'a>>,
}

impl<'a> Permission<'a> {
    /// `None` when the actions say nothing about permissions.
    pub(super) fn read(done: &Done<'a>) -> Result<Option<Self>, Flaw> {
        let Done { permission_request, permission_answer, permission_decision, .. } = done;
        let permission = Self {
            request: permission_request.map(Request::read).transpose()?,
            answer: permission_answer.map(answered_request).transpose()?,
            decision: permission_decision.map(Decision::read).transpose()?,
        };
        let Self { request, answer, decision } = &permission;
        let is_empty = request.is_none() && answer.is_none() && decision.is_none();
        Ok((!is_empty).then_some(permission))
    }
}

impl<'a> Request<'a> {
    fn read(value: RawValue<'a>) -> Result<Self, Flaw> {
        let value = object(value, "its `permissionRequest`")?;
        Ok(Self {
            id: string(value.get("requestId"), "permissionRequest.requestId")?,
            tool_use_id: value.get("toolUseId").and_then(RawValue::raw_string),
            tool_name: value.get("toolName").and_then(RawValue::raw_string),
        })
    }
}

impl<'a> Decision<'a> {
    fn read(value: RawValue<'a>) -> Result<Self, Flaw> {
        let value = object(value, "its `permissionDecision`")?;
        Ok(Self {
            request_id: string(value.get("requestId"), "permissionDecision.requestId")?,
            tool_name: value.get("toolName").and_then(RawValue::raw_string),
        })
    }
}

fn answered_request(value: RawValue<'_>) -> Result<RawString<'_>, Flaw> {
    let id = object(value, "its `permissionAnswerAccepted`")?.get("requestId");
    string(id, "permissionAnswerAccepted.requestId")
}

/// The requests of a Session so far, and the recorded outcomes.
pub(super) struct Permissions<'a> {
    requests: HashMap<Cow<'a, str>, Request<'a>>,
    outcomes: HashMap<&'a [u8], &'a OutcomeRecord>,
    records: &'a SessionRecords,
}

impl<'a> Permissions<'a> {
    pub(super) fn new(records: &'a SessionRecords) -> Self {
        Self {
            requests: HashMap::new(),
            outcomes: records
                .outcomes
                .iter()
                .map(|outcome| (records.bytes(&outcome.request_id), outcome))
                .collect(),
            records,
        }
    }

    pub(super) fn remember(&mut self, request: Request<'a>) {
        self.requests.insert(request.id.decode(), request);
    }

    /// Whether a decision names its tool call, and everybody the same tool:
    /// the decision, the request, and the call (whose name `call` looks up).
    pub(super) fn check(
        &self,
        decision: &Decision<'a>,
        tool_call: Option<RawString<'a>>,
        call: impl Fn(&str) -> Option<RawString<'a>>,
    ) -> Result<(), Flaw> {
        let request = self.requests.get(&decision.request_id.decode());
        let tool_id = tool_call
            .or_else(|| request?.tool_use_id)
            .ok_or("its `permissionDecision` names no tool call")?;
        let names = [
            decision.tool_name,
            request.and_then(|request| request.tool_name),
            call(&tool_id.decode()),
        ];
        let mut names = names.iter().flatten().map(|name| name.decode());
        let first = names.next().ok_or("its `permissionDecision` names no tool")?;
        if names.all(|name| name == first) {
            Ok(())
        } else {
            Err("its `permissionDecision` names another tool than its call".into())
        }
    }

    /// When the outcome of an accepted answer was committed: the time of its row.
    pub(super) fn committed_at(
        &self,
        request_id: RawString<'a>,
        tool_call: Option<RawString<'a>>,
        run_id: &str,
        turn_id: &str,
    ) -> Result<f64, Flaw> {
        let tool_id = tool_call.ok_or("its `permissionAnswerAccepted` names no tool call")?;
        let records = self.records;
        let Some(outcome) = self.outcomes.get(request_id.decode().as_bytes()) else {
            return Err("its `permissionAnswerAccepted` has no recorded outcome".into());
        };
        let column = |span| String::from_utf8_lossy(records.bytes(span));
        let other = Flaw::Borrowed("the outcome of its `permissionAnswerAccepted` is of another");
        if column(&outcome.run_id) != run_id || column(&outcome.turn_id) != turn_id {
            return Err(other + " turn");
        }
        if column(&outcome.request_kind) != "permission" {
            return Err(other + " kind");
        }
        let request = RawValue::parse(records.bytes(&outcome.request));
        let asked_for = request.and_then(|request| {
            let inner = request.get("request").unwrap_or(request);
            inner.get("toolUseId").or_else(|| request.get("toolUseId"))?.raw_string()
        });
        if asked_for.is_some_and(|id| id.decode() != tool_id.decode()) {
            return Err(other + " tool call");
        }
        RawValue::parse(records.bytes(&outcome.outcome))
            .and_then(|record| record.get("outcome"))
            .filter(|outcome| outcome.get("kind").is_some_and(|kind| kind.is("permission_answer")))
            .and_then(|outcome| outcome.get("committedAt")?.number())
            .filter(|ts| ts.is_finite())
            .ok_or_else(|| "its `permissionAnswerAccepted` has no committed answer".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> RawString<'_> {
        RawValue::parse(json.as_bytes()).unwrap().raw_string().unwrap()
    }

    #[test]
    fn everybody_must_name_the_same_tool() {
        let json = r#"{"requestId":"p","toolUseId":"c","toolName":"Bash"}"#;
        let asked = Request::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap();
        let records = SessionRecords::default();
        let mut permissions = Permissions::new(&records);
        permissions.remember(asked);

        let bash = text(r#""Bash""#);
        let write = text(r#""Write""#);
        let decision = |id, tool_name| Decision { request_id: text(id), tool_name };
        let call = |id: &str| (id == "c").then_some(bash);
        let check = |decision: Decision<'static>, tool_call| {
            permissions.check(&decision, tool_call, call).map_err(Flaw::into_owned)
        };
        assert_eq!(check(decision(r#""p""#, None), None), Ok(()));
        assert_eq!(check(decision(r#""p""#, Some(bash)), Some(text(r#""other""#))), Ok(()));
        assert_eq!(
            check(decision(r#""p""#, Some(write)), None),
            Err("its `permissionDecision` names another tool than its call".to_owned())
        );
        assert_eq!(
            check(decision(r#""q""#, Some(bash)), None),
            Err("its `permissionDecision` names no tool call".to_owned())
        );
        assert_eq!(
            check(decision(r#""q""#, None), Some(text(r#""other""#))),
            Err("its `permissionDecision` names no tool".to_owned())
        );
    }
}
