//! A Session's stored rows, held while they are looked at.

use crate::engine::{
    rank::Contents,
    transcript::{Body, Projection, records::SessionRecords},
};

/// The rows of one Session and what they mean.
pub(in crate::engine) struct Held {
    /// What they mean.
    pub(in crate::engine) projection: Projection,
    /// The rows.
    pub(in crate::engine) records: SessionRecords,
}

impl Contents for Held {
    fn raw(&self, row: usize) -> Option<&[u8]> {
        Some(self.projection.raw(&self.records, row))
    }

    fn body(&self, row: usize) -> Option<Body> {
        self.projection.body(&self.records, row)
    }
}
