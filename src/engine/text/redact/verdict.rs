//! Whether a text can hold a secret at all, told at the speed of reading it.
//!
//! Every rule needs a clue: the end of a sensitive name with a sign behind it,
//! the beginning of a token, forty hexadecimal digits, a URL with an `@` in its
//! authority. [`may_change`] looks for clues and never for rules, so it errs on
//! one side only. It stays right in three disguises:
//!
//! * *Folding.* Case is ignored, so lower-casing hides nothing, and the Kelvin
//!   sign counts as a `k`. Normalising can join the last letter of a clue with
//!   a mark behind it (`token` and U+0301 become `tokeń`): wherever a clue ends
//!   with a letter, anything beyond ASCII may stand in its place; `≠` counts as
//!   the `=` in it. Nothing else in ASCII joins with anything.
//! * *JSON.* In a document a clue may be spelled with escapes. The escape of a
//!   printable ASCII character, and that of the Kelvin sign, are clues. Any
//!   other is no part of a word: it counts as a sign behind one and as a
//!   boundary before one.
//! * *Neighbours.* Text put in front or behind, on lines of its own, hides
//!   nothing.

use super::scan::{Word, is_word, space_len};

/// Whether redaction could change a text: `false` is certain, `true` is not.
///
/// `false` for a text, for its fold or for its lower case says that
/// `redact(text) == text` and `redact_text(text) == text`. It also holds for
/// every line of it on its own.
#[must_use]
pub fn may_change(text: &str) -> bool {
    may_change_bytes(text.as_bytes())
}

/// [`may_change`] of WTF-8.
pub(super) fn may_change_bytes(text: &[u8]) -> bool {
    holds_digest(text) || holds_clue(text)
}

/// Positions that are looked at together: so many that the compiler keeps the
/// loop over them a loop, and reads sixteen or more at once in it.
const LANES: usize = 256;
/// Up to here a text is not worth a window.
const SHORT: usize = 64;
/// How far [`suspect`] reads: a window is this much longer than its lanes.
const REACH: usize = 3;

fn holds_clue(text: &[u8]) -> bool {
    let mut marks = [0; LANES];
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| SHORT < rest.len()) {
        match rest.first_chunk() {
            Some(window) => mark_suspects(window, &mut marks),
            None => {
                let mut window = [b' '; LANES + REACH];
                window[..rest.len()].copy_from_slice(rest);
                mark_suspects(&window, &mut marks);
            }
        }
        for (index, eight) in marks.as_chunks().0.iter().enumerate() {
            if u64::from_ne_bytes(*eight) & u64::from_ne_bytes([0x80; 8]) == 0 {
                continue;
            }
            let first = start + 8 * index;
            let marked = (first..).zip(eight).filter(|(_, mark)| **mark & 0x80 != 0);
            if marked.map(|(at, _)| at).any(|at| is_clue(text, at)) {
                return true;
            }
        }
        start += LANES;
    }
    (start..text.len()).any(|at| is_clue(text, at))
}

/// Out of line, so that the compiler knows that the arrays do not overlap.
#[inline(never)]
fn mark_suspects(window: &[u8; LANES + REACH], marks: &mut [u8; LANES]) {
    for lane in 0..LANES {
        marks[lane] = suspect([window[lane], window[lane + 1], window[lane + 2], window[lane + 3]]);
    }
}

/// The high bit is set where a clue begins, or may: enough letters of each for
/// [`is_clue`] to look closely. All is done in bytes, the width of the lanes.
#[inline(always)]
fn suspect(bytes: [u8; 4]) -> u8 {
    // Lower case for letters; of the rest `_` becomes 0x7f.
    let [a, b, c, d] = [bytes[0] | 0x20, bytes[1] | 0x20, bytes[2] | 0x20, bytes[3] | 0x20];
    // What ends a clue may be anything beyond ASCII: its own high bit says so.
    let key = is(a, b'k') & is(b, b'e') & (is(c, b'y') | c);
    let token = is(a, b't') & is(b, b'o') & is(c, b'k');
    let secret = is(b, b'e') & is(c, b'c') & is(d, b'r');
    let sk = is(b, b'k') & is(c, b'-');
    let passw = is(a, b'p') & is(c, b's') & is(d, b's');
    let cred = is(a, b'c') & is(b, b'r') & is(d, b'd');
    let auth = is(b, b'u') & is(c, b't') & (is(d, b'h') | d);
    let aiza = is(b, b'i') & is(c, b'z');
    let bear = is(a, b'b') & is(c, b'a') & is(d, b'r');
    let gh = is(a, b'g') & is(b, b'h') & is(d, 0x7f);
    let xox = is(a, b'x') & is(c, b'x');
    let authority = is(bytes[0], b':') & (is(b, b'/') | is(bytes[1], b'\\'));
    let escape = is(bytes[0], b'\\')
        & (is(b, b'u') | is(bytes[1], b'\n') | is(bytes[1], b'\r') | is(bytes[2], b'\\'));
    let kelvin = is(bytes[1], 0x84) & is(bytes[2], 0xaa);
    key | token
        | (is(a, b's') & (secret | sk))
        | passw
        | cred
        | (is(a, b'a') & (auth | aiza))
        | bear
        | gh
        | xox
        | authority
        | escape
        | kelvin
}

/// All bits, or none.
#[inline(always)]
fn is(byte: u8, other: u8) -> u8 {
    if byte == other { 0xff } else { 0 }
}

/// Whether a clue begins at `at`.
fn is_clue(text: &[u8], at: usize) -> bool {
    // The window is longer than the last of the text.
    let Some(&byte) = text.get(at) else { return false };
    match byte | 0x20 {
        b'k' => names_secret(text, at, b"key"),
        b't' => names_secret(text, at, b"token"),
        b's' => {
            names_secret(text, at, b"secret")
                || SECRET_NAMES.iter().any(|name| name.stands_at(text, at))
                || is_token(text, at, b"sk-", 8)
        }
        b'p' => names_secret(text, at, b"password") || names_secret(text, at, b"passwd"),
        b'c' => names_secret(text, at, b"credential") || names_secret(text, at, b"credentials"),
        b'a' => {
            names_secret(text, at, b"auth")
                || names_secret(text, at, b"authorization")
                || is_token(text, at, b"aiza", 20)
        }
        b'b' => BEARER.stands_at(text, at) && ends_before_space(text, at + BEARER.letters.len()),
        b'g' => [b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"]
            .iter()
            .any(|prefix| is_token(text, at, *prefix, 20)),
        b'x' => [b"xoxa-", b"xoxb-", b"xoxp-", b"xoxr-", b"xoxs-"]
            .iter()
            .any(|prefix| is_token(text, at, *prefix, 10)),
        b':' => holds_user_info(text, at),
        // A backslash, with the bit of the letters.
        b'|' => byte == b'\\' && (hides_ascii(text, at) || breaks_word(text, at)),
        // The Kelvin sign.
        0xe2 => text[at..].starts_with(&[0xe2, 0x84, 0xaa]),
        _ => false,
    }
}

const BEARER: Word = Word { letters: b"bearer", rare: 0 };
/// What the rules for AWS need, where no sign follows.
const SECRET_NAMES: [Word; 2] = [
    Word { letters: b"secret_access_key", rare: 0 },
    Word { letters: b"secret-access-key", rare: 0 },
];

/// Whether `word` at `at` can be the end of a name that a sign follows, with
/// neither letter nor digit in between.
fn names_secret(text: &[u8], at: usize, word: &'static [u8]) -> bool {
    let Some((last, stem)) = word.split_last() else { return false };
    let Some(rest) = text[at..].get(stem.len()..) else { return false };
    if !text[at..at + stem.len()].eq_ignore_ascii_case(stem) {
        return false;
    }
    let rest = match rest {
        [byte, rest @ ..] if byte.eq_ignore_ascii_case(last) => rest,
        [0x80..=0xff, ..] => rest,
        _ => return false,
    };
    for (index, byte) in rest.iter().enumerate() {
        match byte {
            b':' | b'=' | b'\\' => return true,
            0xe2 if rest[index..].starts_with("≠".as_bytes()) => return true,
            _ if byte.is_ascii_alphanumeric() => return false,
            _ => {}
        }
    }
    false
}

/// Whether `prefix` at `at` can start a word and a token of `least` further
/// bytes.
fn is_token(text: &[u8], at: usize, prefix: &[u8], least: usize) -> bool {
    let Some(body) = text[at..].get(prefix.len()..) else { return false };
    if !text[at..at + prefix.len()].eq_ignore_ascii_case(prefix) || !may_start_word(text, at) {
        return false;
    }
    is_run(body, least, |byte| is_word(byte) || byte == b'-')
}

/// Whether `body` begins with `least` bytes of `class`; the last of them may
/// have joined with a mark.
fn is_run(body: &[u8], least: usize, class: impl Fn(u8) -> bool) -> bool {
    let run = body.iter().take(least).take_while(|&&byte| class(byte)).count();
    run == least || (run + 1 == least && body.get(run).is_some_and(|&byte| 0x80 <= byte))
}

/// Whether a word can start at `at`: behind no word character, behind an
/// escape, or behind a `k` that may have been a Kelvin sign.
fn may_start_word(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    match before {
        [] => true,
        [.., last] if !is_word(*last) || last.eq_ignore_ascii_case(&b'k') => true,
        [.., b'\\', _] | [.., b'\\', b'u', _, _, _, _] => true,
        _ => false,
    }
}

/// Whether white space, or an escape that may be, stands at `at`.
fn ends_before_space(text: &[u8], at: usize) -> bool {
    text.get(at) == Some(&b'\\') || space_len(text, at) != 0
}

/// Whether the colon at `colon` is that of a URL whose authority has an `@`.
fn holds_user_info(text: &[u8], colon: usize) -> bool {
    let scheme = &text[colon.saturating_sub(5)..colon].to_ascii_lowercase();
    if !scheme.ends_with(b"http") && !scheme.ends_with(b"https") {
        return false;
    }
    let mut at = colon + 1;
    for _ in 0..2 {
        at += usize::from(text.get(at) == Some(&b'\\'));
        if text.get(at) != Some(&b'/') {
            return false;
        }
        at += 1;
    }
    let start = at;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'@' if start < at => return true,
            b'/' | b'?' | b'#' => return false,
            _ if space_len(text, at) != 0 => return false,
            _ => at += 1,
        }
    }
    false
}

/// Whether the backslash at `at` escapes printable ASCII by number, or the
/// Kelvin sign. The last digit may have joined with a mark.
fn hides_ascii(text: &[u8], at: usize) -> bool {
    matches!(text[at + 1..], [b'u', b'0', b'0', b'2'..=b'7', ..] | [b'u', b'2', b'1', b'2', ..])
}

/// Whether a line continuation, or its escapes in JSON, stands at `at` and
/// behind a character that a name broken by it could have there.
fn breaks_word(text: &[u8], at: usize) -> bool {
    let behind = at.checked_sub(1).is_some_and(|before| {
        matches!(text[before], b'_' | b'-') || text[before].is_ascii_alphabetic()
    });
    behind
        && matches!(
            text[at + 1..],
            [b'\n', ..] | [b'\r', b'\n', ..] | [b'\\', b'\\', b'n' | b'r' | b'u', ..]
        )
}

/// Whether forty hexadecimal digits stand together; the last may have joined
/// with a mark.
fn holds_digest(text: &[u8]) -> bool {
    const LEAST: usize = 40;
    // Every run of one less has one of these bytes.
    let mut probe = LEAST - 2;
    while let Some(byte) = text.get(probe) {
        let mut end = probe;
        if byte.is_ascii_hexdigit() {
            let is_hex = |byte: &&u8| byte.is_ascii_hexdigit();
            let start = probe - text[..probe].iter().rev().take_while(is_hex).count();
            end += text[probe..].iter().take(LEAST).take_while(is_hex).count();
            if is_run(&text[start..], LEAST, |byte| byte.is_ascii_hexdigit()) {
                return true;
            }
        }
        probe = end + LEAST - 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{super::redact, *};
    use crate::engine::text::fold;

    #[track_caller]
    fn test(text: &str) {
        assert_ne!(redact(text), text);
        assert!(may_change(&fold(text)), "{text:?}");
    }

    #[test]
    fn escapes_hide_nothing() {
        test(r#""\u4e2dsk-abcdefgh""#);
        test(r#""\nsk-abcdefgh""#);
        test(r#"{"to\u006ben":1}"#);
        test(r#"{"to\u212aen":1}"#);
        test(r#"{"token\u3000":1}"#);
        test(r#""token=\t'x'""#);
        test(r#""https:\/\/u@h""#);
        test(r#""bearer\u2003abc""#);
        test(r#""A\\\nWS_SECRET_ACCESS_KEY=x""#);
        test(r#""A\\\r\nWS_SECRET_ACCESS_KEY=x""#);
        test(r#""A\\\u000aWS_SECRET_ACCESS_KEY=x""#);
    }

    #[test]
    fn clues_are_found_wherever_they_stand() {
        for length in 0..2 * LANES + SHORT {
            let text = " ".repeat(length) + "token=x";
            assert!(may_change(&text), "{length}");
            assert!(may_change(&(text + &" ".repeat(LANES))), "{length}");
        }
    }

    #[test]
    fn everyday_text_holds_none() {
        for text in [
            "the keys and tokens of an author",
            "disk-usage, risk-free, task-1234567890",
            "see https://a.example/x?y=1#z and write to me@a.example",
            "a bearer's passage: half of the truth",
            "{\"name\":\"x\",\"text\":\"a\\nb \\\\ c\",\"n\":1}",
            "cargo run \\\n  --release",
            "4b825dc642cb6eb9a060e54bf8d69288fbee490",
            "密钥和口令都不在这里：没有。",
        ] {
            assert!(!may_change(text), "{text}");
        }
    }
}
