//! The events of a Session's runs, in the order of the transcript:
//! `host/projection.md` 2, 3, 5 and 7 put together.
//!
//! Events of child runs and of runs that never opened are not decoded.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    Unreadable,
    convert::{self, Converted},
    event::{Event, Place},
    invocation::{self, Invocation, columns, text},
    order::{self, Key},
    records::SessionRecords,
    stream,
    turn::Turns,
};
use crate::engine::{Cancel, LedgerVersion, SessionHeader};

/// What the projector takes.
pub(super) struct Ledger<'a> {
    /// By run index.
    pub(super) invocations: Vec<Invocation<'a>>,
    /// In the order of the transcript.
    pub(super) events: Vec<Event<'a>>,
    pub(super) turns: Turns,
}

/// Reads the runs of a Session.
pub(super) fn read<'a>(
    header: &SessionHeader,
    records: &'a SessionRecords,
    cancel: &Cancel,
) -> Result<Ledger<'a>, Unreadable> {
    if header.ledger == LedgerVersion::Staging {
        return Err(Unreadable::new("its import is still being prepared"));
    }
    let mut turns = Turns::default();
    let mut runs = collect(records, invocation::inline(header, records)?)?;
    if header.ledger == LedgerVersion::Unconverted && !records.messages.is_empty() {
        let owned = owned_turns(header, records, &runs, cancel)?;
        let converted = convert::convert(header, records, &owned, &mut turns, cancel)?;
        // A conversion that was interrupted is done again as a whole.
        let ids: HashSet<_> = converted.iter().map(|turn| turn.invocation.run_id.clone()).collect();
        runs.retain(|run| !ids.contains(&run.invocation.run_id));
        runs.extend(converted.into_iter().map(Run::from));
    }
    runs.sort_by(|a, b| a.invocation.by_opening(&b.invocation));

    let mut keyed = Vec::with_capacity(records.events.len());
    let mut invocations = Vec::with_capacity(runs.len());
    for (index, run) in runs.into_iter().enumerate() {
        let reader = RunReader { header, records, index, invocation: &run.invocation, cancel };
        reader.read(run.events, &mut turns, &mut keyed)?;
        invocations.push(run.invocation);
    }
    Ok(Ledger { invocations, events: order::sort(keyed), turns })
}

/// The ids and times of a Session's events in the order of the transcript:
/// what the projection goes by, for those who want to see it. Events that make
/// no row are among them.
pub fn ordered_events(
    header: &SessionHeader,
    records: &SessionRecords,
) -> Result<Vec<(String, f64)>, Unreadable> {
    let events = read(header, records, &Cancel::default())?.events;
    Ok(events.iter().map(|event| (event.id.text().into_owned(), event.ts)).collect())
}

/// A run and its rows.
struct Run<'a> {
    invocation: Invocation<'a>,
    events: RunEvents<'a>,
}

enum RunEvents<'a> {
    /// Indices into the records.
    Stored {
        events: Vec<usize>,
        streams: Vec<usize>,
    },
    Converted(Vec<Event<'a>>),
}

impl<'a> From<Converted<'a>> for Run<'a> {
    fn from(Converted { invocation, events }: Converted<'a>) -> Self {
        Self { invocation, events: RunEvents::Converted(events) }
    }
}

/// Gives every run its rows.
fn collect<'a>(
    records: &'a SessionRecords,
    invocations: Vec<Invocation<'a>>,
) -> Result<Vec<Run<'a>>, Unreadable> {
    let mut indices = HashMap::with_capacity(invocations.len());
    for (index, invocation) in invocations.iter().enumerate() {
        if indices.insert(invocation.run_id.clone(), index).is_some() {
            return Err(Unreadable::new(format!("run {} was opened twice", invocation.run_id)));
        }
    }
    let mut rows = vec![(Vec::new(), Vec::new()); invocations.len()];
    for (index, event) in records.events.iter().enumerate() {
        if let Some(run) = indices.get(&text(records, &event.run_id)) {
            rows[*run].0.push(index);
        }
    }
    for (index, stream) in records.streams.iter().enumerate() {
        if let Some(run) = indices.get(&text(records, &stream.run_id)) {
            rows[*run].1.push(index);
        }
    }
    let runs = invocations.into_iter().zip(rows).map(|(invocation, (events, streams))| Run {
        invocation,
        events: RunEvents::Stored { events, streams },
    });
    Ok(runs.collect())
}

/// The turns that must not be converted: a run has answered them, and it is
/// not an unfinished one of the conversion itself.
fn owned_turns<'a>(
    header: &SessionHeader,
    records: &'a SessionRecords,
    runs: &[Run<'a>],
    cancel: &Cancel,
) -> Result<HashSet<Cow<'a, str>>, Unreadable> {
    let mut owned = HashSet::new();
    for (index, Run { invocation, events }) in runs.iter().enumerate() {
        let is_own = convert::run_id(&header.id, &invocation.turn_id) == invocation.run_id;
        let has_ended = || {
            let RunEvents::Stored { events, .. } = events else { return Ok(true) };
            let reader = RunReader { header, records, index, invocation, cancel };
            let durable = reader.durable(events, &mut Turns::default())?;
            Ok(reader.has_ended(&durable))
        };
        if !is_own || has_ended()? {
            owned.insert(invocation.turn_id.clone());
        }
    }
    Ok(owned)
}

/// Reads the events of one run.
struct RunReader<'a, 'r> {
    header: &'r SessionHeader,
    records: &'a SessionRecords,
    index: usize,
    invocation: &'r Invocation<'a>,
    cancel: &'r Cancel,
}

impl<'a> RunReader<'a, '_> {
    fn read(
        &self,
        events: RunEvents<'a>,
        turns: &mut Turns,
        keyed: &mut Vec<(Key, Event<'a>)>,
    ) -> Result<(), Unreadable> {
        let (events, ordinals) = match events {
            RunEvents::Converted(events) => {
                let ordinals = (0..).map(Some).take(events.len()).collect();
                (events, ordinals)
            }
            RunEvents::Stored { mut events, streams } => {
                self.sort_by_sequence(&mut events);
                let durable = self.durable(&events, turns)?;
                let ended = self.has_ended(&durable);
                let arriving = streams.into_iter().filter_map(|index| {
                    let anchor = self.records.streams[index].after_event_id.as_ref();
                    let event = stream::decode(self.header, self.records, index, turns)?;
                    Some((anchor.map(|anchor| self.records.bytes(anchor)), event))
                });
                let events = stream::merge(durable, arriving.collect());
                if ended {
                    self.check_ending(&events, turns)?;
                    let ordinals = events.iter().map(|event| self.ordinal(event)).collect();
                    (events, order::inherit(ordinals))
                } else {
                    let events = stream::present(events);
                    let ordinals = vec![None; events.len()];
                    (events, ordinals)
                }
            }
        };
        // A conversion renumbers the whole Session, run by run.
        let renumbered = self.header.ledger == LedgerVersion::Unconverted;
        let run = self.index;
        keyed.extend(events.into_iter().zip(ordinals).enumerate().map(
            |(index, (event, ordinal))| {
                let key = match ordinal {
                    Some(ordinal) => {
                        Key::Ended { run: if renumbered { run } else { 0 }, ordinal, index }
                    }
                    None => Key::Open { ts: event.ts, run, index },
                };
                (key, Event { run, ..event })
            },
        ));
        Ok(())
    }

    fn sort_by_sequence(&self, events: &mut [usize]) {
        let records = self.records;
        events.sort_by(|a, b| {
            let (a, b) = (&records.events[*a], &records.events[*b]);
            let by_id = || records.bytes(&a.event_id).cmp(records.bytes(&b.event_id));
            a.event_seq.cmp(&b.event_seq).then_with(by_id)
        });
    }

    fn durable(&self, events: &[usize], turns: &mut Turns) -> Result<Vec<Event<'a>>, Unreadable> {
        let decode = |index: &usize| {
            if self.cancel.is_requested() {
                return Err(Unreadable::broken_off());
            }
            let record = &self.records.events[*index];
            let payload = self.records.bytes(&record.payload);
            let columns = columns(self.header, self.records, record);
            Event::decode(payload, &columns, Place::Event(*index), turns)
                .map_err(|flaw| Unreadable::of_event(&text(self.records, &record.event_id), &flaw))
        };
        events.iter().map(decode).collect()
    }

    /// Whether an event of the invocation ends it.
    fn has_ended(&self, durable: &[Event<'a>]) -> bool {
        durable.iter().filter(|event| event.is_terminal()).any(|event| match event.place {
            Place::Event(index) => {
                text(self.records, &self.records.events[index].invocation_id) == self.invocation.id
            }
            _ => false,
        })
    }

    /// An ended run has exactly one ending, with a status or a handoff.
    fn check_ending(&self, events: &[Event<'a>], turns: &mut Turns) -> Result<(), Unreadable> {
        let Invocation { run_id, turn_id, .. } = self.invocation;
        let turn = turns.intern(turn_id);
        let mut endings = events
            .iter()
            .filter(|event| event.is_terminal() && !event.partial && event.turn == turn);
        let Some(ending) = endings.next() else {
            return Err(Unreadable::new(format!("run {run_id}: no event of its turn ends it")));
        };
        if let Some(second) = endings.next() {
            return Err(Unreadable::of_event(&second.id.text(), "it ends a run that has ended"));
        }
        if ending.status.is_none() && !ending.actions.handoff_pause {
            return Err(Unreadable::of_event(
                &ending.id.text(),
                "it ends its run without a status",
            ));
        }
        Ok(())
    }

    fn ordinal(&self, event: &Event<'a>) -> Option<i64> {
        match event.place {
            Place::Event(index) => self.records.events[index].ordinal,
            _ => None,
        }
    }
}
