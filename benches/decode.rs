//! Checking and decoding stored payloads, by the byte.

#[path = "corpus/rows.rs"]
mod corpus;

use corpus::{CORPORA, rows, stable_text};
use divan::{Bencher, black_box, counter::BytesCount};
use recall_native::engine::{json::RawValue, text::message::Stored, transcript::event_body};

fn main() {
    divan::main();
}

/// The corpus as payloads of tool results, one a row.
fn payloads(name: &str) -> Vec<Vec<u8>> {
    let payload = |row: &&str| {
        let text = serde_json::Value::from(*row);
        let result = format!(r#"{{"kind":"text","text":{text}}}"#);
        let content =
            format!(r#"{{"kind":"function_response","id":"c","name":"Read","result":{result}}}"#);
        format!(r#"{{"id":"e","role":"tool","content":{content},"ts":1}}"#).into_bytes()
    };
    rows(&stable_text(name)).iter().map(payload).collect()
}

fn run<T>(bencher: Bencher<'_, '_>, name: &str, decode: impl Fn(&[u8]) -> T + Sync) {
    let payloads = payloads(name);
    let bytes: usize = payloads.iter().map(Vec::len).sum();
    bencher.counter(BytesCount::new(bytes)).bench(|| {
        for payload in &payloads {
            black_box(decode(black_box(payload)));
        }
    });
}

/// The grammar alone.
#[divan::bench(args = CORPORA)]
fn check(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |payload| RawValue::parse(payload).is_some());
}

/// What a row says.
#[divan::bench(args = CORPORA)]
fn body(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, event_body);
}

/// What a row says, and what of that may be matched.
#[divan::bench(args = CORPORA)]
fn matched_text(bencher: Bencher<'_, '_>, name: &str) {
    run(bencher, name, |payload| {
        let body = event_body(payload)?;
        Some(Stored::of(&body.words()?)?.redacted()?.text.len())
    });
}
