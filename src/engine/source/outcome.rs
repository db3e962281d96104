//! What becomes of a Session that is read.

use std::sync::Arc;

use super::{Held, ScanPlan};
use crate::engine::{
    Cancel, SessionHeader,
    json::escaped,
    rank::{Query, SessionHits, verify},
    request::Term,
    text::{Narrowing, Needle, fold},
    transcript::{has_broken_chunk, project, records::SessionRecords, stored_texts},
};

/// What became of it.
pub(super) enum Outcome {
    /// Its hits.
    Read(SessionHits),
    /// It cannot be shown and could hold a term.
    Unreadable,
    /// It cannot be shown and holds no term.
    Irrelevant,
}

/// Projects a Session and finds its hits; gives its records back.
pub(super) fn examine(
    plan: &ScanPlan<'_>,
    header: &Arc<SessionHeader>,
    records: SessionRecords,
    narrowing: Option<&Narrowing>,
    cancel: &Cancel,
) -> (Outcome, SessionRecords) {
    match project(header, &records, cancel) {
        Ok(Ok(projection)) => {
            let excluded_turns = plan.excluded_turns(header);
            let query = Query { request: plan.request, excluded_turns, narrowing };
            let transcript = projection.transcript.clone();
            let contents = Held { projection, records };
            let hits = verify(query, header, &transcript, &contents, cancel);
            (Outcome::Read(hits), contents.records)
        }
        Ok(Err(_)) if could_hold(&records, &plan.request.terms, cancel) => {
            (Outcome::Unreadable, records)
        }
        // One that was broken off comes to nothing: so does the whole scan.
        Ok(Err(_)) | Err(_) => (Outcome::Irrelevant, records),
    }
}

/// Whether a Session that cannot be shown could hold a term: a stored row,
/// folded, holds one as it is or as JSON spells it, or a record is in pieces
/// (`GOLDEN.md` 4, coverage).
fn could_hold(records: &SessionRecords, terms: &[Term], cancel: &Cancel) -> bool {
    let needles: Vec<Needle> = terms
        .iter()
        .flat_map(|term| [Needle::new(&term.folded), Needle::new(&escaped(&term.folded))])
        .collect();
    has_broken_chunk(records)
        || stored_texts(records).take_while(|_| !cancel.is_requested()).any(|stored| {
            let stored = String::from_utf8_lossy(stored);
            let folded = fold(&stored);
            needles.iter().any(|needle| needle.is_in(&folded))
        })
}
