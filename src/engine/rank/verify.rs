//! The predicate: which messages of a Session hit (`semantics.md` 5).
//!
//! A message hits for a term when the fold of its stored text and the fold of
//! its redacted text both contain it. The first clause makes every narrowing a
//! superset, the second is the security boundary: what redaction removes can
//! not be found.

use std::{borrow::Cow, collections::HashSet, sync::Arc};

use rayon::prelude::*;

use crate::engine::{
    Cancel, SessionHeader,
    limits::MAX_TERMS,
    request::{RecallRequest, Term},
    text::{Narrowing, fold, message::Stored},
    transcript::{Body, Row, RowKind, Transcript, Words},
};

/// Rows that one rayon task verifies: enough work to be worth a task.
const ROWS_PER_TASK: usize = 64;

/// What is asked of every message.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The request.
    pub request: &'a RecallRequest,
    /// Turns that never hit, when the Session is the asking one.
    pub excluded_turns: Option<&'a HashSet<String>>,
    /// What the stored bytes of a message must satisfy to be worth decoding;
    /// `None` decodes every message.
    pub narrowing: Option<&'a Narrowing>,
}

impl Query<'_> {
    fn terms(&self) -> &[Term] {
        &self.request.terms
    }

    /// Whether `row` may hit at all, whatever it says.
    pub(in crate::engine) fn admits(&self, row: &Row) -> bool {
        row.searchable
            && self.request.admits(row.ts)
            && !self.excluded_turns.is_some_and(|turns| row.is_of(turns))
    }
}

/// The contents of a Session's messages, by the index of the row.
pub trait Contents: Sync {
    /// Whether the row may hold a term, by its stored bytes: one that may not is
    /// not worth decoding.
    fn may_hold(&self, row: usize, narrowing: &Narrowing) -> bool;

    /// What is matched of the row; `None` when there is nothing.
    fn words(&self, row: usize) -> Option<Words<'_>>;

    /// What the row says, as far as it may be matched; `None` when it has no
    /// contents.
    fn body(&self, row: usize) -> Option<Body>;
}

/// The hits of one Session.
#[derive(Clone, Debug)]
pub struct SessionHits {
    /// The Session.
    pub header: Arc<SessionHeader>,
    /// Its rows, light: passages read their contents again.
    pub transcript: Arc<Transcript>,
    /// The messages that hit, in order.
    pub hits: Vec<Hit>,
    /// Tool results whose stored text holds a term and whose matched text was cut.
    pub truncated_tool_results: usize,
}

/// One message that hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The index of the row.
    pub row: usize,
    /// Occurrences of each term of the request, in its order.
    pub tf: [u32; MAX_TERMS],
    /// Code points of the matched text.
    pub length: u32,
    /// Whether the row is a tool result.
    pub tool_result: bool,
}

/// Finds the hits of a Session.
#[must_use]
pub fn verify(
    query: Query<'_>,
    header: &Arc<SessionHeader>,
    transcript: &Arc<Transcript>,
    contents: &impl Contents,
    cancel: &Cancel,
) -> SessionHits {
    let findings: Vec<Finding> = transcript
        .rows
        .par_iter()
        .enumerate()
        .with_min_len(ROWS_PER_TASK)
        .filter(|_| !cancel.is_requested())
        .filter_map(|(index, row)| verify_row(query, index, row, contents))
        .collect();
    let truncated_tool_results = findings.iter().filter(|finding| finding.truncated).count();
    let hits = findings.into_iter().filter_map(|finding| finding.hit).collect();
    SessionHits {
        header: header.clone(),
        transcript: transcript.clone(),
        hits,
        truncated_tool_results,
    }
}

/// What a message that holds a term comes to.
struct Finding {
    hit: Option<Hit>,
    truncated: bool,
}

fn verify_row(
    query: Query<'_>,
    index: usize,
    row: &Row,
    contents: &impl Contents,
) -> Option<Finding> {
    if !query.admits(row) {
        return None;
    }
    if query.narrowing.is_some_and(|narrowing| !contents.may_hold(index, narrowing)) {
        return None;
    }
    match_words(query, index, row, &contents.words(index)?)
}

fn match_words(query: Query<'_>, index: usize, row: &Row, words: &Words<'_>) -> Option<Finding> {
    let stored = Stored::of(words)?;
    let folded_stored = fold(stored.text());
    let mut holds = [false; MAX_TERMS];
    for (holds, term) in holds.iter_mut().zip(query.terms()) {
        *holds = term.needle.is_in(&folded_stored);
    }
    if !holds.contains(&true) {
        return None;
    }
    let redacted = stored.redacted()?;
    let folded = match &redacted.text {
        // Nothing was redacted or cut: it folds to the same.
        Cow::Borrowed(text) if text.len() == stored.text().len() => folded_stored,
        text => fold(text),
    };
    let mut tf = [0; MAX_TERMS];
    for ((tf, term), holds) in tf.iter_mut().zip(query.terms()).zip(holds) {
        if holds {
            *tf = u32::try_from(term.needle.count(&folded)).unwrap_or(u32::MAX);
        }
    }
    let tool_result = row.kind == RowKind::ToolResult;
    let length = u32::try_from(folded.chars().count()).unwrap_or(u32::MAX);
    let hit = tf.iter().any(|tf| *tf != 0);
    Some(Finding {
        hit: hit.then_some(Hit { row: index, tf, length, tool_result }),
        truncated: tool_result && redacted.cut,
    })
}
