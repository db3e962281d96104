//! String contents between their quotes, and how they decode.

use std::borrow::Cow;

/// The stored bytes of a JSON string, without its quotes and with its escapes.
#[derive(Clone, Copy, Debug)]
pub struct RawString<'a>(pub(super) &'a [u8]);

impl<'a> RawString<'a> {
    /// The bytes as they are stored.
    #[must_use]
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// The text. Escapes of lone surrogates and bytes that are not UTF-8 become
    /// U+FFFD, as they do when the host hands a string over.
    #[must_use]
    pub fn decode(self) -> Cow<'a, str> {
        if memchr::memchr(b'\\', self.0).is_none() {
            return String::from_utf8_lossy(self.0);
        }
        let mut bytes = Vec::with_capacity(self.0.len());
        unescape(self.0, &mut bytes);
        Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// Whether the text is `text`.
    #[must_use]
    pub fn is(self, text: &str) -> bool {
        if memchr::memchr(b'\\', self.0).is_none() {
            self.0 == text.as_bytes()
        } else {
            self.decode() == text
        }
    }
}

/// Appends the bytes that `raw`, the checked inside of a string, stands for.
fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(slash) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..slash]);
        let escape = rest[slash + 1];
        rest = &rest[slash + 2..];
        let byte = match escape {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 0x08,
            b'f' => 0x0c,
            b'u' => {
                let (character, used) = unicode_escape(rest);
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[used..];
                continue;
            }
            other => other,
        };
        out.push(byte);
    }
    out.extend_from_slice(rest);
}

/// The character after `\u`, and how many bytes of `rest` spell it.
fn unicode_escape(rest: &[u8]) -> (char, usize) {
    let high = hex4(rest);
    if let Some(character) = char::from_u32(high) {
        return (character, 4);
    }
    if (0xd800..0xdc00).contains(&high) && rest.get(4..6) == Some(br"\u") {
        let low = hex4(&rest[6..]);
        if (0xdc00..0xe000).contains(&low) {
            let scalar = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            return (char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER), 10);
        }
    }
    (char::REPLACEMENT_CHARACTER, 4)
}

fn hex4(digits: &[u8]) -> u32 {
    digits
        .iter()
        .take(4)
        .fold(0, |value, &digit| value << 4 | (digit as char).to_digit(16).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(raw: &str, text: &str) {
        assert_eq!(RawString(raw.as_bytes()).decode(), text);
    }

    #[test]
    fn escapes() {
        test("plain 模型", "plain 模型");
        test(r#"\"\\\/\b\f\n\r\t\u0041"#, "\"\\/\u{8}\u{c}\n\r\tA");
        test(r"\ud83d\ude00!", "😀!");
    }

    #[test]
    fn a_lone_surrogate_escape_is_one_replacement_character() {
        test(r"a\ud83db", "a\u{fffd}b");
        test(r"\ude00\ud83d", "\u{fffd}\u{fffd}");
        test(r"\ud83d\ud83d\ude00", "\u{fffd}😀");
        test(r"\ud83d\n", "\u{fffd}\n");
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(RawString(b"a\xffb").decode(), "a\u{fffd}b");
        assert_eq!(RawString(b"\\na\xff").decode(), "\na\u{fffd}");
    }
}
