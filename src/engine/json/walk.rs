//! A value token by token, in document order.
//!
//! Nothing is built and nothing recurses: a document a hundred thousand levels
//! deep is walked like a flat one.

use super::{
    check::skip_space,
    raw::{Kind, RawValue, known_end, known_string_end},
    string::RawString,
};

/// One step of a [`Walk`].
#[derive(Clone, Copy, Debug)]
pub enum Token<'a> {
    /// An object or an array begins.
    Open(Kind),
    /// The object or array that began last ends.
    Close,
    /// The name of a member; its value comes next.
    Key(RawString<'a>),
    /// A value that holds no others.
    Scalar(RawValue<'a>),
}

/// The tokens of one value.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> RawValue<'a> {
    /// The tokens of this value.
    #[must_use]
    pub fn walk(self) -> Walk<'a> {
        Walk { bytes: self.0, at: 0 }
    }
}

impl Walk<'_> {
    /// Passes over the whole value that comes next: after a [`Token::Key`] its
    /// value, at the start everything.
    pub fn skip_value(&mut self) {
        let start = skip_space(self.bytes, self.at);
        self.at = if start < self.bytes.len() { known_end(self.bytes, start) } else { start };
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while matches!(self.bytes.get(self.at)?, b' ' | b'\t' | b'\n' | b'\r' | b',') {
            self.at += 1;
        }
        let start = self.at;
        match self.bytes[start] {
            byte @ (b'{' | b'[') => {
                self.at += 1;
                Some(Token::Open(if byte == b'{' { Kind::Object } else { Kind::Array }))
            }
            b'}' | b']' => {
                self.at += 1;
                Some(Token::Close)
            }
            b'"' => {
                self.at = known_string_end(self.bytes, start);
                let string = &self.bytes[start..self.at];
                // Of all strings only names have a colon behind them.
                let after = skip_space(self.bytes, self.at);
                if self.bytes.get(after) != Some(&b':') {
                    return Some(Token::Scalar(RawValue(string)));
                }
                self.at = after + 1;
                Some(Token::Key(RawString(&string[1..string.len() - 1])))
            }
            _ => {
                self.at = known_end(self.bytes, start);
                Some(Token::Scalar(RawValue(&self.bytes[start..self.at])))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spell(walk: Walk<'_>) -> Vec<String> {
        walk.map(|token| match token {
            Token::Open(kind) => format!("{kind:?}"),
            Token::Close => "close".into(),
            Token::Key(name) => format!("{}:", name.decode()),
            Token::Scalar(value) => String::from_utf8_lossy(value.bytes()).into_owned(),
        })
        .collect()
    }

    #[test]
    fn tokens_come_in_document_order() {
        let text = r#" { "b" : [1, "x:y" , {"":null}], "a\"": "\\" ,"b":true} "#;
        let value = RawValue::parse(text.as_bytes()).unwrap();
        assert_eq!(
            spell(value.walk()),
            [
                "Object", "b:", "Array", "1", "\"x:y\"", "Object", ":", "null", "close", "close",
                "a\":", r#""\\""#, "b:", "true", "close"
            ]
        );
        assert_eq!(spell(RawValue::parse(b" 12 ").unwrap().walk()), ["12"]);
        assert_eq!(spell(RawValue::parse(b"\"a\"").unwrap().walk()), ["\"a\""]);
    }

    #[test]
    fn a_value_can_be_skipped() {
        let value = RawValue::parse(br#"{"a": {"x":["}"]} ,"b":"\"","c":1}"#).unwrap();
        let mut walk = value.walk();
        let mut kept = Vec::new();
        while let Some(token) = walk.next() {
            match token {
                Token::Key(name) if !name.is("c") => walk.skip_value(),
                Token::Scalar(value) => kept.push(value.number()),
                _ => {}
            }
        }
        assert_eq!(kept, [Some(1.0)]);
        walk.skip_value();
        assert!(walk.next().is_none());
    }

    #[test]
    fn depth_is_bounded_by_memory_alone() {
        let deep = 100_000;
        let text = "[{\"a\":".repeat(deep) + "1" + &"}]".repeat(deep);
        let value = RawValue::parse(text.as_bytes()).unwrap();
        assert_eq!(value.walk().count(), 5 * deep + 1);
    }
}
