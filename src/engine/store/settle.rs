//! What the fold of a stored row says, where its stored form does not.

use std::borrow::Cow;

use crate::engine::{
    json::RawValue,
    text::{Narrowing, Verdict, fold},
};

/// Whether a row can hold a term.
pub(super) fn may_hold(narrowing: &Narrowing, row: &[u8]) -> bool {
    match narrowing.verdict(row) {
        Verdict::No => false,
        Verdict::Holds => true,
        Verdict::Unstable => settle(narrowing, row),
    }
}

/// Whether an unstable row can hold a term: whether its fold does, or that of a
/// string in it.
///
/// A string without escapes folds the same inside its row as alone: a quote
/// neither composes with what stands beside it nor carries a letter's case
/// across. One with escapes does not, since the letter of `\n` may compose with
/// the mark after it. A row that is no JSON can be anything.
fn settle(narrowing: &Narrowing, row: &[u8]) -> bool {
    let holds = |text: &str| narrowing.verdict(fold(text).as_bytes()) == Verdict::Holds;
    holds(&String::from_utf8_lossy(row))
        || RawValue::parse(row).is_none()
        || Escaped { row }.any(|text| holds(&text))
}

/// The texts of those strings in a row of JSON that have escapes, keys included.
struct Escaped<'a> {
    row: &'a [u8],
}

impl<'a> Iterator for Escaped<'a> {
    type Item = Cow<'a, str>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let string = &self.row[memchr::memchr(b'"', self.row)?..];
            let (mut end, mut escaped) = (1, false);
            loop {
                end += memchr::memchr2(b'"', b'\\', string.get(end..)?)?;
                if string[end] == b'"' {
                    break;
                }
                escaped = true;
                end += 2;
            }
            let (string, rest) = string.split_at(end + 1);
            self.row = rest;
            if escaped {
                return RawValue::parse(string)?.string();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(term: &str, row: &str, expected: bool) {
        let narrowing = Narrowing::new(&[&fold(term)]).unwrap();
        assert_eq!(may_hold(&narrowing, row.as_bytes()), expected, "{term} in {row}");
    }

    #[test]
    fn an_unstable_row_is_no_ticket() {
        test("été", r#"{"text":"un ÉTÉ"}"#, true);
        test("hiver", r#"{"text":"un ÉTÉ"}"#, false);
        test("text", r#"{"text":"un ÉTÉ"}"#, true);
        test("ΟΔΟΣ", r#"{"text":"ΟΔΟΣ"}"#, true);
        test("οδοσ", r#"{"text":"ΟΔΟΣ"}"#, false);
    }

    #[test]
    fn an_escape_does_not_compose_with_the_mark_after_it() {
        let settled = |term: &str, row: &str| {
            settle(&Narrowing::new(&[&fold(term)]).unwrap(), row.as_bytes())
        };
        let (line, letter) = ("{\"text\":\"a\\n\u{301}x\"}", "{\"text\":\"an\u{301}x\"}");
        assert!(settled("\u{301}x", line));
        assert!(!settled("\u{301}x", letter));
        assert!(settled("ńx", letter));
        // The row itself, read as one text.
        assert!(settled("ńx", line));
    }

    #[test]
    fn escaped_strings_are_found_wherever_they_stand() {
        let row = br#"["a\"b",{"k\\":"plain","c":["\u00e9\n",""]},"\"",7]"#;
        let texts: Vec<_> = Escaped { row }.collect();
        assert_eq!(texts, ["a\"b", "k\\", "é\n", "\""]);
    }

    #[test]
    fn what_is_no_json_can_be_anything() {
        test("hiver", "{\"text\":\"É", true);
        let narrowing = Narrowing::new(&["hiver"]).unwrap();
        assert!(may_hold(&narrowing, b"\xff{"));
        assert!(!may_hold(&narrowing, b"{\"text\":\"\xff\"}"));
    }
}
