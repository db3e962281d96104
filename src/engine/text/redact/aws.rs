//! The secret key of AWS, on command lines and in environments.
//!
//! These rules know names that a shell command breaks across lines, with a
//! continuation between any two letters.

use std::ops::Range;

use memchr::{memchr2, memmem};

use super::{
    assignment::value_after,
    edit::Edit,
    scan::{
        Case, Separator, Word, continuation_len, continued_word, follows_space, space_len,
        starts_word,
    },
};
use crate::engine::limits::REDACTED;

const SECRET: Word = Word { letters: b"secret", rare: 2 };
const CONFIGURED_KEY: &[u8] = b"aws_secret_access_key";
const KEY_FLAG: &[u8] = b"--secret-access-key";

/// `(^|[\s;&|()])((?:aws SEP configure SEP set SEP KEY|FLAG)SEP)TOKEN`, flags
/// `gm`, where SEP is a [`Separator`] that is not empty, KEY and FLAG are
/// continued words and TOKEN is
/// `("(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|(?:CONT|[^\s;&|()<>])+)`.
/// The token goes, and its quotes stay.
pub(super) fn command_line(text: &[u8]) -> Option<Vec<u8>> {
    if !may_name(text) {
        return None;
    }
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(found) = memchr2(b'a', b'-', &text[at..]) {
        let start = at + found;
        at = start + 1;
        if !starts_argument(text, start) {
            continue;
        }
        let Some(token) = name_end(text, start).and_then(|end| token_after(text, end)) else {
            continue;
        };
        at = token.end;
        match text[token.clone()] {
            [quote @ (b'"' | b'\''), .., last] if quote == last => {
                edit.redact(token.start + 1..token.end - 1);
            }
            // A quote alone counts as both of a pair.
            [quote @ (b'"' | b'\'')] => {
                let quote = char::from(quote);
                edit.replace(token, &format!("{quote}{REDACTED}{quote}"));
            }
            _ => edit.redact(token),
        }
    }
    edit.finish()
}

/// `\b(KEY OSEP[:=]OSEP['"]?)(?:CONT|[^\s"'&<>])+`, flags `gi`, where KEY is a
/// continued word and OSEP a [`Separator`].
pub(super) fn environment(text: &[u8]) -> Option<Vec<u8>> {
    if !may_name(text) {
        return None;
    }
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(found) = memchr2(b'a', b'A', &text[at..]) {
        let start = at + found;
        at = start + 1;
        if !starts_word(text, start) {
            continue;
        }
        let Some(end) = continued_word(text, start, CONFIGURED_KEY, Case::Insensitive) else {
            continue;
        };
        let sign = Separator::at(text, end).end;
        if !matches!(text.get(sign), Some(b':' | b'=')) {
            continue;
        }
        let Some(value) = value_after(text, sign + 1) else { continue };
        at = value.end;
        edit.redact(value);
    }
    edit.finish()
}

/// Whether one of the names can stand in the text: in one piece, or broken.
fn may_name(text: &[u8]) -> bool {
    SECRET.find(text, 0).is_some()
        || memmem::find(text, b"\\\n").is_some()
        || memmem::find(text, b"\\\r\n").is_some()
}

/// `(^|[\s;&|()])` before `at`. Every line end is white space.
fn starts_argument(text: &[u8], at: usize) -> bool {
    match at.checked_sub(1) {
        None => true,
        Some(before) => {
            matches!(text[before], b';' | b'&' | b'|' | b'(' | b')') || follows_space(text, at)
        }
    }
}

/// Past `aws SEP configure SEP set SEP KEY` or FLAG.
fn name_end(text: &[u8], at: usize) -> Option<usize> {
    if text[at] == b'-' {
        return continued_word(text, at, KEY_FLAG, Case::Sensitive);
    }
    let mut at = at;
    for word in [&b"aws"[..], b"configure", b"set"] {
        if !text[at..].starts_with(word) {
            return None;
        }
        let separator = Separator::at(text, at + word.len());
        if separator.is_empty() {
            return None;
        }
        at = separator.end;
    }
    continued_word(text, at, CONFIGURED_KEY, Case::Sensitive)
}

/// The token behind the separator at `at`.
fn token_after(text: &[u8], at: usize) -> Option<Range<usize>> {
    let separator = Separator::at(text, at);
    if separator.is_empty() {
        return None;
    }
    let start = separator.end;
    if let Some(end) = quoted_end(text, start) {
        return Some(start..end);
    }
    let end = bare_end(text, start);
    if start < end {
        return Some(start..end);
    }
    // A continuation is given back when a separator remains without it.
    let given_back = separator.last_continuation.filter(|&at| separator.start < at)?;
    Some(given_back..given_back + continuation_len(text, given_back))
}

/// Past a token in quotes at `start`.
///
/// Looking for a quote that is not there is paid once for each kind: a name
/// further on, with a quote behind its separator, would have closed this one.
fn quoted_end(text: &[u8], start: usize) -> Option<usize> {
    let quote = *text.get(start).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let mut at = start + 1;
    loop {
        at += memchr2(quote, b'\\', text.get(at..)?)?;
        if text[at] == quote {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Past `(?:CONT|[^\s;&|()<>])*`.
fn bare_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
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
    use crate::engine::text::redact::edit::test;

    #[test]
    fn a_token_keeps_its_quotes() {
        test(command_line, "--secret-access-key 'a\\' b'c", "--secret-access-key '[redacted]'c");
        test(command_line, "--secret-access-key \"a 'b'", "--secret-access-key [redacted] 'b'");
        test(command_line, "--secret-access-key \"\" ", "--secret-access-key \"[redacted]\" ");
        test(command_line, "--secret-access-key ' x", "--secret-access-key '[redacted]' x");
        test(command_line, "--secret-access-key \"a\\", "--secret-access-key [redacted]");
    }

    #[test]
    fn names_and_separators_break_across_lines() {
        test(
            command_line,
            "\u{2028}aws\\\nconfigure\t\\\r\nset  aws_\\\nsecret_access_ke\\\r\n\\\ny\\\nx;y",
            "\u{2028}aws\\\nconfigure\t\\\r\nset  aws_\\\nsecret_access_ke\\\r\n\\\ny\\\n[redacted];y",
        );
        test(command_line, "-\\\n-secret-access-key x", "-\\\n-secret-access-key [redacted]");
        test(
            environment,
            "x.aws_secret\\\n_ACCESS_KEY:'x y'",
            "x.aws_secret\\\n_ACCESS_KEY:'[redacted] y'",
        );
    }

    #[test]
    fn a_continuation_is_a_token_when_a_separator_remains() {
        test(command_line, "--secret-access-key \\\n", "--secret-access-key [redacted]");
        test(command_line, "--secret-access-key \\\n ;", "--secret-access-key [redacted] ;");
        test(command_line, "--secret-access-key\\\n\\\n|", "--secret-access-key\\\n[redacted]|");
        test(command_line, "--secret-access-key\\\n", "--secret-access-key\\\n");
    }
}
