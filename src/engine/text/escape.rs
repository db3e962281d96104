//! Escapes that say what JSON could have said without one.
//!
//! `JSON.stringify`, which writes the rows, escapes quotes, backslashes, control
//! characters and halves of surrogate pairs. Other writers escape more: all that
//! is not ASCII, or every slash. Text in such a row does not stand in it.

use memchr::memmem::Finder;

/// Looks for such escapes.
#[derive(Clone, Debug)]
pub(super) struct Escapes {
    unicode: Finder<'static>,
    /// Only where it matters: a term holds a slash.
    slash: Option<Finder<'static>>,
}

impl Escapes {
    /// Of those that can hide one of the folded `terms`.
    pub(super) fn hiding(terms: &[&str]) -> Self {
        let slash = terms.iter().any(|term| term.contains('/'));
        Self { unicode: Finder::new(br"\u"), slash: slash.then(|| Finder::new(br"\/")) }
    }

    /// Whether a row has one. Bytes that only look like one do not count.
    pub(super) fn are_in(&self, row: &[u8]) -> bool {
        self.unicode.find_iter(row).any(|at| is_escape(row, at) && !is_needed(&row[at + 2..]))
            || self
                .slash
                .as_ref()
                .is_some_and(|slash| slash.find_iter(row).any(|at| is_escape(row, at)))
    }
}

/// Whether the backslash at `at` escapes what follows it, and is not escaped.
fn is_escape(row: &[u8], at: usize) -> bool {
    let before = row[..at].iter().rev().take_while(|&&byte| byte == b'\\').count();
    before.is_multiple_of(2)
}

/// Whether the character whose digits come first in `rest` has no other spelling.
fn is_needed(rest: &[u8]) -> bool {
    match unit(rest) {
        // A lone low half; one behind its high half was taken with that.
        Some(0xdc00..0xe000) | None => true,
        Some(0xd800..0xdc00) => {
            let low = rest.get(4..).and_then(|rest| rest.strip_prefix(br"\u")).and_then(unit);
            !low.is_some_and(|low| (0xdc00..0xe000).contains(&low))
        }
        Some(unit) => unit < 0x20,
    }
}

fn unit(digits: &[u8]) -> Option<u32> {
    digits
        .get(..4)?
        .iter()
        .try_fold(0, |unit, &digit| Some(unit << 4 | char::from(digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(row: &str, terms: &[&str], expected: bool) {
        assert_eq!(Escapes::hiding(terms).are_in(row.as_bytes()), expected, "{row}");
    }

    #[test]
    fn what_stringify_escapes_hides_nothing() {
        for row in [
            r#"{"text":"a \"b\" c:\\users\\u0041 \n \u0000 \u001f"}"#,
            r#"{"text":"cut \ud83d, \ude00, \ud83d\n, \ude00\ud83d, \ud83d\ud83d"}"#,
            r#"{"text":"a/b \\/ \\\\u00e9"}"#,
            r"\u",
            r"\u00e",
            r"\u+0e9",
        ] {
            test(row, &["a/b"], false);
        }
    }

    #[test]
    fn what_could_stand_for_itself_may_be_the_term() {
        for row in [
            r#"{"text":"\u0041"}"#,
            r#"{"text":"\\\u00e9"}"#,
            r#"{"text":"\u0000\u007F"}"#,
            r#"{"text":"\ud83d\ude00"}"#,
            r#"{"text":"\ud83d\ud83d\uDE00"}"#,
            r#"{"\u6a21\u578b":1}"#,
        ] {
            test(row, &["x"], true);
        }
        test(r#"{"text":"a\/b"}"#, &["x", "a/b"], true);
        test(r#"{"text":"a\/b"}"#, &["x"], false);
    }
}
