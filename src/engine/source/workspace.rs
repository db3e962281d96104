//! A workspace on disk as a source: one snapshot of its database.
//!
//! Rows are read on this thread and on one connection, so that an answer sees
//! one state; what they mean is worked out on the pool meanwhile.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use super::{Facts, FactsSearch, Loaded, Scan, ScanPlan, Source, in_flight::InFlight};
use crate::engine::{
    Cancel, RecallError, SessionHeader,
    artifact::ArtifactRecord,
    facts::match_facts,
    json::escaped,
    pool::scope,
    rank::{Contents, Query, SessionHits, verify},
    reply::FactsStatus,
    request::Term,
    store::{FactsRead, Sessions, Snapshot, Store, read_facts},
    text::{Narrowing, Needle, fold},
    transcript::{
        Body, Projection, Row, RowSource, Unreadable, event_body, has_broken_chunk, message_body,
        project, records::SessionRecords, stored_texts, stream_body,
    },
};

/// An open workspace.
pub(super) struct Workspace<'a> {
    root: &'a Path,
    snapshot: Snapshot<'a>,
    cancel: &'a Cancel,
}

impl Workspace<'_> {
    /// Opens the workspace at `root` for one operation.
    pub(super) fn with<T>(
        root: &Path,
        cancel: &Cancel,
        operation: &mut impl FnMut(&mut dyn Source) -> Result<T, RecallError>,
    ) -> Result<T, RecallError> {
        let mut store = Store::open(root, cancel)?;
        let snapshot = store.snapshot()?;
        operation(&mut Workspace { root, snapshot, cancel })
    }
}

impl Source for Workspace<'_> {
    fn sessions(&mut self) -> Result<Sessions, RecallError> {
        self.snapshot.sessions()
    }

    fn scan(&mut self, plan: &ScanPlan<'_>) -> Result<Scan, RecallError> {
        let folded: Vec<&str> = plan.request.terms.iter().map(|term| &*term.folded).collect();
        let narrowing = if plan.full { None } else { Narrowing::new(&folded) };
        let ids: Vec<&str> = plan.sessions.iter().map(|header| &*header.id).collect();
        let corpus = self.snapshot.corpus_count(&ids)?;
        let outcomes = Mutex::new(Vec::new());
        let in_flight = InFlight::default();
        scope(|scope| {
            for (index, header) in plan.sessions.iter().enumerate() {
                self.cancel.check()?;
                if let Some(narrowing) = &narrowing
                    && !self.snapshot.may_hit(header, narrowing)?
                {
                    continue;
                }
                let records = self.snapshot.read(header)?;
                let flight = in_flight.enter(records.len());
                let (outcomes, narrowing, cancel) = (&outcomes, narrowing.as_ref(), self.cancel);
                scope.spawn(move |_| {
                    let outcome = examine(plan, header, records, narrowing, cancel);
                    outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
                    drop(flight);
                });
            }
            Ok::<_, RecallError>(())
        })?;
        self.cancel.check()?;
        let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcomes.sort_unstable_by_key(|(index, _)| *index);
        let mut scan = Scan { corpus, narrowed: narrowing.is_some(), ..Scan::default() };
        for (index, outcome) in outcomes {
            match outcome {
                Outcome::Read(hits) => scan.sessions.push(hits),
                Outcome::Unreadable => scan.unreadable.push(plan.sessions[index].id.clone()),
                Outcome::Irrelevant => {}
            }
        }
        Ok(scan)
    }

    fn facts(&mut self, search: &FactsSearch<'_>) -> Result<Facts, RecallError> {
        self.cancel.check()?;
        Ok(match read_facts(self.root, search.workspace_root, self.cancel) {
            FactsRead::Missing => Facts { facts: Vec::new(), status: FactsStatus::None },
            FactsRead::Unavailable(_) => {
                Facts { facts: Vec::new(), status: FactsStatus::Unavailable }
            }
            FactsRead::Items(items) => {
                let needles: Vec<Needle> =
                    search.terms.iter().map(|term| term.needle.clone()).collect();
                let facts = match_facts(&items, &search.spellings(), &needles);
                Facts { facts, status: FactsStatus::Ok }
            }
        })
    }

    fn load(&mut self, header: &SessionHeader) -> Result<Result<Loaded, Unreadable>, RecallError> {
        let records = self.snapshot.read(header)?;
        Ok(project(header, &records).map(|projection| Loaded {
            transcript: projection.transcript.clone(),
            contents: Box::new(Held { projection, records }),
        }))
    }

    fn body(&mut self, header: &SessionHeader, row: &Row) -> Result<Option<Body>, RecallError> {
        Ok(match &row.source {
            RowSource::Event(rowid) => {
                self.snapshot.event_payload(*rowid)?.and_then(|payload| event_body(&payload))
            }
            RowSource::Stream(key) => {
                let text = self.snapshot.stream_text(key)?;
                text.map(|text| stream_body(&String::from_utf8_lossy(&text)))
            }
            RowSource::Message(sequence) => {
                let record = self.snapshot.message(&header.id, *sequence)?;
                record.and_then(|record| message_body(&record))
            }
            RowSource::Nothing => None,
        })
    }

    fn may_hold(&mut self, header: &SessionHeader, term: &Term) -> Result<bool, RecallError> {
        match Narrowing::new(&[&term.folded]) {
            Some(narrowing) => self.snapshot.may_hit(header, &narrowing),
            None => Ok(true),
        }
    }

    fn artifact(
        &mut self,
        session_id: &str,
        artifact_id: &str,
    ) -> Result<Option<ArtifactRecord>, RecallError> {
        self.snapshot.artifact(session_id, artifact_id)
    }

    fn root(&self) -> Option<&Path> {
        Some(self.root)
    }
}

/// What became of a Session that was read.
enum Outcome {
    /// Its hits.
    Read(SessionHits),
    /// It cannot be shown and could hold a term.
    Unreadable,
    /// It cannot be shown and holds no term.
    Irrelevant,
}

fn examine(
    plan: &ScanPlan<'_>,
    header: &Arc<SessionHeader>,
    records: SessionRecords,
    narrowing: Option<&Narrowing>,
    cancel: &Cancel,
) -> Outcome {
    match project(header, &records) {
        Ok(projection) => {
            let excluded_turns = plan.excluded_turns(header);
            let query = Query { request: plan.request, excluded_turns, narrowing };
            let transcript = projection.transcript.clone();
            let contents = Held { projection, records };
            Outcome::Read(verify(query, header, &transcript, &contents, cancel))
        }
        Err(_) if could_hold(&records, &plan.request.terms) => Outcome::Unreadable,
        Err(_) => Outcome::Irrelevant,
    }
}

/// Whether a Session that cannot be shown could hold a term: a stored row,
/// folded, holds one as it is or as JSON spells it, or a record is in pieces
/// (`GOLDEN.md` 4, coverage).
fn could_hold(records: &SessionRecords, terms: &[Term]) -> bool {
    let needles: Vec<Needle> = terms
        .iter()
        .flat_map(|term| [Needle::new(&term.folded), Needle::new(&escaped(&term.folded))])
        .collect();
    has_broken_chunk(records)
        || stored_texts(records).any(|stored| {
            let stored = String::from_utf8_lossy(stored);
            let folded = fold(&stored);
            needles.iter().any(|needle| needle.is_in(&folded))
        })
}

/// The rows of a Session that is held while it is looked at.
struct Held {
    projection: Projection,
    records: SessionRecords,
}

impl Contents for Held {
    fn raw(&self, row: usize) -> Option<&[u8]> {
        Some(self.projection.raw(&self.records, row))
    }

    fn body(&self, row: usize) -> Option<Body> {
        self.projection.body(&self.records, row)
    }
}
