//! Tokens that give themselves away by their shape.

use std::ops::Range;

use memchr::memchr;

use super::{
    edit::Edit,
    scan::{is_word, starts_word},
};

/// A token of a known issuer: `\b(PREFIX CLASS{least,})\b`.
struct Shape {
    /// The byte of the prefix to look for.
    rare: u8,
    /// The prefix around that byte at an index.
    prefix: fn(&[u8], usize) -> Option<Range<usize>>,
    class: fn(u8) -> bool,
    least: usize,
}

/// `\b(sk-(?:ant-)?[a-z0-9_-]{8,})\b`, flags `gi`. What `ant-` is made of may
/// stand in the run behind it as well, so it changes nothing.
pub(super) fn sk(text: &[u8]) -> Option<Vec<u8>> {
    const SK: Shape = Shape {
        rare: b'-',
        prefix: |text, dash| {
            let start = dash.checked_sub(2)?;
            text[start..dash].eq_ignore_ascii_case(b"sk").then_some(start..dash + 1)
        },
        class: |byte| is_word(byte) || byte == b'-',
        least: 8,
    };
    SK.redact(text)
}

/// `\b(AIza[0-9A-Za-z_-]{20,})\b`, flag `g`.
pub(super) fn google(text: &[u8]) -> Option<Vec<u8>> {
    const AIZA: Shape = Shape {
        rare: b'z',
        prefix: |text, z| {
            let start = z.checked_sub(2)?;
            text[start..].starts_with(b"AIza").then_some(start..z + 2)
        },
        class: |byte| is_word(byte) || byte == b'-',
        least: 20,
    };
    AIZA.redact(text)
}

/// `\b(gh[pousr]_[0-9A-Za-z_]{20,})\b`, flag `g`.
pub(super) fn github(text: &[u8]) -> Option<Vec<u8>> {
    const GH: Shape = Shape {
        rare: b'_',
        prefix: |text, bar| {
            let start = bar.checked_sub(3)?;
            let kinds = matches!(text[start..bar], [b'g', b'h', b'p' | b'o' | b'u' | b's' | b'r']);
            kinds.then_some(start..bar + 1)
        },
        class: is_word,
        least: 20,
    };
    GH.redact(text)
}

/// `\b(xox[abprs]-[0-9A-Za-z-]{10,})\b`, flag `g`.
pub(super) fn slack(text: &[u8]) -> Option<Vec<u8>> {
    const XOX: Shape = Shape {
        rare: b'-',
        prefix: |text, dash| {
            let start = dash.checked_sub(4)?;
            let kind = text[start..dash].strip_prefix(b"xox")?;
            matches!(kind, b"a" | b"b" | b"p" | b"r" | b"s").then_some(start..dash + 1)
        },
        class: |byte| byte.is_ascii_alphanumeric() || byte == b'-',
        least: 10,
    };
    XOX.redact(text)
}

impl Shape {
    fn redact(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut edit = Edit::new(text);
        let mut at = 0;
        while let Some(found) = memchr(self.rare, &text[at..]) {
            let rare = at + found;
            at = rare + 1;
            let Some(prefix) = (self.prefix)(text, rare) else { continue };
            if !starts_word(text, prefix.start) {
                continue;
            }
            let Some(end) = self.end(text, prefix.end) else { continue };
            edit.redact(prefix.start..end);
            at = end;
        }
        edit.finish()
    }

    /// The last end of a word in the run at `body` that leaves `least` of it.
    ///
    /// A run that has none is short but for dashes, or but for letters that a
    /// `_` follows: few prefixes stand in it, and it is read but as often.
    fn end(&self, text: &[u8], body: usize) -> Option<usize> {
        let run = text[body..].iter().take_while(|&&byte| (self.class)(byte)).count();
        let ends_word =
            |at: usize| is_word(text[at - 1]) != text.get(at).is_some_and(|&byte| is_word(byte));
        (body + self.least..=body + run).rev().find(|&at| ends_word(at))
    }
}

/// `\b([a-f0-9]{40,})\b`, flags `gi`. A word character is all that can stand
/// beside a run of them, so it matches as a whole or not at all.
pub(super) fn hex(text: &[u8]) -> Option<Vec<u8>> {
    const LEAST: usize = 40;
    let mut edit = Edit::new(text);
    // Every run of this length has one of these bytes.
    let mut probe = LEAST - 1;
    while let Some(byte) = text.get(probe) {
        let mut end = probe;
        if byte.is_ascii_hexdigit() {
            let is_hex = |byte: &&u8| byte.is_ascii_hexdigit();
            let start = probe - text[..probe].iter().rev().take_while(is_hex).count();
            end += text[probe..].iter().take_while(is_hex).count();
            let ends_word = !text.get(end).is_some_and(|&byte| is_word(byte));
            if LEAST <= end - start && starts_word(text, start) && ends_word {
                edit.redact(start..end);
            }
        }
        probe = end + LEAST;
    }
    edit.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::redact::edit::test;

    #[test]
    fn dashes_at_the_end_are_given_back() {
        test(sk, "-sk-ant-1234-- sk-ant-123-", "-[redacted]-- sk-ant-123-");
        test(sk, "sk-ant-1234567 sk-1234567- sk---------a", "[redacted] sk-1234567- [redacted]");
        test(google, "AIza-------------------a-", "[redacted]-");
        test(slack, "xoxs-1234567890-a_ xoxs-123456789-a_", "[redacted]a_ [redacted]a_");
        test(slack, "xoxs-12345678-a_ xoxq-1234567890", "xoxs-12345678-a_ xoxq-1234567890");
    }

    #[test]
    fn a_prefix_starts_a_word() {
        test(github, "ghp_0123456789abcdefghij_", "[redacted]");
        test(github, "xghp_0123456789abcdefghij", "xghp_0123456789abcdefghij");
        test(sk, "sk-sk-12345678", "[redacted]");
    }

    #[test]
    fn a_digest_stands_alone() {
        let digest = "0123456789abcdefABCDEF0123456789abcdef01";
        test(hex, digest, "[redacted]");
        test(hex, &digest[1..], &digest[1..]);
        test(hex, &format!("é{digest}2-{digest}"), "é[redacted]-[redacted]");
        test(hex, &format!("_{digest} {digest}g"), &format!("_{digest} {digest}g"));
    }
}
