//! Values that are assigned to a name.

use std::ops::Range;

use memchr::memchr2_iter;

use super::{
    edit::Edit,
    key::{self, Sensitivity},
    scan::{Separator, continuation_before, continuation_len, space_len, starts_word},
};

/// `\b(([A-Za-z][A-Za-z0-9_-]*)(?:[ \t]|CONT)*[:=](?:[ \t]|CONT)*['"]?)(?:CONT|[^\s"'&<>])+`
/// where CONT is `\\\r?\n`, flag `g`: the value goes when the key is sensitive
/// and not `auth` or `authorization`. A value that stays hides the keys in it.
///
/// From each `:` or `=` the key is read backwards. It fills its run of key
/// characters to the end and starts at the first letter there that starts a
/// word, so no run is read twice however many dashes it has.
pub(super) fn value(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut floor = 0;
    for sign in memchr2_iter(b':', b'=', text) {
        if sign < floor {
            continue;
        }
        let Some(key) = key_before(text, floor, sign) else { continue };
        let Some(value) = value_after(text, sign + 1) else { continue };
        floor = value.end;
        if key::sensitivity(&text[key]) == Sensitivity::Secret {
            edit.redact(value);
        }
    }
    edit.finish()
}

/// The key that ends before `sign`, and before the separator in between;
/// nothing before `floor` belongs to it.
fn key_before(text: &[u8], floor: usize, sign: usize) -> Option<Range<usize>> {
    let mut end = sign;
    while floor < end {
        match text[end - 1] {
            b' ' | b'\t' => end -= 1,
            b'\n' => match continuation_before(text, end) {
                0 => break,
                length => end -= length,
            },
            _ => break,
        }
    }
    let is_key = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let mut run = end;
    while floor < run && is_key(text[run - 1]) {
        run -= 1;
    }
    let start = (run..end).find(|&at| text[at].is_ascii_alphabetic() && starts_word(text, at))?;
    Some(start..end)
}

/// `(?:[ \t]|CONT)*['"]?(?:CONT|[^\s"'&<>])+`: where the value stands that
/// begins behind a sign at `at`.
pub(super) fn value_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let separator = Separator::at(text, at);
    let quote = matches!(text.get(separator.end), Some(b'"' | b'\''));
    let start = separator.end + usize::from(quote);
    let end = value_end(text, start);
    if start < end {
        return Some(start..end);
    }
    let given_back = separator.last_continuation?;
    Some(given_back..given_back + continuation_len(text, given_back))
}

/// Past `(?:CONT|[^\s"'&<>])*`.
fn value_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' | b'\'' | b'&' | b'<' | b'>' => break,
            b'\\' => at += continuation_len(text, at).max(1),
            _ if space_len(text, at) != 0 => break,
            _ => at += 1,
        }
    }
    at
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
    fn the_key_starts_at_the_first_letter_that_starts_a_word() {
        test("_a-b-token=x", "_a-b-token=[redacted]");
        test("1token=x 1-token=x", "1token=x 1-token=[redacted]");
        test("--token:=x", "--token:[redacted]");
        test("é-token \t=\\\r\n'x'", "é-token \t=\\\r\n'[redacted]'");
        test("token\\\n\n=x", "token\\\n\n=x");
    }

    #[test]
    fn a_continuation_that_no_value_follows_is_the_value() {
        test("token=\\\n\\\n \"", "token=\\\n[redacted] \"");
        test("token=\\\r\n", "token=[redacted]");
        test("token=\\\n'", "token=[redacted]'");
        test("token=\\\r", "token=[redacted]\r");
        test("token=' x", "token=' x");
    }

    #[test]
    fn a_value_that_stays_hides_the_keys_in_it() {
        test("a=token=b token=c", "a=token=b token=[redacted]");
        test("auth=x authorization=y x-auth:z", "auth=x authorization=y x-auth:z");
    }
}
