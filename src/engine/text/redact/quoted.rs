//! Values of quoted keys in text that is not JSON as a whole.

use memchr::{memchr, memchr2};

use super::{
    edit::Edit,
    key,
    scan::{is_line_end, skip_space},
};

/// `((?:"([^"\\]+)"\s*:\s*"))(?:\\.|[^"\\])*`, flag `g`: the value goes when
/// the key is sensitive.
pub(super) fn value(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(found) = memchr(b'"', &text[at..]) {
        let key = at + found + 1;
        let Some(length) = memchr2(b'"', b'\\', &text[key..]) else { break };
        let quote = key + length;
        // Where nothing matches, the quote that could close a key may open one.
        at = quote;
        if length == 0 || text[quote] == b'\\' {
            continue;
        }
        let Some(value) = opening(text, quote + 1) else { continue };
        at = value_end(text, value);
        if key::is_sensitive(&text[key..quote]) {
            edit.redact(value..at);
        }
    }
    edit.finish()
}

/// Past `\s*:\s*"`.
fn opening(text: &[u8], at: usize) -> Option<usize> {
    let colon = skip_space(text, at);
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let quote = skip_space(text, colon + 1);
    (text.get(quote) == Some(&b'"')).then_some(quote + 1)
}

/// Past `(?:\\.|[^"\\])*`: it stops at a quote, and at a backslash that nothing
/// or a line end follows.
fn value_end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr2(b'"', b'\\', &text[at..]) {
        at += found;
        if text[at] == b'"' || at + 1 == text.len() || is_line_end(text, at + 1) {
            return at;
        }
        // Past the backslash and the first byte of what it escapes; no later
        // byte of a character is a quote or a backslash.
        at += 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(text: &str, redacted: &str) {
        let out = value(text.as_bytes()).unwrap_or_else(|| text.into());
        assert_eq!(String::from_utf8(out).unwrap(), redacted);
    }

    #[test]
    fn a_closing_quote_may_open_the_next_key() {
        test(r#"x"token":"a""#, r#"x"token":"[redacted]""#);
        test(r#""x"token":"a""#, r#""x"token":"[redacted]""#);
        test(r#""a":"token":"b"token":"c""#, r#""a":"token":"b"token":"[redacted]""#);
        test(r#"\"token":"a" "\token":"a""#, r#"\"token":"[redacted]" "\token":"a""#);
    }

    #[test]
    fn a_value_ends_before_a_backslash_at_a_line_end() {
        test("\"token\":\"a\\\u{2028}b\"", "\"token\":\"[redacted]\\\u{2028}b\"");
        test("\"token\":\"a\\", "\"token\":\"[redacted]\\");
        test("\"token\":\"a\\😀\\\"b\nc", "\"token\":\"[redacted]");
    }
}
