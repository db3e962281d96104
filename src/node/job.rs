//! A call: a thread of its own, a promise, and a guard against panics.
//!
//! Not an `AsyncTask`: that would hold one of libuv's four threads, which file
//! and DNS calls need, and `process.exit` would wait for it. The promise is the
//! script's, so that it settles on an abort even while the work is in a long
//! step; the result of such work is dropped when it arrives.

use std::{
    any::Any,
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc,
    thread,
};

use napi::{
    Env, Error,
    bindgen_prelude::{Function, FunctionCallContext, JsObjectValue, Object, Unknown},
};

use crate::{
    engine::{Call, Cancel, Options, RecallError, text::redact::redact},
    node::{
        bridge,
        host::JsHost,
        line::{Answer, Caller, Delivery, FromCall, OnTeardown, Part},
        operation::Operation,
        sqlite,
    },
};

/// Of the thread of a call. The driver runs on it: SQL, assembly and, in a
/// small workspace, all the rest.
const STACK_BYTES: usize = 4 * 1024 * 1024;

/// The three arguments of a public function.
pub(super) struct Arguments<'env> {
    pub(super) request: Unknown<'env>,
    pub(super) deps: Unknown<'env>,
    pub(super) options: Unknown<'env>,
}

/// Starts a call and gives its promise. `session_cap` applies when the options
/// name none.
pub(super) fn start<'env>(
    env: &'env Env,
    operation: Operation,
    arguments: Arguments<'env>,
    session_cap: Option<usize>,
) -> napi::Result<Unknown<'env>> {
    let Arguments { request, deps, options } = arguments;
    let session_cap = session_cap.map(|cap| cap as f64);
    let intake = bridge::open(env, (request, deps, options, session_cap).into())?;
    // A call that was aborted before it began has settled, and receives nothing.
    if let Some(receive) = intake.get::<Function<'_, Delivery, ()>>("receive")?
        && let Err(error) = launch(env, operation, &intake, &receive)
    {
        receive.call(FromCall::End(operation.failed(error)).into())?;
    }
    intake.get_named_property("promise")
}

/// Starts the thread of a call.
fn launch(
    env: &Env,
    operation: Operation,
    intake: &Object<'_>,
    receive: &Function<'_, Delivery, ()>,
) -> Result<(), RecallError> {
    let call = read(env, intake).map_err(bug)?;
    let callbacks: Vec<String> = intake.get_named_property("callbacks").map_err(bug)?;
    let begin: Function<'_, Function<'_, (), ()>, ()> =
        intake.get_named_property("begin").map_err(bug)?;

    let (answers, received) = mpsc::channel();
    let caller = Caller { cancel: Cancel::default(), answers };
    let cancel = caller.cancel.clone();
    let teardown = OnTeardown(caller.clone());
    let line = receive
        .build_threadsafe_function::<FromCall>()
        .weak::<true>()
        .build_callback(move |context| {
            let _held_by_the_line = &teardown;
            Ok(Delivery::from(context.value))
        })
        .map_err(bug)?;
    let host = JsHost { callbacks: HashSet::from_iter(callbacks), answers: received, line };

    let tell = env
        .create_function_from_closure("tell", move |context| said(&caller, &context))
        .map_err(bug)?;
    thread::Builder::new()
        .name("recall".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let outcome = guard(|| operation.run(&call, &host, &cancel));
            host.end(outcome.unwrap_or_else(|error| operation.failed(error)));
        })
        .map_err(|error| RecallError::unavailable(format!("Recall cannot start: {error}.")))?;
    begin.call(tell).map_err(bug)
}

/// What the script made of request, dependencies and options.
fn read(env: &Env, intake: &Object<'_>) -> napi::Result<Call> {
    let number = |key: &str| Ok::<_, Error>(intake.get::<f64>(key)?.map(|number| number as usize));
    let flag = |key: &str| Ok::<_, Error>(intake.get::<bool>(key)?.unwrap_or_default());
    let exclude_turn_ids = intake.get::<Vec<String>>("excludeTurnIds")?.unwrap_or_default();
    let workspace_root: Option<String> = intake.get("workspaceRoot")?;
    Ok(Call {
        request: intake.get::<String>("request")?.unwrap_or_default().into_bytes(),
        no_sqlite: workspace_root.as_ref().and_then(|_| sqlite::borrow(env).err()),
        workspace_root: workspace_root.map(Into::into),
        options: Options {
            active_session_id: intake.get("activeSessionId")?,
            exclude_turn_ids: HashSet::from_iter(exclude_turn_ids),
            include_archived: flag("includeArchived")?,
            max_sessions: number("maxSessions")?,
            explain: flag("explain")?,
            full_scan: flag("fullScan")?,
            max_results: number("maxResults")?,
            budget_bytes: number("budgetBytes")?,
        },
    })
}

/// What `tell` of the script was called with.
fn said(caller: &Caller, context: &FunctionCallContext<'_>) -> napi::Result<()> {
    let text = |index: usize| {
        if index < context.length() { context.get::<Option<String>>(index) } else { Ok(None) }
    };
    let answer = match text(0)?.unwrap_or_default().as_str() {
        "part" => Answer::Part(Part { text: text(1)?.unwrap_or_default(), matched: text(2)? }),
        "end" => Answer::End,
        "declined" => Answer::Declined,
        "failed" => Answer::Failed(text(1)?.unwrap_or_default()),
        _ => {
            caller.hang_up();
            return Ok(());
        }
    };
    // The thread may be gone: nobody needs the answer then.
    caller.answers.send(answer).unwrap_or_default();
    Ok(())
}

/// Runs `work`, a panic being an error like any other.
pub(super) fn guard<T>(work: impl FnOnce() -> T) -> Result<T, RecallError> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| RecallError::Panic(what(&*payload)))
}

/// The message of a panic. It may quote the text that caused it.
fn what(payload: &(dyn Any + Send)) -> String {
    if let Some(message) = payload.downcast_ref::<&str>() {
        return redact(message).into_owned();
    }
    let message = payload.downcast_ref::<String>();
    message.map_or_else(|| "panic".to_owned(), |message| redact(message).into_owned())
}

fn bug(error: Error) -> RecallError {
    RecallError::Panic(format!("cannot cross to the native side: {}", error.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::operation::Outcome;

    #[test]
    fn a_panic_does_not_quote_a_secret() {
        let result = guard(|| -> () { panic!("byte 1 is inside of {}", "é token=abcdef") });
        let message = "byte 1 is inside of é token=[redacted]".to_owned();
        assert_eq!(result, Err(RecallError::Panic(message)));
    }

    #[test]
    fn a_panic_is_an_error() {
        let result = guard(|| -> () { panic!("no {}", "way") });
        assert_eq!(result, Err(RecallError::Panic("no way".to_owned())));
        let Outcome::Bug { code, message } = Operation::Recall.failed(result.unwrap_err()) else {
            panic!("a panic rejects");
        };
        assert_eq!((code, message.as_str()), ("RECALL_PANIC", "internal error: no way"));
    }
}
