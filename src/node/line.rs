//! What the thread of a call and the event loop say to each other.
//!
//! A question goes over a [`Line`] to the event loop, where [`bridge`](super::bridge) calls
//! the callback and hands the answer on in parts; the thread waits for them.
//! The wait ends when the caller hangs up: on an abort, and when the
//! environment is torn down, whatever the callback does.

use std::sync::mpsc::{Receiver, Sender};

use napi::{Either, Status, bindgen_prelude::FnArgs, threadsafe_function::ThreadsafeFunction};

use crate::{
    engine::{Cancel, RecallError, host::HostAnswer},
    node::{operation::Outcome, reply::Reply},
};

/// The arguments of `receive` in `bridge/call.js`.
pub(super) type Delivery = FnArgs<(&'static str, Either<Vec<String>, Reply>, Vec<String>, f64)>;

/// The way to `receive`. Weak: it is the script that holds the event loop, while
/// there is something to wait for.
pub(super) type Line = ThreadsafeFunction<FromCall, (), Delivery, Status, false, true>;

/// What the thread of a call says to `receive`.
pub(super) enum FromCall {
    /// A question to a callback.
    Ask(Question),
    /// How the call ended.
    End(Outcome),
}

/// A question to a callback.
pub(super) struct Question {
    pub(super) callback: &'static str,
    pub(super) ids: Vec<String>,
    pub(super) terms: Vec<String>,
    pub(super) limit: usize,
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

impl From<FromCall> for Delivery {
    fn from(said: FromCall) -> Self {
        let texts = |texts: Vec<String>| Either::A(texts);
        match said {
            FromCall::Ask(Question { callback, ids, terms, limit }) => {
                (callback, texts(ids), terms, limit as f64).into()
            }
            FromCall::End(Outcome::Reply(reply)) => {
                ("resolve", Either::B(*reply), Vec::new(), 0.0).into()
            }
            FromCall::End(Outcome::Json(json)) => {
                ("resolve json", texts(vec![json]), Vec::new(), 0.0).into()
            }
            FromCall::End(Outcome::Bug { code, message }) => {
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

/// Waits for an answer, part by part.
pub(super) fn collect(answers: &Receiver<Answer>) -> Result<HostAnswer<Vec<Part>>, RecallError> {
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn text(text: &str) -> Part {
        Part { text: text.to_owned(), matched: None }
    }

    fn part(said: &str) -> Answer {
        Answer::Part(text(said))
    }

    #[track_caller]
    fn collected(said: Vec<Answer>) -> Result<HostAnswer<Vec<Part>>, RecallError> {
        let (answers, received) = mpsc::channel();
        for answer in said {
            answers.send(answer).expect("somebody receives");
        }
        drop(answers);
        collect(&received)
    }

    #[test]
    fn an_answer_is_its_parts_in_order() {
        let whole = HostAnswer::Value(vec![text("1"), text("2")]);
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
