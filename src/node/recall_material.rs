//! `recallMaterial`, and `fetchRecallMaterial` as the host knows it.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::node::{
    job::{self, Arguments},
    operation::Operation,
};

/// Fetches a file that a message of the past carries: an image as the
/// reference that the host turns into a part for a provider, a text redacted.
///
/// `request` is a `RecallMaterialRequest` in form, never a path;
/// `options.activeSessionId` is required. With `deps.fetchMaterial` the host
/// copies the file into the asking Session, and its answer is passed on. A PDF
/// is `invalid_query`, an upload over 50 MiB too; a text over 10 MiB is
/// `not_found`. Settles as `recall` does.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallMaterialResult>"
)]
pub fn recall_material<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    job::start(env, Operation::Material, Arguments { request, deps, options }, None)
}

/// `recallMaterial` under the host's own name.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallMaterialResult>"
)]
pub fn fetch_recall_material<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    recall_material(env, request, deps, options)
}
