//! The character classes and pieces that the rules share, with the meaning
//! JavaScript gives them without the `u` flag: `\b`, `\w` and the `i` flag know
//! ASCII alone, `\s` knows its own white space.

use memchr::memchr2;

/// The length of the white space character (`\s`) at `at`, or 0.
#[inline]
pub(super) fn space_len(text: &[u8], at: usize) -> usize {
    match text.get(at) {
        Some(0x09..=0x0d | 0x20) => 1,
        Some(0x80..) => wide_space_len(&text[at..]),
        _ => 0,
    }
}

fn wide_space_len(text: &[u8]) -> usize {
    match text {
        // U+00A0
        [0xc2, 0xa0, ..] => 2,
        // U+1680; U+2000 to U+200A, U+2028, U+2029, U+202F; U+205F; U+3000; U+FEFF
        [0xe1, 0x9a, 0x80, ..]
        | [0xe2, 0x80, 0x80..=0x8a | 0xa8 | 0xa9 | 0xaf, ..]
        | [0xe2, 0x81, 0x9f, ..]
        | [0xe3, 0x80, 0x80, ..]
        | [0xef, 0xbb, 0xbf, ..] => 3,
        _ => 0,
    }
}

/// Past the white space at `at`: `\s*`.
pub(super) fn skip_space(text: &[u8], mut at: usize) -> usize {
    loop {
        match space_len(text, at) {
            0 => return at,
            length => at += length,
        }
    }
}

/// Whether white space ends at `at`.
pub(super) fn follows_space(text: &[u8], at: usize) -> bool {
    (1..=3).any(|length| at.checked_sub(length).is_some_and(|at| space_len(text, at) == length))
}

/// Whether a line ends at `at`, so that neither `.` matches there nor `^` fails
/// behind it.
pub(super) fn is_line_end(text: &[u8], at: usize) -> bool {
    matches!(
        text.get(at..).unwrap_or_default(),
        [b'\n' | b'\r', ..] | [0xe2, 0x80, 0xa8 | 0xa9, ..]
    )
}

/// `\w`
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// `\b` before a word character at `at`.
pub(super) fn starts_word(text: &[u8], at: usize) -> bool {
    at == 0 || !is_word(text[at - 1])
}

/// The length of a shell's line continuation at `at`, `\\\r?\n`, or 0.
pub(super) fn continuation_len(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [b'\\', b'\n', ..] => 2,
        [b'\\', b'\r', b'\n', ..] => 3,
        _ => 0,
    }
}

/// The length of the line continuation that ends at `at`, or 0.
pub(super) fn continuation_before(text: &[u8], at: usize) -> usize {
    (2..=3)
        .find(|&length| {
            at.checked_sub(length).is_some_and(|at| continuation_len(text, at) == length)
        })
        .unwrap_or(0)
}

/// A run of spaces, tabs and line continuations: `(?:[ \t]|\\\r?\n)*`.
#[derive(Clone, Copy)]
pub(super) struct Separator {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where its last line continuation stands. It is what an expression gives
    /// back when nothing follows that could be a value: a backslash and a line
    /// end are one themselves.
    pub(super) last_continuation: Option<usize>,
}

impl Separator {
    pub(super) fn at(text: &[u8], start: usize) -> Self {
        let (mut end, mut last_continuation) = (start, None);
        loop {
            match text.get(end) {
                Some(b' ' | b'\t') => end += 1,
                Some(b'\\') => match continuation_len(text, end) {
                    0 => break,
                    length => {
                        last_continuation = Some(end);
                        end += length;
                    }
                },
                _ => break,
            }
        }
        Self { start, end, last_continuation }
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// How a [`continued_word`] is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Sensitive,
    Insensitive,
}

/// The end of `word` at `at`, where line continuations may stand between its
/// letters.
pub(super) fn continued_word(text: &[u8], mut at: usize, word: &[u8], case: Case) -> Option<usize> {
    for (index, letter) in word.iter().enumerate() {
        if index != 0 {
            loop {
                match continuation_len(text, at) {
                    0 => break,
                    length => at += length,
                }
            }
        }
        let byte = text.get(at)?;
        let same = match case {
            Case::Sensitive => byte == letter,
            Case::Insensitive => byte.eq_ignore_ascii_case(letter),
        };
        if !same {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// A word to look for in any case of its letters.
pub(super) struct Word {
    /// In lower case.
    pub(super) letters: &'static [u8],
    /// The index of its rarest letter.
    pub(super) rare: usize,
}

impl Word {
    /// Where the word next stands, at or after `from`.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let lower = self.letters[self.rare];
        let mut at = from + self.rare;
        loop {
            at += memchr2(lower, lower.to_ascii_uppercase(), text.get(at..)?)?;
            let start = at - self.rare;
            if self.stands_at(text, start) {
                return Some(start);
            }
            at += 1;
        }
    }

    /// Whether the word stands at `at`.
    pub(super) fn stands_at(&self, text: &[u8], at: usize) -> bool {
        text.get(at..at + self.letters.len())
            .is_some_and(|bytes| bytes.eq_ignore_ascii_case(self.letters))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_that_of_javascript() {
        let spaces: Vec<u32> = (0..=0x10_ffff)
            .filter_map(char::from_u32)
            .filter(|character| {
                let text = character.to_string();
                let length = space_len(text.as_bytes(), 0);
                assert_eq!(follows_space(text.as_bytes(), text.len()), length != 0);
                assert!(length == 0 || length == text.len());
                length != 0
            })
            .map(u32::from)
            .collect();
        let mut expected: Vec<u32> = (0x09..=0x0d).chain([0x20, 0xa0, 0x1680]).collect();
        expected.extend(0x2000..=0x200a);
        expected.extend([0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);
        assert_eq!(spaces, expected);
    }

    #[test]
    fn separators_know_their_last_continuation() {
        let text = b"x \\\n\t\\\r\n  y";
        let separator = Separator::at(text, 1);
        assert_eq!((separator.start, separator.end), (1, 10));
        assert_eq!(separator.last_continuation, Some(5));
        assert!(Separator::at(text, 0).is_empty());
        assert_eq!(Separator::at(b" \\x", 0).end, 1);
        assert_eq!(continuation_before(text, 4), 2);
        assert_eq!(continuation_before(text, 8), 3);
        assert_eq!(continuation_before(text, 5), 0);
    }

    #[test]
    fn words_are_found_in_any_case_and_across_lines() {
        let word = Word { letters: b"bearer", rare: 0 };
        assert_eq!(word.find(b"a bEareR bearer", 0), Some(2));
        assert_eq!(word.find(b"a bEareR bearer", 3), Some(9));
        assert_eq!(word.find(b"a bEareR beare", 3), None);
        let end = continued_word(b"a\\\nB\\\r\n\\\nc", 0, b"abc", Case::Insensitive);
        assert_eq!(end, Some(10));
        assert_eq!(continued_word(b"a\\\nB", 0, b"ab", Case::Sensitive), None);
        assert_eq!(continued_word(b"\\\nab", 0, b"ab", Case::Sensitive), None);
    }
}
