//! The JavaScript side of a call, one script per environment.
//!
//! Everything that belongs to the host (request, dependencies, options, signal,
//! callbacks and what they answer) is touched in that script and nowhere else:
//! a getter that throws, a proxy or a callback of any kind meets a `try` there.
//! What goes on to Rust is text, numbers and functions of our own.
//!
//! A worker thread of the host is an environment of its own, so the functions
//! are kept in the environment's instance data.

use napi::bindgen_prelude::*;

use crate::engine::Refusal;

/// The files share one scope; each uses what stands before it.
const SCRIPT: &str = concat!(
    "(abortedReason, abortedMessage) => {\n'use strict'\n",
    include_str!("intake.js"),
    include_str!("signal.js"),
    include_str!("turns.js"),
    include_str!("messages.js"),
    include_str!("call.js"),
    "return { open, messageText }\n}\n//# sourceURL=@maka/recall-native/bridge.js",
);

/// Request, dependencies, options, and the cap on Sessions that applies when
/// the options name none.
pub(super) type OpenArgs<'env> = FnArgs<(Unknown<'env>, Unknown<'env>, Unknown<'env>, Option<f64>)>;

struct Bridge {
    open: FunctionRef<OpenArgs<'static>, Object<'static>>,
    message_text: FunctionRef<Unknown<'static>, Option<String>>,
}

/// Runs the script. Called when the addon is loaded into an environment, so
/// that it sees the environment's own timers.
pub(super) fn install(env: &Env) -> Result<()> {
    let Refusal { reason, message } = Refusal::aborted();
    let make: Function<'_, FnArgs<(&str, &str)>, Object<'_>> = env.run_script(SCRIPT)?;
    let functions = make.call((reason.as_str(), message.as_str()).into())?;
    let open: Function<'_, OpenArgs<'static>, Object<'static>> =
        functions.get_named_property("open")?;
    let message_text: Function<'_, Unknown<'static>, Option<String>> =
        functions.get_named_property("messageText")?;
    let bridge = Bridge { open: open.create_ref()?, message_text: message_text.create_ref()? };
    env.set_instance_data(bridge, (), |_| {})
}

/// Opens a call: see `open` in the script.
pub(super) fn open<'env>(env: &'env Env, args: OpenArgs<'env>) -> Result<Object<'env>> {
    installed(env)?.open.borrow_back(env)?.call(args)
}

/// A message as JSON, when it has such a form.
pub(super) fn message_text(env: &Env, message: Unknown<'_>) -> Result<Option<String>> {
    installed(env)?.message_text.borrow_back(env)?.call(message)
}

fn installed(env: &Env) -> Result<&'static Bridge> {
    if let Some(bridge) = env.get_instance_data::<Bridge>()? {
        return Ok(bridge);
    }
    install(env)?;
    let bridge = env.get_instance_data::<Bridge>()?;
    bridge.map(|bridge| &*bridge).ok_or_else(|| Error::from_reason("the bridge did not install"))
}
