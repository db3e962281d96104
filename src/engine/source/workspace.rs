//! A workspace on disk as a source: one snapshot of its database.
//!
//! Rows are read on this thread and on one connection, so that an answer sees
//! one state; what they mean is worked out on the pool meanwhile. Sessions that
//! are kept in memory, and proven fresh by this very snapshot, are not read.

use std::{
    path::Path,
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use rayon::prelude::*;

use super::{
    Facts, FactsSearch, Held, Loaded, Scan, ScanPlan, Source,
    grown::Asked,
    outcome::Outcome,
    stored::{Aside, Examined, StoredScan},
};
use crate::engine::{
    Cancel, Reason, RecallError, Refusal, SessionHeader,
    artifact::ArtifactRecord,
    facts::match_facts,
    pool::install,
    rank::{Query, SessionHits},
    reply::FactsStatus,
    store::{FactsRead, FactsStore, Sessions, Snapshot},
    text::{Narrowing, Needle, fold, message::stored},
    transcript::{
        Body, Row, RowSource, event_body, message_body, project, records::SessionRecords,
        stream_body,
    },
    warm::{Form, Keep, Kept, Known, Open, Search, memory},
};

/// An open workspace.
pub(super) struct Workspace<'a> {
    root: &'a Path,
    snapshot: Snapshot<'a>,
    /// Another connection, for one scan.
    aside: Option<Aside<'a>>,
    known: &'a mut Known,
    facts: &'a mut FactsStore,
    keep: &'a Keep,
    cancel: &'a Cancel,
    /// The number of this answer.
    answer: u64,
    /// Sessions that were read for their hits, and are worth keeping.
    wanted: Vec<Arc<str>>,
    /// Whether there is more to keep than is kept.
    behind: bool,
}

impl Workspace<'_> {
    /// Opens the workspace at `root` for one operation.
    pub(super) fn with<T>(
        root: &Path,
        cancel: &Cancel,
        operation: &mut impl FnMut(&mut dyn Source) -> Result<T, RecallError>,
    ) -> Result<T, RecallError> {
        let since = Instant::now();
        let counts = &memory().counts;
        let keep = memory().keep(root);
        let mut lease = keep.open(cancel)?;
        let Some(Open { store, second, known, facts }) = &mut lease.thing else {
            return Err(RecallError::unavailable("the workspace was closed while it was opened"));
        };
        let aside = second.as_mut().and_then(Aside::of);
        let answer = counts.answers.load(Ordering::Relaxed) + 1;
        let result = store.snapshot().and_then(|snapshot| {
            known.at(&snapshot)?;
            let keeps = snapshot.has_markers();
            let wanted = Vec::new();
            let keep = &*keep;
            let behind = false;
            let mut workspace = Workspace {
                root,
                snapshot,
                aside,
                known,
                facts,
                keep,
                cancel,
                answer,
                wanted,
                behind,
            };
            let result = operation(&mut workspace);
            Ok((result?, (keeps && workspace.behind).then_some(workspace.wanted)))
        });
        cancel.unwatch();
        let is_trusted = result.as_ref().err().is_none_or(is_of_the_request);
        if !is_trusted {
            // A connection that failed is not used for the next answer.
            lease.thing = None;
        }
        drop(lease);
        match result {
            Ok((result, wanted)) => {
                keep.answered(wanted);
                counts.answers.fetch_add(1, Ordering::Relaxed);
                counts.last_answer_us.store(micros(since), Ordering::Relaxed);
                Ok(result)
            }
            Err(error) => {
                if is_trusted {
                    keep.answered(None);
                }
                Err(error)
            }
        }
    }

    /// Answers the Sessions that are kept, and says which have to be read.
    fn scan_kept(
        &mut self,
        plan: &ScanPlan<'_>,
        narrowing: Option<&Narrowing>,
        found: &mut Vec<(usize, Outcome)>,
    ) -> Result<Remainder, RecallError> {
        let mut remainder = Remainder::default();
        let (mut kept, mut sought) = (Vec::new(), false);
        let search = Search::new(&plan.request.terms);
        for (index, header) in plan.sessions.iter().enumerate() {
            let Some(session) = self.keep.fresh(header, &self.snapshot, self.known)? else {
                remainder.uncounted.push(header.id.clone());
                match self.scan_grown(plan, narrowing, &search, header)? {
                    Some((hits, doubts)) => {
                        self.behind = true;
                        found.push((index, Outcome::Read(self.settle(plan, hits, &doubts)?)));
                    }
                    None => {
                        remainder.unread.push(index);
                        self.behind |= !self.keep.gave_up(header, &self.snapshot, self.known)?;
                    }
                }
                continue;
            };
            remainder.corpus += session.corpus();
            match &session.form {
                Form::Digest(_) => kept.push((index, session)),
                Form::Outline(outline) if outline.may_hold(&search) => {
                    remainder.unread.push(index);
                    sought |= session.was_read();
                }
                Form::Outline(_) => {
                    memory().counts.skips.fetch_add(1, Ordering::Relaxed);
                }
            }
        }
        self.behind = self.behind || (sought && memory().has_idle_texts());
        memory().counts.hits.fetch_add(kept.len() as u64, Ordering::Relaxed);
        for (index, session, hits, doubts) in search_kept(plan, &search, kept) {
            self.cancel.check()?;
            let hits = self.settle(plan, hits, &doubts)?;
            if !hits.hits.is_empty() {
                session.was_useful(self.answer);
            }
            found.push((index, Outcome::Read(hits)));
        }
        Ok(remainder)
    }

    /// Answers a Session from an earlier state of it and from what was appended.
    fn scan_grown(
        &self,
        plan: &ScanPlan<'_>,
        narrowing: Option<&Narrowing>,
        search: &Search<'_>,
        header: &Arc<SessionHeader>,
    ) -> Result<Option<(SessionHits, Vec<usize>)>, RecallError> {
        let Some((narrowing, earlier)) = narrowing.zip(self.keep.earlier(header)) else {
            return Ok(None);
        };
        let Some(digest) = earlier.digest() else { return Ok(None) };
        let Some(bones) = digest.bones() else { return Ok(None) };
        let asked = Asked { plan, header, narrowing, search, cancel: self.cancel };
        let found = asked.examine((digest, bones), &self.snapshot)?;
        if found.as_ref().is_some_and(|(hits, _)| !hits.hits.is_empty()) {
            earlier.was_useful(self.answer);
        }
        Ok(found)
    }

    /// Decides the rows in doubt by what is stored of them.
    fn settle(
        &mut self,
        plan: &ScanPlan<'_>,
        mut hits: SessionHits,
        doubts: &[usize],
    ) -> Result<SessionHits, RecallError> {
        for row in doubts {
            let body = self.body(&hits.header.clone(), &hits.transcript.rows[*row])?;
            let stored = body.and_then(|body| stored(&body)).unwrap_or_default();
            let folded = fold(&stored);
            let holds = plan.request.terms.iter().any(|term| term.needle.is_in(&folded));
            hits.truncated_tool_results += usize::from(holds);
        }
        Ok(hits)
    }

    /// Reads Sessions, those that `narrowing` names, and examines them.
    fn scan_stored(
        &mut self,
        plan: &ScanPlan<'_>,
        indices: &[usize],
        narrowing: Option<&Narrowing>,
        found: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), RecallError> {
        memory().counts.misses.fetch_add(indices.len() as u64, Ordering::Relaxed);
        let scan = StoredScan::new(plan, indices, narrowing, self.cancel);
        let Examined { outcomes, read } = scan.run(&self.snapshot, self.aside.take())?;
        found.extend(outcomes);
        self.wanted.extend(read);
        Ok(())
    }
}

impl Source for Workspace<'_> {
    fn sessions(&mut self) -> Result<Arc<Sessions>, RecallError> {
        self.known.sessions(&self.snapshot)
    }

    fn scan(&mut self, plan: &ScanPlan<'_>) -> Result<Scan, RecallError> {
        let since = Instant::now();
        let folded: Vec<&str> = plan.request.terms.iter().map(|term| &*term.folded).collect();
        let narrowing = if plan.options.full_scan { None } else { Narrowing::new(&folded) };
        let mut found = Vec::new();
        let Remainder { unread, uncounted, corpus } = match plan.options.full_scan {
            true => {
                self.behind = true;
                Remainder::all(plan)
            }
            false => self.scan_kept(plan, narrowing.as_ref(), &mut found)?,
        };
        self.scan_stored(plan, &unread, narrowing.as_ref(), &mut found)?;
        self.cancel.check()?;
        found.sort_unstable_by_key(|(index, _)| *index);
        // Counted last: a Session that was searched without a hit is counted by then.
        let corpus = corpus + self.known.corpus_count(&uncounted, &self.snapshot)?;
        let mut scan = Scan { corpus, narrowed: narrowing.is_some(), ..Scan::default() };
        for (index, outcome) in found {
            match outcome {
                Outcome::Read(hits) => scan.sessions.push(hits),
                Outcome::Unreadable => scan.unreadable.push(plan.sessions[index].id.clone()),
                Outcome::Irrelevant => {}
            }
        }
        memory().counts.last_scan_us.store(micros(since), Ordering::Relaxed);
        Ok(scan)
    }

    fn facts(&mut self, search: &FactsSearch<'_>) -> Result<Facts, RecallError> {
        self.cancel.check()?;
        Ok(match self.facts.read(self.root, search.workspace_root, self.cancel) {
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

    fn load(
        &mut self,
        header: &SessionHeader,
        narrowing: Option<&Narrowing>,
    ) -> Result<Option<Loaded>, RecallError> {
        let mut records = SessionRecords::default();
        if !self.snapshot.read_narrowed(header, narrowing, &mut records)? {
            return Ok(None);
        }
        let Ok(projection) = project(header, &records, self.cancel)? else { return Ok(None) };
        let transcript = projection.transcript.clone();
        Ok(Some(Loaded { transcript, contents: Box::new(Held { projection, records }) }))
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

/// What memory leaves to the store.
#[derive(Default)]
struct Remainder {
    /// Sessions to be asked about, by their place.
    unread: Vec<usize>,
    /// Sessions whose part of the corpus is not known.
    uncounted: Vec<Arc<str>>,
    /// The part of the corpus that is.
    corpus: u64,
}

impl Remainder {
    fn all(plan: &ScanPlan<'_>) -> Self {
        let uncounted = plan.sessions.iter().map(|header| header.id.clone());
        Self {
            unread: (0..plan.sessions.len()).collect(),
            uncounted: uncounted.collect(),
            corpus: 0,
        }
    }
}

/// What a kept Session answered: its place, its hits, and the rows in doubt.
type Answered = (usize, Arc<Kept>, SessionHits, Vec<usize>);

/// Searches kept Sessions on the pool.
fn search_kept(
    plan: &ScanPlan<'_>,
    search: &Search<'_>,
    kept: Vec<(usize, Arc<Kept>)>,
) -> Vec<Answered> {
    let answer = |(index, session): (usize, Arc<Kept>)| {
        let header = &plan.sessions[index];
        let excluded_turns = plan.excluded_turns(header);
        let query = Query { request: plan.request, excluded_turns, narrowing: None };
        let digest = session.digest()?;
        let (hits, doubts) = digest.verify(query, search, header);
        Some((index, session.clone(), hits, doubts))
    };
    // One by one: a few of them may be most of the text.
    install(|| kept.into_par_iter().with_max_len(1).filter_map(answer).collect())
}

/// Whether a refusal says nothing against the connection: it was aborted, or
/// what it asks for is not there.
fn is_of_the_request(error: &RecallError) -> bool {
    match error {
        RecallError::Refused(Refusal { reason, .. }) => {
            !matches!(reason, Reason::Unavailable | Reason::UnsupportedWorkspace)
        }
        _ => false,
    }
}

fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}
