//! The strings of a value, unescaped one after another into one buffer: a text
//! is made of a document in one pass over its bytes.

use super::{
    RawValue,
    check::skip_space,
    raw::known_end,
    string::{LoneSurrogate, unescape_quoted},
};

/// What a string is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringRole {
    /// The name of a member; its value comes next.
    Name,
    /// A value.
    Value,
}

/// The strings of one value, in document order.
#[derive(Clone, Debug)]
pub struct Strings<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

impl<'a> RawValue<'a> {
    /// The strings of this value.
    #[must_use]
    pub fn strings(self) -> Strings<'a> {
        Strings { bytes: self.bytes(), at: 0, depth: 0 }
    }
}

impl Strings<'_> {
    /// Appends the text of the next string to `out`, and says what it is; `None`
    /// when there is none left. An escape of half a surrogate pair becomes
    /// U+FFFD; bytes that are not UTF-8 stay as they are.
    pub fn next_into(&mut self, out: &mut Vec<u8>) -> Option<StringRole> {
        loop {
            match *self.bytes.get(self.at)? {
                b'"' => break,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' => self.depth -= 1,
                _ => {}
            }
            self.at += 1;
        }
        self.at = unescape_quoted(self.bytes, self.at, LoneSurrogate::Replace, out);
        // Of all strings only names have a colon behind them.
        let after = skip_space(self.bytes, self.at);
        if self.bytes.get(after) != Some(&b':') {
            return Some(StringRole::Value);
        }
        self.at = after + 1;
        Some(StringRole::Name)
    }

    /// How many objects and arrays the string stands in that came last.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Passes over the whole value that comes next, after a name its value, and
    /// gives it.
    pub fn skip_value(&mut self) -> Option<RawValue<'_>> {
        let start = skip_space(self.bytes, self.at);
        self.bytes.get(start)?;
        self.at = known_end(self.bytes, start);
        Some(RawValue(&self.bytes[start..self.at]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{json::Token, random::Random};

    /// The slow twin: token by token, each string decoded on its own.
    fn slow(value: RawValue<'_>) -> Vec<(StringRole, usize, String)> {
        let (mut depth, mut strings) = (0, Vec::new());
        for token in value.walk() {
            match token {
                Token::Open(_) => depth += 1,
                Token::Close => depth -= 1,
                Token::Key(name) => {
                    strings.push((StringRole::Name, depth, name.decode().into_owned()));
                }
                Token::Scalar(value) => {
                    strings.extend(
                        value.string().map(|text| (StringRole::Value, depth, text.into_owned())),
                    );
                }
            }
        }
        strings
    }

    fn fast(value: RawValue<'_>) -> Vec<(StringRole, usize, String)> {
        let (mut strings, mut found, mut out) = (value.strings(), Vec::new(), Vec::new());
        let mut from = 0;
        while let Some(role) = strings.next_into(&mut out) {
            let text = String::from_utf8_lossy(&out[from..]).into_owned();
            found.push((role, strings.depth(), text));
            from = out.len();
        }
        found
    }

    #[test]
    fn one_pass_finds_what_a_walk_finds() {
        const PIECES: [&str; 16] = [
            "\"a\"",
            "\"\"",
            "\"x\\\"y\"",
            "\"\\\\\"",
            "\"\\u00e9\\n\"",
            "\"\\ud83d\\ude00\"",
            "\"\\ud83d\"",
            "\"模型: \\/\"",
            "[",
            "{",
            "]",
            "}",
            "1.5e3",
            "null",
            " ",
            "true",
        ];
        let mut random = Random::new(1);
        let mut strings = 0;
        for _ in 0..20_000 {
            // Well formed by construction: containers are closed as they were opened.
            let (mut text, mut open, mut first) = (String::from("["), vec![']'], true);
            for _ in 0..random.below(14) {
                let piece = random.pick(&PIECES);
                if matches!(piece, "]" | "}") {
                    if 1 < open.len() && open.last() == piece.chars().next().as_ref() {
                        text += piece;
                        open.pop();
                        first = false;
                    }
                    continue;
                }
                if piece == " " {
                    text += piece;
                    continue;
                }
                text += if first { "" } else { " ," };
                if open.last() == Some(&'}') {
                    text += random.pick(&["\"k\" :", "\"k\\n\":", "\"\":"]);
                }
                text += piece;
                first = matches!(piece, "[" | "{");
                if first {
                    open.push(if piece == "[" { ']' } else { '}' });
                }
            }
            text.extend(open.into_iter().rev());
            let value = RawValue::parse(text.as_bytes()).unwrap();
            let found = fast(value);
            strings += found.len();
            assert_eq!(found, slow(value), "{text}");
        }
        assert!(20_000 < strings, "{strings}");
    }

    #[test]
    fn a_value_can_be_passed_over() {
        let value = RawValue::parse(br#"{"a": {"x":["}"]} ,"b":"y"}"#).unwrap();
        let (mut strings, mut out) = (value.strings(), Vec::new());
        assert_eq!(strings.next_into(&mut out), Some(StringRole::Name));
        assert_eq!(strings.skip_value().unwrap().bytes(), br#"{"x":["}"]}"#);
        assert_eq!(strings.next_into(&mut out), Some(StringRole::Name));
        assert_eq!((strings.next_into(&mut out), strings.depth()), (Some(StringRole::Value), 1));
        assert_eq!(strings.next_into(&mut out), None);
        assert_eq!(out, b"aby");
    }
}
