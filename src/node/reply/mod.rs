//! The shapes that cross back, each made of its twin in [`crate::engine::reply`].
//!
//! They are the types of `index.d.ts`; aliases that no Rust type stands for are
//! in `interface.d.ts`, which the generated file starts with.

mod envelope;
mod failure;
mod material;
mod passage;
mod threads;
mod warm;

use napi::bindgen_prelude::*;

use crate::engine::{
    Refusal, WarmReport,
    reply::{Envelope, Passage, ThreadResult},
};

pub use self::{
    envelope::{RecallCoverage, RecallEnvelope, RecallFact},
    failure::{RecallFailure, ThreadSearchFailure},
    material::{
        RecallImageContent, RecallListedMaterial, RecallMaterialAnswer, RecallMaterialRef,
        RecallResourceMaterial, RecallSourceMaterial, RecallTextContent, RecallTurnMaterial,
    },
    passage::{
        RecallExpansion, RecallExplain, RecallExplainTerm, RecallMatch, RecallMessage,
        RecallPassage,
    },
    threads::{ThreadSearchResult, ThreadSearchTarget},
    warm::{RecallStats, RecallWarmReport},
};

/// What a call resolves with.
pub(super) type Reply = Either7<
    RecallEnvelope,
    RecallExpansion,
    RecallMaterialAnswer,
    Vec<ThreadSearchResult>,
    RecallFailure,
    ThreadSearchFailure,
    RecallWarmReport,
>;

// The letters of the alternatives stand here and nowhere else.

/// The answer of `recall`.
pub(super) fn envelope(envelope: Envelope) -> Reply {
    Reply::A(envelope.into())
}

/// The answer of `recallMore`.
pub(super) fn expansion(passage: Passage) -> Reply {
    Reply::B(passage.into())
}

/// The answer of `recallMaterial`.
pub(super) fn material(answer: RecallMaterialAnswer) -> Reply {
    Reply::C(answer)
}

/// The answer of `searchThreads`.
pub(super) fn threads(results: Vec<ThreadResult>) -> Reply {
    Reply::D(all(results))
}

/// A refusal of every other operation.
pub(super) fn failure(refusal: Refusal) -> Reply {
    Reply::E(refusal.into())
}

/// A refusal of `searchThreads`.
pub(super) fn thread_failure(refusal: Refusal) -> Reply {
    Reply::F(refusal.into())
}

/// The answer of `warm`.
pub(super) fn warm_report(report: WarmReport) -> Reply {
    Reply::G(report.into())
}

/// Type, reason and message of a failure.
#[cfg(test)]
pub(super) fn failed(reply: &Reply) -> Option<(&'static str, &'static str, &str)> {
    match reply {
        Reply::E(RecallFailure { ok: false, reason, message }) => {
            Some(("RecallFailure", reason, message))
        }
        Reply::F(ThreadSearchFailure { ok: false, reason, message }) => {
            Some(("ThreadSearchFailure", reason, message))
        }
        _ => None,
    }
}

/// A size or a count as JavaScript has it: exact up to 2^53.
fn number(count: usize) -> f64 {
    count as f64
}

/// `true` or absent.
fn flag(set: bool) -> Option<bool> {
    set.then_some(true)
}

fn or_null(value: Option<f64>) -> Either<f64, Null> {
    value.map_or(Either::B(Null), Either::A)
}

fn all<T, U: From<T>>(values: Vec<T>) -> Vec<U> {
    values.into_iter().map(U::from).collect()
}
