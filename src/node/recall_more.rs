//! `recallMore`, and `expandRecallPassage` as the host knows it.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::node::{
    job::{self, Arguments},
    operation::Operation,
};

/// Shows more of the turn around a passage's anchor: up to 8 visible messages
/// on each side.
///
/// `request` is a `RecallMoreRequest` in form. A message that may not be shown
/// (the turn in flight) is `not_found`, as an unknown one is. Settles as
/// `recall` does.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallMoreResult>"
)]
pub fn recall_more<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    job::start(env, Operation::More, Arguments { request, deps, options }, None)
}

/// `recallMore` under the host's own name.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallMoreResult>"
)]
pub fn expand_recall_passage<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    recall_more(env, request, deps, options)
}
