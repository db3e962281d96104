//! `searchThreads`, and `runThreadSearch` as the host knows it.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::node::{
    job::{self, Arguments},
    operation::Operation,
};

/// Searches titles and messages for a person, as grep does: Sessions newest
/// first, messages in order, the first `limit` hits, unranked.
///
/// `request` is a `ThreadSearchRequest` in form. Resolves with an array, or with
/// a failure; rejects as `recall` does.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: ThreadSearchOptions",
    ts_return_type = "Promise<Array<ThreadSearchResult> | ThreadSearchFailure>"
)]
pub fn search_threads<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    job::start(env, Operation::Threads, Arguments { request, deps, options }, None)
}

/// `searchThreads` under the host's own name.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: ThreadSearchOptions",
    ts_return_type = "Promise<Array<ThreadSearchResult> | ThreadSearchFailure>"
)]
pub fn run_thread_search<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    search_threads(env, request, deps, options)
}
