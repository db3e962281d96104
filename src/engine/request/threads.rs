//! What the modal's search is asked: `semantics.md` 13.

use super::field::{invalid, object};
use crate::engine::{
    Reason, RecallError,
    json::{Kind, RawValue},
    limits::{MAX_TERM_CODE_POINTS, THREAD_DEFAULT_LIMIT, THREAD_MAX_LIMIT},
    request::Term,
    text::trim,
};

/// An admitted request.
#[derive(Clone, Debug)]
pub struct ThreadRequest {
    /// What to find.
    pub query: Term,
    /// Results at most.
    pub limit: usize,
}

impl ThreadRequest {
    /// Admits `request`, JSON of the caller's value. `max_results` stands in
    /// for the ten results that the old contract gives at most; who names no
    /// limit gets no more than five either way.
    pub fn parse(request: &[u8], max_results: Option<usize>) -> Result<Self, RecallError> {
        let request = object(request, "Thread search request must be an object.")?;
        if !request.get("source").is_some_and(|source| source.is("thread")) {
            return Err(RecallError::refused(
                Reason::Disabled,
                "Only the source `thread` can be searched.",
            ));
        }
        let query = request
            .get("query")
            .and_then(RawValue::string)
            .ok_or_else(|| invalid("Thread search query must be a string."))?;
        let query = trim(&query);
        if query.is_empty() {
            return Err(invalid("Thread search query must not be empty."));
        }
        if MAX_TERM_CODE_POINTS < query.chars().count() {
            return Err(invalid("Thread search query must be 500 characters or fewer."));
        }
        let most = max_results.unwrap_or(THREAD_MAX_LIMIT).max(1);
        let limit = match request.get("limit") {
            None => THREAD_DEFAULT_LIMIT,
            // `NaN` and infinities have no JSON form and arrive as null: the old
            // scan took its default for them.
            Some(value) if value.kind() == Kind::Null => THREAD_DEFAULT_LIMIT,
            Some(value) => {
                let limit = value
                    .number()
                    .ok_or_else(|| invalid("Thread search limit must be a number."))?;
                limit.trunc().clamp(1.0, most as f64) as usize
            }
        };
        Ok(Self { query: Term::new(query), limit: limit.min(most) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn limit(limit: &str, max_results: Option<usize>) -> usize {
        let request = format!(r#"{{"source":"thread","query":" a ","limit":{limit}}}"#);
        ThreadRequest::parse(request.as_bytes(), max_results).unwrap().limit
    }

    #[test]
    fn limits_are_truncated_and_clamped() {
        assert_eq!(limit("2.9", None), 2);
        assert_eq!(limit("-4", None), 1);
        assert_eq!(limit("99", None), 10);
        assert_eq!(limit("99", Some(40)), 40);
        assert_eq!(limit("null", None), 5);
    }

    #[test]
    fn another_source_is_disabled() {
        let error = ThreadRequest::parse(br#"{"source":"web","query":"a"}"#, None).unwrap_err();
        assert!(
            matches!(error, RecallError::Refused(refusal) if refusal.reason == Reason::Disabled)
        );
    }
}
