//! `recall`: from a request to an envelope.
//!
//! The order of the checks is part of the contract: aborted, request, privacy,
//! Sessions. A failing store of facts never fails the call.

use std::sync::Arc;

use crate::engine::{
    Call, Cancel, RecallError, SessionHeader,
    coverage::Searched,
    eligible::{Scope, eligible},
    gaps::Gaps,
    host::Host,
    limits::ENVELOPE_BYTES,
    passage::{Anchor, PassageBuilder, Query, SessionView, TermSet, TurnFiles, Viewer},
    rank::{Corpus, Hit, Ranked, SessionHits, bm25::rounded, choose},
    reply::{Envelope, Material, Passage},
    request::{RecallRequest, UNVERIFIED, privacy},
    source::{FactsSearch, ScanPlan, SessionBodies, Source, with_source},
    text::Needle,
};

/// Answers `recall`.
pub fn recall(call: &Call, host: &dyn Host, cancel: &Cancel) -> Result<Envelope, RecallError> {
    cancel.check()?;
    let request = RecallRequest::parse(&call.request)?;
    privacy(&host.privacy(cancel)?).admit(UNVERIFIED)?;
    with_source(call, host, cancel, |source| answer(call, &request, source, cancel))
}

fn answer(
    call: &Call,
    request: &RecallRequest,
    source: &mut dyn Source,
    cancel: &Cancel,
) -> Result<Envelope, RecallError> {
    let options = &call.options;
    let active = options.active_session_id.as_deref();
    let listed = source.sessions()?;
    let asking = listed.headers.iter().find(|header| active == Some(&*header.id));
    let workspace_root = asking.and_then(|header| header.workspace_root.clone());
    let all = eligible(&listed.headers, Scope::of(options));
    let viewer = Viewer::of(options, &all);
    let asked = asked_for(all, request);
    let sessions = &asked[..options.max_sessions.unwrap_or(asked.len()).min(asked.len())];

    let scan = source.scan(&ScanPlan { sessions, request, options })?;
    let corpus = Corpus::new(scan.corpus, scan.sessions.iter().flat_map(|found| &found.hits));
    let chosen = choose(&scan.sessions, &corpus, request.limit);
    let shown = Show { call, request, corpus: &corpus, viewer: &viewer };
    let passages = shown.passages(&scan.sessions, &chosen, source)?;
    let search = FactsSearch {
        active_session_id: active,
        workspace_root: workspace_root.as_deref(),
        terms: &request.terms,
    };
    let facts = source.facts(&search)?;
    cancel.check()?;

    let searched = Searched {
        options,
        asked: &asked,
        sessions,
        scan: &scan,
        undecodable: &listed.undecodable,
        dropped_passages: passages.dropped,
        facts_status: facts.status,
    };
    let coverage = searched.coverage();
    let missed: Vec<&str> =
        corpus.missed(request.terms.len()).map(|index| &*request.terms[index].spelling).collect();
    let gaps = Gaps {
        missed: &missed,
        facts_status: facts.status,
        facts_found: facts.facts.len(),
        searched: sessions.len(),
        oldest: coverage.oldest_activity_at,
        cap: coverage.session_cap,
        unreadable: coverage.sessions_unreadable.len(),
        dropped: coverage.dropped_passages,
    };
    Ok(Envelope {
        gaps: gaps.sentences(),
        facts: facts.facts,
        passages: passages.built,
        materials: passages.materials,
        scanned_fully: !coverage.narrowed,
        coverage,
    })
}

/// The Sessions that the request asks for.
fn asked_for(all: Vec<Arc<SessionHeader>>, request: &RecallRequest) -> Vec<Arc<SessionHeader>> {
    match &request.session_id {
        Some(id) => all.into_iter().filter(|header| *header.id == **id).collect(),
        None => all,
    }
}

/// How hits are shown.
struct Show<'a> {
    call: &'a Call,
    request: &'a RecallRequest,
    corpus: &'a Corpus,
    viewer: &'a Viewer,
}

/// The passages that fit.
#[derive(Default)]
struct Passages {
    built: Vec<Passage>,
    materials: Vec<Material>,
    dropped: usize,
}

impl Show<'_> {
    fn passages(
        &self,
        sessions: &[SessionHits],
        chosen: &[Ranked<'_>],
        source: &mut dyn Source,
    ) -> Result<Passages, RecallError> {
        let spellings: Vec<String> =
            self.request.terms.iter().map(|term| term.spelling.clone()).collect();
        let needles: Vec<Needle> =
            self.request.terms.iter().map(|term| term.needle.clone()).collect();
        let mut passages = Passages::default();
        let mut files = TurnFiles::default();
        let mut left = ENVELOPE_BYTES;
        for Ranked { session, hit, score, .. } in chosen {
            let found = &sessions[*session];
            let view = SessionView { header: &found.header, rows: &found.transcript.rows };
            let hits = |row: usize| terms_of(found, row);
            let query = Query { terms: &spellings, needles: &needles, hits: &hits };
            let explain = self.call.options.explain;
            let anchor = Anchor {
                row: hit.row,
                best_term: self.corpus.best_term(hit),
                score: rounded(*score),
                explain: explain.then(|| self.corpus.explain(hit, &self.request.terms)),
            };
            let bodies = &mut SessionBodies::new(source, &found.header);
            let mut builder = PassageBuilder { session: view, viewer: self.viewer, bodies };
            let Some(built) = builder.recalled(query, anchor, left)? else {
                passages.dropped += 1;
                continue;
            };
            left -= built.cost;
            passages.built.push(built.passage);
            files.add(view, hit.row, self.viewer, bodies)?;
        }
        passages.materials = files.into_materials();
        Ok(passages)
    }
}

/// The terms that a row holds; `None` when it is no hit.
fn terms_of(found: &SessionHits, row: usize) -> Option<TermSet> {
    let index = found.hits.binary_search_by_key(&row, |hit| hit.row).ok()?;
    let Hit { tf, .. } = found.hits[index];
    Some((0..tf.len()).filter(|term| tf[*term] != 0).collect())
}
