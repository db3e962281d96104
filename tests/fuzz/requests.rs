//! Requests of all four operations.

use recall_native::engine::{
    Reason, RecallError, Refusal,
    limits::{MAX_ID_UNITS, MAX_LIMIT, MAX_TERM_CODE_POINTS, MAX_TERMS, MORE_NEIGHBOURS},
    request::{MaterialRequest, MoreRequest, RecallRequest, ThreadRequest},
    text::{redact::redact, trim, utf16_len},
};

use crate::support::{
    budget::rounds,
    mutate::mutated,
    prose::{LONE, long_text, text},
    random::Random,
};

const SEEDS: [&str; 6] = [
    r#"{"terms":["needle","上下文 é"],"question":"what?","limit":5,"sessionId":"s1","since":1,"until":9}"#,
    r#"{"terms":["a","b","c","d","e","f","g","h"]}"#,
    r#"{"anchor":"s1/m1","before":2,"after":0}"#,
    r#"{"sessionId":"s1","anchorMessageId":"m1"}"#,
    r#"{"id":"s1/att_1","bytes":true,"sessionId":"s1","materialId":"att_1"}"#,
    r#"{"source":"thread","query":"needle","limit":3}"#,
];

#[test]
fn a_request_is_admitted_or_refused_with_a_reason() {
    let mut seen = [0; 2];
    rounds(4_000, |seed| {
        let mut random = Random::new(seed);
        let mut request = random.pick(&SEEDS).as_bytes().to_vec();
        if random.below(4) == 0 {
            let said = match random.below(6) {
                0 => long_text(&mut random, 520),
                _ => text(&mut random, 6),
            };
            let said = serde_json::json!(said).to_string().replace(LONE, "\\udfff");
            let request_text = String::from_utf8(request).unwrap();
            request = request_text.replace("\"needle\"", &said).into_bytes();
        }
        for _ in 0..random.below(4) {
            request = mutated(&mut random, &request);
        }
        let max_results = [None, Some(0), Some(3), Some(usize::MAX)][random.below(4)];
        let admitted = [
            check(RecallRequest::parse(&request), &request, recall),
            check(MoreRequest::parse(&request), &request, more),
            check(MaterialRequest::parse(&request), &request, material),
            check(ThreadRequest::parse(&request, max_results), &request, threads),
        ];
        for admitted in admitted {
            seen[usize::from(admitted)] += 1;
        }
    });
    assert!(seen.iter().all(|&count| 1_000 < count), "{seen:?}");
}

/// Checks what was admitted, or how it was refused; says which it was.
#[track_caller]
fn check<T>(parsed: Result<T, RecallError>, request: &[u8], holds: impl Fn(&T) -> bool) -> bool {
    let request = String::from_utf8_lossy(request);
    match parsed {
        Ok(parsed) => {
            assert!(holds(&parsed), "{request}");
            true
        }
        Err(RecallError::Refused(Refusal { reason, message })) => {
            assert!(matches!(reason, Reason::InvalidQuery | Reason::Disabled), "{request}");
            // A sentence of ours: nothing of the request stands in it.
            assert!(
                message.ends_with('.') && message.is_ascii() && message.len() < 90,
                "{request}"
            );
            false
        }
        Err(error) => panic!("{error}: {request}"),
    }
}

fn recall(request: &RecallRequest) -> bool {
    let RecallRequest { terms, limit, session_id, since, until } = request;
    let terms_hold = terms.iter().all(|term| {
        let length = term.spelling.chars().count();
        (1..=MAX_TERM_CODE_POINTS).contains(&length)
            && trim(&term.spelling) == term.spelling
            && redact(&term.spelling) == term.spelling
    });
    let time_holds = |time: &Option<f64>| time.is_none_or(|time| time.is_finite() && 0.0 <= time);
    terms_hold
        && (1..=MAX_TERMS).contains(&terms.len())
        && (1..=MAX_LIMIT).contains(limit)
        && session_id.as_ref().is_none_or(|id| is_id(id))
        && time_holds(since)
        && time_holds(until)
        && since.zip(*until).is_none_or(|(since, until)| since <= until)
}

fn more(request: &MoreRequest) -> bool {
    let MoreRequest { session_id, message_id, before, after } = request;
    is_id(session_id) && is_id(message_id) && *before.max(after) <= MORE_NEIGHBOURS
}

fn material(request: &MaterialRequest) -> bool {
    let MaterialRequest { session_id, material_id, bytes: _ } = request;
    is_id(session_id) && is_id(material_id)
}

fn threads(request: &ThreadRequest) -> bool {
    let ThreadRequest { query, limit } = request;
    (1..=MAX_TERM_CODE_POINTS).contains(&query.spelling.chars().count()) && 1 <= *limit
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && trim(id) == id && utf16_len(id) <= MAX_ID_UNITS
}
