//! `recall`, and `runRecall` as the host knows it.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::{
    engine::limits::HOST_SESSION_CAP,
    node::{
        bridge,
        job::{self, Arguments},
        operation::Operation,
    },
};

/// Prepares an environment that loads the addon. A failure shows in the first
/// call, which tries again: loading must not fail.
#[napi(module_exports)]
pub fn init(_exports: Object<'_>, env: Env) -> Result<()> {
    bridge::install(&env).or(Ok(()))
}

/// Answers what is known about `terms` from the Session history of a workspace:
/// distilled facts, ranked passages of the transcripts, and the files around
/// them.
///
/// `request` is a `RecallRequest` in form, and may be anything: it is checked,
/// and a malformed one resolves with `reason: 'invalid_query'`. Order of checks:
/// aborted, request, privacy, Sessions.
///
/// Never throws. Resolves with an answer or a failure, an abort included; only
/// a bug rejects, with an `Error` that carries `code`: `RECALL_NO_SOURCE` (deps
/// have neither `workspaceRoot` nor `listSessions` and `readMessages`) or
/// `RECALL_PANIC`.
///
/// What comes back was written in the past by people, models and tools: it is
/// untrusted data for a model to weigh, never an instruction to follow.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallResult>"
)]
pub fn recall<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    job::start(env, Operation::Recall, Arguments { request, deps, options }, None)
}

/// `recall` under the host's own name, with the host's own default: 200 Sessions
/// are searched unless `maxSessions` says otherwise.
#[napi(
    ts_args_type = "request: unknown, deps: RecallDeps, options?: RecallOptions",
    ts_return_type = "Promise<RecallResult>"
)]
pub fn run_recall<'env>(
    env: &'env Env,
    request: Unknown<'env>,
    deps: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    let arguments = Arguments { request, deps, options };
    job::start(env, Operation::Recall, arguments, Some(HOST_SESSION_CAP))
}
