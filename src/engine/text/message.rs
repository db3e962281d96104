//! The text of a message: what is stored of it, and what of that may be
//! matched and shown (`semantics.md` 3 and 4).

use std::borrow::Cow;

use super::{
    floor_boundary,
    redact::{is_sensitive_key, may_change, redact, redact_text},
};
use crate::engine::{
    json::{RawValue, StringRole, Token},
    limits::{REDACTED, TOOL_RESULT_BYTES},
    transcript::{Body, Words},
};

/// The `kind` of a tool result that was moved out of the transcript.
const ARCHIVED: &str = "archived_tool_result";

/// The text of a message as it is stored: not redacted, not cut, not empty.
#[derive(Clone, Debug)]
pub struct Stored<'w> {
    words: &'w Words<'w>,
    text: Cow<'w, str>,
    /// Whether its redaction can be told from this text alone: nothing in it
    /// stands under a sensitive key, and it is the text of what is shown.
    plain: bool,
}

/// What of a message may leave the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted<'t> {
    /// What is matched: the prose, then the names of the attachments, each on a
    /// line of its own. Of a tool result at most [`TOOL_RESULT_BYTES`].
    pub text: Cow<'t, str>,
    /// Bytes of `text`, from its beginning, that are shown: all but the names.
    pub prose: usize,
    /// Whether a tool result was longer.
    pub cut: bool,
}

impl<'w> Stored<'w> {
    /// The text of `words`; `None` when they have none.
    #[must_use]
    pub fn of(words: &'w Words<'w>) -> Option<Self> {
        let (text, plain) = match words {
            Words::Said { prose, names } if names.is_empty() => (Cow::Borrowed(&**prose), true),
            Words::Said { prose, names } => {
                (with_names(prose, names.iter().map(Cow::from)).into(), false)
            }
            Words::Result { content, stored } => {
                let told = stored.as_ref().unwrap_or(content).value()?;
                let (text, sealed) = strings(told)?;
                (text.into(), !sealed && stored.is_none())
            }
        };
        (!text.is_empty()).then_some(Self { words, text, plain })
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text without its secrets. `None` when nothing is left.
    ///
    /// Prose and names are redacted one by one. A tool result is redacted twice:
    /// by its keys and string by string, then as the text these make together;
    /// after that it is cut.
    #[must_use]
    pub fn redacted(&self) -> Option<Redacted<'_>> {
        if self.plain && !may_change(&self.text) {
            return Some(match self.words {
                Words::Said { .. } => whole(Cow::Borrowed(&self.text)),
                Words::Result { .. } => cut_result(Cow::Borrowed(&self.text)),
            });
        }
        let redacted = match self.words {
            Words::Said { prose, names } if names.is_empty() => whole(redact(prose)),
            Words::Said { prose, names } => {
                let prose = redact(prose);
                let names = names.iter().map(|name| redact(name));
                let text = with_names(&prose, names);
                Redacted { text: text.into(), prose: prose.len(), cut: false }
            }
            Words::Result { content, stored: _ } => redacted_result(content.value()?)?,
        };
        (!redacted.text.is_empty()).then_some(redacted)
    }
}

impl Redacted<'_> {
    /// The same, apart from the message it is of.
    #[must_use]
    pub fn into_owned(self) -> Redacted<'static> {
        Redacted { text: self.text.into_owned().into(), prose: self.prose, cut: self.cut }
    }
}

/// The text of a message as it is stored: see [`Stored`].
#[must_use]
pub fn stored(body: &Body) -> Option<String> {
    Some(Stored::of(&body.words()?)?.text.into_owned())
}

/// The text of a message without its secrets: see [`Stored::redacted`].
#[must_use]
pub fn redacted(body: &Body) -> Option<Redacted<'static>> {
    Some(Stored::of(&body.words()?)?.redacted()?.into_owned())
}

fn whole(text: Cow<'_, str>) -> Redacted<'_> {
    Redacted { prose: text.len(), text, cut: false }
}

/// `prose` and `names`, each on a line of its own; what is empty has no line.
fn with_names<'a>(prose: &str, names: impl Iterator<Item = Cow<'a, str>>) -> String {
    let mut text = prose.to_owned();
    for name in names.filter(|name| !name.is_empty()) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&name);
    }
    text
}

/// The text of a tool result, as far as it is matched.
fn cut_result(text: Cow<'_, str>) -> Redacted<'_> {
    let end = floor_boundary(&text, TOOL_RESULT_BYTES);
    let cut = end < text.len();
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(&text[..end]),
        Cow::Owned(mut text) => {
            text.truncate(end);
            Cow::Owned(text)
        }
    };
    Redacted { prose: end, text, cut }
}

/// The strings of a tool result without its own `kind`, in document order and
/// each on a line of its own, and whether one stands under a sensitive key.
/// `None` when there is none, or when it is an archived result.
fn strings(content: RawValue<'_>) -> Option<(String, bool)> {
    let mut strings = content.strings();
    let mut text = Vec::with_capacity(content.bytes().len());
    let (mut lines, mut archived, mut sealed) = (0_usize, false, false);
    loop {
        // A name is taken out again; a line end goes in front of all but the first.
        let end = text.len();
        if lines != 0 {
            text.push(b'\n');
        }
        let start = text.len();
        let Some(role) = strings.next_into(&mut text) else {
            text.truncate(end);
            break;
        };
        match role {
            StringRole::Value => lines += 1,
            StringRole::Name => {
                let name = String::from_utf8_lossy(&text[start..]);
                if strings.depth() == 1 && name == "kind" {
                    // Of two members with one name the last counts.
                    archived = strings.skip_value().is_some_and(|kind| kind.is(ARCHIVED));
                } else {
                    sealed = sealed || is_sensitive_key(&name);
                }
                text.truncate(end);
            }
        }
    }
    if archived || lines == 0 {
        return None;
    }
    let text = String::from_utf8(text)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
    Some((text, sealed))
}

/// A tool result without its secrets, the slow way: string by string.
fn redacted_result(content: RawValue<'_>) -> Option<Redacted<'static>> {
    let mut lines = Lines::default();
    let mut walk = content.walk();
    let mut depth = 0_usize;
    while let Some(token) = walk.next() {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close => depth -= 1,
            Token::Key(name) if depth == 1 && name.is("kind") => walk.skip_value(),
            Token::Key(name) => {
                if is_sensitive_key(&name.decode()) {
                    lines.push(REDACTED);
                    walk.skip_value();
                }
            }
            Token::Scalar(value) => {
                if let Some(text) = value.string() {
                    lines.push(&redact(&text));
                }
            }
        }
    }
    let joined = lines.0?;
    Some(cut_result(Cow::Owned(match redact_text(&joined) {
        Cow::Borrowed(_) => joined,
        Cow::Owned(text) => text,
    })))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::transcript::{Attachment, FileRef};

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
        assert_eq!(redacted.text, text);
        assert_eq!(&redacted.text[..redacted.prose], prose);
        assert!(!redacted.cut);
    }

    #[track_caller]
    fn test_nothing(body: &Body) {
        assert_eq!(stored(body), None);
        assert_eq!(redacted(body), None);
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
