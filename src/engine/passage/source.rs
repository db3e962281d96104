//! What a passage is made from, and for whom.

use std::{collections::HashSet, sync::Arc};

use crate::engine::{
    Options, RecallError, SessionHeader,
    transcript::{Body, Row},
};

/// Reads the contents of rows: the store, or messages that are held.
pub trait Bodies {
    /// The contents of `row`; `None` when it has none.
    ///
    /// # Errors
    /// The workspace cannot be read now, or the work was cancelled.
    fn body(&mut self, row: &Row) -> Result<Option<Body>, RecallError>;
}

/// A Session and its whole transcript.
#[derive(Clone, Copy, Debug)]
pub struct SessionView<'a> {
    /// The Session.
    pub header: &'a SessionHeader,
    /// Every row, searchable or not: the index of a row is its `sequence`.
    pub rows: &'a [Row],
}

impl SessionView<'_> {
    /// Whether two rows are of one turn. Rows without a turn are of one, too:
    /// they are each other's neighbours.
    pub(super) fn same_turn(&self, one: usize, other: usize) -> bool {
        match (&self.rows[one].turn_id, &self.rows[other].turn_id) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other) || one == other,
            (None, None) => true,
            _ => false,
        }
    }
}

/// Who asks: decides which files may be located.
#[derive(Clone, Debug, Default)]
pub struct Viewer {
    /// The Session that asks.
    pub active_session_id: Option<String>,
    /// Sessions that may be searched, whatever Session the request names and
    /// however many are searched at most.
    pub eligible: HashSet<Arc<str>>,
}

impl Viewer {
    /// Who asks with `options`, when these Sessions may be searched.
    #[must_use]
    pub fn of(options: &Options, eligible: &[Arc<SessionHeader>]) -> Self {
        Self {
            active_session_id: options.active_session_id.clone(),
            eligible: eligible.iter().map(|header| header.id.clone()).collect(),
        }
    }
}
