//! Which question of the engine a call asks, and how its answer is said.

use crate::{
    engine::{
        self, Call, Cancel, Reason, RecallError, Refusal, WarmOptions, WarmReport,
        host::Host,
        reply::{Envelope, MaterialContent, Passage, ThreadResult},
    },
    node::reply::{RecallMaterialAnswer, Reply},
};

/// One of the engine's entry points.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operation {
    /// `recall`
    Recall,
    /// `recallMore`
    More,
    /// `recallMaterial`
    Material,
    /// `searchThreads`
    Threads,
    /// `warm`
    Warm,
}

/// How a call ends.
pub(super) enum Outcome {
    /// It resolves: with an answer, or with a refusal.
    Reply(Box<Reply>),
    /// It resolves with what this JSON says: an answer of the host, passed on.
    Json(String),
    /// It rejects: a bug.
    Bug {
        /// `RECALL_PANIC` or `RECALL_NO_SOURCE`.
        code: &'static str,
        /// What happened.
        message: String,
    },
}

impl Operation {
    /// Asks the engine. Panics if the engine does.
    pub(super) fn run(self, call: &Call, host: &dyn Host, cancel: &Cancel) -> Outcome {
        match self {
            Self::Recall => self.said(engine::recall(call, host, cancel), envelope),
            Self::More => self.said(engine::recall_more(call, host, cancel), expansion),
            Self::Material => self.said(engine::recall_material(call, host, cancel), material),
            Self::Threads => self.said(engine::search_threads(call, host, cancel), threads),
            Self::Warm => self.said(warmed(call, cancel), report),
        }
    }

    /// How a failure of this operation is said.
    pub(super) fn failed(self, error: RecallError) -> Outcome {
        let code = error.code();
        match (error, code) {
            (RecallError::Refused(refusal), _) => self.refused(refusal),
            (error, code) => {
                Outcome::Bug { code: code.unwrap_or("RECALL_PANIC"), message: error.to_string() }
            }
        }
    }

    fn said<T>(
        self,
        result: Result<T, RecallError>,
        answered: impl FnOnce(T) -> Outcome,
    ) -> Outcome {
        result.map_or_else(|error| self.failed(error), answered)
    }

    fn refused(self, refusal: Refusal) -> Outcome {
        Outcome::Reply(Box::new(match self {
            Self::Recall | Self::More | Self::Material | Self::Warm => Reply::E(refusal.into()),
            Self::Threads => Reply::F(refusal.into()),
        }))
    }
}

fn envelope(envelope: Envelope) -> Outcome {
    Outcome::Reply(Box::new(Reply::A(envelope.into())))
}

fn expansion(passage: Passage) -> Outcome {
    Outcome::Reply(Box::new(Reply::B(passage.into())))
}

fn material(content: MaterialContent) -> Outcome {
    let answer = match content {
        MaterialContent::Image { mime_type, session_id, relative_path, bytes } => {
            RecallMaterialAnswer::image(mime_type, session_id, relative_path, bytes)
        }
        MaterialContent::Text { text } => RecallMaterialAnswer::text(text),
        MaterialContent::Host(json) => {
            return Outcome::Json(String::from_utf8_lossy(&json).into_owned());
        }
    };
    Outcome::Reply(Box::new(Reply::C(answer)))
}

fn threads(results: Vec<ThreadResult>) -> Outcome {
    Outcome::Reply(Box::new(Reply::D(results.into_iter().map(Into::into).collect())))
}

fn warmed(call: &Call, cancel: &Cancel) -> Result<WarmReport, RecallError> {
    if let Some(why) = &call.no_sqlite {
        return Err(RecallError::unavailable(format!("The host lends no SQLite: {why}.")));
    }
    let Some(root) = &call.workspace_root else {
        return Err(RecallError::refused(
            Reason::InvalidQuery,
            "warm takes a workspace root: a path as a string.",
        ));
    };
    let options = WarmOptions { budget_bytes: call.options.budget_bytes };
    engine::warm(root, options, cancel)
}

fn report(report: WarmReport) -> Outcome {
    Outcome::Reply(Box::new(Reply::G(report.into())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_a_reply_and_a_bug_is_not() {
        let refused = RecallError::refused(Reason::NotFound, "That Session was not found.");
        let Outcome::Reply(reply) = Operation::More.failed(refused) else {
            panic!("a refusal is data");
        };
        let Reply::E(failure) = *reply else { panic!("not a failure of recall") };
        assert!(!failure.ok);
        assert_eq!(failure.reason, "not_found");
        assert_eq!(failure.message, "That Session was not found.");

        let Outcome::Reply(reply) = Operation::Threads.failed(RecallError::aborted()) else {
            panic!("an abort is data");
        };
        assert!(matches!(*reply, Reply::F(failure) if failure.reason == "aborted"));

        let Outcome::Bug { code, message } = Operation::Recall.failed(RecallError::NoSource) else {
            panic!("a bug of the caller rejects");
        };
        assert_eq!(code, "RECALL_NO_SOURCE");
        assert_eq!(message, RecallError::NoSource.to_string());
    }
}
