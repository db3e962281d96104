//! What is kept of the events of a Session that may grow.

use crate::engine::transcript::{
    Projection, bones,
    records::{EventRecord, SessionRecords},
};

/// Sessions that were used last and are likely to grow.
pub(super) const LIKELY_TO_GROW: usize = 4;

/// The events of a Session without what they say.
#[derive(Debug)]
pub(in crate::engine) struct Bones {
    /// Events alone.
    pub(in crate::engine) records: SessionRecords,
}

impl Bones {
    pub(super) fn new(records: &SessionRecords, projection: &Projection) -> Self {
        Self { records: bones(records, projection) }
    }

    /// The highest rowid of its events; 0 without any.
    pub(in crate::engine) fn last_rowid(&self) -> i64 {
        self.records.events.iter().map(|event| event.rowid).max().unwrap_or_default()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.records.len() + self.records.events.len() * (size_of::<EventRecord>() + 1)
    }
}
