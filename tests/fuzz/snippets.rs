//! Snippets of the modal's search.

use recall_native::engine::{
    Call, Cancel,
    host::HostMessage,
    limits::SNIPPET_CODE_POINTS,
    reply::{Match, ThreadResult},
    search_threads,
    text::{fold, is_space},
};
use serde_json::json;

use crate::support::{
    budget::rounds,
    generate::encode,
    host::Source,
    prose::{LONE, part, respelled, text},
    random::Random,
};

#[test]
fn a_snippet_is_short_and_says_where_its_match_is() {
    let mut marked = 0;
    rounds(1_500, |seed| {
        let mut random = Random::new(seed);
        let (said, title) = (text(&mut random, 60), text(&mut random, 6));
        let message = json!({"type": "user", "id": "m", "turnId": "t", "ts": 1, "text": said});
        let message = HostMessage { json: encode(&message).into_bytes(), matched: None };
        let source = Source::of_messages(&title, vec![message]);
        let long = if random.below(6) == 0 { 300 } else { 7 };
        let drawn = part(&mut random, &said, long);
        let query = respelled(&mut random, &drawn);
        let request = json!({"source": "thread", "query": query});
        let request = request.to_string().replace(LONE, "\\ud83d").into_bytes();
        let call = Call { request, ..Call::default() };
        let Ok(results) = search_threads(&call, &source, &Cancel::default()) else {
            assert!(query.chars().all(is_space), "{query:?}");
            return;
        };
        for result in &results {
            check(result, &query.replace(LONE, "\u{fffd}"));
            marked += result.matches.len();
        }
    });
    assert!(1_000 < marked, "{marked}");
}

#[track_caller]
fn check(result: &ThreadResult, query: &str) {
    let ThreadResult { snippet, truncated, matches, .. } = result;
    assert!(snippet.chars().count() <= SNIPPET_CODE_POINTS, "{result:?}");
    let inner = snippet.trim_matches('…');
    let runs = inner.chars().zip(inner.chars().skip(1));
    let blank = |character: char| is_space(character) && character != ' ';
    assert!(
        !inner.contains(blank) && !runs.clone().any(|(a, b)| a == ' ' && b == ' '),
        "{result:?}"
    );
    assert!(!truncated || snippet.contains('…'), "{result:?}");
    let units: Vec<u16> = snippet.encode_utf16().collect();
    let mut last = 0;
    for Match { term, start, end } in matches {
        assert_eq!(term, query.trim_matches(is_space));
        assert!(last <= *start && start < end && *end <= units.len(), "{result:?}");
        let there = String::from_utf16(&units[*start..*end]);
        assert!(there.is_ok(), "{result:?}");
        last = *end;
    }
    let words: Vec<&str> = query.split(is_space).filter(|word| !word.is_empty()).collect();
    let collapsed = words.join(" ");
    // Folded, the part that is shown holds what was asked, if all of it is there.
    if matches.is_empty() {
        assert!(*truncated || !fold(snippet).contains(&*fold(&collapsed)), "{result:?}");
    }
}
