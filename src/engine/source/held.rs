//! A Session's stored rows, held while they are looked at.

use crate::engine::{
    rank::Contents,
    text::Narrowing,
    transcript::{Body, Projection, Words, records::SessionRecords},
};

/// The rows of one Session and what they mean.
pub(in crate::engine) struct Held {
    /// What they mean.
    pub(in crate::engine) projection: Projection,
    /// The rows.
    pub(in crate::engine) records: SessionRecords,
}

impl Contents for Held {
    fn may_hold(&self, row: usize, narrowing: &Narrowing) -> bool {
        self.projection.may_hold(&self.records, row, narrowing)
    }

    fn words(&self, row: usize) -> Option<Words<'_>> {
        self.projection.words(&self.records, row)
    }

    fn body(&self, row: usize) -> Option<Body> {
        self.projection.body(&self.records, row)
    }
}
