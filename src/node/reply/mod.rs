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
