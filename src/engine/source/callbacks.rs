//! The host's callbacks as a source: Sessions and messages as it hands them over.
//!
//! The host is asked on the calling thread, one question at a time; what it
//! answers is verified on the pool meanwhile. Of a Session that was verified
//! only the messages of turns with a hit are kept, for their passages.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Facts, FactsSearch, Loaded, Scan, ScanPlan, Sessions, Source, in_flight::InFlight};
use crate::engine::{
    Cancel, RecallError, SessionHeader,
    artifact::ArtifactRecord,
    facts::host_facts,
    host::{Host, HostAnswer, HostMessage},
    json::RawValue,
    limits::MAX_FACTS,
    pool::scope,
    rank::{Contents, Query, SessionHits, verify},
    reply::FactsStatus,
    text::{Narrowing, Verdict, redact::redact},
    transcript::{
        Body, Row, RowKind, RowSource, Transcript, Unreadable, Words, host_transcript,
        message_body, message_words,
    },
};

/// A Session as the host hands it over: its rows and its messages.
type HandedOver = (Arc<Transcript>, Vec<HostMessage>);

/// The host as a source.
pub(super) struct Callbacks<'a> {
    host: &'a dyn Host,
    cancel: &'a Cancel,
    /// Messages whose contents may be asked for again, by Session and index.
    held: HashMap<Arc<str>, HashMap<i64, HostMessage>>,
}

impl<'a> Callbacks<'a> {
    /// Asks `host`.
    pub(super) fn new(host: &'a dyn Host, cancel: &'a Cancel) -> Self {
        Self { host, cancel, held: HashMap::new() }
    }

    fn read(&self, header: &SessionHeader) -> Result<Result<HandedOver, Unreadable>, RecallError> {
        let messages = match self.host.messages(&header.id, self.cancel)? {
            HostAnswer::Value(messages) => messages,
            HostAnswer::Failed(why) => return Ok(Err(Unreadable { why })),
            HostAnswer::Absent | HostAnswer::Declined => {
                return Ok(Err(Unreadable { why: "the host gave no messages".to_owned() }));
            }
        };
        let transcript = host_transcript(&messages, self.cancel)?;
        Ok(transcript.map(|transcript| (Arc::new(transcript), messages)))
    }

    /// The Sessions that the host's storage names, and the count of its corpus.
    /// Both or neither: half an answer is none.
    fn narrow(
        &self,
        plan: &ScanPlan<'_>,
        narrowing: Option<&Narrowing>,
    ) -> Result<(Option<HashSet<String>>, Option<u64>), RecallError> {
        let ids: Vec<&str> = plan.sessions.iter().map(|header| &*header.id).collect();
        let count = match self.host.count(&ids, self.cancel)? {
            HostAnswer::Value(count) if 0.0 <= count && count.is_finite() => Some(count as u64),
            _ => None,
        };
        if plan.options.full_scan || narrowing.is_none() || count.is_none() {
            return Ok((None, count));
        }
        let terms: Vec<&str> = plan.request.terms.iter().map(|term| &*term.folded).collect();
        let named = match self.host.candidates(&ids, &terms, self.cancel)? {
            HostAnswer::Value(named) => Some(named.into_iter().collect()),
            _ => None,
        };
        Ok((named, count))
    }
}

impl Source for Callbacks<'_> {
    fn sessions(&mut self) -> Result<Arc<Sessions>, RecallError> {
        let summaries = match self.host.list_sessions(self.cancel)? {
            HostAnswer::Value(summaries) => summaries,
            // What a host says of its own failure may hold anything.
            HostAnswer::Failed(why) => {
                let why = redact(&why);
                return Err(RecallError::unavailable(format!("listSessions failed: {why}")));
            }
            HostAnswer::Absent | HostAnswer::Declined => {
                return Err(RecallError::unavailable("listSessions gave no Sessions"));
            }
        };
        let mut sessions = Sessions::default();
        for (index, json) in summaries.iter().enumerate() {
            match RawValue::parse(json).and_then(SessionHeader::read) {
                Some(header) => sessions.headers.push(Arc::new(header)),
                // Without an id its place is all there is to name it by.
                None => sessions.undecodable.push(format!("listSessions[{index}]").into()),
            }
        }
        Ok(Arc::new(sessions))
    }

    fn scan(&mut self, plan: &ScanPlan<'_>) -> Result<Scan, RecallError> {
        let folded: Vec<&str> = plan.request.terms.iter().map(|term| &*term.folded).collect();
        let narrowing = Narrowing::new(&folded);
        let (named, count) = self.narrow(plan, narrowing.as_ref())?;
        let narrowed = named.is_some();
        let verified = Mutex::new(Vec::new());
        let in_flight = InFlight::default();
        let mut unreadable = Vec::new();
        let mut rows = 0;
        scope(|scope| {
            for (index, header) in plan.sessions.iter().enumerate() {
                self.cancel.check()?;
                if named.as_ref().is_some_and(|named| !named.contains(&*header.id)) {
                    continue;
                }
                let Ok((transcript, messages)) = self.read(header)? else {
                    unreadable.push(header.id.clone());
                    continue;
                };
                let messages = Messages(messages);
                rows += transcript.rows.iter().filter(|row| is_message(row)).count() as u64;
                let flight = in_flight.enter(messages.bytes());
                let (verified, narrowing, cancel) = (&verified, narrowing.as_ref(), self.cancel);
                scope.spawn(move |_| {
                    let excluded_turns = plan.excluded_turns(header);
                    let query = Query { request: plan.request, excluded_turns, narrowing };
                    let hits = verify(query, header, &transcript, &messages, cancel);
                    let held = messages.of_turns_with_hits(&hits);
                    let found = (index, hits, held);
                    verified.lock().unwrap_or_else(PoisonError::into_inner).push(found);
                    drop(flight);
                });
            }
            Ok::<_, RecallError>(())
        })?;
        self.cancel.check()?;
        let mut verified = verified.into_inner().unwrap_or_else(PoisonError::into_inner);
        verified.sort_unstable_by_key(|(index, _, _)| *index);
        let mut sessions = Vec::with_capacity(verified.len());
        for (_, hits, held) in verified {
            self.held.insert(hits.header.id.clone(), held);
            sessions.push(hits);
        }
        Ok(Scan { sessions, unreadable, narrowed, corpus: count.unwrap_or(rows) })
    }

    fn facts(&mut self, search: &FactsSearch<'_>) -> Result<Facts, RecallError> {
        let spellings = search.spellings();
        let question = search.question(&spellings, MAX_FACTS);
        Ok(match self.host.facts(&question, self.cancel)? {
            HostAnswer::Absent => Facts { facts: Vec::new(), status: FactsStatus::None },
            HostAnswer::Value(facts) => {
                Facts { facts: host_facts(&facts), status: FactsStatus::Ok }
            }
            HostAnswer::Declined | HostAnswer::Failed(_) => {
                Facts { facts: Vec::new(), status: FactsStatus::Unavailable }
            }
        })
    }

    fn load(
        &mut self,
        header: &SessionHeader,
        _narrowing: Option<&Narrowing>,
    ) -> Result<Option<Loaded>, RecallError> {
        let Ok((transcript, messages)) = self.read(header)? else { return Ok(None) };
        let held = messages.iter().cloned().enumerate();
        let held = held.map(|(index, message)| (index as i64, message)).collect();
        self.held.insert(header.id.clone(), held);
        Ok(Some(Loaded { transcript, contents: Box::new(Messages(messages)) }))
    }

    fn body(&mut self, header: &SessionHeader, row: &Row) -> Result<Option<Body>, RecallError> {
        let RowSource::Message(index) = row.source else { return Ok(None) };
        let message = self.held.get(&header.id).and_then(|held| held.get(&index));
        Ok(message.and_then(|message| message_body(&message.json)))
    }

    fn artifact(
        &mut self,
        _session_id: &str,
        _artifact_id: &str,
    ) -> Result<Option<ArtifactRecord>, RecallError> {
        Ok(None)
    }

    fn root(&self) -> Option<&Path> {
        None
    }
}

fn is_message(row: &Row) -> bool {
    !matches!(row.kind, RowKind::Other(_))
}

/// The messages of one Session as the host handed them over: one row each.
struct Messages(Vec<HostMessage>);

impl Messages {
    fn bytes(&self) -> usize {
        self.0.iter().map(|message| message.json.len()).sum()
    }

    /// The messages of the turns that a hit stands in, by index.
    fn of_turns_with_hits(self, hits: &SessionHits) -> HashMap<i64, HostMessage> {
        let Transcript { rows } = &*hits.transcript;
        let turns: HashSet<Option<&str>> =
            hits.hits.iter().map(|hit| rows[hit.row].turn_id.as_deref()).collect();
        let wanted: HashSet<i64> = rows
            .iter()
            .filter(|row| turns.contains(&row.turn_id.as_deref()))
            .filter_map(|row| match row.source {
                RowSource::Message(index) => Some(index),
                _ => None,
            })
            .collect();
        let messages = self.0.into_iter().enumerate();
        let indexed = messages.map(|(index, message)| (index as i64, message));
        indexed.filter(|(index, _)| wanted.contains(index)).collect()
    }
}

impl Contents for Messages {
    fn may_hold(&self, row: usize, narrowing: &Narrowing) -> bool {
        // What is matched may not be what is stored.
        self.0.get(row).is_none_or(|message| {
            message.matched.is_some() || narrowing.verdict(&message.json) != Verdict::No
        })
    }

    fn words(&self, row: usize) -> Option<Words<'_>> {
        let HostMessage { json, matched } = self.0.get(row)?;
        message_words(matched.as_ref().unwrap_or(json))
    }

    fn body(&self, row: usize) -> Option<Body> {
        let HostMessage { json, matched } = self.0.get(row)?;
        message_body(matched.as_ref().unwrap_or(json))
    }
}
