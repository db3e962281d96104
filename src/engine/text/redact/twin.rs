//! The rules as JavaScript has them, run by a regular expression engine for
//! JavaScript, and the tests that the matchers agree with them.

#![expect(clippy::disallowed_methods, reason = "the rules are written with it")]

use std::sync::LazyLock;

use regress::{Match, Regex};

use super::{
    may_change,
    nasty::{GLUE, NAMES, nasty, nasty_json},
    redact, redact_text,
    rules::RULES,
};
use crate::engine::{json::RawValue, random::Random, text::samples::naive_fold};

const CONT: &str = r"\\\r?\n";

/// An expression, and what a match of it becomes.
type JsRule = (Regex, fn(&JsMatch<'_>) -> Vec<u16>);

/// The flag `i` as JavaScript has it beside no `u`: ASCII letters alone. The
/// engine's own also takes a Kelvin sign for a `k`, so letters are spelled out.
fn any_case(word: &str) -> String {
    word.chars()
        .map(|letter| match letter {
            'a'..='z' => format!("[{letter}{}]", letter.to_ascii_uppercase()),
            _ => letter.to_string(),
        })
        .collect()
}

static JS_RULES: LazyLock<[JsRule; 13]> = LazyLock::new(|| {
    let broken = |word: &str, letter: fn(&str) -> String| {
        let letters: Vec<String> = word.chars().map(|c| letter(&c.to_string())).collect();
        letters.join(&format!("(?:{CONT})*"))
    };
    let sep = format!(r"(?:[ \t]|{CONT})+");
    let osep = format!(r"(?:[ \t]|{CONT})*");
    let token =
        format!(r#"("(?:\\[\s\S]|[^"\\])*"|'(?:\\[\s\S]|[^'\\])*'|(?:{CONT}|[^\s;&|()<>])+)"#);
    let value = format!(r#"(?:{CONT}|[^\s"'&<>])+"#);
    let user_info = format!(r"({}?:\/\/)[^\s\/?#]+@", any_case("https"));
    let header = format!(
        r#"(^|[^A-Za-z0-9_])(['"]?(?:{proxy}[-_]?{name}|{name})['"]?\s*:\s*['"]?(?:{schemes})\s+)[^\s"'<>]+"#,
        proxy = any_case("proxy"),
        name = any_case("authorization"),
        schemes = any_case("bearer|basic|token"),
    );
    let bearer = format!(r"\b({}\s+)[A-Za-z0-9._~+/-]+=*", any_case("bearer"));
    let command = format!(
        r"(^|[\s;&|()])((?:aws{sep}configure{sep}set{sep}{}|{}){sep}){token}",
        broken("aws_secret_access_key", str::to_owned),
        broken("--secret-access-key", str::to_owned),
    );
    let environment =
        format!(r#"\b({}{osep}[:=]{osep}['"]?){value}"#, broken("aws_secret_access_key", any_case));
    let assignment = format!(r#"\b(([A-Za-z][A-Za-z0-9_-]*){osep}[:=]{osep}['"]?){value}"#);
    let sk = format!(r"\b({}-(?:{}-)?[A-Za-z0-9_-]{{8,}})\b", any_case("sk"), any_case("ant"));
    let rule = |pattern: &str, callback| -> JsRule {
        (Regex::with_flags(pattern, "m").unwrap(), callback)
    };
    let gone: fn(&JsMatch<'_>) -> Vec<u16> = |found| found.groups(&[], "[redacted]");
    [
        rule(&user_info, |found| found.groups(&[1], "[redacted]@")),
        rule(r"([?&])([^=\s&?#]+)=([^&\s#]*)", |found| {
            if sensitive(&found.text(2)) {
                found.groups(&[1, 2], "=[redacted]")
            } else {
                found.groups(&[0], "")
            }
        }),
        rule(r#"((?:"([^"\\]+)"\s*:\s*"))(?:\\.|[^"\\])*"#, |found| {
            if sensitive(&found.text(2)) {
                found.groups(&[1], "[redacted]")
            } else {
                found.groups(&[0], "")
            }
        }),
        rule(&header, |found| found.groups(&[1, 2], "[redacted]")),
        rule(&bearer, |found| found.groups(&[1], "[redacted]")),
        rule(&command, |found| {
            let token = found.text(3);
            match token.chars().next() {
                Some(quote @ ('"' | '\'')) if token.ends_with(quote) => {
                    found.groups(&[1, 2], &format!("{quote}[redacted]{quote}"))
                }
                _ => found.groups(&[1, 2], "[redacted]"),
            }
        }),
        rule(&environment, |found| found.groups(&[1], "[redacted]")),
        rule(&assignment, |found| {
            let key = found.text(2);
            let last = segments(&key).pop();
            let auth = matches!(last.as_deref(), Some("auth" | "authorization"));
            if sensitive(&key) && !auth {
                found.groups(&[1], "[redacted]")
            } else {
                found.groups(&[0], "")
            }
        }),
        rule(&sk, gone),
        rule(r"\b(AIza[0-9A-Za-z_-]{20,})\b", gone),
        rule(r"\b(gh[pousr]_[0-9A-Za-z_]{20,})\b", gone),
        rule(r"\b(xox[abprs]-[0-9A-Za-z-]{10,})\b", gone),
        rule(r"\b([A-Fa-f0-9]{40,})\b", gone),
    ]
});

struct JsMatch<'t> {
    units: &'t [u16],
    found: Match,
}

impl JsMatch<'_> {
    /// `$1$2…` and what follows. A group may end between surrogates.
    fn groups(&self, groups: &[usize], mark: &str) -> Vec<u16> {
        let mut out = Vec::new();
        for &group in groups {
            out.extend(&self.units[self.found.group(group).unwrap_or_default()]);
        }
        out.extend(mark.encode_utf16());
        out
    }

    fn text(&self, group: usize) -> String {
        String::from_utf16(&self.groups(&[group], "")).unwrap()
    }
}

/// `text.replace(pattern, callback)` with the flag `g`, on UTF-16 units.
fn js_replace(text: &str, (pattern, callback): &JsRule) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut out: Vec<u16> = Vec::new();
    let mut kept = 0;
    for found in pattern.find_from_ucs2(&units, 0) {
        let range = found.range();
        out.extend(&units[kept..range.start]);
        out.extend(callback(&JsMatch { units: &units, found }));
        kept = range.end;
    }
    out.extend(&units[kept..]);
    String::from_utf16(&out).unwrap()
}

fn js_redact_text(text: &str) -> String {
    JS_RULES.iter().fold(text.to_owned(), |text, rule| js_replace(&text, rule))
}

fn segments(key: &str) -> Vec<String> {
    static RULES: LazyLock<[JsRule; 2]> = LazyLock::new(|| {
        let apart: fn(&JsMatch<'_>) -> Vec<u16> = |found| {
            let mut parts = found.groups(&[1], " ");
            parts.extend(found.groups(&[2], ""));
            parts
        };
        [
            (Regex::new(r"([a-z0-9])([A-Z])").unwrap(), apart),
            (Regex::new(r"([A-Z]+)([A-Z][a-z])").unwrap(), apart),
        ]
    });
    RULES
        .iter()
        .fold(key.to_owned(), |key, rule| js_replace(&key, rule))
        .to_lowercase()
        .split(|letter: char| !letter.is_ascii_lowercase() && !letter.is_ascii_digit())
        .filter(|segment| !segment.is_empty())
        .map(String::from)
        .collect()
}

fn sensitive(key: &str) -> bool {
    let segments = segments(key);
    let Some(last) = segments.last() else { return false };
    if last != "key" {
        return matches!(
            last.as_str(),
            "auth"
                | "authorization"
                | "credential"
                | "credentials"
                | "passwd"
                | "password"
                | "secret"
                | "token"
        );
    }
    let before = segments.len().checked_sub(2).map(|at| segments[at].as_str());
    let tail = segments[segments.len().saturating_sub(3)..].join("_");
    matches!(before, None | Some("api" | "private" | "secret" | "ssh"))
        || matches!(tail.as_str(), "service_account_key" | "secret_access_key")
}

/// The walk over a document, by recursion. Numbers and keys stay as they are
/// in the documents of these tests.
fn js_redact(text: &str) -> String {
    use serde_json::Value;
    fn walk(value: &mut Value, changed: &mut bool) {
        match value {
            Value::String(text) => {
                let redacted = js_redact_text(text);
                *changed |= redacted != *text;
                *text = redacted;
            }
            Value::Array(elements) => elements.iter_mut().for_each(|value| walk(value, changed)),
            Value::Object(members) => members.iter_mut().for_each(|(key, value)| {
                if sensitive(key) {
                    *value = "[redacted]".into();
                    *changed = true;
                } else {
                    walk(value, changed);
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match serde_json::from_str(text) {
        Ok(mut value @ (Value::String(_) | Value::Array(_) | Value::Object(_))) => {
            let mut changed = false;
            walk(&mut value, &mut changed);
            if changed { value.to_string() } else { text.to_owned() }
        }
        _ => js_redact_text(text),
    }
}

/// What [`may_change`] promises of `text`, with `redacted` known.
#[track_caller]
fn assert_verdict(text: &str, redacted: &str) {
    if text == redacted {
        return;
    }
    let lower = text.to_lowercase();
    for (form, what) in
        [(text.to_owned(), "as it is"), (lower, "lower"), (naive_fold(text), "folded")]
    {
        assert!(may_change(&form), "{what}: {text:?} becomes {redacted:?}");
        let framed = format!("key\n{form}\n: x");
        assert!(may_change(&framed), "{what}, framed: {text:?} becomes {redacted:?}");
    }
}

#[test]
fn every_rule_finds_what_its_expression_finds() {
    let mut random = Random::new(1);
    let mut changed = [0; RULES.len()];
    for _ in 0..30_000 {
        let text = nasty(&mut random);
        for (index, (rule, js_rule)) in RULES.iter().zip(JS_RULES.iter()).enumerate() {
            let ours = rule(text.as_bytes()).unwrap_or_else(|| text.clone().into_bytes());
            let theirs = js_replace(&text, js_rule);
            assert_eq!(String::from_utf8(ours).unwrap(), theirs, "rule {index} of {text:?}");
            changed[index] += usize::from(theirs != text);
        }
    }
    // The texts put every rule to the test.
    assert!(changed.iter().all(|&times| 300 < times), "{changed:?}");
}

#[test]
fn the_chain_of_rules_agrees() {
    let mut random = Random::new(2);
    for _ in 0..20_000 {
        let text = nasty(&mut random);
        let theirs = js_redact_text(&text);
        assert_eq!(redact_text(&text), theirs, "{text:?}");
        assert_verdict(&text, &theirs);
    }
}

#[test]
fn documents_agree() {
    let mut random = Random::new(3);
    for _ in 0..10_000 {
        let value = nasty_json(&mut random, 3);
        let text = if random.below(2) == 0 { value.to_string() } else { format!("\n{value:#} ") };
        let theirs = js_redact(&text);
        assert_eq!(redact(&text), theirs, "{text:?}");
        assert_verdict(&text, &theirs);
    }
}

/// Every character of a document may be written as an escape.
#[test]
fn escapes_hide_nothing_from_the_verdict() {
    let mut random = Random::new(4);
    for _ in 0..10_000 {
        let value = nasty_json(&mut random, 2).to_string();
        let mut text = String::new();
        let mut inside = false;
        let mut characters = value.chars();
        while let Some(character) = characters.next() {
            match character {
                '\\' => {
                    text.push('\\');
                    text.extend(characters.next());
                }
                '"' => {
                    inside = !inside;
                    text.push('"');
                }
                '/' if inside && random.below(2) == 0 => text.push_str("\\/"),
                _ if inside && random.below(24) == 0 => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        text.push_str(&format!("\\u{unit:04x}"));
                    }
                }
                _ => text.push(character),
            }
        }
        let theirs = js_redact(&text);
        assert_eq!(redact(&text), theirs, "{text:?}");
        assert_verdict(&text, &theirs);
    }
}

#[test]
fn keys_agree() {
    let mut random = Random::new(5);
    for _ in 0..50_000 {
        let mut key = String::new();
        for _ in 0..1 + random.below(4) {
            let piece = match random.below(4) {
                0 => random.pick(GLUE),
                1 => random.pick(&["x", "X", "9", "Api", "ACCESS", "Service", "_", "account"]),
                _ => random.pick(NAMES),
            };
            key.push_str(piece);
        }
        assert_eq!(super::is_sensitive_key(&key), sensitive(&key), "{key:?}");
    }
}

#[test]
fn golden_cases() {
    let fixture = include_bytes!("../../../../tests/fixtures/units/redaction.json");
    let cases = RawValue::parse(fixture).unwrap();
    let mut count = 0;
    for case in cases.elements() {
        let text = |key| case.get(key).and_then(RawValue::string).unwrap().into_owned();
        let (input, output) = (text("input"), text("output"));
        assert_eq!(redact(&input), output, "{input:?}");
        assert_verdict(&input, &output);
        count += 1;
    }
    assert_eq!(count, 314);
}
