//! JSON in place and as a tree.

use recall_native::engine::json::{Kind, RawValue, Token, Tree};

use crate::support::{
    budget::rounds, generate::encode, mutate::mutated, random::Random, results::value,
};

#[test]
fn a_document_is_spelled_again_as_what_it_was() {
    let mut seen = [0; 2];
    rounds(2_000, |seed| {
        let mut random = Random::new(seed);
        let mut document = encode(&value(&mut random, 6)).into_bytes();
        for _ in 0..random.below(3) {
            document = mutated(&mut random, &document);
        }
        let Some(parsed) = RawValue::parse(&document) else {
            seen[0] += 1;
            return;
        };
        seen[1] += 1;
        check(parsed);
    });
    assert!(seen.iter().all(|&count| 500 < count), "{seen:?}");
}

fn check(document: RawValue<'_>) {
    let shown = String::from_utf8_lossy(document.bytes());
    let spelled = Tree::parse(document).stringify();
    let again = RawValue::parse(spelled.as_bytes()).unwrap_or_else(|| panic!("{shown}: {spelled}"));
    let infinite = document.number().is_some_and(f64::is_infinite);
    let kind = if infinite { Kind::Null } else { document.kind() };
    assert_eq!(again.kind(), kind, "{shown}");
    // Spelled once, nothing more changes.
    assert_eq!(Tree::parse(again).stringify(), spelled, "{shown}");
    // A reader of strings finds the same, whatever their order and place.
    let mut before = leaves(document);
    let mut after = leaves(again);
    before.sort();
    after.sort();
    if !repeats_a_key(document) {
        assert_eq!(after, before, "{shown}");
    }
    assert_eq!(document.walk().filter(is_open).count(), document.walk().filter(is_close).count());
}

fn is_open(token: &Token<'_>) -> bool {
    matches!(token, Token::Open(_))
}

fn is_close(token: &Token<'_>) -> bool {
    matches!(token, Token::Close)
}

/// Keys and scalars as what they mean.
fn leaves(document: RawValue<'_>) -> Vec<String> {
    let leaf = |token: Token<'_>| match token {
        Token::Key(name) => Some(format!("key {}", name.decode())),
        Token::Scalar(value) => Some(match value.kind() {
            Kind::String => format!("text {}", value.string().unwrap()),
            // A number beyond f64 has no spelling but null.
            Kind::Number => match value.number().unwrap() {
                number if number.is_finite() => format!("number {}", number + 0.0),
                _ => "null".to_owned(),
            },
            _ => String::from_utf8_lossy(value.bytes()).into_owned(),
        }),
        Token::Open(_) | Token::Close => None,
    };
    document.walk().filter_map(leaf).collect()
}

/// Whether an object names a member twice: the first value is lost then.
fn repeats_a_key(document: RawValue<'_>) -> bool {
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        let mut names: Vec<_> = value.entries().map(|(name, _)| name.decode()).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        if names.len() != count {
            return true;
        }
        open.extend(value.elements());
        open.extend(value.entries().map(|(_, member)| member));
    }
    false
}
