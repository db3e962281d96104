//! Damage: what bytes of JSON become by accident or by design.

use recall_native::engine::json::RawValue;

use super::random::Random;

/// What stands where something else was expected.
const VALUES: [&str; 24] = [
    "null",
    "true",
    "0",
    "-0",
    "7",
    "2.5",
    "1e999",
    "-1e-9",
    "9007199254740993",
    "\"\"",
    "\" \"",
    "\"needle\"",
    "\"\\ud800\"",
    "\"\\udc00\\ud83d\\ude00\"",
    "\"\\u004eeedle\"",
    "\"n\\u0303\\n\u{303}\"",
    "\"ghp_0123456789abcdefghij0123\"",
    "[]",
    "{}",
    "[[null,{}],\"needle\"]",
    "{\"kind\":\"text\",\"text\":\"needle\"}",
    "{\"kind\":\"json\",\"value\":{\"token\":\"needle\",\"a\":\"needle\"}}",
    "{\"kind\":\"explore_agent\",\"filesInspected\":3,\"report\":\"needle\"}",
    "\"completed\"",
];

const BYTES: [&[u8]; 14] = [
    b"\"",
    b"\\",
    b"\\u00",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"\0",
    b"\xff",
    b"\xe6\xa8",
    b"\xed\xa0\xbd",
    b"needle",
];

/// `text` with one thing changed.
pub(crate) fn mutated(random: &mut Random, text: &[u8]) -> Vec<u8> {
    let mut changed = text.to_vec();
    if text.is_empty() {
        return random.pick(&BYTES).to_vec();
    }
    let at = random.below(text.len());
    let end = (at + 1 + random.below(12)).min(text.len());
    match random.below(10) {
        0 => changed[at] ^= 1 << random.below(8),
        1 => changed.truncate(at),
        2 => {
            changed.drain(at..end);
        }
        3 => {
            let part = text[at..end].to_vec();
            changed.splice(at..at, part.repeat(1 + random.below(3)));
        }
        4 => {
            changed.splice(at..at, random.pick(&BYTES).iter().copied());
        }
        _ => {
            let values = values(text);
            if values.is_empty() {
                return changed;
            }
            let place = values[random.below(values.len())].clone();
            changed.splice(place, random.pick(&VALUES).bytes());
        }
    }
    changed
}

/// Where the values of a document stand, all but the document itself.
fn values(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let start = |bytes: &[u8]| bytes.as_ptr() as usize - text.as_ptr() as usize;
    let mut places = Vec::new();
    let mut open: Vec<_> = RawValue::parse(text).into_iter().collect();
    while let Some(value) = open.pop() {
        for inner in value.elements().chain(value.entries().map(|(_, member)| member)) {
            let start = start(inner.bytes());
            places.push(start..start + inner.bytes().len());
            open.push(inner);
        }
    }
    places
}
