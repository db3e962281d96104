//! What a message costs: the UTF-8 bytes of its JSON, as `JSON.stringify`
//! spells it, counted without writing it.

use crate::engine::{
    json::{escaped_len, push_number},
    reply::{Match, MatchKind, MaterialLocation, MessageMaterial},
};

/// What an object costs before its first member.
const BRACES: usize = 2;
/// Quotes, colon and comma around a key.
const KEY: usize = 4;

/// The parts of a message that do not depend on how its text is cut.
pub(super) struct Fixed<'a> {
    pub(super) message_id: &'a str,
    pub(super) match_kind: MatchKind,
    pub(super) timestamp: f64,
    pub(super) materials: Option<&'a [MessageMaterial]>,
}

/// What a message costs with an empty text, without `matches`, `isAnchor` and
/// `truncated`.
pub(super) fn fixed(parts: &Fixed<'_>) -> usize {
    let Fixed { message_id, match_kind, timestamp, materials } = parts;
    let mut bytes = BRACES - 1; // the first member has no comma before it
    bytes += member("messageId", string(message_id));
    bytes += member("role", string(match_kind.role()));
    bytes += member("matchKind", string(match_kind.as_str()));
    bytes += member("text", string(""));
    bytes += member("timestamp", number(*timestamp));
    if let Some(materials) = materials {
        bytes += member("materials", array(materials.iter().map(material)));
    }
    bytes
}

/// What `text` adds to the empty text.
pub(super) fn text(text: &str) -> usize {
    string(text) - string("")
}

/// What the flag `name` adds when it stands there as `value`.
pub(super) fn flag(name: &str, value: bool) -> usize {
    member(name, if value { "true".len() } else { "false".len() })
}

/// What a list of matches adds.
pub(super) fn matches(matches: &[Match]) -> usize {
    member("matches", array(matches.iter().map(one_match)))
}

fn one_match(one: &Match) -> usize {
    let Match { term, start, end } = one;
    BRACES - 1
        + member("term", string(term))
        + member("start", digits(*start as u64))
        + member("end", digits(*end as u64))
}

fn material(material: &MessageMaterial) -> usize {
    let MessageMaterial { name, kind, mime_type, bytes, location } = material;
    let location = match location {
        None => 0,
        Some(MaterialLocation::Resource(address)) => member("resource", string(address)),
        Some(MaterialLocation::Source { session_id, material_id }) => {
            member("sourceSessionId", string(session_id))
                + member("materialId", string(material_id))
        }
    };
    BRACES - 1
        + member("name", string(name))
        + member("kind", string(kind))
        + member("mimeType", string(mime_type))
        + member("bytes", number(*bytes))
        + location
}

/// A member with its comma.
fn member(key: &str, value: usize) -> usize {
    KEY + key.len() + value
}

fn array(elements: impl Iterator<Item = usize>) -> usize {
    let (count, bytes) = elements.fold((0, 0), |(count, bytes), one| (count + 1, bytes + one));
    2 + bytes + usize::saturating_sub(count, 1)
}

/// A string with its quotes and escapes.
fn string(text: &str) -> usize {
    2 + text.bytes().map(|byte| usize::from(escaped_len(byte))).sum::<usize>()
}

/// A number in its shortest form; `null` when it is not finite.
fn number(value: f64) -> usize {
    if (0.0..1e15).contains(&value) && value.fract() == 0.0 {
        return digits(value as u64);
    }
    let mut text = String::new();
    push_number(value, &mut text);
    text.len()
}

fn digits(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::engine::{passage::held::random_text, random::Random};

    #[test]
    fn numbers_are_as_long_as_javascript_prints_them() {
        for (value, printed) in [
            (0.0, "0"),
            (-0.0, "0"),
            (7.0, "7"),
            (-10.0, "-10"),
            (1_700_000_000_000.0, "1700000000000"),
            (1.5, "1.5"),
            (-0.25, "-0.25"),
            (999_999_999_999_999.0, "999999999999999"),
            (1e15, "1000000000000000"),
            (9_007_199_254_740_993.0, "9007199254740992"),
            (1e20, "100000000000000000000"),
            (123_456_789_012_345_680_000.0, "123456789012345680000"),
            (1e21, "1e+21"),
            (1.234e25, "1.234e+25"),
            (-1.7976931348623157e308, "-1.7976931348623157e+308"),
            (5e-324, "5e-324"),
            (0.000001, "0.000001"),
            (0.0000012, "0.0000012"),
            (0.0000001, "1e-7"),
            (0.00000015, "1.5e-7"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1_700_000_000_000.25, "1700000000000.25"),
            (f64::INFINITY, "null"),
            (f64::NAN, "null"),
        ] {
            assert_eq!(number(value), printed.len(), "{printed}");
        }
    }

    #[test]
    fn what_grows_in_json_is_counted_as_it_is_written() {
        for (text, written) in [
            ("", "\"\""),
            ("a\"b\\c/", r#""a\"b\\c/""#),
            ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
            ("\u{0}\u{1}\u{b}\u{1f}", r#""\u0000\u0001\u000b\u001f""#),
            ("\u{7f}\u{2028}é模😀", "\"\u{7f}\u{2028}é模😀\""),
        ] {
            assert_eq!(string(text), written.len(), "{written}");
        }
    }

    #[test]
    fn counting_agrees_with_writing() {
        let mut random = Random::new(17);
        for _ in 0..400 {
            let materials: Vec<_> = (0..random.below(3)).map(|_| file(&mut random)).collect();
            let found: Vec<_> = (0..random.below(3))
                .map(|_| Match {
                    term: random_text(&mut random, 4),
                    start: random.below(20_000),
                    end: random.below(20_000),
                })
                .collect();
            let id = random_text(&mut random, 9);
            let shown = random_text(&mut random, 60);
            let match_kind = [
                MatchKind::User,
                MatchKind::Assistant,
                MatchKind::ToolIntent,
                MatchKind::ToolResult,
            ][random.below(4)];
            let timestamp = random.below(2_000_000_000) as f64 * 1000.0;
            let is_anchor = random.below(2) == 0;
            let truncated = random.below(2) == 0;
            let listed = random.below(2) == 0;

            let materials = (!materials.is_empty()).then_some(materials);
            let parts =
                Fixed { message_id: &id, match_kind, timestamp, materials: materials.as_deref() };
            let mut counted = fixed(&parts) + text(&shown) + flag("isAnchor", is_anchor);
            let mut written = json!({
                "messageId": id,
                "role": match_kind.role(),
                "matchKind": match_kind.as_str(),
                "text": shown,
                "timestamp": timestamp as u64,
                "isAnchor": is_anchor,
            });
            if let Some(materials) = &materials {
                written["materials"] = materials.iter().map(write_material).collect();
            }
            if truncated {
                counted += flag("truncated", true);
                written["truncated"] = json!(true);
            }
            if listed {
                counted += matches(&found);
                written["matches"] = found
                    .iter()
                    .map(|one| json!({"term": one.term, "start": one.start, "end": one.end}))
                    .collect();
            }
            assert_eq!(counted, written.to_string().len(), "{written}");
        }
    }

    fn file(random: &mut Random) -> MessageMaterial {
        MessageMaterial {
            name: random_text(random, 12),
            kind: "image".into(),
            mime_type: random_text(random, 6),
            bytes: random.below(1_000_000) as f64,
            location: match random.below(3) {
                0 => None,
                1 => Some(MaterialLocation::Resource(random_text(random, 8))),
                _ => Some(MaterialLocation::Source {
                    session_id: random_text(random, 5),
                    material_id: random_text(random, 5),
                }),
            },
        }
    }

    fn write_material(material: &MessageMaterial) -> Value {
        let mut written = json!({
            "name": material.name,
            "kind": material.kind,
            "mimeType": material.mime_type,
            "bytes": material.bytes as u64,
        });
        match &material.location {
            None => {}
            Some(MaterialLocation::Resource(address)) => written["resource"] = json!(address),
            Some(MaterialLocation::Source { session_id, material_id }) => {
                written["sourceSessionId"] = json!(session_id);
                written["materialId"] = json!(material_id);
            }
        }
        written
    }
}
