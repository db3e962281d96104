//! The host, asked from the thread of a call.
//!
//! A question goes over a [`Line`] to the event loop, where [`bridge`](super::bridge) calls
//! the callback and hands the answer on in parts; the thread waits for them.
//! The wait ends when the caller hangs up: on an abort, and when the
//! environment is torn down, whatever the callback does.

use std::{
    collections::HashSet,
    sync::mpsc::{Receiver, Sender},
};

use napi::{
    Either, Status,
    bindgen_prelude::FnArgs,
    threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode},
};

use crate::{
    engine::{
        Cancel, RecallError,
        host::{FactsQuestion, Host, HostAnswer, HostMessage},
    },
    node::{operation::Outcome, reply::Reply},
};

/// The arguments of `receive` in `bridge/call.js`.
pub(super) type Delivery = FnArgs<(&'static str, Either<Vec<String>, Reply>, Vec<String>, f64)>;

/// The way to `receive`. Weak: it is the script that holds the event loop, while
/// there is something to wait for.
pub(super) type Line = ThreadsafeFunction<Message, (), Delivery, Status, false, true>;

/// What the thread of a call says to `receive`.
pub(super) enum Message {
    /// A question to a callback.
    Ask(Question),
    /// How the call ended.
    End(Outcome),
}

/// A question to a callback.
pub(super) struct Question {
    callback: &'static str,
    ids: Vec<String>,
    terms: Vec<String>,
    limit: usize,
}

/// What the event loop says back.
pub(super) enum Answer {
    /// One element of an answer, or all of it.
    Part(Part),
    /// The answer is complete.
    End,
    /// `null` or `undefined`.
    Declined,
    /// It threw, rejected, or is of the wrong type.
    Failed(String),
    /// Nobody waits for the call any more.
    HungUp,
}

/// One element of an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// JSON, or a plain text where the answer is made of texts.
    pub(super) text: String,
    /// What may be matched of a message, when that differs.
    pub(super) matched: Option<String>,
}

/// The event loop's end of a call.
#[derive(Clone)]
pub(super) struct Caller {
    /// Stops the work.
    pub(super) cancel: Cancel,
    /// Wakes the thread when it waits.
    pub(super) answers: Sender<Answer>,
}

/// Hangs up when the line is taken down: the environment may end before the call.
pub(super) struct OnTeardown(pub(super) Caller);

/// [`Host`] over a [`Line`].
pub(super) struct JsHost {
    /// The callbacks that the dependencies have.
    pub(super) callbacks: HashSet<String>,
    /// Dropped before the line: without it nothing is left to hang up on.
    pub(super) answers: Receiver<Answer>,
    /// The way to the event loop.
    pub(super) line: Line,
}

impl From<Message> for Delivery {
    fn from(message: Message) -> Self {
        let texts = |texts: Vec<String>| Either::A(texts);
        match message {
            Message::Ask(Question { callback, ids, terms, limit }) => {
                (callback, texts(ids), terms, limit as f64).into()
            }
            Message::End(Outcome::Reply(reply)) => {
                ("resolve", Either::B(*reply), Vec::new(), 0.0).into()
            }
            Message::End(Outcome::Json(json)) => {
                ("resolve json", texts(vec![json]), Vec::new(), 0.0).into()
            }
            Message::End(Outcome::Bug { code, message }) => {
                ("reject", texts(vec![code.to_owned(), message]), Vec::new(), 0.0).into()
            }
        }
    }
}

impl Caller {
    /// Stops the work, unless it is done: a connection that it used may already
    /// serve another call.
    pub(super) fn hang_up(&self) {
        if self.answers.send(Answer::HungUp).is_ok() {
            self.cancel.request();
        }
    }
}

impl Drop for OnTeardown {
    fn drop(&mut self) {
        self.0.hang_up();
    }
}

impl JsHost {
    /// Says how the call ended. When the environment is gone nobody listens.
    pub(super) fn end(&self, outcome: Outcome) {
        self.line.call(Message::End(outcome), ThreadsafeFunctionCallMode::NonBlocking);
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
            self.line.call(Message::Ask(question), ThreadsafeFunctionCallMode::NonBlocking);
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

/// Waits for an answer, part by part.
fn collect(answers: &Receiver<Answer>) -> Result<HostAnswer<Vec<Part>>, RecallError> {
    let mut parts = Vec::new();
    loop {
        match answers.recv() {
            Ok(Answer::Part(part)) => parts.push(part),
            Ok(Answer::End) => return Ok(HostAnswer::Value(parts)),
            Ok(Answer::Declined) => return Ok(HostAnswer::Declined),
            Ok(Answer::Failed(why)) => return Ok(HostAnswer::Failed(why)),
            Ok(Answer::HungUp) | Err(_) => return Err(RecallError::aborted()),
        }
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn part(text: &str) -> Answer {
        Answer::Part(Part { text: text.to_owned(), matched: None })
    }

    #[track_caller]
    fn collected(said: Vec<Answer>) -> Result<HostAnswer<Vec<Vec<u8>>>, RecallError> {
        let (answers, received) = mpsc::channel();
        for answer in said {
            answers.send(answer).expect("somebody receives");
        }
        drop(answers);
        collect(&received).map(|answer| each(answer, json))
    }

    #[test]
    fn an_answer_is_its_parts_in_order() {
        let whole = HostAnswer::Value(vec![b"1".to_vec(), b"2".to_vec()]);
        assert_eq!(collected(vec![part("1"), part("2"), Answer::End]), Ok(whole));
        assert_eq!(collected(vec![Answer::End]), Ok(HostAnswer::Value(vec![])));
    }

    #[test]
    fn parts_of_a_failed_answer_are_dropped() {
        let failed = HostAnswer::Failed("message 1 is not an object".to_owned());
        let said = vec![part("1"), Answer::Failed("message 1 is not an object".to_owned())];
        assert_eq!(collected(said), Ok(failed));
        assert_eq!(collected(vec![Answer::Declined]), Ok(HostAnswer::Declined));
    }

    #[test]
    fn hanging_up_and_a_lost_line_end_the_wait() {
        let aborted = Err(RecallError::aborted());
        assert_eq!(collected(vec![part("1"), Answer::HungUp, part("2"), Answer::End]), aborted);
        assert_eq!(collected(vec![part("1")]), aborted);
    }

    #[test]
    fn hanging_up_stops_work_that_runs_and_no_other() {
        let (answers, received) = mpsc::channel();
        let caller = Caller { cancel: Cancel::default(), answers };
        let running = caller.clone();
        drop(OnTeardown(running));
        assert!(caller.cancel.is_requested());

        let done = Caller { cancel: Cancel::default(), ..caller };
        drop(received);
        done.hang_up();
        assert!(!done.cancel.is_requested());
    }
}
