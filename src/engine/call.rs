//! What every operation takes: an untrusted request, where to read, and how.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use crate::engine::RecallError;

/// One call of the public interface.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The request as JSON; empty when it has no JSON form (`undefined`, a cycle, a throwing getter).
    pub request: Vec<u8>,
    /// `deps.workspaceRoot`.
    pub workspace_root: Option<PathBuf>,
    /// Why no SQLite could be borrowed, when that failed: a workspace is then
    /// unavailable.
    pub no_sqlite: Option<String>,
    /// The options of the call.
    pub options: Options,
}

impl Call {
    /// The workspace to read; `None` when the call names none.
    ///
    /// # Errors
    /// `unavailable`: there is no SQLite to read it with.
    pub fn workspace(&self) -> Result<Option<&Path>, RecallError> {
        match (self.workspace_root.as_deref(), &self.no_sqlite) {
            (Some(root), Some(why)) => Err(RecallError::unavailable(format!(
                "{} cannot be read: the host lends no SQLite ({why}); recall needs node:sqlite with extensions allowed",
                root.display()
            ))),
            (root, _) => Ok(root),
        }
    }
}

/// The options of every operation, without the signal: `RecallOptions`,
/// `ThreadSearchOptions` and `RecallWarmOptions`.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The Session that asks.
    pub active_session_id: Option<String>,
    /// Turns of the active Session that never hit: the turn in flight.
    pub exclude_turn_ids: HashSet<String>,
    /// Whether archived Sessions are eligible.
    pub include_archived: bool,
    /// At most this many Sessions are searched.
    pub max_sessions: Option<usize>,
    /// Whether passages explain their score.
    pub explain: bool,
    /// Whether every Session is read, whatever storage says.
    pub full_scan: bool,
    /// Results of `search_threads` at most, instead of the old contract's 10.
    pub max_results: Option<usize>,
    /// Bytes that `warm` lets the process keep from now on.
    pub budget_bytes: Option<usize>,
}

impl Options {
    /// The turns of a Session that never hit and are never shown.
    #[must_use]
    pub fn excluded_turns(&self, session_id: &str) -> Option<&HashSet<String>> {
        let asks = self.active_session_id.as_deref() == Some(session_id);
        asks.then_some(&self.exclude_turn_ids)
    }
}
