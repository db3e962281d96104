//! One value, in place.

use std::{borrow::Cow, ops::Range};

use super::{
    check::{skip_space, string_end, value_end},
    string::RawString,
};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// A number of any size.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

/// The bytes of exactly one JSON value, known to be well formed.
#[derive(Clone, Copy, Debug)]
pub struct RawValue<'a>(pub(super) &'a [u8]);

impl<'a> RawValue<'a> {
    /// Checks that `text` is one JSON value, with white space around it or not.
    #[must_use]
    pub fn parse(text: &'a [u8]) -> Option<Self> {
        let start = skip_space(text, 0);
        let end = value_end(text, start)?;
        (skip_space(text, end) == text.len()).then(|| Self(&text[start..end]))
    }

    /// The value that stands at `place` in a text that was checked before:
    /// [`Self::place_in`] of the same text gave the place.
    pub(in crate::engine) fn at(text: &'a [u8], place: Range<usize>) -> Self {
        Self(&text[place])
    }

    /// Where the value stands in the text that it is a part of.
    pub(in crate::engine) fn place_in(self, text: &[u8]) -> Range<usize> {
        let start = self.0.as_ptr().addr() - text.as_ptr().addr();
        start..start + self.0.len()
    }

    /// The value's own bytes.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// What the value is.
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.0[0] {
            b'{' => Kind::Object,
            b'[' => Kind::Array,
            b'"' => Kind::String,
            b't' | b'f' => Kind::Bool,
            b'n' => Kind::Null,
            _ => Kind::Number,
        }
    }

    /// The inside of a string.
    #[must_use]
    pub fn raw_string(self) -> Option<RawString<'a>> {
        (self.kind() == Kind::String).then(|| RawString(&self.0[1..self.0.len() - 1]))
    }

    /// The text of a string.
    #[must_use]
    pub fn string(self) -> Option<Cow<'a, str>> {
        self.raw_string().map(RawString::decode)
    }

    /// A number, infinite when it is beyond `f64`.
    #[must_use]
    pub fn number(self) -> Option<f64> {
        if self.kind() != Kind::Number {
            return None;
        }
        std::str::from_utf8(self.0).ok()?.parse().ok()
    }

    /// A boolean.
    #[must_use]
    pub fn bool(self) -> Option<bool> {
        (self.kind() == Kind::Bool).then(|| self.0[0] == b't')
    }

    /// Whether this is the string `text`.
    #[must_use]
    pub fn is(self, text: &str) -> bool {
        self.raw_string().is_some_and(|string| string.is(text))
    }

    /// The member `key` of an object; the last one where it stands twice.
    #[must_use]
    pub fn get(self, key: &str) -> Option<RawValue<'a>> {
        self.entries().filter(|(name, _)| name.is(key)).last().map(|(_, value)| value)
    }

    /// The members of an object in stored order; none of anything else.
    #[must_use]
    pub fn entries(self) -> Entries<'a> {
        Entries(Items::inside(self, Kind::Object))
    }

    /// The elements of an array; none of anything else.
    #[must_use]
    pub fn elements(self) -> Elements<'a> {
        Elements(Items::inside(self, Kind::Array))
    }
}

/// Members of an object, in stored order.
pub struct Entries<'a>(Items<'a>);

impl<'a> Iterator for Entries<'a> {
    type Item = (RawString<'a>, RawValue<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.0.value()?.raw_string()?;
        Some((name, self.0.value()?))
    }
}

/// Elements of an array.
pub struct Elements<'a>(Items<'a>);

impl<'a> Iterator for Elements<'a> {
    type Item = RawValue<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.value()
    }
}

/// Walks the inside of a container that is known to be well formed.
struct Items<'a> {
    rest: &'a [u8],
}

impl<'a> Items<'a> {
    fn inside(value: RawValue<'a>, kind: Kind) -> Self {
        let bytes = value.0;
        Self { rest: if value.kind() == kind { &bytes[1..bytes.len() - 1] } else { &[] } }
    }

    /// The next value, past the white space, comma or colon before it.
    fn value(&mut self) -> Option<RawValue<'a>> {
        let mut start = 0;
        while matches!(self.rest.get(start)?, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':') {
            start += 1;
        }
        let end = known_end(self.rest, start);
        let value = RawValue(&self.rest[start..end]);
        self.rest = &self.rest[end..];
        Some(value)
    }
}

/// [`value_end`] for bytes that were checked before: skips without checking.
pub(super) fn known_end(bytes: &[u8], start: usize) -> usize {
    match bytes[start] {
        b'"' => known_string_end(bytes, start),
        b'{' | b'[' => {
            let (mut at, mut depth) = (start, 0usize);
            loop {
                match bytes[at] {
                    b'"' => {
                        at = known_string_end(bytes, at);
                        continue;
                    }
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => depth -= 1,
                    _ => {}
                }
                at += 1;
                if depth == 0 {
                    return at;
                }
            }
        }
        _ => {
            let length = bytes[start..].iter().position(|byte| {
                matches!(byte, b',' | b'}' | b']' | b':' | b' ' | b'\t' | b'\n' | b'\r')
            });
            length.map_or(bytes.len(), |length| start + length)
        }
    }
}

/// The end of the string whose opening quote is at `start` in checked bytes.
pub(super) fn known_string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    // Not reached for checked bytes; the checked walk says the same.
    string_end(bytes, start).unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walks_in_place() {
        let text = r#" { "a" : [1, "two", {"b": null}], "a\u0062": -1e999, "t":true } "#;
        let value = RawValue::parse(text.as_bytes()).unwrap();
        let keys: Vec<_> = value.entries().map(|(key, _)| key.decode().into_owned()).collect();
        assert_eq!(keys, ["a", "ab", "t"]);
        let kinds: Vec<_> = value.get("a").unwrap().elements().map(RawValue::kind).collect();
        assert_eq!(kinds, [Kind::Number, Kind::String, Kind::Object]);
        assert_eq!(value.get("ab").unwrap().number(), Some(f64::NEG_INFINITY));
        assert_eq!(value.get("t").unwrap().bool(), Some(true));
        assert_eq!(value.get("nothing").map(RawValue::kind), None);
    }

    #[test]
    fn the_last_duplicate_wins() {
        let value = RawValue::parse(br#"{"a":1,"b":2,"a":3}"#).unwrap();
        assert_eq!(value.get("a").unwrap().number(), Some(3.0));
    }

    #[test]
    fn text_after_the_value_is_refused() {
        assert!(RawValue::parse(b"{} x").is_none());
        assert!(RawValue::parse(b"").is_none());
        assert!(RawValue::parse(b"\xef\xbb\xbf{}").is_none());
    }
}
