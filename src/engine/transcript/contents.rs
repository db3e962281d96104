//! What a row says, decoded when somebody asks for it.

use super::{Body, attachment::attachments, result::Shown};
use crate::engine::json::{RawString, RawValue};

/// The contents of an event that has a row; `None` for every other event.
#[must_use]
pub fn event_body(payload: &[u8]) -> Option<Body> {
    let (mut role, mut content, mut actions) = (None, None, None);
    for (key, value) in RawValue::parse(payload)?.entries() {
        match &*key.decode() {
            "role" => role = value.raw_string(),
            "content" => content = Some(value),
            "actions" => actions = Some(value),
            _ => {}
        }
    }
    let content = Said::read(content?);
    match &*content.kind?.decode() {
        "text" if role?.is("user") => {
            Some(user_body(content.text, content.display_text, content.attachments))
        }
        "text" if role?.is("model") => Some(assistant_body(content.text)),
        "function_call" => {
            let state = actions.and_then(|actions| actions.get("stateDelta"));
            let intent = state.and_then(|state| state.get("intent")?.raw_string());
            Some(call_body(content.name, intent))
        }
        "function_response" => Some(result_body(content.id, content.is_error, content.result)),
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
    files: Option<RawValue<'_>>,
) -> Body {
    let text = text.map(RawString::decode).unwrap_or_default();
    let display_text = display_text.map(RawString::decode).filter(|shown| *shown != text);
    Body::User {
        display_text: display_text.map(|shown| shown.into_owned()),
        text: text.into_owned(),
        attachments: attachments(files),
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
    let content = match result.map(|result| (Shown::of(result), result)) {
        Some((Some(shown), _)) => shown.json(),
        Some((None, result)) => result.bytes().into(),
        None => (*b"null").into(),
    };
    Body::ToolResult {
        tool_use_id: tool_use_id.map(RawString::decode).unwrap_or_default().into_owned(),
        is_error,
        content,
    }
}

/// The members of an event's content that a row shows.
#[derive(Default)]
struct Said<'a> {
    kind: Option<RawString<'a>>,
    text: Option<RawString<'a>>,
    display_text: Option<RawString<'a>>,
    attachments: Option<RawValue<'a>>,
    id: Option<RawString<'a>>,
    name: Option<RawString<'a>>,
    is_error: bool,
    result: Option<RawValue<'a>>,
}

impl<'a> Said<'a> {
    fn read(content: RawValue<'a>) -> Self {
        let mut said = Self::default();
        for (key, value) in content.entries() {
            match &*key.decode() {
                "kind" => said.kind = value.raw_string(),
                "text" => said.text = value.raw_string(),
                "displayText" => said.display_text = value.raw_string(),
                "attachments" => said.attachments = Some(value),
                "id" => said.id = value.raw_string(),
                "name" => said.name = value.raw_string(),
                "isError" => said.is_error = value.bool() == Some(true),
                "result" => said.result = Some(value),
                _ => {}
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn only_events_with_a_row_have_contents() {
        assert_eq!(body("system", r#""content":{"kind":"text","text":"x"}"#), None);
        assert_eq!(body("user", r#""content":{"kind":"injection","text":"x"}"#), None);
        assert_eq!(body("model", r#""content":{"kind":"thinking","text":"x"}"#), None);
        assert_eq!(body("model", r#""status":"completed""#), None);
        assert_eq!(event_body(b"{"), None);
        assert_eq!(event_body(b"7"), None);
    }
}
