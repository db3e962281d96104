//! Text that is still arriving: `host/projection.md` 5.

use std::collections::{HashMap, HashSet};

use super::{
    event::{Actions, Columns, Content, Event, EventId, Place, Role},
    records::{SessionRecords, StreamRecord},
    turn::Turns,
    words::WordsAt,
};
use crate::engine::SessionHeader;

/// The event of a stream; `None` for one that the host would drop in silence.
pub(super) fn decode<'a>(
    header: &SessionHeader,
    records: &'a SessionRecords,
    index: usize,
    turns: &mut Turns,
) -> Option<Event<'a>> {
    let StreamRecord {
        key: _,
        invocation_id,
        run_id,
        turn_id,
        after_event_id: _,
        payload,
        text: _,
    } = records.streams.get(index)?;
    let columns = Columns {
        event_id: None,
        session_id: header.id.as_bytes(),
        invocation_id: records.bytes(invocation_id),
        run_id: records.bytes(run_id),
        turn_id: records.bytes(turn_id),
    };
    let event =
        Event::decode(records.bytes(payload), &columns, Place::Stream(index), turns).ok()?;
    let names_itself = match event.content {
        Content::Text | Content::Thinking => event.refs.provider_event.is_some(),
        Content::None => event.refs.tool_call.is_some(),
        _ => false,
    };
    (event.partial && !event.is_terminal() && names_itself).then_some(event)
}

/// Puts the streams of a run among its durable events: each after the event it
/// names, those that name none first, those that name an unknown one last.
pub(super) fn merge<'a>(
    durable: Vec<Event<'a>>,
    streams: Vec<(Option<&'a [u8]>, Event<'a>)>,
) -> Vec<Event<'a>> {
    if streams.is_empty() {
        return durable;
    }
    let positions: HashMap<Vec<u8>, usize> = durable
        .iter()
        .enumerate()
        .map(|(at, event)| (event.id.text().as_bytes().to_vec(), at + 1))
        .collect();
    let position = |anchor: Option<&[u8]>| match anchor {
        None => 0,
        Some(anchor) => {
            let anchor = String::from_utf8_lossy(anchor);
            positions.get(anchor.as_bytes()).copied().unwrap_or(usize::MAX)
        }
    };
    let mut streams: Vec<_> =
        streams.into_iter().map(|(anchor, event)| (position(anchor), event)).collect();
    streams.sort_by(|(a_at, a), (b_at, b)| {
        a_at.cmp(b_at).then(a.ts.total_cmp(&b.ts)).then_with(|| a.id.text().cmp(&b.id.text()))
    });

    let mut merged = Vec::with_capacity(durable.len() + streams.len());
    let mut streams = streams.into_iter().peekable();
    for (at, event) in durable.into_iter().enumerate() {
        while let Some((_, stream)) = streams.next_if(|(position, _)| *position <= at) {
            merged.push(stream);
        }
        merged.push(event);
    }
    merged.extend(streams.map(|(_, event)| event));
    merged
}

/// Shows the arriving text of an open run as if it were settled. A message of
/// which only thinking has arrived gets an empty text right after it.
pub(super) fn present<'a>(events: Vec<Event<'a>>) -> Vec<Event<'a>> {
    let mut texts = HashSet::new();
    let mut thoughts = HashMap::new();
    for (at, event) in events.iter().enumerate().filter(|(_, event)| event.role == Role::Model) {
        match event.content {
            Content::Text => {
                texts.insert(event.thought_id().into_owned());
            }
            Content::Thinking => {
                thoughts.insert(event.thought_id().into_owned(), at);
            }
            _ => {}
        }
    }
    thoughts.retain(|id, _| !texts.contains(id));
    let lone: HashSet<usize> = thoughts.into_values().collect();

    let mut shown = Vec::with_capacity(events.len() + lone.len());
    for (at, mut event) in events.into_iter().enumerate() {
        let is_said = matches!(event.content, Content::Text | Content::Thinking);
        if event.role == Role::Model && is_said {
            event.partial = false;
        }
        let empty_text = lone.contains(&at).then(|| empty_text(&event));
        shown.push(event);
        shown.extend(empty_text);
    }
    shown
}

fn empty_text<'a>(thinking: &Event<'a>) -> Event<'a> {
    let id = format!("{}:active-transcript-empty-text", thinking.id.text());
    Event {
        id: EventId::Made(id.into()),
        run: thinking.run,
        turn: thinking.turn,
        ts: thinking.ts,
        partial: false,
        role: Role::Model,
        status: None,
        content: Content::Text,
        actions: Actions::default(),
        permission: None,
        refs: thinking.refs,
        place: Place::Nothing,
        words: WordsAt::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        json::{RawString, RawValue},
        transcript::event::Refs,
    };

    fn event(id: &'static str, ts: f64) -> Event<'static> {
        Event {
            id: EventId::Made(id.into()),
            run: 0,
            turn: Turns::default().intern("t"),
            ts,
            partial: true,
            role: Role::Model,
            status: None,
            content: Content::Text,
            actions: Actions::default(),
            permission: None,
            refs: Refs::default(),
            place: Place::Nothing,
            words: WordsAt::Nowhere,
        }
    }

    fn ids(events: &[Event<'_>]) -> Vec<String> {
        events.iter().map(|event| event.id.text().into_owned()).collect()
    }

    #[test]
    fn a_stream_follows_the_event_it_names() {
        let durable = vec![event("a", 5.0), event("b", 6.0)];
        let streams = vec![
            (Some(b"nowhere".as_slice()), event("lost", 0.0)),
            (Some(b"b".as_slice()), event("after-b", 1.0)),
            (Some(b"a".as_slice()), event("late", 9.0)),
            (Some(b"a".as_slice()), event("y", 8.0)),
            (Some(b"a".as_slice()), event("x", 8.0)),
            (None, event("first", 10.0)),
        ];
        let merged = merge(durable, streams);
        assert_eq!(ids(&merged), ["first", "a", "x", "y", "late", "b", "after-b", "lost"]);
    }

    #[test]
    fn thinking_without_its_text_gets_an_empty_one() {
        let name = |json: &'static str| -> RawString<'static> {
            RawValue::parse(json.as_bytes()).unwrap().raw_string().unwrap()
        };
        let said = |id, content, message| Event {
            content,
            refs: Refs { provider_event: Some(name(message)), ..Refs::default() },
            ..event(id, 1.0)
        };
        let shown = present(vec![
            said("t1", Content::Thinking, "\"m1\""),
            said("t2", Content::Thinking, "\"m2\""),
            said("t3", Content::Thinking, "\"m1\""),
            said("text", Content::Text, "\"m2\""),
            Event { role: Role::Other, ..event("tool", 1.0) },
        ]);
        assert_eq!(
            ids(&shown),
            ["t1", "t2", "t3", "t3:active-transcript-empty-text", "text", "tool"]
        );
        let partial: Vec<_> = shown.iter().map(|event| event.partial).collect();
        assert_eq!(partial, [false, false, false, false, false, true]);
    }
}
