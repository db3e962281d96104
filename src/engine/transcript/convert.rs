//! Old Sessions: message rows become the events that the host's first read
//! would make of them (`host/projection.md` 7), without writing them.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{HashMap, HashSet},
    fmt::Write,
};

use sha2::{Digest, Sha256};

use super::{
    Unreadable,
    event::{Actions, Content, Event, EventId, Place, Refs, Role, Status, is_step_cap},
    invocation::Invocation,
    message::{Message, MessageKind},
    permission::{Decision, Permission},
    records::SessionRecords,
    result::Shown,
    turn::{Turn, Turns},
    words::WordsAt,
};
use crate::engine::{
    Cancel, SessionHeader,
    json::{Kind, RawString, RawValue},
};

/// Notes that are part of a turn; others are the reader's own and are lost.
const RUNTIME_NOTES: [&str; 5] =
    ["context_compacted", "context_compaction_failed_open", "step_limit", "error", "abort"];

/// A turn as the ledger would hold it.
pub(super) struct Converted<'a> {
    pub(super) invocation: Invocation<'a>,
    /// In the order of their ordinals; the run is still to be set.
    pub(super) events: Vec<Event<'a>>,
}

/// The run that the conversion makes of a turn.
pub(super) fn run_id(session_id: &str, turn_id: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(session_id);
    hash.update([0]);
    hash.update(turn_id);
    let mut id = "transcript-".to_owned();
    for byte in hash.finalize().iter().take(24) {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// Converts every turn that the ledger does not own.
pub(super) fn convert<'a>(
    header: &SessionHeader,
    records: &'a SessionRecords,
    owned: &HashSet<Cow<'_, str>>,
    turns: &mut Turns,
    cancel: &Cancel,
) -> Result<Vec<Converted<'a>>, Unreadable> {
    let high_water = records.messages.iter().map(|message| message.sequence).max().unwrap_or(0);
    let mut converted = Vec::new();
    for group in groups(records, cancel)? {
        let asks = group.rows.iter().any(|row| row.message.kind == MessageKind::User);
        if !asks || owned.contains(&group.turn_id) {
            continue;
        }
        if header.model.as_deref().unwrap_or_default().is_empty() {
            return Err(Unreadable::new("it is not converted yet, and its header names no model"));
        }
        converted.push(convert_turn(header, group, high_water, turns));
    }
    Ok(converted)
}

/// The rows of one turn.
struct Group<'a> {
    turn_id: Cow<'a, str>,
    rows: Vec<MessageRow<'a>>,
}

struct MessageRow<'a> {
    sequence: i64,
    ts: f64,
    place: Place,
    message: Message<'a>,
}

/// The rows by turn, in the order of their first rows. Rows without a turn are
/// lost, and so are user rows that steered a turn: the ledger holds those.
fn groups<'a>(records: &'a SessionRecords, cancel: &Cancel) -> Result<Vec<Group<'a>>, Unreadable> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut known: HashMap<Cow<'a, str>, usize> = HashMap::new();
    for (index, record) in records.messages.iter().enumerate() {
        if cancel.is_requested() {
            return Err(Unreadable::broken_off());
        }
        let sequence = record.sequence;
        let flawed = |flaw: &str| Unreadable::new(format!("message {sequence}: {flaw}"));
        let json = record.json.as_ref().ok_or_else(|| flawed("its chunks do not fit together"))?;
        let message = Message::read(records.bytes(json)).map_err(|flaw| flawed(&flaw))?;
        let members = &message.members;
        let ts = members.ts.ok_or_else(|| flawed("its `ts` is not a number"))?;
        match message.kind {
            MessageKind::Unknown => return Err(flawed("its `type` is unknown")),
            MessageKind::User | MessageKind::Assistant if members.text.is_none() => {
                return Err(flawed("its `text` is not a string"));
            }
            MessageKind::ToolCall if members.tool_name.is_none() => {
                return Err(flawed("its `toolName` is not a string"));
            }
            MessageKind::ToolResult if members.tool_use_id.is_none() => {
                return Err(flawed("its `toolUseId` is not a string"));
            }
            MessageKind::ToolResult if members.content.is_none() => {
                return Err(flawed("it has no `content`"));
            }
            MessageKind::User if members.steering_event_id.is_some() => continue,
            _ => {}
        }
        let Some(turn_id) = members.turn_id.map(RawString::decode).filter(|id| !id.is_empty())
        else {
            continue;
        };
        let group = *known.entry(turn_id).or_insert_with_key(|turn_id| {
            groups.push(Group { turn_id: turn_id.clone(), rows: Vec::new() });
            groups.len() - 1
        });
        let place = Place::Message(index);
        groups[group].rows.push(MessageRow { sequence, ts, place, message });
    }
    Ok(groups)
}

fn convert_turn<'a>(
    header: &SessionHeader,
    group: Group<'a>,
    high_water: i64,
    turns: &mut Turns,
) -> Converted<'a> {
    let Group { turn_id, mut rows } = group;
    let first = rows.first().map_or(high_water, |row| row.sequence);
    let age = high_water.saturating_sub(first) as f64;
    let opened_at = (header.created_at - 1.0 - age).max(0.0);
    let run_id = run_id(&header.id, &turn_id);
    let latest = rows.iter().map(|row| row.ts).fold(opened_at, f64::max);
    rows.sort_by(|a, b| a.ts.partial_cmp(&b.ts).unwrap_or(Ordering::Equal));

    let mut turn = TurnWriter {
        ids: Ids { run_id: &run_id, emitted: 0 },
        turn: turns.intern(&turn_id),
        events: Vec::with_capacity(rows.len() + 2),
    };
    turn.open(opened_at);
    for row in &rows {
        turn.row(row, header.external);
    }
    let end = rows.iter().rev().find(|row| row.message.kind == MessageKind::TurnState);
    turn.end(end, latest);
    let events = turn.events;
    let id: Cow<'a, str> = run_id.into();
    let invocation = Invocation { run_id: id.clone(), id, turn_id, opened_at, has_model: true };
    Converted { invocation, events }
}

/// Event ids of a converted run.
struct Ids<'r> {
    run_id: &'r str,
    emitted: usize,
}

impl Ids<'_> {
    fn next(&mut self) -> EventId<'static> {
        self.emitted += 1;
        EventId::Made(format!("{}-e{}", self.run_id, self.emitted).into())
    }
}

/// Emits the events of one turn.
struct TurnWriter<'a, 'r> {
    ids: Ids<'r>,
    turn: Turn,
    events: Vec<Event<'a>>,
}

impl<'a> TurnWriter<'a, '_> {
    fn open(&mut self, opened_at: f64) {
        let id = EventId::Made(format!("{}-opened", self.ids.run_id).into());
        self.events.push(Event {
            content: Content::Silent,
            ..blank(id, self.turn, opened_at, Place::Nothing)
        });
    }

    fn row(&mut self, row: &MessageRow<'a>, external: bool) {
        let Message { kind, members, .. } = row.message;
        let said = match kind {
            MessageKind::User => Some((Role::User, Content::Text)),
            MessageKind::Assistant if external && is_empty(members.text) => None,
            MessageKind::Assistant => Some((Role::Model, Content::Text)),
            _ if external => None,
            MessageKind::ToolCall => members
                .tool_name
                .map(|name| (Role::Model, Content::Call { id: row.message.id, name })),
            MessageKind::ToolResult => {
                members.tool_use_id.zip(members.content).map(|(id, result)| {
                    (Role::Other, Content::Response { id, result: Shown::of(result) })
                })
            }
            MessageKind::SystemNote => members
                .note
                .filter(|note| RUNTIME_NOTES.iter().any(|known| note.is(known)))
                .map(|_| (Role::Other, Content::Note)),
            MessageKind::PermissionDecision | MessageKind::TokenUsage => {
                Some((Role::Other, Content::None))
            }
            MessageKind::TurnState | MessageKind::Silent(_) | MessageKind::Unknown => None,
        };
        let Some((role, content)) = said else { return };
        let mut event = self.event(row);
        event.role = role;
        event.content = content;
        event.actions.token_usage = kind == MessageKind::TokenUsage;
        if kind == MessageKind::PermissionDecision {
            let decision = Decision { request_id: row.message.id, tool_name: members.tool_name };
            event.permission =
                Some(Box::new(Permission { decision: Some(decision), ..Permission::default() }));
            event.refs.tool_call = members.tool_use_id;
        }
        self.events.push(event);
        if kind == MessageKind::Assistant && !external {
            for _ in 0..thoughts(members.thinking) {
                let event = self.event(row);
                self.events.push(Event {
                    role: Role::Model,
                    content: Content::Thinking,
                    place: Place::Nothing,
                    ..event
                });
            }
        }
    }

    /// The last event: how the turn ended, as its last `turn_state` says.
    fn end(&mut self, state: Option<&MessageRow<'a>>, latest: f64) {
        let mut event = match state {
            Some(row) => Event { place: Place::Nothing, ..self.event(row) },
            None => blank(self.ids.next(), self.turn, latest, Place::Nothing),
        };
        event.actions.ends_invocation = true;
        event.status = Some(match state.and_then(|row| row.message.members.status) {
            Some(status) if status.is("completed") => Status::Completed,
            Some(status) if status.is("failed") => Status::Failed,
            Some(status) if status.is("aborted") => Status::Aborted,
            Some(_) => Status::Cancelled,
            None => Status::Failed,
        });
        let class = state.and_then(|row| row.message.members.error_class);
        event.actions.step_cap =
            event.status == Some(Status::Failed) && class.is_some_and(is_step_cap);
        self.events.push(event);
    }

    /// An event that keeps the id and the time of its row.
    fn event(&mut self, row: &MessageRow<'a>) -> Event<'a> {
        Event {
            refs: Refs { stored_message: Some(row.message.id), ..Refs::default() },
            ..blank(self.ids.next(), self.turn, row.ts, row.place)
        }
    }
}

fn blank<'a>(id: EventId<'a>, turn: Turn, ts: f64, place: Place) -> Event<'a> {
    Event {
        id,
        run: 0,
        turn,
        ts,
        partial: false,
        role: Role::Other,
        status: None,
        content: Content::None,
        actions: Actions::default(),
        permission: None,
        refs: Refs::default(),
        place,
        words: WordsAt::Nowhere,
    }
}

fn is_empty(text: Option<RawString<'_>>) -> bool {
    text.is_none_or(|text| text.bytes().is_empty())
}

/// How many thinking events an assistant message has.
fn thoughts(thinking: Option<RawValue<'_>>) -> usize {
    let Some(thinking) = thinking.filter(|thinking| thinking.kind() == Kind::Object) else {
        return 0;
    };
    thinking.get("parts").map_or(0, |parts| parts.elements().count()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{json::RawValue, transcript::records::MessageRecord};

    fn header(json: &str) -> SessionHeader {
        SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap()
    }

    fn records(messages: &[Option<&str>]) -> SessionRecords {
        let mut records = SessionRecords::default();
        for (sequence, json) in messages.iter().enumerate() {
            let json = json.map(|json| records.push(json.as_bytes()));
            records.messages.push(MessageRecord { sequence: sequence as i64, json });
        }
        records
    }

    fn refusal(messages: &[Option<&str>]) -> String {
        let header = header(r#"{"id":"s","createdAt":9,"model":"m"}"#);
        let records = records(messages);
        let converted =
            convert(&header, &records, &HashSet::new(), &mut Turns::default(), &Cancel::default());
        converted.map(|_| ()).unwrap_err().why
    }

    #[test]
    fn the_run_id_is_a_hash_of_session_and_turn() {
        assert_eq!(
            run_id("s-1", "t2"),
            "transcript-42766cac0fb1190ce9d0d211de69e0254b77417765a5abd4"
        );
    }

    #[test]
    fn a_flawed_row_makes_the_session_unreadable() {
        let good = Some(r#"{"type":"user","id":"u","turnId":"t","ts":1,"text":"x"}"#);
        let cases = [
            (None, "message 1: its chunks do not fit together"),
            (Some("{"), "message 1: it is not a JSON object"),
            (Some(r#"{"type":"new","id":"a","ts":1}"#), "message 1: its `type` is unknown"),
            (Some(r#"{"type":"user","id":"a","text":"x"}"#), "message 1: its `ts` is not a number"),
            (
                Some(r#"{"type":"assistant","id":"a","ts":1}"#),
                "message 1: its `text` is not a string",
            ),
            (
                Some(r#"{"type":"tool_result","id":"a","ts":1,"toolUseId":"c"}"#),
                "message 1: it has no `content`",
            ),
        ];
        for (row, why) in cases {
            assert_eq!(refusal(&[good, row]), why);
        }
    }

    #[test]
    fn a_model_must_be_named_once_a_turn_converts() {
        let header = header(r#"{"id":"s","createdAt":9,"model":""}"#);
        let asks = r#"{"type":"user","id":"u","turnId":"t","ts":1,"text":"x"}"#;
        let records = records(&[Some(asks)]);
        let count = |owned: &HashSet<Cow<'_, str>>| {
            convert(&header, &records, owned, &mut Turns::default(), &Cancel::default())
                .map(|converted| converted.len())
                .map_err(|unreadable| unreadable.why)
        };
        assert_eq!(
            count(&HashSet::new()),
            Err("it is not converted yet, and its header names no model".to_owned())
        );
        assert_eq!(count(&HashSet::from(["t".into()])), Ok(0));
    }
}
