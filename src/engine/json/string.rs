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
        unescape(self.0, LoneSurrogate::Replace, &mut bytes);
        Cow::Owned(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    /// The text as WTF-8: what [`Self::decode`] gives, but a lone surrogate
    /// stands as its own three bytes, as `JSON.parse` keeps it.
    #[must_use]
    pub fn wtf8(self) -> Cow<'a, [u8]> {
        let text = match String::from_utf8_lossy(self.0) {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        if memchr::memchr(b'\\', &text).is_none() {
            return text;
        }
        let mut bytes = Vec::with_capacity(text.len());
        unescape(&text, LoneSurrogate::Keep, &mut bytes);
        Cow::Owned(bytes)
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

/// What becomes of the escape of half a surrogate pair.
#[derive(Clone, Copy)]
pub(super) enum LoneSurrogate {
    /// U+FFFD
    Replace,
    /// Its three bytes, as WTF-8 has them.
    Keep,
}

/// Appends the bytes that `raw`, the checked inside of a string, stands for.
fn unescape(raw: &[u8], lone: LoneSurrogate, out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(slash) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..slash]);
        rest = &rest[slash + 1..];
        rest = &rest[push_escape(rest, lone, out)..];
    }
    out.extend_from_slice(rest);
}

/// [`unescape`] of the string whose opening quote is at `start` in checked
/// bytes; says where it ends, past its closing quote.
pub(super) fn unescape_quoted(
    bytes: &[u8],
    start: usize,
    lone: LoneSurrogate,
    out: &mut Vec<u8>,
) -> usize {
    let mut at = start + 1;
    while let Some(length) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        out.extend_from_slice(&bytes[at..at + length]);
        at += length + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += push_escape(&bytes[at..], lone, out);
    }
    bytes.len()
}

/// Appends what the escape stands for that begins behind its backslash, and
/// says how many bytes of `rest` spell it.
fn push_escape(rest: &[u8], lone: LoneSurrogate, out: &mut Vec<u8>) -> usize {
    out.push(match rest[0] {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' => 0x08,
        b'f' => 0x0c,
        b'u' => {
            let (code, used) = unicode_escape(&rest[1..]);
            match (char::from_u32(code), lone) {
                (None, LoneSurrogate::Keep) => out.extend_from_slice(&three_bytes(code)),
                (character, _) => {
                    let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            return used + 1;
        }
        other => other,
    });
    1
}

/// The code point after `\u`, and how many bytes of `rest` spell it. It is a
/// surrogate where the other half is missing.
fn unicode_escape(rest: &[u8]) -> (u32, usize) {
    let high = hex4(rest);
    if (0xd800..0xdc00).contains(&high) && rest.get(4..6) == Some(br"\u") {
        let low = hex4(&rest[6..]);
        if (0xdc00..0xe000).contains(&low) {
            return (0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00), 10);
        }
    }
    (high, 4)
}

/// A surrogate, spelled like any other code point of its size.
fn three_bytes(code: u32) -> [u8; 3] {
    let continuation = |bits: u32| 0x80 | (bits & 0x3f) as u8;
    [0xe0 | (code >> 12 & 0x0f) as u8, continuation(code >> 6), continuation(code)]
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
    fn wtf8_keeps_lone_surrogates() {
        let wtf8 = |raw: &'static str| RawString(raw.as_bytes()).wtf8();
        assert_eq!(*wtf8(r"a\ud83db"), *b"a\xed\xa0\xbdb");
        assert_eq!(*wtf8(r"\ude00\ud83d\ude00"), *b"\xed\xb8\x80\xf0\x9f\x98\x80");
        assert_eq!(*wtf8(r"\n\u00e9模"), *"\né模".as_bytes());
        assert_eq!(*RawString(b"a\xff").wtf8(), *"a\u{fffd}".as_bytes());
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(RawString(b"a\xffb").decode(), "a\u{fffd}b");
        assert_eq!(RawString(b"\\na\xff").decode(), "\na\u{fffd}");
    }
}
