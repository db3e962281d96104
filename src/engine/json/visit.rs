//! The members of an object, found while it is checked: one pass where
//! [`RawValue::parse`] and [`RawValue::entries`] need one for each level.

use std::borrow::Cow;

use super::{
    RawString, RawValue,
    check::{skip_space, string_end, value_end},
};

/// Objects inside objects that a visitor may enter.
const MAX_LEVELS: usize = 4;

/// Takes the members of an object, and of those objects in it that it enters.
pub trait Visitor<'a> {
    /// Which object a member belongs to.
    type Place: Copy;

    /// Whether the members of the object that is the member `name` are wanted,
    /// and as members of what.
    fn enter(&mut self, place: Self::Place, name: &[u8]) -> Option<Self::Place>;

    /// A member, after those inside it. A name may come twice: the last counts.
    fn member(&mut self, place: Self::Place, name: &[u8], value: RawValue<'a>);
}

/// Checks that `text` is one JSON object and visits its members in stored order.
/// When it is none, `false`, and what was visited means nothing.
///
/// Linear; a visitor goes at most four levels deep.
pub fn visit<'a, V: Visitor<'a>>(text: &'a [u8], place: V::Place, visitor: &mut V) -> bool {
    let start = skip_space(text, 0);
    text.get(start) == Some(&b'{')
        && object(text, start, place, visitor, MAX_LEVELS)
            .is_some_and(|end| skip_space(text, end) == text.len())
}

/// The end of the object that opens at `start`.
fn object<'a, V: Visitor<'a>>(
    text: &'a [u8],
    start: usize,
    place: V::Place,
    visitor: &mut V,
    levels: usize,
) -> Option<usize> {
    let mut at = skip_space(text, start + 1);
    if text.get(at) == Some(&b'}') {
        return Some(at + 1);
    }
    loop {
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let name_end = string_end(text, at)?;
        let name = name(&text[at + 1..name_end - 1]);
        at = skip_space(text, name_end);
        if text.get(at) != Some(&b':') {
            return None;
        }
        at = skip_space(text, at + 1);
        let is_object = levels != 0 && text.get(at) == Some(&b'{');
        let inner = if is_object { visitor.enter(place, &name) } else { None };
        let end = match inner {
            Some(inner) => object(text, at, inner, visitor, levels - 1)?,
            None => value_end(text, at)?,
        };
        visitor.member(place, &name, RawValue(&text[at..end]));
        at = skip_space(text, end);
        match *text.get(at)? {
            b',' => at = skip_space(text, at + 1),
            b'}' => return Some(at + 1),
            _ => return None,
        }
    }
}

/// A name as it is compared.
fn name(raw: &[u8]) -> Cow<'_, [u8]> {
    if raw.contains(&b'\\') {
        Cow::Owned(RawString(raw).decode().into_owned().into_bytes())
    } else {
        Cow::Borrowed(raw)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::Random;

    /// Every member with its path, entering whatever is named with a letter.
    #[derive(Default)]
    struct Members(Vec<(usize, String, String)>);

    fn is_entered(name: &[u8]) -> bool {
        name.first().is_some_and(u8::is_ascii_alphabetic)
    }

    fn seen(level: usize, name: &[u8], value: RawValue<'_>) -> (usize, String, String) {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        (level, text(name), text(value.bytes()))
    }

    impl<'a> Visitor<'a> for Members {
        type Place = usize;

        fn enter(&mut self, level: usize, name: &[u8]) -> Option<usize> {
            is_entered(name).then_some(level + 1)
        }

        fn member(&mut self, level: usize, name: &[u8], value: RawValue<'a>) {
            self.0.push(seen(level, name, value));
        }
    }

    fn visited(text: &str) -> Option<Vec<(usize, String, String)>> {
        let mut members = Members::default();
        visit(text.as_bytes(), 0, &mut members).then_some(members.0)
    }

    /// The slow way: parse, then look into each object again.
    fn parsed(text: &str) -> Option<Vec<(usize, String, String)>> {
        fn look(value: RawValue<'_>, level: usize, out: &mut Vec<(usize, String, String)>) {
            for (name, value) in value.entries() {
                let name = name.decode();
                if level < MAX_LEVELS && is_entered(name.as_bytes()) {
                    look(value, level + 1, out);
                }
                out.push(seen(level, name.as_bytes(), value));
            }
        }
        let value = RawValue::parse(text.as_bytes())?;
        let mut out = Vec::new();
        look(value, 0, &mut out);
        (value.kind() == super::super::Kind::Object).then_some(out)
    }

    #[test]
    fn members_come_with_their_places() {
        let text = r#" {"a":{"b":1,"a\u0062":"x"},"1":{"c":2} , "e":{}} "#;
        let expected = [
            (1, "b", "1"),
            (1, "ab", "\"x\""),
            (0, "a", r#"{"b":1,"a\u0062":"x"}"#),
            (0, "1", r#"{"c":2}"#),
            (0, "e", "{}"),
        ];
        let expected = expected.map(|(level, name, value)| (level, name.into(), value.into()));
        assert_eq!(visited(text), Some(expected.to_vec()));
    }

    #[test]
    fn agrees_with_parsing_first() {
        const PIECES: [&str; 24] = [
            "{",
            "}",
            "{",
            "}",
            "\"a\":",
            "\"b\":",
            "\"1\":",
            ",",
            ",",
            "[",
            "]",
            "1",
            "\"x\"",
            "null",
            " ",
            "{}",
            "\"a\":{\"b\":",
            "}}",
            "\"\\u0061\":",
            "\"\\n\"",
            "-",
            ":",
            "true",
            "\"a\":1",
        ];
        let mut random = Random::new(1);
        let mut objects = 0;
        for _ in 0..60_000 {
            let mut text = String::from("{");
            for _ in 0..random.below(9) {
                text += random.pick(&PIECES);
            }
            text += "}";
            let expected = parsed(&text);
            objects += usize::from(expected.is_some());
            assert_eq!(visited(&text), expected, "{text}");
        }
        assert!(500 < objects, "{objects}");
    }

    #[test]
    fn only_an_object_is_visited() {
        for text in ["", "1", "[]", "[{}]", "{} x", "{\"a\":1,}", "{\"a\"}", "{\"a\":{\"b\":}}"] {
            assert_eq!(visited(text), None, "{text}");
        }
        let deep = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
        assert_eq!(visited(&deep).map(|members| members.len()), Some(MAX_LEVELS + 1));
    }
}
