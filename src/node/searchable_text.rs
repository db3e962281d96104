//! `recallSearchableText`, as the host knows it.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::{
    engine::{RecallError, text::message, transcript},
    node::{bridge, job},
};

/// The text of a stored message that a recall searches, not redacted and
/// without the names of its attachments; `undefined` when it has none.
///
/// For a host that makes its own candidate source. It never leaves the process
/// as it is: it may hold secrets.
///
/// @throws an `Error` with the `code` `RECALL_PANIC` for a bug in here; nothing
/// for a message of any shape.
#[napi(ts_args_type = "message: RecallStoredMessage", ts_return_type = "string | undefined")]
pub fn recall_searchable_text(
    env: &Env,
    message: Unknown<'_>,
) -> Result<Either<String, ()>, &'static str> {
    let bug = |what: String| Error::new(RecallError::PANIC, what);
    let json = bridge::message_text(env, message).map_err(|error| bug(error.reason))?;
    // A panic must not reach the host as an abort of its process.
    let text = job::guard(|| json.and_then(|json| searchable(json.as_bytes())));
    Ok(text.map_err(|error| bug(error.to_string()))?.map_or(Either::B(()), Either::A))
}

fn searchable(json: &[u8]) -> Option<String> {
    let mut body = transcript::message_body(json)?;
    if let transcript::Body::User { attachments, .. } = &mut body {
        attachments.clear();
    }
    message::stored(&body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(json: &str, text: Option<&str>) {
        assert_eq!(searchable(json.as_bytes()).as_deref(), text);
    }

    #[test]
    fn a_user_message_is_what_was_shown_without_its_files() {
        test(
            r#"{"type":"user","id":"a","ts":1,"text":"sent","displayText":"shown","attachments":[
                {"kind":"image","name":"a.png","mimeType":"image/png","bytes":1,
                 "ref":{"kind":"session_file","sessionId":"s","relativePath":"art_1"}}]}"#,
            Some("shown"),
        );
        test(r#"{"type":"user","id":"a","ts":1,"text":"sent","displayText":""}"#, None);
    }

    #[test]
    fn the_other_kinds() {
        test(r#"{"type":"assistant","id":"a","ts":1,"text":"said","thinking":"x"}"#, Some("said"));
        test(
            r#"{"type":"tool_call","id":"a","ts":1,"toolName":"Bash","intent":"look"}"#,
            Some("look"),
        );
        test(r#"{"type":"tool_call","id":"a","ts":1,"toolName":"Bash","intent":""}"#, None);
        test(
            r#"{"type":"tool_result","id":"a","ts":1,"toolUseId":"c","isError":false,
                "content":{"kind":"text","text":"token=abc","more":["b",{"c":"d"}]}}"#,
            Some("token=abc\nb\nd"),
        );
        test(r#"{"type":"mode_change","id":"a","ts":1,"text":"x"}"#, None);
        test("{}", None);
    }
}
