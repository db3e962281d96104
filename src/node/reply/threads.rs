//! The results of the modal's search.

use napi_derive::napi;

use super::{flag, number, passage::RecallMatch};
use crate::engine::reply::ThreadResult;

/// One result of the modal's search: a title, or a message.
///
/// `snippet` and `title` are redacted.
#[napi(object, object_from_js = false)]
pub struct ThreadSearchResult {
    /// What was searched.
    #[napi(ts_type = "'thread'")]
    pub source: &'static str,
    /// The Session's title.
    pub title: String,
    /// What matched: the title, or a message of some kind.
    pub summary: String,
    /// Up to 240 code points around the match, white space collapsed.
    pub snippet: String,
    /// Where to go.
    pub target: ThreadSearchTarget,
    /// Set when the snippet is not the whole text.
    #[napi(ts_type = "true")]
    pub truncated: Option<bool>,
    /// Where the query stands in `snippet`.
    pub matches: Vec<RecallMatch>,
}

/// Where a result of the modal's search leads.
#[napi(object, object_from_js = false)]
pub struct ThreadSearchTarget {
    /// What it leads to.
    #[napi(ts_type = "'thread'")]
    pub kind: &'static str,
    /// The Session.
    pub session_id: String,
    /// The turn of a message.
    pub turn_id: Option<String>,
    /// The index of a message in the Session's whole transcript.
    pub sequence: Option<f64>,
}

impl From<ThreadResult> for ThreadSearchResult {
    fn from(result: ThreadResult) -> Self {
        let ThreadResult {
            title,
            summary,
            snippet,
            session_id,
            turn_id,
            sequence,
            truncated,
            matches,
        } = result;
        Self {
            source: "thread",
            title,
            summary,
            snippet,
            target: ThreadSearchTarget {
                kind: "thread",
                session_id: session_id.as_ref().to_owned(),
                turn_id: turn_id.as_deref().map(str::to_owned),
                sequence: sequence.map(number),
            },
            truncated: flag(truncated),
            matches: super::all(matches),
        }
    }
}
