//! From events to rows: `host/projection.md` 4.
//!
//! The projector takes events in order and keeps only what later rows depend
//! on. One event that the host would call a hard diagnostic makes the whole
//! Session unreadable.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    Row, RowKind, RowSource, Transcript, Unreadable,
    event::{Content, Event, EventId, Flaw, Place, Role, Status},
    invocation::{Invocation, text},
    ledger::{self, Ledger},
    permission::{Permission, Permissions},
    records::SessionRecords,
    turn::{Turn, Turns},
    words::WordsAt,
};
use crate::engine::{Cancel, RecallError, SessionHeader, json::RawString, limits::ECHO_TOOLS};

/// A Session's transcript, and where in its records every row's contents are.
#[derive(Clone, Debug)]
pub struct Projection {
    /// The rows.
    pub transcript: Arc<Transcript>,
    pub(super) places: Vec<(Place, WordsAt)>,
}

/// Projects what is stored of a Session: the ledger, the text of open runs
/// that is still arriving, and, when the Session was never converted, its old
/// messages. Linear in the size of the records, but for sorting.
///
/// # Errors
/// The work was cancelled, which says nothing of the Session.
pub fn project(
    header: &SessionHeader,
    records: &SessionRecords,
    cancel: &Cancel,
) -> Result<Result<Projection, Unreadable>, RecallError> {
    let projection = projection(header, records, cancel);
    cancel.check()?;
    Ok(projection)
}

fn projection(
    header: &SessionHeader,
    records: &SessionRecords,
    cancel: &Cancel,
) -> Result<Projection, Unreadable> {
    let Ledger { invocations, events, turns } = ledger::read(header, records, cancel)?;
    let mut projector = Projector {
        invocations: &invocations,
        records,
        turns: &turns,
        rows: Vec::with_capacity(events.len()),
        places: Vec::with_capacity(events.len()),
        calls: HashMap::new(),
        permissions: Permissions::new(records),
        assistants: HashSet::new(),
        waiting: HashMap::new(),
    };
    for event in &events {
        if cancel.is_requested() {
            return Err(Unreadable::broken_off());
        }
        if !event.partial {
            projector.take(event).map_err(|flaw| Unreadable::of_event(&event.id.text(), &flaw))?;
        }
    }
    projector.finish()
}

struct Projector<'a, 'e> {
    invocations: &'e [Invocation<'a>],
    records: &'a SessionRecords,
    turns: &'e Turns,
    rows: Vec<Row>,
    places: Vec<(Place, WordsAt)>,
    /// The tool of the newest call with an id.
    calls: HashMap<Cow<'a, str>, RawString<'a>>,
    permissions: Permissions<'a>,
    /// The assistant rows so far.
    assistants: HashSet<(Arc<str>, Turn)>,
    /// Thinking whose assistant row has not come yet.
    waiting: HashMap<(Arc<str>, Turn), &'e EventId<'a>>,
}

impl<'a, 'e> Projector<'a, 'e> {
    /// Takes the next event.
    fn take(&mut self, event: &'e Event<'a>) -> Result<(), Flaw> {
        self.take_content(event)?;
        if event.actions.coordination {
            self.silent(event, "workhub_coordination", event.id.text().into());
        }
        if let Some(permission) = &event.permission {
            self.take_permission(event, permission)?;
        }
        if event.actions.token_usage {
            self.silent(event, "token_usage", row_id(event, "token_usage"));
        }
        if event.is_terminal() && !event.actions.handoff_pause {
            self.take_ending(event)?;
        }
        Ok(())
    }

    fn finish(self) -> Result<Projection, Unreadable> {
        if let Some(id) = self.waiting.into_values().min_by(|a, b| a.text().cmp(&b.text())) {
            return Err(Unreadable::of_event(&id.text(), "no message claims its thinking"));
        }
        let transcript = Arc::new(Transcript { rows: self.rows });
        Ok(Projection { transcript, places: self.places })
    }

    fn take_content(&mut self, event: &'e Event<'a>) -> Result<(), Flaw> {
        match event.content {
            Content::None | Content::Silent => {}
            Content::Text => match event.role {
                Role::User => self.say(event, RowKind::User, row_id(event, "user")),
                Role::Model => self.take_answer(event)?,
                Role::Other => return Err("a text of its role has no row".into()),
            },
            Content::Thinking => {
                let key = (Arc::from(&*event.thought_id()), event.turn);
                if !self.assistants.contains(&key) {
                    self.waiting.insert(key, &event.id);
                }
            }
            Content::Call { id, name } => {
                let call = id.decode();
                if call.is_empty() {
                    return Err("its tool call has no id".into());
                }
                self.say(event, RowKind::ToolCall, (&*call).into());
                self.calls.insert(call, name);
            }
            Content::Response { id, result } => {
                let call = id.decode();
                if call.is_empty() {
                    return Err("its tool result names no call".into());
                }
                let shown = result.ok_or("its tool result has an unknown shape")?;
                let echo = self.calls.get(&call).is_some_and(|name| is_echo_tool(*name));
                let row = self.row(event, RowKind::ToolResult, row_id(event, "tool_result"));
                let searchable = shown.is_searchable() && !echo;
                let may_carry_files = shown.is_image();
                self.add(Row { searchable, may_carry_files, ..row }, (event.place, event.words));
            }
            Content::Note => self.silent(event, "system_note", row_id(event, "system_note")),
            Content::Error if event.is_terminal() => {}
            Content::Error => return Err("it is an error in the middle of a run".into()),
            Content::Unknown(kind) => {
                return Err(format!("its content kind `{}` is unknown", kind.decode()).into());
            }
        }
        Ok(())
    }

    fn take_answer(&mut self, event: &'e Event<'a>) -> Result<(), Flaw> {
        if !self.invocation(event).is_some_and(|invocation| invocation.has_model) {
            return Err("the opening of its run names no model".into());
        }
        let key = (row_id(event, "assistant"), event.turn);
        self.waiting.remove(&key);
        self.say(event, RowKind::Assistant, key.0.clone());
        self.assistants.insert(key);
        Ok(())
    }

    fn take_permission(
        &mut self,
        event: &'e Event<'a>,
        permission: &Permission<'a>,
    ) -> Result<(), Flaw> {
        let Permission { request, answer, decision } = permission;
        let tool_call = event.refs.tool_call;
        if let Some(request) = request {
            self.permissions.remember(*request);
        }
        if let Some(request_id) = answer {
            let run_id = self.invocation(event).map_or("", |invocation| &invocation.run_id);
            let turn_id = self.turns.id(event.turn);
            let ts = self.permissions.committed_at(*request_id, tool_call, run_id, turn_id)?;
            let kind = RowKind::Other("permission_decision");
            let row = self.row(event, kind, (&*request_id.decode()).into());
            self.add(Row { ts, ..row }, (Place::Nothing, WordsAt::Nowhere));
        }
        if let Some(decision) = decision {
            let call = |id: &str| self.calls.get(id).copied();
            self.permissions.check(decision, tool_call, call)?;
            let id = decision.request_id.decode();
            self.silent(event, "permission_decision", (&*id).into());
        }
        Ok(())
    }

    fn take_ending(&mut self, event: &'e Event<'a>) -> Result<(), Flaw> {
        let status = event.status.ok_or("it ends its run without a status")?;
        self.silent(event, "turn_state", row_id(event, "turn_state"));
        if status == Status::Failed && event.actions.step_cap {
            let id = format!("{}:step-limit-notice", event.id.text());
            self.silent(event, "system_note", id.into());
        }
        Ok(())
    }

    fn invocation(&self, event: &Event<'a>) -> Option<&'e Invocation<'a>> {
        self.invocations.get(event.run)
    }

    /// Adds a row that has contents.
    fn say(&mut self, event: &Event<'a>, kind: RowKind, id: Arc<str>) {
        let row = self.row(event, kind, id);
        self.add(Row { searchable: true, ..row }, (event.place, event.words));
    }

    /// Adds a row that only takes a place.
    fn silent(&mut self, event: &Event<'a>, kind: &'static str, id: Arc<str>) {
        let row = self.row(event, RowKind::Other(kind), id);
        self.add(row, (Place::Nothing, WordsAt::Nowhere));
    }

    fn row(&self, event: &Event<'a>, kind: RowKind, id: Arc<str>) -> Row {
        let turn_id = Some(self.turns.id(event.turn).clone());
        let source = RowSource::Nothing;
        let may_carry_files = kind == RowKind::User;
        Row { kind, id, turn_id, ts: event.ts, searchable: false, may_carry_files, source }
    }

    fn add(&mut self, row: Row, at: (Place, WordsAt)) {
        self.rows.push(Row { source: source(self.records, at.0), ..row });
        self.places.push(at);
    }
}

/// Whether results of this tool only repeat what Recall has found.
pub(super) fn is_echo_tool(name: RawString<'_>) -> bool {
    ECHO_TOOLS.iter().any(|echo| name.is(echo))
}

/// The id of a row that keeps the message's or the provider's id.
fn row_id(event: &Event<'_>, kind: &str) -> Arc<str> {
    let named = event.refs.stored_message.or(event.refs.provider_event);
    let id = named.map_or_else(|| event.id.text(), RawString::decode);
    if id.is_empty() { format!("rtproj:{}:{kind}", event.id.text()).into() } else { (&*id).into() }
}

fn source(records: &SessionRecords, place: Place) -> RowSource {
    match place {
        Place::Event(index) => RowSource::Event(records.events[index].rowid),
        Place::Stream(index) => {
            RowSource::Stream((&*text(records, &records.streams[index].key)).into())
        }
        Place::Message(index) => RowSource::Message(records.messages[index].sequence),
        Place::Nothing => RowSource::Nothing,
    }
}
