//! Distilled facts: which of them match, in which order, and how they leave.
//!
//! A fact counts for a term only when what holds the term still holds it after
//! redaction, so that an answer never tells whether a secret was guessed.

use std::cmp::Reverse;

use unicode_normalization::UnicodeNormalization;

use crate::engine::{
    json::RawValue,
    limits::MAX_FACTS,
    reply::Fact,
    store::{FactItem, FactKey},
    text::{Needle, fold, is_space, redact::redact, trim},
};

/// Code points of a key: `host/storage.md` 8.
const MAX_KEY_CODE_POINTS: usize = 256;

/// The facts that hold a term: a normalised key starts with it, or the content
/// or the text of a key contains it. Most terms first, then those found by the
/// start of a key, then the latest update, then the id; at most ten, redacted.
///
/// `needles` are `terms`, folded.
#[must_use]
pub fn match_facts(items: &[FactItem], terms: &[String], needles: &[Needle]) -> Vec<Fact> {
    let keys: Vec<_> = terms.iter().map(|term| normalized_key(term)).collect();
    let mut found: Vec<_> =
        items.iter().filter_map(|item| Some((hit(item, &keys, needles)?, item))).collect();
    found.sort_by(|(a, one), (b, other)| {
        (Reverse(a.terms), Reverse(a.by_key))
            .cmp(&(Reverse(b.terms), Reverse(b.by_key)))
            .then_with(|| other.updated_at.total_cmp(&one.updated_at))
            .then_with(|| one.id.cmp(&other.id))
    });
    let best = found.into_iter().take(MAX_FACTS);
    best.map(|(_, item)| fact(&item.content, item.kind.clone(), item.observed_at)).collect()
}

/// The answer of `searchFacts`: the first ten facts, redacted. What is no fact
/// (`content` and `kind` strings, `observedAt` a number) is left out.
#[must_use]
pub fn host_facts(json: &[Vec<u8>]) -> Vec<Fact> {
    json.iter().filter_map(|json| host_fact(json)).take(MAX_FACTS).collect()
}

fn host_fact(json: &[u8]) -> Option<Fact> {
    let json = RawValue::parse(json)?;
    let observed_at = json.get("observedAt")?.number().filter(|at| at.is_finite())?;
    let kind = json.get("kind")?.string()?.into_owned();
    Some(fact(&json.get("content")?.string()?, kind, observed_at))
}

fn fact(content: &str, kind: String, observed_at: f64) -> Fact {
    Fact { content: redact(content).into_owned(), kind: redact(&kind).into_owned(), observed_at }
}

/// How a fact matched.
struct Hit {
    /// How many terms.
    terms: usize,
    /// Whether one of them starts a key.
    by_key: bool,
}

/// How `item` matches; `keys` are the terms as keys, where they can be one.
fn hit(item: &FactItem, keys: &[Option<String>], needles: &[Needle]) -> Option<Hit> {
    let mut held = vec![false; needles.len()];
    mark_contained(&item.content, needles, &mut held);
    let mut by_key = false;
    for key in &item.keys {
        mark_contained(&key.text, needles, &mut held);
        for (term, held) in keys.iter().zip(&mut held) {
            if term.as_deref().is_some_and(|term| starts_with(key, term)) {
                *held = true;
                by_key = true;
            }
        }
    }
    let terms = held.into_iter().filter(|&held| held).count();
    (0 < terms).then_some(Hit { terms, by_key })
}

/// Marks the terms that `text` contains, as it is and redacted.
fn mark_contained(text: &str, needles: &[Needle], held: &mut [bool]) {
    let stored = fold(text);
    let mut shown = None;
    for (needle, held) in needles.iter().zip(held) {
        if !*held && needle.is_in(&stored) {
            let shown = shown.get_or_insert_with(|| fold(&redact(text)).into_owned());
            *held = needle.is_in(shown);
        }
    }
}

/// Whether `key` starts with `term`, as it is and redacted. Normalising lowers
/// the case that some credentials are known by, so the text is asked, too.
fn starts_with(key: &FactKey, term: &str) -> bool {
    if !key.normalized.starts_with(term) || !redact(&key.normalized).starts_with(term) {
        return false;
    }
    let shown = redact(&key.text);
    shown == key.text || normalized_key(&shown).is_some_and(|shown| shown.starts_with(term))
}

/// `text` as the host files it: NFC, trimmed, white space collapsed, lower case.
/// `None` when it is no valid key: such a term is only looked for in texts.
#[expect(
    clippy::disallowed_methods,
    reason = "the host does not compose a key again after lowering"
)]
fn normalized_key(text: &str) -> Option<String> {
    let composed: String = text.nfc().collect();
    let key = trim(&composed);
    let valid = (1..=MAX_KEY_CODE_POINTS).contains(&key.chars().count())
        && !key.chars().any(|character| {
            character.is_control() || matches!(character, '\u{200b}'..='\u{200d}' | '\u{feff}')
        });
    if !valid {
        return None;
    }
    let words: Vec<_> = key.split(is_space).filter(|word| !word.is_empty()).collect();
    Some(words.join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: usize, content: &str, updated_at: f64, keys: &[&str]) -> FactItem {
        let key = |text: &&str| FactKey {
            text: (*text).to_owned(),
            normalized: normalized_key(text).unwrap_or_else(|| (*text).to_owned()),
        };
        FactItem {
            id: format!("mem_{number}"),
            content: content.to_owned(),
            kind: "knowledge".to_owned(),
            observed_at: 1_750_000_000_000.0,
            updated_at,
            keys: keys.iter().map(key).collect(),
        }
    }

    fn contents(items: &[FactItem], terms: &[&str]) -> Vec<String> {
        let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
        let terms: Vec<_> = terms.iter().map(|term| (*term).to_owned()).collect();
        match_facts(items, &terms, &needles).into_iter().map(|fact| fact.content).collect()
    }

    /// The active facts of one workspace, as a store gives them.
    fn store() -> Vec<FactItem> {
        vec![
            item(1, "用户偏好 上下文 默认 200k", 1000.0, &["上下文"]),
            item(2, "部署目标是 staging-eu factword", 2000.0, &["deploy target", "部署目标"]),
            item(4, "deploy token is ghp_0123456789abcdefghij now", 4000.0, &["deploy"]),
            item(6, "contains only in its content: factword and Đà Nẵng", 6000.0, &["misc one"]),
            item(7, "key infix", 7000.0, &["the factword key"]),
            item(8, "prefix beats content", 8000.0, &["factword prefix"]),
            item(9, "two terms factword 上下文", 9000.0, &["zz"]),
            item(10, "İSTANBUL office", 10_000.0, &["İstanbul Office"]),
        ]
    }

    #[test]
    fn the_start_of_a_key_comes_before_the_latest_update() {
        assert_eq!(
            contents(&store(), &["factword"]),
            [
                "prefix beats content",
                "two terms factword 上下文",
                "key infix",
                "contains only in its content: factword and Đà Nẵng",
                "部署目标是 staging-eu factword",
            ]
        );
    }

    #[test]
    fn more_terms_come_first() {
        assert_eq!(
            contents(&store(), &["factword", "上下文"]),
            [
                "two terms factword 上下文",
                "prefix beats content",
                "用户偏好 上下文 默认 200k",
                "key infix",
                "contains only in its content: factword and Đà Nẵng",
                "部署目标是 staging-eu factword",
            ]
        );
    }

    #[test]
    fn what_leaves_is_redacted() {
        assert_eq!(
            contents(&store(), &["deploy"]),
            ["deploy token is [redacted] now", "部署目标是 staging-eu factword"]
        );
    }

    #[test]
    fn the_inside_of_a_key_and_a_dotted_one_are_found() {
        assert_eq!(contents(&store(), &["目标"]), ["部署目标是 staging-eu factword"]);
        assert_eq!(contents(&store(), &["İSTANBUL OFFICE"]), ["İSTANBUL office"]);
        assert_eq!(contents(&store(), &["  the \u{3000} FACTWORD  "]), ["key infix"]);
    }

    #[test]
    fn at_most_ten_then_by_id() {
        let items: Vec<_> = (11..24)
            .map(|number| {
                let updated_at = [1.0, 2.0, 0.0][number % 3];
                item(
                    number,
                    &format!("limit {} manyfacts", number - 11),
                    updated_at,
                    &["manyfacts"],
                )
            })
            .rev()
            .collect();
        let found = contents(&items, &["manyfacts"]);
        let expected: Vec<_> = [2, 5, 8, 11, 1, 4, 7, 10, 0, 3]
            .iter()
            .map(|number| format!("limit {number} manyfacts"))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_secret_is_found_in_none_of_the_three() {
        let secret = "ghp_0123456789abcdefghij";
        let items = [
            item(1, &format!("it is {secret}"), 0.0, &[]),
            item(2, "by key", 0.0, &[secret]),
            item(3, "inside a key", 0.0, &[&format!("the {secret} key")]),
            item(4, "known by its case", 0.0, &["AIzaSyA0123456789abcdefghijk"]),
        ];
        for term in ["ghp_01234", "0123456789", "AIzaSyA012", "aizasya0"] {
            assert_eq!(contents(&items, &[term]), Vec::<String>::new(), "{term}");
        }
        assert_eq!(contents(&items, &["the "]), ["inside a key"]);
    }

    #[test]
    fn a_term_that_is_no_key_is_looked_for_in_texts() {
        assert_eq!(normalized_key("a\u{200b}b"), None);
        assert_eq!(normalized_key("a\tb"), None);
        assert_eq!(normalized_key("\u{feff} "), None);
        assert_eq!(normalized_key(&"é".repeat(257)), None);
        assert_eq!(normalized_key(&"e\u{301}".repeat(256)), Some("é".repeat(256)));
        assert_eq!(normalized_key(" A \u{a0}\u{2003} İ "), Some("a i\u{307}".to_owned()));
        let items = [item(1, "first\tsecond", 0.0, &["third"])];
        assert_eq!(contents(&items, &["first\tsecond"]), ["first\tsecond"]);
    }

    #[test]
    fn what_the_host_found_is_redacted_and_capped() {
        let json = |text: &str| text.as_bytes().to_vec();
        let mut answer = vec![
            json(r#"{"content":"Bearer abcdefghijkl and token=abc","kind":"note","observedAt":1}"#),
            json(r#"{"content":5,"kind":"note","observedAt":1}"#),
            json(r#"{"content":"no date","kind":"note"}"#),
            json(r#"{"content":"no kind","kind":null,"observedAt":1}"#),
            json(r#"{"content":"never","kind":"note","observedAt":1e999}"#),
            json("null"),
            json("{"),
        ];
        let facts = host_facts(&answer);
        let expected = Fact {
            content: "Bearer [redacted] and token=[redacted]".to_owned(),
            kind: "note".to_owned(),
            observed_at: 1.0,
        };
        assert_eq!(facts, [expected]);
        answer.resize(30, json(r#"{"content":"c","kind":"note","observedAt":2}"#));
        assert_eq!(host_facts(&answer).len(), 10);
    }
}
