//! A kept Session that grew: what it said is in memory, what was appended is
//! read.
//!
//! Its rows are projected anew, for an event can change where others stand. The
//! hits among the old rows are those of the kept texts; only the new rows are
//! verified. Whenever the old rows are not what they were, nothing is said, and
//! the Session is read as a whole.

use std::sync::Arc;

use super::{Held, ScanPlan};
use crate::engine::{
    Cancel, RecallError, SessionHeader,
    rank::{Hit, Query, SessionHits, verify},
    store::Snapshot,
    text::Narrowing,
    transcript::{Row, RowKind, RowSource, Transcript, project, records::SessionRecords},
    warm::{Digest, Search},
};

/// What is asked.
pub(super) struct Asked<'a> {
    pub(super) plan: &'a ScanPlan<'a>,
    pub(super) header: &'a Arc<SessionHeader>,
    pub(super) narrowing: &'a Narrowing,
    pub(super) search: &'a Search<'a>,
    pub(super) cancel: &'a Cancel,
}

impl Asked<'_> {
    /// The hits of the Session, and its rows in doubt; `None` when it has to be
    /// read as a whole.
    pub(super) fn examine(
        &self,
        (digest, bones): (&Digest, &SessionRecords),
        snapshot: &Snapshot<'_>,
    ) -> Result<Option<(SessionHits, Vec<usize>)>, RecallError> {
        let Some(last) = bones.events.iter().map(|event| event.rowid).max() else {
            return Ok(None);
        };
        let mut records = bones.clone();
        if !snapshot.read_appended(self.header, self.narrowing, &mut records)? {
            return Ok(None);
        }
        let Ok(projection) = project(self.header, &records, self.cancel)? else {
            return Ok(None);
        };
        let transcript = projection.transcript.clone();
        let Some(rows) = OldRows::of(digest.transcript(), &transcript, last) else {
            return Ok(None);
        };
        let excluded_turns = self.plan.excluded_turns(self.header);
        let query =
            Query { request: self.plan.request, excluded_turns, narrowing: Some(self.narrowing) };
        let contents = Held { projection, records };
        let mut found = verify(query, self.header, &transcript, &contents, self.cancel);
        let (old, doubts) = digest.verify(query, self.search, self.header);
        found.truncated_tool_results += old.truncated_tool_results;
        found.hits.extend(
            old.hits.iter().filter_map(|hit| Some(Hit { row: rows.now(hit.row)?, ..*hit })),
        );
        found.hits.sort_unstable_by_key(|hit| hit.row);
        Ok(Some((found, doubts.into_iter().filter_map(|row| rows.now(row)).collect())))
    }
}

/// Where the old rows of events stand now.
struct OldRows<'a> {
    before: &'a Transcript,
    /// By rowid.
    now: Vec<(i64, usize)>,
}

impl<'a> OldRows<'a> {
    /// `None` when the rows of the events up to `last` are not those of `before`.
    fn of(before: &'a Transcript, now: &Transcript, last: i64) -> Option<Self> {
        let by_rowid = |rows: &[Row]| {
            let mut found: Vec<(i64, usize)> = rows
                .iter()
                .enumerate()
                .filter_map(|(index, row)| Some((rowid(row)?, index)))
                .filter(|(rowid, _)| *rowid <= last)
                .collect();
            found.sort_unstable();
            found
        };
        let (old, new) = (by_rowid(&before.rows), by_rowid(&now.rows));
        let same = old.len() == new.len()
            && old.iter().zip(&new).all(|((a, old), (b, new))| {
                a == b && what(&before.rows[*old]) == what(&now.rows[*new])
            });
        same.then_some(Self { before, now: new })
    }

    /// The place of an old row of an event.
    fn now(&self, before: usize) -> Option<usize> {
        let rowid = rowid(&self.before.rows[before])?;
        let place = self.now.binary_search_by_key(&rowid, |(rowid, _)| *rowid).ok()?;
        Some(self.now[place].1)
    }
}

fn rowid(row: &Row) -> Option<i64> {
    match row.source {
        RowSource::Event(rowid) => Some(rowid),
        _ => None,
    }
}

/// What decides whether a row hits, beside its text.
fn what(row: &Row) -> (RowKind, bool, Option<&str>, u64) {
    (row.kind, row.searchable, row.turn_id.as_deref(), row.ts.to_bits())
}
