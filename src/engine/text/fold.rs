//! Folding: `NFC(lowercase(NFC(x)))`, Unicode full lower case over the whole
//! text, idempotent (semantics.md 4).
//!
//! Nearly all text is [stable](super::stable): it is copied with A–Z lowered.
//! Only the segments with suspects go through the Unicode tables, each on its
//! own. A text with a capital sigma goes through them as a whole, as its lower
//! case depends on the letters around it.

use std::{borrow::Cow, str};

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::stable::{segments, stable_until};

/// The letter whose lower case depends on what stands around it. It has no
/// decomposition, is in none, and is the lower case of nothing.
pub(super) const CAPITAL_SIGMA: char = '\u{3a3}';

/// `NFC(lowercase(NFC(text)))`; borrowed when that is `text`.
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    if !has_ascii_capital(text) && !fold_unstable(text) {
        return Cow::Borrowed(text);
    }
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    Cow::Owned(folded)
}

/// Appends the [fold](fold()) of `text` to `out`. What `out` holds plays no part.
pub fn fold_into(text: &str, out: &mut String) {
    let begin = out.len();
    let mut done = 0;
    for segment in segments(text, 0) {
        let part = &text[segment.clone()];
        if part.contains(CAPITAL_SIGMA) {
            out.truncate(begin);
            fold_whole(text, out);
            return;
        }
        push_lower(&text[done..segment.start], out);
        push_segment(part, out);
        done = segment.end;
    }
    push_lower(&text[done..], out);
}

/// Whether [`fold()`] does more to `text` than lower A–Z: then SQLite's `lower`
/// finds other terms in it.
#[must_use]
pub fn fold_unstable(text: &str) -> bool {
    unstable_from(text, 0)
}

/// [`fold_unstable`] of stored bytes. Bytes that are not UTF-8 are unstable:
/// what they read as is not what SQLite searches.
#[must_use]
pub fn fold_unstable_bytes(bytes: &[u8]) -> bool {
    let stable = stable_until(bytes, 0);
    if stable == bytes.len() {
        return false;
    }
    match str::from_utf8(bytes) {
        Ok(text) => unstable_from(text, stable),
        Err(_) => true,
    }
}

/// [`fold_unstable`], knowing that the text is stable up to the boundary `stable`.
fn unstable_from(text: &str, stable: usize) -> bool {
    let before = text[..stable].chars().next_back().map_or(0, char::len_utf8);
    segments(text, stable - before).any(|segment| {
        let part = &text[segment];
        part.contains(CAPITAL_SIGMA)
            || folded(part).ne(part.chars().map(|character| character.to_ascii_lowercase()))
    })
}

/// The fold of a text without a capital sigma, character by character.
fn folded(text: &str) -> impl Iterator<Item = char> {
    text.nfc().flat_map(char::to_lowercase).nfc()
}

#[expect(clippy::disallowed_methods, reason = "this is what folding is made of")]
fn fold_whole(text: &str, out: &mut String) {
    out.extend(text.nfc().collect::<String>().to_lowercase().nfc());
}

fn push_segment(segment: &str, out: &mut String) {
    let begin = out.len();
    if is_nfc_quick(segment.chars()) == IsNormalized::Yes {
        out.extend(segment.chars().flat_map(char::to_lowercase));
        if is_nfc_quick(out[begin..].chars()) == IsNormalized::Yes {
            return;
        }
        out.truncate(begin);
    }
    out.extend(folded(segment));
}

fn push_lower(stable: &str, out: &mut String) {
    let begin = out.len();
    out.push_str(stable);
    out[begin..].make_ascii_lowercase();
}

fn has_ascii_capital(text: &str) -> bool {
    let is_capital = |byte: &u8| byte.wrapping_sub(b'A') < 26;
    let (blocks, rest) = text.as_bytes().as_chunks::<32>();
    blocks.iter().any(|block| block.iter().fold(false, |any, byte| any | is_capital(byte)))
        || rest.iter().any(is_capital)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{random::Random, text::samples::naive_fold};

    #[track_caller]
    fn test(text: &str) {
        let (naive, lower) = (naive_fold(text), text.to_ascii_lowercase());
        let folded = fold(text);
        assert_eq!(folded, naive, "{text:?}");
        assert_eq!(matches!(folded, Cow::Borrowed(_)), naive == text, "{text:?}");
        assert_eq!(fold(&naive), naive, "{text:?} folds twice");
        assert_eq!(fold_unstable(text), naive != lower, "{text:?}");
        assert_eq!(fold_unstable_bytes(text.as_bytes()), naive != lower, "{text:?}");
        let mut out = "É".to_owned();
        fold_into(text, &mut out);
        assert_eq!(out, "É".to_owned() + &naive, "{text:?}");
    }

    #[test]
    fn agrees_with_the_rule_on_random_text() {
        let mut random = Random::new(3);
        for _ in 0..40_000 {
            test(&random.text(24));
        }
    }

    #[test]
    fn agrees_with_the_rule_on_every_character() {
        for character in '\0'..=char::MAX {
            let text = character.to_string();
            assert_eq!(fold(&text), naive_fold(&text));
            assert_eq!(
                fold_unstable(&text),
                naive_fold(&text) != text.to_ascii_lowercase(),
                "{text:?}"
            );
        }
    }

    #[test]
    fn agrees_with_the_rule_on_pairs_of_suspects() {
        let marks = [
            '\u{301}',
            '\u{307}',
            '\u{323}',
            '\u{30c}',
            '\u{331}',
            '\u{345}',
            '\u{3099}',
            '\u{1161}',
            '\u{11a8}',
            'Σ',
            '\u{1611e}',
        ];
        for character in '\0'..='\u{ffff}' {
            for mark in marks {
                let text = String::from_iter([character, mark]);
                assert_eq!(fold(&text), naive_fold(&text), "{text:?}");
                let text = String::from_iter(['Α', mark, character]);
                assert_eq!(fold(&text), naive_fold(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn the_final_sigma_looks_as_far_as_it_must() {
        for between in ["", ".", "\u{ad}", "\u{301}", "\u{345}", ":'\u{200d}", " ", "中", "1"] {
            for around in ["", "Α", "a", "Ж", " ", "\u{345}"] {
                test(&format!("{around}{between}Σ{between}{around}"));
                test(&format!("{around}Σ{between}{around}"));
                test(&format!("{around}{between}ΣΣ ς σ"));
            }
        }
    }

    #[test]
    fn a_capital_i_with_its_dot_apart_is_stable() {
        test("I\u{307}");
        assert!(!fold_unstable("I\u{307}"));
        assert_eq!(fold("I\u{307}"), "i\u{307}");
        assert!(fold_unstable("İ"));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_unstable() {
        assert!(fold_unstable_bytes(b"plain \xff"));
        assert!(fold_unstable_bytes("模型".as_bytes().split_last().unwrap().1));
        assert!(fold_unstable_bytes(b"\xed\xa0\xbd"));
        assert!(!fold_unstable_bytes("模型 I\u{307}".as_bytes()));
    }

    #[test]
    fn a_long_run_of_marks_is_one_segment() {
        test(&("a".to_owned() + &"\u{301}\u{323}".repeat(20_000) + "É"));
        test(&"\u{1100}\u{1161}\u{11a8}".repeat(10_000));
    }
}
