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
//! * *JSON.* In a document a clue may be spelled with escapes. `\u00` before an
//!   ASCII character, and the escapes of the two characters whose lower case is
//!   ASCII, are clues. Any other escape is no part of a word: behind one it
//!   counts as a sign, before one as the start of a word.
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

/// Positions that are looked at together.
const LANES: usize = 32;
/// How far [`is_suspect`] reads: a window is this much longer than its lanes.
const REACH: usize = 3;

fn holds_clue(text: &[u8]) -> bool {
    let mut start = 0;
    while start < text.len() {
        let suspect = match text[start..].first_chunk::<{ LANES + REACH }>() {
            Some(window) => any_suspect(window),
            None => {
                let mut window = [b' '; LANES + REACH];
                let rest = &text[start..];
                window[..rest.len()].copy_from_slice(rest);
                any_suspect(&window)
            }
        };
        let end = text.len().min(start + LANES);
        if suspect && (start..end).any(|at| is_clue(text, at)) {
            return true;
        }
        start = end;
    }
    false
}

/// Whether a clue may begin in the lanes of `window`. A loop without branches,
/// so that the compiler reads all lanes at once.
fn any_suspect(window: &[u8; LANES + REACH]) -> bool {
    let mut any = false;
    for lane in 0..LANES {
        any |= is_suspect([window[lane], window[lane + 1], window[lane + 2], window[lane + 3]]);
    }
    any
}

/// A clue begins with this, or may: what [`is_clue`] looks at closely.
#[inline]
fn is_suspect(bytes: [u8; 4]) -> bool {
    // Lower case for letters; what else becomes a letter only costs a look.
    let [a, b, c, d] = bytes.map(|byte| byte | 0x20);
    let beyond = |byte: u8| 0x80 <= byte;
    ((a == b'k') & (b == b'e') & ((c == b'y') | beyond(c)))
        | ((a == b't') & (b == b'o') & (c == b'k'))
        | ((a == b's') & (((b == b'e') & (c == b'c') & (d == b'r')) | ((b == b'k') & (c == b'-'))))
        | ((a == b'p') & (b == b'a') & (c == b's') & (d == b's'))
        | ((a == b'c') & (b == b'r') & (c == b'e') & (d == b'd'))
        | ((a == b'a') & (b == b'u') & (c == b't') & ((d == b'h') | beyond(d)))
        | ((a == b'a') & (b == b'i') & (c == b'z') & (d == b'a'))
        | ((a == b'b') & (b == b'e') & (c == b'a') & (d == b'r'))
        | ((a == b'g') & (b == b'h') & (bytes[3] == b'_'))
        | ((a == b'x') & (b == b'o') & (c == b'x'))
        | ((bytes[0] == b':') & ((bytes[1] == b'/') | (bytes[1] == b'\\')))
        | ((bytes[0] == b'\\')
            & ((bytes[1] == b'u')
                | (bytes[1] == b'\n')
                | (bytes[1] == b'\r')
                | ((bytes[1] == b'\\') & (bytes[2] == b'\\'))))
        | ((bytes[0] == 0xe2) & (bytes[1] == 0x84) & (bytes[2] == 0xaa))
}

/// Whether a clue begins at `at`.
fn is_clue(text: &[u8], at: usize) -> bool {
    match text[at] | 0x20 {
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
        b'|' => text[at] == b'\\' && (hides_ascii(text, at) || breaks_word(text, at)),
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

/// Whether the backslash at `at` escapes a character of ASCII that no short
/// escape has, or U+0130 or U+212A. Their last digit may have joined with a mark.
fn hides_ascii(text: &[u8], at: usize) -> bool {
    matches!(
        text[at + 1..],
        [b'u', b'0', b'0', b'2'..=b'7', ..]
            | [b'u', b'0', b'1', b'3', ..]
            | [b'u', b'2', b'1', b'2', ..]
    )
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
