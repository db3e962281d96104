//! `warm`, `release` and `stats`: what is kept in memory between answers.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::{
    engine,
    node::{
        job::{self, Arguments},
        operation::Operation,
        reply::RecallStats,
    },
};

/// Reads a workspace ahead, so that the answers that follow come from memory,
/// and reports what is kept of it.
///
/// Never needed: an answer is the same without it, and fills the memory in the
/// background. What is kept stays within `budgetBytes` for the whole process,
/// 128 MiB unless this says otherwise, and is used only while the database
/// proves it unchanged. Work that runs stops when `abortSignal` fires.
///
/// Never throws; resolves with a report or a failure, as `recall` does.
#[napi(
    ts_args_type = "workspaceRoot: string, options?: RecallWarmOptions",
    ts_return_type = "Promise<RecallWarmReport | RecallFailure>"
)]
pub fn warm<'env>(
    env: &'env Env,
    workspace_root: Unknown<'env>,
    options: Unknown<'env>,
) -> Result<Unknown<'env>> {
    let mut deps = Object::new(env)?;
    deps.set_named_property("workspaceRoot", workspace_root)?;
    let arguments = Arguments {
        request: deps.get_named_property("request")?,
        deps: deps.to_unknown(),
        options,
    };
    job::start(env, Operation::Warm, arguments, None)
}

/// Closes the connections to a workspace, or to all, and forgets what is kept.
///
/// A call that runs finishes first. Call it before a workspace is moved or
/// deleted; the next call opens it again.
#[napi(ts_args_type = "workspaceRoot?: string")]
pub fn release(workspace_root: Option<String>) {
    engine::release(workspace_root.as_ref().map(AsRef::as_ref));
}

/// What is kept in the process, and what that was good for.
#[napi]
#[must_use]
pub fn stats() -> RecallStats {
    engine::stats().into()
}
