//! What a row says, decoded when somebody asks for it.

use super::{
    Body, attachment,
    envelope::{Envelope, Said},
    result::Shown,
};
use crate::engine::json::{Kind, RawString, RawValue};

/// The contents of an event that has a row; `None` for every other event.
#[must_use]
pub fn event_body(payload: &[u8]) -> Option<Body> {
    let Envelope { role, content, said, done, .. } = Envelope::read(payload)?;
    let Said { kind, text, display_text, attachments, id, name, is_error, result, .. } = said;
    let text = string(text);
    let is_error = is_error.and_then(RawValue::bool) == Some(true);
    content.filter(|content| content.kind() == Kind::Object)?;
    match &*kind?.string()? {
        "text" if role?.is("user") => Some(user_body(text, string(display_text), attachments)),
        "text" if role?.is("model") => Some(assistant_body(text)),
        "function_call" => {
            let intent = done.state_delta.and_then(|state| state.get("intent")?.raw_string());
            Some(call_body(string(name), intent))
        }
        "function_response" => Some(result_body(string(id), is_error, result)),
        _ => None,
    }
}

/// The contents of a row whose text is still arriving.
#[must_use]
pub fn stream_body(text: &str) -> Body {
    Body::Assistant { text: text.to_owned() }
}

/// A user message: `displayText` counts only when it differs from `text`.
pub(super) fn user_body(
    text: Option<RawString<'_>>,
    display_text: Option<RawString<'_>>,
    attachments: Option<RawValue<'_>>,
) -> Body {
    let text = text.map(RawString::decode).unwrap_or_default();
    let display_text = display_text.map(RawString::decode).filter(|shown| *shown != text);
    Body::User {
        display_text: display_text.map(|shown| shown.into_owned()),
        text: text.into_owned(),
        attachments: attachment::attachments(attachments),
    }
}

pub(super) fn assistant_body(text: Option<RawString<'_>>) -> Body {
    Body::Assistant { text: text.map(RawString::decode).unwrap_or_default().into_owned() }
}

pub(super) fn call_body(tool_name: Option<RawString<'_>>, intent: Option<RawString<'_>>) -> Body {
    Body::ToolCall {
        tool_name: tool_name.map(RawString::decode).unwrap_or_default().into_owned(),
        intent: intent.map(|intent| intent.decode().into_owned()),
    }
}

/// A tool result. What the projection would refuse stays as it is: a message of
/// a host callback may hold anything, and `null` stands for nothing.
pub(super) fn result_body(
    tool_use_id: Option<RawString<'_>>,
    is_error: bool,
    result: Option<RawValue<'_>>,
) -> Body {
    let bytes = |value: RawValue<'_>| value.bytes().into();
    let (content, stored) = match result.map(|result| (Shown::of(result), result)) {
        Some((Some(shown), _)) => (shown.document().into_bytes(), shown.stored().map(bytes)),
        Some((None, result)) => (bytes(result), None),
        None => ((*b"null").into(), None),
    };
    Body::ToolResult {
        tool_use_id: tool_use_id.map(RawString::decode).unwrap_or_default().into_owned(),
        is_error,
        content,
        stored,
    }
}

fn string(value: Option<RawValue<'_>>) -> Option<RawString<'_>> {
    value.and_then(RawValue::raw_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::message;

    fn body(role: &str, rest: &str) -> Option<Body> {
        event_body(format!(r#"{{"role":"{role}",{rest}}}"#).as_bytes())
    }

    #[test]
    fn the_intent_of_a_call_is_a_string_or_absent() {
        let call = |delta: &str| {
            let content = r#""content":{"kind":"function_call","id":"c","name":"Bash"}"#;
            match body("model", &format!(r#"{content},"actions":{{"stateDelta":{delta}}}"#)) {
                Some(Body::ToolCall { tool_name, intent }) => (tool_name, intent),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(call(r#"{"intent":"look"}"#), ("Bash".into(), Some("look".into())));
        assert_eq!(call(r#"{"intent":""}"#), ("Bash".into(), Some(String::new())));
        assert_eq!(call(r#"{"intent":7}"#), ("Bash".into(), None));
        assert_eq!(call("null"), ("Bash".into(), None));
    }

    #[test]
    fn a_term_that_only_a_conversion_wrote_is_not_stored() {
        let result = r#"{"kind":"subagent","permissionMode":"execute"}"#;
        let content =
            format!(r#""content":{{"kind":"function_response","id":"c","result":{result}}}"#);
        let body = body("tool", &content).unwrap();
        assert_eq!(message::stored(&body).as_deref(), Some("execute"));
        assert_eq!(message::redacted(&body).unwrap().text, "ask");
    }

    #[test]
    fn only_events_with_a_row_have_contents() {
        assert_eq!(body("system", r#""content":{"kind":"text","text":"x"}"#), None);
        assert_eq!(body("user", r#""content":{"kind":"injection","text":"x"}"#), None);
        assert_eq!(body("model", r#""content":{"kind":"thinking","text":"x"}"#), None);
        assert_eq!(body("model", r#""status":"completed""#), None);
        assert_eq!(event_body(b"{"), None);
        assert_eq!(event_body(b"7"), None);
    }
}
