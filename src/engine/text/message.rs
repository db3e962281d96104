//! The text of a message: what is stored of it, and what of that may be
//! matched and shown (`semantics.md` 3 and 4).

use std::borrow::Cow;

use super::{
    floor_boundary,
    redact::{is_sensitive_key, may_change, redact, redact_text},
};
use crate::engine::{
    json::{RawValue, Token},
    limits::{REDACTED, TOOL_RESULT_BYTES},
    transcript::{Attachment, Body},
};

/// The `kind` of a tool result that was moved out of the transcript.
const ARCHIVED: &str = "archived_tool_result";

/// What of a message may leave the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// What is matched: the prose, then the names of the attachments, each on a
    /// line of its own. Of a tool result at most [`TOOL_RESULT_BYTES`].
    pub text: String,
    /// Bytes of `text`, from its beginning, that are shown: all but the names.
    pub prose: usize,
    /// Whether a tool result was longer.
    pub cut: bool,
}

/// Both texts of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texts {
    /// What [`stored`] gives.
    pub stored: String,
    /// What [`redacted`] gives.
    pub redacted: Redacted,
}

/// Both texts of a message, in one walk over a tool result that holds no secret.
#[must_use]
pub fn texts(body: &Body) -> Option<Texts> {
    if let Body::ToolResult { content, stored: None, .. } = body {
        let mut lines = Lines::default();
        let mut sensitive = false;
        walk_result(content, |step| {
            match step {
                Step::Member(key) => sensitive = sensitive || is_sensitive_key(&key),
                Step::Text(text) => lines.push(&text),
            }
            Value::Read
        })?;
        let stored = lines.0?;
        if stored.is_empty() {
            return None;
        }
        let redacted = match sensitive || may_change(&stored) {
            true => redacted_result(content)?,
            false => cut_result(stored.clone()),
        };
        return Some(Texts { stored, redacted });
    }
    Some(Texts { stored: stored(body)?, redacted: redacted(body)? })
}

/// The text of a message as it is stored: not redacted, not cut. `None` when it
/// has none.
#[must_use]
pub fn stored(body: &Body) -> Option<String> {
    let text = match body {
        Body::User { text, display_text, attachments } => {
            let prose = display_text.as_ref().unwrap_or(text);
            with_names(prose.clone(), attachments.iter().map(|file| file.name.as_str().into()))
        }
        Body::Assistant { text } => text.clone(),
        Body::ToolCall { intent, tool_name: _ } => intent.clone()?,
        Body::ToolResult { content, stored, tool_use_id: _, is_error: _ } => {
            let content = stored.as_ref().unwrap_or(content);
            let mut lines = Lines::default();
            walk_result(content, |step| match step {
                Step::Member(_) => Value::Read,
                Step::Text(text) => {
                    lines.push(&text);
                    Value::Read
                }
            })?;
            lines.0?
        }
    };
    (!text.is_empty()).then_some(text)
}

/// The text of a message without its secrets. `None` when it has none.
///
/// Prose and names are redacted one by one. A tool result is redacted twice: by
/// its keys and string by string, then as the text these make together; after
/// that it is cut.
#[must_use]
pub fn redacted(body: &Body) -> Option<Redacted> {
    let redacted = match body {
        Body::User { text, display_text, attachments } => {
            let prose = redact(display_text.as_ref().unwrap_or(text)).into_owned();
            let length = prose.len();
            let names = attachments.iter().map(|Attachment { name, .. }| redact(name));
            Redacted { text: with_names(prose, names), prose: length, cut: false }
        }
        Body::Assistant { text } => whole(redact(text).into_owned()),
        Body::ToolCall { intent, tool_name: _ } => whole(redact(intent.as_ref()?).into_owned()),
        Body::ToolResult { content, stored: _, tool_use_id: _, is_error: _ } => {
            redacted_result(content)?
        }
    };
    (!redacted.text.is_empty()).then_some(redacted)
}

fn whole(text: String) -> Redacted {
    Redacted { prose: text.len(), text, cut: false }
}

/// `prose` and `names`, each on a line of its own; what is empty has no line.
fn with_names<'a>(prose: String, names: impl Iterator<Item = Cow<'a, str>>) -> String {
    let mut text = prose;
    for name in names.filter(|name| !name.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&name);
    }
    text
}

fn redacted_result(content: &[u8]) -> Option<Redacted> {
    let mut lines = Lines::default();
    walk_result(content, |step| match step {
        Step::Member(key) if is_sensitive_key(&key) => {
            lines.push(REDACTED);
            Value::Skip
        }
        Step::Member(_) => Value::Read,
        Step::Text(text) => {
            lines.push(&redact(&text));
            Value::Read
        }
    })?;
    let joined = lines.0?;
    Some(cut_result(match redact_text(&joined) {
        Cow::Borrowed(_) => joined,
        Cow::Owned(text) => text,
    }))
}

/// The text of a tool result, as far as it is matched.
fn cut_result(mut text: String) -> Redacted {
    let cut = TOOL_RESULT_BYTES < text.len();
    text.truncate(floor_boundary(&text, TOOL_RESULT_BYTES));
    Redacted { prose: text.len(), text, cut }
}

/// Strings on lines of their own; `None` before the first.
#[derive(Default)]
struct Lines(Option<String>);

impl Lines {
    fn push(&mut self, line: &str) {
        match &mut self.0 {
            None => self.0 = Some(line.to_owned()),
            Some(text) => {
                text.push('\n');
                text.push_str(line);
            }
        }
    }
}

/// What a walk over a tool result comes to.
enum Step<'a> {
    /// The name of a member, before its value.
    Member(Cow<'a, str>),
    /// A string that is a value.
    Text(Cow<'a, str>),
}

/// What to do about the value of a [`Step::Member`].
enum Value {
    Read,
    Skip,
}

/// Takes `content` in document order, without its own `kind`. `None` when it is
/// an archived result, or no JSON.
fn walk_result<'a>(content: &'a [u8], mut visit: impl FnMut(Step<'a>) -> Value) -> Option<()> {
    let content = RawValue::parse(content)?;
    if content.get("kind").is_some_and(|kind| kind.is(ARCHIVED)) {
        return None;
    }
    let mut walk = content.walk();
    let mut depth = 0_usize;
    while let Some(token) = walk.next() {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close => depth -= 1,
            Token::Key(name) if depth == 1 && name.is("kind") => walk.skip_value(),
            Token::Key(name) => match visit(Step::Member(name.decode())) {
                Value::Read => {}
                Value::Skip => walk.skip_value(),
            },
            Token::Scalar(value) => {
                if let Some(text) = value.string() {
                    visit(Step::Text(text));
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::FileRef;

    fn user(text: &str, display_text: Option<&str>, names: &[&str]) -> Body {
        let attachments = names.iter().map(|&name| Attachment {
            kind: "other".into(),
            name: name.into(),
            mime_type: "text/plain".into(),
            bytes: 1.0,
            reference: FileRef::WorkspaceFile,
        });
        Body::User {
            text: text.into(),
            display_text: display_text.map(String::from),
            attachments: attachments.collect(),
        }
    }

    fn result(content: &str) -> Body {
        Body::ToolResult {
            tool_use_id: "call".into(),
            is_error: false,
            content: content.as_bytes().into(),
            stored: None,
        }
    }

    #[track_caller]
    fn test(body: &Body, is_stored: &str, text: &str, prose: &str) {
        assert_eq!(stored(body).as_deref(), Some(is_stored));
        let redacted = redacted(body).unwrap();
        let both = Texts { stored: is_stored.to_owned(), redacted: redacted.clone() };
        assert_eq!(texts(body), Some(both));
        assert_eq!(redacted.text, text);
        assert_eq!(&redacted.text[..redacted.prose], prose);
        assert!(!redacted.cut);
    }

    #[track_caller]
    fn test_nothing(body: &Body) {
        assert_eq!(stored(body), None);
        assert_eq!(redacted(body), None);
        assert_eq!(texts(body), None);
    }

    #[test]
    fn a_user_message_shows_what_was_displayed_and_matches_its_files() {
        test(&user("sent", Some("shown"), &[]), "shown", "shown", "shown");
        test(
            &user("sent", None, &["a.txt", "b.txt"]),
            "sent\na.txt\nb.txt",
            "sent\na.txt\nb.txt",
            "sent",
        );
        test(&user("sent", Some(""), &["a.txt"]), "a.txt", "a.txt", "");
        test_nothing(&user("sent", Some(""), &[]));
    }

    #[test]
    fn prose_and_names_are_redacted_one_by_one() {
        test(
            &user(r#"{"token":"x", "n":1.0}"#, None, &["log token=abc.txt"]),
            "{\"token\":\"x\", \"n\":1.0}\nlog token=abc.txt",
            "{\"token\":\"[redacted]\",\"n\":1}\nlog token=[redacted]",
            "{\"token\":\"[redacted]\",\"n\":1}",
        );
        // Together the last word and the name would be an assignment.
        test(&user("the key:", None, &["a.txt"]), "the key:\na.txt", "the key:\na.txt", "the key:");
    }

    #[test]
    fn assistants_and_intents() {
        let said = Body::Assistant { text: "Bearer abc".into() };
        test(&said, "Bearer abc", "Bearer [redacted]", "Bearer [redacted]");
        test_nothing(&Body::Assistant { text: String::new() });
        let call = |intent: Option<&str>| Body::ToolCall {
            tool_name: "Read".into(),
            intent: intent.map(String::from),
        };
        test(
            &call(Some("read ?key=x")),
            "read ?key=x",
            "read ?key=[redacted]",
            "read ?key=[redacted]",
        );
        test_nothing(&call(Some("")));
        test_nothing(&call(None));
    }

    #[test]
    fn a_result_is_its_strings_without_its_kind() {
        let text = "a\nimage\nb\n\nc";
        let content =
            r#"{"x":["a",1,{"kind":"image"},null],"kind":"json","y":"b","z":["",{}],"u":"\u0063"}"#;
        test(&result(content), text, text, text);
        test_nothing(&result(r#"{"kind":"json","value":5}"#));
        test_nothing(&result(r#"{"kind":"text","text":""}"#));
        test_nothing(&result(r#"{"kind":{"deep":"x"}}"#));
        test_nothing(&result(r#"{"toolName":"Read","kind":"archived_tool_result"}"#));
        test_nothing(&result("not json"));
    }

    #[test]
    fn a_sensitive_key_loses_its_value_whatever_it_is() {
        let content = r#"{"kind":"json","value":{"authorization":null,"list":[{"secret":["deep",{"inner":"x"}]}],
            "monkey":"kept","nested":{"api_key":"k","count":3,"tokenCount":"t"},"password":"p","token":12345,"user":"u"}}"#;
        let text = "[redacted]\n[redacted]\nkept\n[redacted]\nt\n[redacted]\n[redacted]\nu";
        test(&result(content), "deep\nx\nkept\nk\nt\np\nu", text, text);
    }

    #[test]
    fn a_result_is_redacted_string_by_string_and_then_as_a_whole() {
        let inner = r#"{"password": 98765432, "note": "n",   "list": []}"#;
        let content = format!(r#"{{"kind":"text","text":{}}}"#, serde_json::Value::from(inner));
        let text = r#"{"password":"[redacted]","note":"n","list":[]}"#;
        test(&result(&content), inner, text, text);
        let across = r#"{"a":"Authorization: Bearer","b":"secret then plain"}"#;
        let text = "Authorization: Bearer\n[redacted] then plain";
        test(&result(across), "Authorization: Bearer\nsecret then plain", text, text);
    }

    #[test]
    fn a_result_is_cut_at_a_code_point_after_it_was_redacted() {
        let secret = "ghp_0123456789abcdefghij";
        let fill = "x".repeat(TOOL_RESULT_BYTES - 17);
        let content = |tail: &str| result(&format!(r#"{{"text":"{fill} {secret} {tail}"}}"#));
        let exact = redacted(&content("12345")).unwrap();
        assert_eq!(exact.text, format!("{fill} [redacted] 12345"));
        assert_eq!((exact.text.len(), exact.prose, exact.cut), (10_240, 10_240, false));
        let cut = redacted(&content("模型")).unwrap();
        assert_eq!(cut.text, format!("{fill} [redacted] 模"));
        assert_eq!((cut.text.len(), cut.prose, cut.cut), (10_238, 10_238, true));
        assert_eq!(stored(&content("模型")), Some(format!("{fill} {secret} 模型")));
    }

    #[test]
    fn depth_is_bounded_by_memory_alone() {
        let deep = 100_000;
        let content = "[{\"a\":".repeat(deep) + "\"token=x\"" + &"}]".repeat(deep);
        test(&result(&content), "token=x", "token=[redacted]", "token=[redacted]");
    }
}
