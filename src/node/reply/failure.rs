//! Replies that are no answer.

use napi_derive::napi;

use crate::engine::Refusal;

/// Why there is no answer: an expected failure, never thrown.
#[napi(object, object_from_js = false)]
pub struct RecallFailure {
    /// Tells a failure from an answer.
    #[napi(ts_type = "false")]
    pub ok: bool,
    /// Why.
    #[napi(ts_type = "RecallFailureReason")]
    pub reason: &'static str,
    /// What for, and what to do: a sentence for the model or the log.
    pub message: String,
}

impl From<Refusal> for RecallFailure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { reason, message } = refusal;
        Self { ok: false, reason: reason.as_str(), message }
    }
}

/// Why the modal's search has no answer.
#[napi(object, object_from_js = false)]
pub struct ThreadSearchFailure {
    /// Tells a failure from an array of results.
    #[napi(ts_type = "false")]
    pub ok: bool,
    /// Why.
    #[napi(ts_type = "ThreadSearchFailureReason")]
    pub reason: &'static str,
    /// What for, and what to do.
    pub message: String,
}

impl From<Refusal> for ThreadSearchFailure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { reason, message } = refusal;
        Self { ok: false, reason: reason.as_str(), message }
    }
}
