//! The rules in their order, and the two ways through them.

use std::borrow::Cow;

use super::{
    assignment, aws, header, quoted,
    serialized::{self, Serialized},
    token, url,
    verdict::{self, may_change},
};

/// What one rule makes of a text; `None` when nothing.
type Rule = fn(&[u8]) -> Option<Vec<u8>>;

/// Each works on what the one before left. `host/projection.md` 11 has the
/// expressions of all but the first, which is of `GOLDEN.md` 4.
pub(super) const RULES: [Rule; 13] = [
    url::user_info,
    url::query,
    quoted::value,
    header::authorization,
    header::bearer,
    aws::command_line,
    aws::environment,
    assignment::value,
    token::sk,
    token::google,
    token::github,
    token::slack,
    token::hex,
];

/// `text` without its secrets: each is replaced by
/// [`REDACTED`](crate::engine::limits::REDACTED). A JSON document (an object,
/// an array or a string) is redacted as one, see `serialized`; everything else
/// by the rules. Takes time linear in the text.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    if !may_change(text) {
        return Cow::Borrowed(text);
    }
    match serialized::redact(text) {
        Serialized::Unchanged => Cow::Borrowed(text),
        Serialized::Changed(document) => Cow::Owned(document),
        Serialized::NotJson => redact_text(text),
    }
}

/// [`redact`] for what is no document even where it looks like one: the joined
/// strings of a tool result.
#[must_use]
pub fn redact_text(text: &str) -> Cow<'_, str> {
    match rewrite(text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(bytes) => Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            // Not reached: the rules cut between characters.
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }),
    }
}

/// What the rules make of WTF-8; `None` when they change nothing.
pub(super) fn rewrite(text: &[u8]) -> Option<Vec<u8>> {
    if !verdict::may_change_bytes(text) {
        return None;
    }
    let mut redacted: Option<Vec<u8>> = None;
    for rule in RULES {
        if let Some(changed) = rule(redacted.as_deref().unwrap_or(text)) {
            redacted = Some(changed);
        }
    }
    redacted.filter(|redacted| redacted != text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What makes a matcher start, go on for long, and fail.
    const UNITS: &[&str] = &[
        "a-",
        "a-a ",
        "a",
        "0",
        "0g",
        "-",
        "_",
        " ",
        "\n",
        "\u{3000}",
        "\\",
        "\\\n",
        "\\\r\n ",
        "\\\u{2028}",
        "=",
        ":",
        "token",
        "token ",
        "token=",
        "token=\\\n",
        "token \\\n",
        "token:'",
        "key\n",
        "key中",
        "\"",
        "\"a",
        "\"a\":",
        "\"a\":\"",
        "\"token\" \n",
        "\"token\":\"\\",
        "?",
        "?a",
        "?a=",
        "&token",
        "&token=",
        "http",
        "http:",
        "https://",
        "https://a",
        "https://a@",
        "@",
        "authorization",
        "authorization ",
        "authorization:",
        "authorization: bearer",
        "authorization: bearer ",
        "proxy-",
        "bearer ",
        "bearer\n\n",
        "bearer a=",
        "aws ",
        "aws\\\n",
        "aws configure set ",
        "a\\\nw\\\ns",
        "-\\\n",
        "--secret-\\\n",
        "--secret-access-key",
        "--secret-access-key ",
        "--secret-access-key '",
        "--secret-access-key \"\\\" ",
        "--secret-access-key 'a --secret-access-key \"",
        "A\\\n",
        "AWS_SECRET_ACCESS_KEY ",
        "AWS_SECRET_ACCESS_KEY=",
        "AWS_SECRET_ACCESS_KEY=\\\n",
        "sk-",
        "sk-ant-",
        "sk--",
        "AIza",
        "AIza-",
        "ghp_",
        "xoxb-",
        "xoxb-aaaaaaaaaa_",
        "[",
        "{\"a\":",
        "\\u0041",
    ];
    const SIZE: usize = 1 << 19;

    /// Nothing is measured: what is not linear would take minutes.
    #[test]
    fn every_rule_is_linear() {
        let prefixes = ["", "token", "sk-", "xoxb-", "?", "\"", "authorization", "bearer"];
        let texts = UNITS.iter().flat_map(|unit| {
            let run = unit.repeat(SIZE / unit.len());
            // Long runs of one letter are worth a beginning and an end.
            let prefixes = if unit.len() == 1 { &prefixes[..] } else { &prefixes[..1] };
            prefixes.iter().map(move |prefix| format!("{prefix}{run}_"))
        });
        for text in texts {
            for rule in RULES {
                let out = rule(text.as_bytes());
                assert!(out.is_none_or(|out| out != text.as_bytes()));
            }
            assert!(redact(&text) == text || may_change(&text));
        }
    }

    #[test]
    fn documents_are_linear() {
        let deep = SIZE / 16;
        let nested = "[{\"a\":".repeat(deep) + "\"token=x\"" + &"}]".repeat(deep);
        assert_eq!(redact(&nested), nested.replace("=x", "=[redacted]"));
        let members: Vec<String> = (0..deep).map(|at| format!("\"{at}\":\"\"")).collect();
        let wide = format!("{{{},\"key\":1}}", members.join(","));
        assert_eq!(redact(&wide), wide.replace("\"key\":1", "\"key\":\"[redacted]\""));
        let twice = format!("{{{}\"a\":1}}", "\"a\":\"token=x\",".repeat(deep));
        assert_eq!(redact(&twice), "{\"a\":1}");
    }

    #[test]
    fn a_secret_behind_a_duplicate_key_does_not_leave() {
        let hidden = r#"{"a": "sk-abcdefgh12345678", "a": "y", "b": 1.50}"#;
        assert_eq!(redact(hidden), r#"{"a":"y","b":1.5}"#);
    }

    #[test]
    fn clean_text_is_borrowed() {
        for text in ["", "nothing", "{\"a\": 1.50}", "the tokens: 5", "https://a.example/?x=1"] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}");
        }
    }

    #[test]
    fn numbers_and_literals_are_no_documents() {
        assert_eq!(redact(" 1.50 "), " 1.50 ");
        let digest = "1".repeat(40);
        assert_eq!(redact(&digest), "[redacted]");
        assert_eq!(redact(&format!("\"{digest}\"")), "\"[redacted]\"");
    }
}
