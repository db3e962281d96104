//! The grammar: which bytes are one JSON value.
//!
//! One pass, no recursion, no allocation below 64 levels of nesting.

/// The end of the value that starts at `start`, or `None` when the bytes there
/// are not JSON. White space before the value is not skipped.
pub(super) fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut open = Nesting::default();
    loop {
        // Here a value is due.
        match *bytes.get(at)? {
            b'{' => {
                at = skip_space(bytes, at + 1);
                if bytes.get(at) == Some(&b'}') {
                    at += 1;
                } else {
                    open.push(true);
                    at = member(bytes, at)?;
                    continue;
                }
            }
            b'[' => {
                at = skip_space(bytes, at + 1);
                if bytes.get(at) == Some(&b']') {
                    at += 1;
                } else {
                    open.push(false);
                    continue;
                }
            }
            b'"' => at = string_end(bytes, at)?,
            b't' => at = literal(bytes, at, b"true")?,
            b'f' => at = literal(bytes, at, b"false")?,
            b'n' => at = literal(bytes, at, b"null")?,
            _ => at = number_end(bytes, at)?,
        }
        // Here a value has ended: close what it completes.
        loop {
            let Some(object) = open.last() else { return Some(at) };
            at = skip_space(bytes, at);
            match (*bytes.get(at)?, object) {
                (b',', true) => {
                    at = member(bytes, skip_space(bytes, at + 1))?;
                    break;
                }
                (b',', false) => {
                    at = skip_space(bytes, at + 1);
                    break;
                }
                (b'}', true) | (b']', false) => {
                    open.pop();
                    at += 1;
                }
                _ => return None,
            }
        }
    }
}

/// The first byte at or after `at` that is not JSON white space.
pub(super) fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
        at += 1;
    }
    at
}

/// The end of the string whose opening quote is at `start`.
pub(super) fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at = plain_run(bytes, at);
        match *bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => match *bytes.get(at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => at += 6,
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// Past the bytes that stand for themselves: stops at a quote, a backslash, a
/// control character or the end. Eight bytes at a time: most strings are short.
fn plain_run(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let special = special_bytes(u64::from_le_bytes(*chunk));
        if special != 0 {
            return at + special.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    while at < bytes.len() && !matches!(bytes[at], b'"' | b'\\' | ..0x20) {
        at += 1;
    }
    at
}

/// The top bit of every byte that is a quote, a backslash or a control
/// character; above the first of them other bits may be set as well.
fn special_bytes(word: u64) -> u64 {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const TOP: u64 = EACH * 0x80;
    let below = |word: u64, bound: u64| word.wrapping_sub(EACH * bound) & !word & TOP;
    let equal = |byte: u64| below(word ^ (EACH * byte), 1);
    equal(b'"'.into()) | equal(b'\\'.into()) | below(word, 0x20)
}

/// Past `"key" :` and the white space after it.
fn member(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let at = skip_space(bytes, string_end(bytes, at)?);
    (bytes.get(at) == Some(&b':')).then(|| skip_space(bytes, at + 1))
}

fn literal(bytes: &[u8], at: usize, word: &[u8]) -> Option<usize> {
    (bytes.get(at..at + word.len())? == word).then_some(at + word.len())
}

fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    match *bytes.get(at)? {
        b'0' => at += 1,
        b'1'..=b'9' => at = digits(bytes, at),
        _ => return None,
    }
    if bytes.get(at) == Some(&b'.') {
        at = some_digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = some_digits(bytes, at)?;
    }
    Some(at)
}

fn some_digits(bytes: &[u8], at: usize) -> Option<usize> {
    let end = digits(bytes, at);
    (at < end).then_some(end)
}

fn digits(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

/// The containers that are open, as one bit each: set for an object.
#[derive(Default)]
struct Nesting {
    top: u64,
    depth: usize,
    below: Vec<u64>,
}

impl Nesting {
    fn push(&mut self, object: bool) {
        if self.depth != 0 && self.depth.is_multiple_of(64) {
            self.below.push(self.top);
        }
        self.top = self.top << 1 | u64::from(object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.top >>= 1;
        self.depth -= 1;
        if self.depth != 0
            && self.depth.is_multiple_of(64)
            && let Some(word) = self.below.pop()
        {
            self.top = word;
        }
    }

    fn last(&self) -> Option<bool> {
        (self.depth != 0).then_some(self.top & 1 == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::Random;

    fn is_json(text: &str) -> bool {
        value_end(text.as_bytes(), 0) == Some(text.len())
    }

    #[test]
    fn takes_what_json_parse_takes() {
        for text in [
            "0",
            "-0",
            "1.50",
            "1e999",
            "-1E+5",
            "\"\"",
            "\"\\ud83d\"",
            "\"\\u00e9\\n\\/\"",
            "[]",
            "{}",
            "[1, [2] ,{\"a\":null}]",
            "{\"a\" : true , \"b\":false}",
            "\"\u{2028}\"",
        ] {
            assert!(is_json(text), "{text}");
        }
    }

    #[test]
    fn refuses_what_json_parse_refuses() {
        for text in [
            "",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "nul",
            "'a'",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12g4\"",
            "[1,]",
            "[,1]",
            "{\"a\":1,}",
            "{a:1}",
            "{\"a\"}",
            "[1}",
            "{\"a\":1]",
            "[",
            "{",
            "NaN",
        ] {
            assert!(!is_json(text), "{text}");
        }
    }

    #[test]
    fn a_run_of_plain_bytes_ends_where_a_walk_says() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let mut bytes = [0u8; 40];
            for byte in &mut bytes {
                *byte = match random.below(24) {
                    0 => b"\"\\\x1f\x00"[random.below(4)],
                    _ => random.below(256) as u8 | 0x20,
                };
            }
            for start in 0..bytes.len() {
                let slow =
                    bytes[start..].iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
                assert_eq!(plain_run(&bytes, start), slow.map_or(bytes.len(), |end| start + end));
            }
        }
    }

    #[test]
    fn depth_is_bounded_by_memory_alone() {
        let deep = 100_000;
        let text = "[{\"a\":".repeat(deep) + "1" + &"}]".repeat(deep);
        assert!(is_json(&text));
        assert!(!is_json(&(text + "]")));
        let wrong = "[{\"a\":".repeat(deep) + "1" + &"]}".repeat(deep);
        assert!(!is_json(&wrong));
    }
}
