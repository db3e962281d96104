//! What `recall` is asked: `semantics.md` 1.
//!
//! The order of the checks and the sentences are part of the contract.

use super::field::{id, integer, invalid, object};
use crate::engine::{
    RecallError,
    json::RawValue,
    limits::{DEFAULT_LIMIT, MAX_LIMIT, MAX_QUESTION_CODE_POINTS, MAX_TERM_CODE_POINTS, MAX_TERMS},
    text::{Needle, fold, redact::redact, trim},
};

/// An admitted request.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// What to find, without the terms that fold to the same.
    pub terms: Vec<Term>,
    /// Passages at most.
    pub limit: usize,
    /// The only Session to search.
    pub session_id: Option<String>,
    /// Earliest `ts` of a hit, epoch ms.
    pub since: Option<f64>,
    /// Latest `ts` of a hit, epoch ms.
    pub until: Option<f64>,
}

/// One term.
#[derive(Clone, Debug)]
pub struct Term {
    /// The caller's spelling, trimmed.
    pub spelling: String,
    /// Its folded form.
    pub folded: String,
    /// The folded form, ready for searching.
    pub needle: Needle,
}

impl Term {
    /// The term that `spelling` asks for.
    #[must_use]
    pub fn new(spelling: &str) -> Self {
        let folded = fold(spelling).into_owned();
        Self { spelling: spelling.to_owned(), needle: Needle::new(&folded), folded }
    }
}

impl RecallRequest {
    /// Admits `request`, JSON of the caller's value.
    pub fn parse(request: &[u8]) -> Result<Self, RecallError> {
        let request = object(request, "Recall request must be an object.")?;
        let terms = terms(request.get("terms"))?;
        let limit = match request.get("limit") {
            None => DEFAULT_LIMIT,
            Some(limit) => integer(limit, 1, MAX_LIMIT)
                .ok_or_else(|| invalid("Recall limit must be between 1 and 25."))?,
        };
        let session_id = match request.get("sessionId") {
            None => None,
            Some(value) => Some(id(value).ok_or_else(|| invalid("Recall session id is invalid."))?),
        };
        let since = time(request.get("since"))?;
        let until = time(request.get("until"))?;
        if let (Some(since), Some(until)) = (since, until)
            && until < since
        {
            return Err(invalid("Recall `since` must precede `until`."));
        }
        if let Some(question) = request.get("question") {
            let text = question.string().unwrap_or_default();
            let length = trim(&text).chars().count();
            if length == 0 || MAX_QUESTION_CODE_POINTS < length {
                return Err(invalid("Recall question is invalid."));
            }
        }
        Ok(Self { terms, limit, session_id, since, until })
    }

    /// Whether a message of time `ts` may hit.
    #[must_use]
    pub fn admits(&self, ts: f64) -> bool {
        self.since.is_none_or(|since| since <= ts) && self.until.is_none_or(|until| ts <= until)
    }
}

fn terms(value: Option<RawValue<'_>>) -> Result<Vec<Term>, RecallError> {
    let values: Vec<_> = value.iter().flat_map(|value| value.elements()).collect();
    if values.is_empty() {
        return Err(invalid("Recall requires at least one term."));
    }
    if MAX_TERMS < values.len() {
        return Err(invalid("Recall accepts at most 8 terms."));
    }
    let mut terms: Vec<Term> = Vec::with_capacity(values.len());
    for value in values {
        let text = value.string().ok_or_else(|| invalid("Recall terms must be strings."))?;
        let spelling = trim(&text);
        if spelling.is_empty() {
            return Err(invalid("Recall terms must not be empty."));
        }
        if MAX_TERM_CODE_POINTS < spelling.chars().count() {
            return Err(invalid("Recall terms must be 500 characters or fewer."));
        }
        // A hit / no-hit answer would spell a secret out letter by letter.
        if redact(spelling) != spelling {
            return Err(invalid(
                "A recall term contains credential material and cannot be searched.",
            ));
        }
        let term = Term::new(spelling);
        if terms.iter().all(|other| other.folded != term.folded) {
            terms.push(term);
        }
    }
    Ok(terms)
}

fn time(value: Option<RawValue<'_>>) -> Result<Option<f64>, RecallError> {
    let Some(value) = value else { return Ok(None) };
    let time = value.number().filter(|time| time.is_finite() && 0.0 <= *time);
    time.map(Some).ok_or_else(|| invalid("Recall time bounds must be numbers."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(request: &str, message: &str) {
        assert_eq!(RecallRequest::parse(request.as_bytes()).unwrap_err(), invalid(message));
    }

    #[test]
    fn duplicates_keep_the_first_spelling() {
        let request =
            RecallRequest::parse(br#"{"terms":["\u00c9t\u00e9"," B ","e\u0301te\u0301","b"]}"#);
        let spellings: Vec<_> =
            request.unwrap().terms.into_iter().map(|term| term.spelling).collect();
        assert_eq!(spellings, ["Été", "B"]);
    }

    #[test]
    fn the_first_wrong_field_is_named() {
        refused("", "Recall request must be an object.");
        refused("[]", "Recall request must be an object.");
        refused(r#"{"terms":"a"}"#, "Recall requires at least one term.");
        refused(r#"{"terms":{"0":"a","length":1}}"#, "Recall requires at least one term.");
        refused(r#"{"terms":[null]}"#, "Recall terms must be strings.");
        refused(r#"{"terms":["\ufeff"]}"#, "Recall terms must not be empty.");
        refused(r#"{"terms":["a"],"limit":null}"#, "Recall limit must be between 1 and 25.");
        refused(r#"{"terms":["a"],"limit":1e999}"#, "Recall limit must be between 1 and 25.");
        refused(r#"{"terms":["a"],"since":1e999}"#, "Recall time bounds must be numbers.");
        refused(r#"{"terms":["a"],"since":2,"until":1}"#, "Recall `since` must precede `until`.");
        refused(r#"{"terms":["a"],"question":" "}"#, "Recall question is invalid.");
    }
}
