//! Where Sessions come from: a workspace on disk, or the host's callbacks.
//!
//! An operation is written once, against [`Source`]. With a workspace root the
//! native reader answers, and the host's callbacks stand in for it only when
//! the workspace cannot be read ([`with_source`]).

mod callbacks;
mod grown;
mod held;
mod in_flight;
mod outcome;
mod stored;
mod workspace;

use std::{collections::HashSet, path::Path, sync::Arc};

use crate::engine::{
    Call, Cancel, Options, Reason, RecallError, SessionHeader,
    artifact::ArtifactRecord,
    host::{FactsQuestion, Host},
    passage::Bodies,
    rank::{Contents, SessionHits},
    reply::{Fact, FactsStatus},
    request::{RecallRequest, Term},
    store::Sessions,
    text::Narrowing,
    transcript::{Body, Row, Transcript},
    warm::memory,
};

use callbacks::Callbacks;
pub(super) use held::Held;
use workspace::Workspace;

/// What an operation reads from. One source is one snapshot.
pub trait Source {
    /// Every listed Session, and the ids of those whose header cannot be read.
    fn sessions(&mut self) -> Result<Arc<Sessions>, RecallError>;

    /// Finds the hits of `sessions`, which stand in Session order.
    fn scan(&mut self, plan: &ScanPlan<'_>) -> Result<Scan, RecallError>;

    /// Facts that match, redacted, the best first.
    fn facts(&mut self, question: &FactsSearch<'_>) -> Result<Facts, RecallError>;

    /// The transcript of one Session with its contents; `None` when it cannot be
    /// read, or nothing of it can hold a term of `narrowing`.
    fn load(
        &mut self,
        header: &SessionHeader,
        narrowing: Option<&Narrowing>,
    ) -> Result<Option<Loaded>, RecallError>;

    /// The contents of one row of a Session that was scanned or loaded.
    fn body(&mut self, header: &SessionHeader, row: &Row) -> Result<Option<Body>, RecallError>;

    /// The record of an artifact; `None` when there is none, or no store of them.
    fn artifact(
        &mut self,
        session_id: &str,
        artifact_id: &str,
    ) -> Result<Option<ArtifactRecord>, RecallError>;

    /// The workspace root, when the source is a workspace on disk.
    fn root(&self) -> Option<&Path>;
}

/// What to scan, and for what.
#[derive(Clone, Copy)]
pub struct ScanPlan<'a> {
    /// The Sessions, in Session order.
    pub sessions: &'a [Arc<SessionHeader>],
    /// What to find.
    pub request: &'a RecallRequest,
    /// How it is asked.
    pub options: &'a Options,
}

impl<'a> ScanPlan<'a> {
    /// The turns of `header`'s Session that never hit.
    fn excluded_turns(&self, header: &SessionHeader) -> Option<&'a HashSet<String>> {
        self.options.excluded_turns(&header.id)
    }
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct Scan {
    /// The Sessions with hits or cut tool results, in Session order.
    pub sessions: Vec<SessionHits>,
    /// The Sessions that cannot be read and could hold a term, in Session order.
    pub unreadable: Vec<Arc<str>>,
    /// Whether storage named the Sessions that were read.
    pub narrowed: bool,
    /// Messages of the corpus.
    pub corpus: u64,
}

/// Which facts to find.
#[derive(Clone, Copy)]
pub struct FactsSearch<'a> {
    /// The asking Session.
    pub active_session_id: Option<&'a str>,
    /// The workspace that Session works in.
    pub workspace_root: Option<&'a str>,
    /// What to find.
    pub terms: &'a [Term],
}

impl FactsSearch<'_> {
    /// The spellings, as a host's `searchFacts` takes them.
    fn spellings(&self) -> Vec<String> {
        self.terms.iter().map(|term| term.spelling.clone()).collect()
    }

    /// The question for the host.
    fn question<'b>(&self, spellings: &'b [String], limit: usize) -> FactsQuestion<'b>
    where
        Self: 'b,
    {
        FactsQuestion { session_id: self.active_session_id, terms: spellings, limit }
    }
}

/// The facts that match, and whether they were searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The facts.
    pub facts: Vec<Fact>,
    /// Whether there is a store, and it answered.
    pub status: FactsStatus,
}

/// One Session, read.
pub struct Loaded {
    /// Its rows.
    pub transcript: Arc<Transcript>,
    /// What they say.
    pub contents: Box<dyn Contents>,
}

/// The contents of one Session's rows, for passages.
pub struct SessionBodies<'a> {
    source: &'a mut dyn Source,
    header: &'a SessionHeader,
}

impl<'a> SessionBodies<'a> {
    /// The contents of `header`'s Session.
    pub fn new(source: &'a mut dyn Source, header: &'a SessionHeader) -> Self {
        Self { source, header }
    }
}

impl Bodies for SessionBodies<'_> {
    fn body(&mut self, row: &Row) -> Result<Option<Body>, RecallError> {
        self.source.body(self.header, row)
    }
}

/// Runs `operation` on the source that `call` names.
///
/// A workspace that is `unavailable` or `unsupported_workspace` is replaced by
/// the host's callbacks where it has them; then the whole operation runs again.
pub fn with_source<T>(
    call: &Call,
    host: &dyn Host,
    cancel: &Cancel,
    mut operation: impl FnMut(&mut dyn Source) -> Result<T, RecallError>,
) -> Result<T, RecallError> {
    let answer = match call.workspace() {
        Ok(Some(root)) => Workspace::with(root, cancel, &mut operation),
        Ok(None) if host.is_source() => return operation(&mut Callbacks::new(host, cancel)),
        Ok(None) => return Err(RecallError::NoSource),
        Err(unavailable) => Err(unavailable),
    };
    match answer {
        Err(RecallError::Refused(refusal))
            if matches!(refusal.reason, Reason::Unavailable | Reason::UnsupportedWorkspace)
                && host.is_source() =>
        {
            // The answer does not tell: whoever wonders why it is slow finds it there.
            memory().counts.fell_back(&refusal.message);
            operation(&mut Callbacks::new(host, cancel))
        }
        other => other,
    }
}
