//! What the host is asked while an answer is made.
//!
//! Every call blocks the thread that asks until the host has answered or the
//! work is cancelled; the engine never calls from more than one thread at a
//! time. Values cross as JSON text. A callback that is missing, throws,
//! rejects or answers with the wrong type is [`HostAnswer`] data, never a
//! panic.

use crate::engine::{Cancel, RecallError};

/// What came of asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostAnswer<T> {
    /// The host has no such callback.
    Absent,
    /// It answered `null` or `undefined`: it declines.
    Declined,
    /// It threw, rejected, or answered with something that is no such value.
    Failed(String),
    /// Its answer.
    Value(T),
}

/// A fact search, as `searchFacts` takes it.
#[derive(Clone, Debug)]
pub struct FactsQuestion<'a> {
    /// The asking Session.
    pub session_id: Option<&'a str>,
    /// The terms as the caller spelled them.
    pub terms: &'a [String],
    /// At most this many.
    pub limit: usize,
}

/// The host's side of a call: `RecallDeps` of the public interface.
///
/// Each method fails only when the work was cancelled while it waited.
pub trait Host: Send {
    /// `getPrivacyContext()`: its answer as JSON (`null` when it answered nothing).
    fn privacy(&self, cancel: &Cancel) -> Result<HostAnswer<Vec<u8>>, RecallError>;

    /// Whether the host can stand in for a workspace: it has `listSessions` and `readMessages`.
    fn is_source(&self) -> bool;

    /// `listSessions()`: each summary as JSON.
    fn list_sessions(&self, cancel: &Cancel) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError>;

    /// `listCandidateSessions({sessionIds, terms})`: `terms` are folded.
    fn candidates(
        &self,
        session_ids: &[&str],
        terms: &[&str],
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<String>>, RecallError>;

    /// `countSearchableMessages({sessionIds})`.
    fn count(&self, session_ids: &[&str], cancel: &Cancel) -> Result<HostAnswer<f64>, RecallError>;

    /// `readMessages(sessionId)`: the messages of one Session.
    fn messages(
        &self,
        session_id: &str,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<HostMessage>>, RecallError>;

    /// `searchFacts(…)`: each fact as JSON.
    fn facts(
        &self,
        question: &FactsQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError>;

    /// Whether the host has `fetchMaterial`.
    fn fetches_material(&self) -> bool;

    /// `fetchMaterial(…)`: its answer as JSON.
    fn fetch_material(
        &self,
        source_session_id: &str,
        material_id: &str,
        target_session_id: &str,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<u8>>, RecallError>;
}

/// One message as the host hands it over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostMessage {
    /// The message as JSON.
    pub json: Vec<u8>,
    /// The same message with every text that matches `syntheticTextPatterns`
    /// removed, when that changes it: what may be matched.
    pub matched: Option<Vec<u8>>,
}
