//! Messages that a host callback hands over: the host has projected them.

use std::collections::HashMap;

use super::{
    Row, RowKind, RowSource, Transcript, Unreadable,
    message::{Message, MessageKind},
    project::is_echo_tool,
    result::Shown,
    turn::Turns,
};
use crate::engine::{
    Cancel, RecallError,
    host::HostMessage,
    json::{RawString, RawValue},
};

/// The transcript of the messages that `readMessages` answered.
///
/// A message of a type that is not known takes its place and has no text. One
/// that is not an object with the strings `type` and `id` makes the Session
/// unreadable. A message without a time stands at 0.
///
/// # Errors
/// The work was cancelled, which says nothing of the Session.
pub fn host_transcript(
    messages: &[HostMessage],
    cancel: &Cancel,
) -> Result<Result<Transcript, Unreadable>, RecallError> {
    let transcript = transcript(messages, cancel);
    cancel.check()?;
    Ok(transcript)
}

fn transcript(messages: &[HostMessage], cancel: &Cancel) -> Result<Transcript, Unreadable> {
    let mut turns = Turns::default();
    let mut calls = HashMap::new();
    let mut rows = Vec::with_capacity(messages.len());
    for (index, HostMessage { json, matched: _ }) in messages.iter().enumerate() {
        if cancel.is_requested() {
            return Err(Unreadable::broken_off());
        }
        let Message { kind, id, members } = Message::read(json)
            .map_err(|flaw| Unreadable::new(format!("message {index}: {flaw}")))?;
        let searchable = match kind {
            MessageKind::User | MessageKind::Assistant => true,
            MessageKind::ToolCall => {
                calls.insert(id.decode(), members.tool_name);
                true
            }
            MessageKind::ToolResult => {
                let call = members.tool_use_id.and_then(|id| *calls.get(&id.decode())?);
                !call.is_some_and(is_echo_tool) && has_stored_text(members.content)
            }
            _ => false,
        };
        let may_carry_files = match kind {
            MessageKind::User => true,
            MessageKind::ToolResult => {
                members.content.and_then(Shown::of).is_none_or(|shown| shown.is_image())
            }
            _ => false,
        };
        let turn_id = members.turn_id.map(RawString::decode);
        rows.push(Row {
            kind: row_kind(kind),
            id: (&*id.decode()).into(),
            turn_id: turn_id.map(|id| {
                let turn = turns.intern(&id);
                turns.id(turn).clone()
            }),
            ts: members.ts.unwrap_or_default(),
            searchable,
            may_carry_files,
            source: i64::try_from(index).map_or(RowSource::Nothing, RowSource::Message),
        });
    }
    Ok(Transcript { rows })
}

/// Whether a result has text that the host did not write itself.
fn has_stored_text(content: Option<RawValue<'_>>) -> bool {
    content.and_then(Shown::of).is_none_or(|shown| shown.is_searchable())
}

fn row_kind(kind: MessageKind) -> RowKind {
    match kind {
        MessageKind::User => RowKind::User,
        MessageKind::Assistant => RowKind::Assistant,
        MessageKind::ToolCall => RowKind::ToolCall,
        MessageKind::ToolResult => RowKind::ToolResult,
        MessageKind::PermissionDecision => RowKind::Other("permission_decision"),
        MessageKind::TokenUsage => RowKind::Other("token_usage"),
        MessageKind::TurnState => RowKind::Other("turn_state"),
        MessageKind::SystemNote => RowKind::Other("system_note"),
        MessageKind::Silent(kind) => RowKind::Other(kind),
        MessageKind::Unknown => RowKind::Other("unknown"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transcript(messages: &[&str]) -> Result<Transcript, Unreadable> {
        let messages: Vec<_> = messages
            .iter()
            .map(|json| HostMessage { json: json.as_bytes().to_vec(), matched: None })
            .collect();
        host_transcript(&messages, &Cancel::default()).unwrap()
    }

    #[test]
    fn every_message_takes_its_place() {
        let rows = transcript(&[
            r#"{"type":"user","id":"u","turnId":"t","ts":5,"text":"x"}"#,
            r#"{"type":"assistant","id":"a","ts":6,"text":"y"}"#,
            r#"{"type":"system_note","id":"n","turnId":"t","ts":7,"kind":"error","text":"z"}"#,
            r#"{"type":"hologram","id":"h","turnId":"t","text":"z"}"#,
        ])
        .unwrap()
        .rows;
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.kind, &*row.id, row.turn_id.as_deref(), row.ts, row.searchable))
            .collect();
        assert_eq!(
            seen,
            [
                (RowKind::User, "u", Some("t"), 5.0, true),
                (RowKind::Assistant, "a", None, 6.0, true),
                (RowKind::Other("system_note"), "n", Some("t"), 7.0, false),
                (RowKind::Other("unknown"), "h", Some("t"), 0.0, false),
            ]
        );
        let sources: Vec<_> = rows.into_iter().map(|row| row.source).collect();
        assert_eq!(sources, [0, 1, 2, 3].map(RowSource::Message));
    }

    #[test]
    fn a_message_that_is_none_makes_the_session_unreadable() {
        for (json, why) in [
            ("null", "message 1: it is not a JSON object"),
            (r#"{"type":"user"}"#, "message 1: its `id` is not a string"),
            (r#"{"id":"x","type":4}"#, "message 1: its `type` is not a string"),
        ] {
            let good = r#"{"type":"user","id":"u","ts":5,"text":"x"}"#;
            assert_eq!(transcript(&[good, json]).unwrap_err().why, why);
        }
    }

    #[test]
    fn the_nearest_call_before_a_result_decides_whether_it_is_an_echo() {
        let call = |tool: &str| {
            format!(r#"{{"type":"tool_call","id":"c","ts":1,"toolName":"{tool}","args":{{}}}}"#)
        };
        let result = r#"{"type":"tool_result","id":"r","ts":1,"toolUseId":"c","content":{"kind":"text","text":"x"}}"#;
        let caption = r#"{"type":"tool_result","id":"r","ts":1,"toolUseId":"c","content":{"kind":"explore_agent","filesInspected":2}}"#;
        let messages = [result, &call("Recall"), result, &call("Read"), result, caption];
        let rows = transcript(&messages).unwrap().rows;
        let results: Vec<_> = rows
            .iter()
            .filter(|row| row.kind == RowKind::ToolResult)
            .map(|row| row.searchable)
            .collect();
        assert_eq!(results, [true, false, true, false]);
    }
}
