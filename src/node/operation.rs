//! Which question of the engine a call asks, and how its answer is said.

use crate::{
    engine::{
        self, Call, Cancel, Reason, RecallError, Refusal, WarmOptions, WarmReport, host::Host,
        reply::MaterialContent,
    },
    node::reply::{self, RecallMaterialAnswer, Reply},
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
        /// [`RecallError::PANIC`] or [`RecallError::NO_SOURCE`].
        code: &'static str,
        /// What happened.
        message: String,
    },
}

impl Operation {
    /// Asks the engine. Panics if the engine does.
    pub(super) fn run(self, call: &Call, host: &dyn Host, cancel: &Cancel) -> Outcome {
        match self {
            Self::Recall => self.said(engine::recall(call, host, cancel), |envelope| {
                replied(reply::envelope(envelope))
            }),
            Self::More => self.said(engine::recall_more(call, host, cancel), |passage| {
                replied(reply::expansion(passage))
            }),
            Self::Material => self.said(engine::recall_material(call, host, cancel), material),
            Self::Threads => self.said(engine::search_threads(call, host, cancel), |results| {
                replied(reply::threads(results))
            }),
            Self::Warm => {
                self.said(warmed(call, cancel), |report| replied(reply::warm_report(report)))
            }
        }
    }

    /// How a failure of this operation is said.
    pub(super) fn failed(self, error: RecallError) -> Outcome {
        let message = error.to_string();
        match error {
            RecallError::Refused(refusal) => self.refused(refusal),
            RecallError::Panic(_) => Outcome::Bug { code: RecallError::PANIC, message },
            RecallError::NoSource => Outcome::Bug { code: RecallError::NO_SOURCE, message },
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
        replied(match self {
            Self::Recall | Self::More | Self::Material | Self::Warm => reply::failure(refusal),
            Self::Threads => reply::thread_failure(refusal),
        })
    }
}

fn replied(reply: Reply) -> Outcome {
    Outcome::Reply(Box::new(reply))
}

fn material(content: MaterialContent) -> Outcome {
    replied(reply::material(match content {
        MaterialContent::Image { mime_type, session_id, relative_path, bytes } => {
            RecallMaterialAnswer::image(mime_type, session_id, relative_path, bytes)
        }
        MaterialContent::Text { text } => RecallMaterialAnswer::text(text),
        MaterialContent::Host(json) => {
            return Outcome::Json(String::from_utf8_lossy(&json).into_owned());
        }
    }))
}

fn warmed(call: &Call, cancel: &Cancel) -> Result<WarmReport, RecallError> {
    let Some(root) = call.workspace()? else {
        return Err(RecallError::refused(
            Reason::InvalidQuery,
            "warm takes a workspace root: a path as a string.",
        ));
    };
    let options = WarmOptions { budget_bytes: call.options.budget_bytes };
    engine::warm(root, options, cancel)
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
        assert_eq!(
            reply::failed(&reply),
            Some(("RecallFailure", "not_found", "That Session was not found."))
        );

        let Outcome::Reply(reply) = Operation::Threads.failed(RecallError::aborted()) else {
            panic!("an abort is data");
        };
        assert_eq!(
            reply::failed(&reply),
            Some(("ThreadSearchFailure", "aborted", "Recall was aborted."))
        );

        let Outcome::Bug { code, message } = Operation::Recall.failed(RecallError::NoSource) else {
            panic!("a bug of the caller rejects");
        };
        assert_eq!(code, "RECALL_NO_SOURCE");
        assert_eq!(message, RecallError::NoSource.to_string());
    }
}
