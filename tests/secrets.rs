//! Secrets: planted wherever text comes from, and at every place where text is
//! cut. No question may find one, and no answer may hold a part of one.

mod support;

#[path = "secrets/plant.rs"]
mod plant;

use std::collections::HashMap;

use recall_native::engine::{
    Call, Cancel, Options, RecallError, WarmOptions, recall, recall_material, recall_more,
    reply::MaterialContent,
    search_threads,
    text::{fold, redact::redact},
    warm,
};
use serde_json::{Value, json};

use plant::{Planted, plant};
use support::{
    host::{Open, Source},
    random::Random,
    secrets::each_kind,
    workspace::Generation,
};

/// Bytes of a secret that no answer may hold.
const PART: usize = 6;
/// One generation is answered from memory, the other is read for every answer:
/// there only a part is asked for.
const WAYS: [(Generation, usize); 2] = [(Generation::Openings, 1), (Generation::Headers, 6)];
/// Shorter terms say nothing about a secret.
const SHORTEST: usize = 3;

#[test]
fn no_prefix_of_a_secret_is_found() {
    for (generation, every) in WAYS {
        let planted = plant(11, generation);
        warm(planted.root(), WarmOptions::default(), &Cancel::default()).unwrap();
        let visible: Vec<String> = planted.visible.iter().map(|text| fold(text).into()).collect();
        let mut asked = 0;
        for secret in planted.secrets.iter().step_by(every) {
            let prefixes: Vec<&str> = (SHORTEST..=secret.value.len())
                .map(|end| &secret.value[..end])
                .filter(|prefix| !visible.iter().any(|text| text.contains(&*fold(prefix))))
                .collect();
            let (admitted, refused): (Vec<&str>, Vec<&str>) =
                prefixes.iter().partition(|prefix| redact(prefix) == **prefix);
            for terms in admitted.chunks(8) {
                find_nothing(&planted, terms);
                asked += terms.len();
            }
            refused.into_iter().for_each(|term| refuse(&planted, term));
            for at in [prefixes.len() / 3, prefixes.len().saturating_sub(1)] {
                let query = json!({"source": "thread", "query": prefixes[at]});
                let results = search_threads(&planted.call(query), &Open, &Cancel::default());
                assert_eq!(results, Ok(vec![]), "{secret:?}");
            }
        }
        assert!(2_500 / every < asked, "{asked} prefixes");
    }
}

#[track_caller]
fn find_nothing(planted: &Planted, terms: &[&str]) {
    let mut call = planted.call(json!({"terms": terms, "limit": 25}));
    call.options.active_session_id = Some("s".to_owned());
    let envelope = recall(&call, &Open, &Cancel::default()).unwrap();
    assert_eq!(envelope.passages, [], "{terms:?}");
    assert_eq!(envelope.facts, [], "{terms:?}");
    assert_eq!(envelope.materials, [], "{terms:?}");
    assert_eq!(envelope.coverage.matched_messages, 0, "{terms:?}");
}

/// A term that is known for a secret is refused, and the refusal does not say it.
#[track_caller]
fn refuse(planted: &Planted, term: &str) {
    let call = planted.call(json!({"terms": [term]}));
    let message = recall(&call, &Open, &Cancel::default()).unwrap_err().to_string();
    assert!(message.contains("credential material"), "{message}");
    Parts::of([term]).assert_none_in(&message);
}

#[test]
fn no_answer_holds_a_part_of_a_secret() {
    for (generation, every) in WAYS {
        let planted = plant(12, generation);
        warm(planted.root(), WarmOptions::default(), &Cancel::default()).unwrap();
        let parts = planted.parts();
        let mut passages = 0;
        for word in planted.words.iter().step_by(every) {
            let request = json!({"terms": [word], "limit": 25});
            let envelope = recall(&planted.call(request), &Open, &Cancel::default()).unwrap();
            parts.assert_none_in(&format!("{envelope:?}"));
            assert!(!envelope.passages.is_empty() || !envelope.facts.is_empty(), "{word}");
            passages += envelope.passages.len();
            for passage in envelope.passages.iter().take(1) {
                let more = planted.call(json!({"anchor": passage.anchor}));
                let more = recall_more(&more, &Open, &Cancel::default()).unwrap();
                parts.assert_none_in(&format!("{more:?}"));
            }
            let query = json!({"source": "thread", "query": word});
            let results = search_threads(&planted.call(query), &Open, &Cancel::default());
            parts.assert_none_in(&format!("{results:?}"));
        }
        assert!(planted.words.len() / 2 < passages * every, "{passages} passages");
        // As many long texts as an envelope has room for.
        let all = planted.call(json!({"terms": ["common"], "limit": 25}));
        let envelope = recall(&all, &Open, &Cancel::default()).unwrap();
        assert!(envelope.passages.iter().any(|passage| passage.truncated));
        parts.assert_none_in(&format!("{envelope:?}"));
        let titles = json!({"source": "thread", "query": "title", "limit": 40});
        let mut titles = planted.call(titles);
        titles.options.max_results = Some(40);
        let titles = search_threads(&titles, &Open, &Cancel::default()).unwrap();
        assert!(each_kind(&mut Random::new(0)).len() <= titles.len());
        parts.assert_none_in(&format!("{titles:?}"));
    }
}

#[test]
fn the_text_of_a_material_is_redacted() {
    let planted = plant(13, Generation::Openings);
    let parts = planted.parts();
    let active_session_id = Some("s".to_owned());
    for id in &planted.materials {
        let call = Call {
            options: Options { active_session_id: active_session_id.clone(), ..Options::default() },
            ..planted.call(json!({"id": format!("s/{id}")}))
        };
        let MaterialContent::Text { text } =
            recall_material(&call, &Open, &Cancel::default()).unwrap()
        else {
            panic!("{id} is no text")
        };
        assert!(text.contains("material word") && text.contains("[redacted]"), "{text}");
        parts.assert_none_in(&text);
    }
    assert!(!planted.materials.is_empty());
}

/// What a host says of its own failure may hold anything.
#[test]
fn the_error_of_a_callback_is_redacted() {
    for secret in each_kind(&mut Random::new(5)) {
        let host = Source::failing(format!("cannot list ({})", secret.text));
        let request = json!({"terms": ["x"]}).to_string().into_bytes();
        let call = Call { request, ..Call::default() };
        let error = recall(&call, &host, &Cancel::default()).unwrap_err();
        assert!(matches!(error, RecallError::Refused(_)));
        Parts::of([&*secret.value]).assert_none_in(&error.to_string());
    }
}

impl Planted {
    fn parts(&self) -> Parts {
        Parts::of(self.secrets.iter().map(|secret| &*secret.value))
    }

    fn call(&self, request: Value) -> Call {
        Call {
            request: request.to_string().into_bytes(),
            workspace_root: Some(self.root().to_owned()),
            ..Call::default()
        }
    }
}

/// All parts of secrets, in lower case.
struct Parts(HashMap<[u8; PART], String>);

impl Parts {
    fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut parts = HashMap::new();
        for secret in secrets {
            for part in secret.to_ascii_lowercase().as_bytes().windows(PART) {
                parts.insert(part.try_into().unwrap(), secret.to_owned());
            }
        }
        Self(parts)
    }

    /// None of them stands in `output`, whatever its case.
    #[track_caller]
    fn assert_none_in(&self, output: &str) {
        let lower = output.to_ascii_lowercase();
        for (at, part) in lower.as_bytes().windows(PART).enumerate() {
            if let Some(secret) = self.0.get(part) {
                let around =
                    &output.as_bytes()[at.saturating_sub(200)..(at + 60).min(output.len())];
                panic!("a part of {secret} in {:?}", String::from_utf8_lossy(around));
            }
        }
    }
}
