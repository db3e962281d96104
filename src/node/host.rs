//! The host, asked from the thread of a call: what each callback is asked, and
//! what its answer is.

use std::{collections::HashSet, sync::mpsc::Receiver};

use napi::{Status, threadsafe_function::ThreadsafeFunctionCallMode};

use crate::{
    engine::{
        Cancel, RecallError,
        host::{FactsQuestion, Host, HostAnswer, HostMessage},
    },
    node::{
        line::{Answer, FromCall, Line, Part, Question, collect},
        operation::Outcome,
    },
};

/// [`Host`] over a [`Line`].
pub(super) struct JsHost {
    /// The callbacks that the dependencies have.
    pub(super) callbacks: HashSet<String>,
    /// Dropped before the line: without it nothing is left to hang up on.
    pub(super) answers: Receiver<Answer>,
    /// The way to the event loop.
    pub(super) line: Line,
}

impl JsHost {
    /// Says how the call ended. When the environment is gone nobody listens.
    pub(super) fn end(&self, outcome: Outcome) {
        self.line.call(FromCall::End(outcome), ThreadsafeFunctionCallMode::NonBlocking);
    }

    /// Asks `callback` and waits for the whole answer.
    fn ask(
        &self,
        callback: &'static str,
        ids: &[&str],
        terms: &[&str],
        limit: usize,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<Part>>, RecallError> {
        cancel.check()?;
        if !self.callbacks.contains(callback) {
            return Ok(HostAnswer::Absent);
        }
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
        let question = Question { callback, ids: owned(ids), terms: owned(terms), limit };
        let status =
            self.line.call(FromCall::Ask(question), ThreadsafeFunctionCallMode::NonBlocking);
        if status != Status::Ok {
            return Err(RecallError::aborted());
        }
        collect(&self.answers)
    }
}

impl Host for JsHost {
    fn privacy(&self, cancel: &Cancel) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        Ok(only(self.ask("getPrivacyContext", &[], &[], 0, cancel)?))
    }

    fn is_source(&self) -> bool {
        ["listSessions", "readMessages"].iter().all(|&name| self.callbacks.contains(name))
    }

    fn list_sessions(&self, cancel: &Cancel) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        Ok(each(self.ask("listSessions", &[], &[], 0, cancel)?, json))
    }

    fn candidates(
        &self,
        session_ids: &[&str],
        terms: &[&str],
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<String>>, RecallError> {
        let answer = self.ask("listCandidateSessions", session_ids, terms, 0, cancel)?;
        Ok(each(answer, |part| part.text))
    }

    fn count(&self, session_ids: &[&str], cancel: &Cancel) -> Result<HostAnswer<f64>, RecallError> {
        let answer = self.ask("countSearchableMessages", session_ids, &[], 0, cancel)?;
        Ok(and_then(only(answer), |digits| std::str::from_utf8(&digits).ok()?.parse().ok()))
    }

    fn messages(
        &self,
        session_id: &str,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<HostMessage>>, RecallError> {
        let answer = self.ask("readMessages", &[session_id], &[], 0, cancel)?;
        Ok(each(answer, |Part { text, matched }| HostMessage {
            json: text.into_bytes(),
            matched: matched.map(String::into_bytes),
        }))
    }

    fn facts(
        &self,
        question: &FactsQuestion<'_>,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        let &FactsQuestion { session_id, terms, limit } = question;
        let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
        let session_id: Vec<&str> = session_id.into_iter().collect();
        Ok(each(self.ask("searchFacts", &session_id, &terms, limit, cancel)?, json))
    }

    fn fetches_material(&self) -> bool {
        self.callbacks.contains("fetchMaterial")
    }

    fn fetch_material(
        &self,
        source_session_id: &str,
        material_id: &str,
        target_session_id: &str,
        cancel: &Cancel,
    ) -> Result<HostAnswer<Vec<u8>>, RecallError> {
        let ids = [source_session_id, material_id, target_session_id];
        Ok(only(self.ask("fetchMaterial", &ids, &[], 0, cancel)?))
    }
}

fn json(part: Part) -> Vec<u8> {
    part.text.into_bytes()
}

fn each<T>(answer: HostAnswer<Vec<Part>>, element: impl Fn(Part) -> T) -> HostAnswer<Vec<T>> {
    and_then(answer, |parts| Some(parts.into_iter().map(element).collect()))
}

/// The answer that is a single value.
fn only(answer: HostAnswer<Vec<Part>>) -> HostAnswer<Vec<u8>> {
    and_then(answer, |mut parts| parts.pop().map(json))
}

fn and_then<T, U>(answer: HostAnswer<T>, read: impl FnOnce(T) -> Option<U>) -> HostAnswer<U> {
    match answer {
        HostAnswer::Absent => HostAnswer::Absent,
        HostAnswer::Declined => HostAnswer::Declined,
        HostAnswer::Failed(why) => HostAnswer::Failed(why),
        HostAnswer::Value(value) => read(value)
            .map_or_else(|| HostAnswer::Failed("no such value".to_owned()), HostAnswer::Value),
    }
}
