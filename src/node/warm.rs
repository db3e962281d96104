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
/// proves it unchanged. Work that runs stops when `abortSignal` fires. A root
/// that is no string is `invalid_query`.
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
/// Call it before a workspace is moved or deleted; the next call opens it again.
/// It does not wait for calls that run: a connection in use closes when its call
/// ends, so await or abort them first. A root that is no string names no
/// workspace, and nothing is released.
///
/// Never throws.
#[napi(ts_args_type = "workspaceRoot?: string")]
pub fn release(workspace_root: Unknown<'_>) -> Result<()> {
    match workspace_root.get_type()? {
        ValueType::Undefined | ValueType::Null => engine::release(None),
        ValueType::String => {
            let root: String = workspace_root.coerce_to_string()?.into_utf8()?.into_owned()?;
            engine::release(Some(root.as_ref()));
        }
        _ => {}
    }
    Ok(())
}

/// What is kept in the process, and what that was good for.
#[napi]
#[must_use]
pub fn stats() -> RecallStats {
    engine::stats().into()
}
