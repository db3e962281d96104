//! The narrowing predicate over stored rows, by the byte.

#[path = "corpus/rows.rs"]
mod corpus;

use corpus::{CORPORA, rows, stable_text, text};
use divan::{Bencher, black_box, counter::BytesCount};
use recall_native::engine::text::{Narrowing, Verdict};
use recall_native::engine::warm::signature::{Grain, Grams, Signatures};

/// Terms that stand nowhere, so that every row is read to its end.
const FIVE: [&str; 5] = ["quantization", "模型量化", "kubectl apply", "oauth_v3", "gpt-neo"];

fn main() {
    divan::main();
}

#[divan::bench(args = CORPORA)]
fn one_term(bencher: Bencher<'_, '_>, name: &str) {
    narrow(bencher, &stable_text(name), &FIVE[..1]);
}

#[divan::bench(args = CORPORA)]
fn one_term_without_case(bencher: Bencher<'_, '_>, name: &str) {
    narrow(bencher, &stable_text(name), &FIVE[1..2]);
}

#[divan::bench(args = CORPORA)]
fn five_terms(bencher: Bencher<'_, '_>, name: &str) {
    narrow(bencher, &stable_text(name), &FIVE);
}

/// With the rows that folding changes.
#[divan::bench(args = CORPORA)]
fn one_term_all_rows(bencher: Bencher<'_, '_>, name: &str) {
    narrow(bencher, text(name), &FIVE[..1]);
}

fn narrow(bencher: Bencher<'_, '_>, text: &str, terms: &[&str]) {
    let rows = rows(text);
    let narrowing = Narrowing::new(terms).expect("terms that JSON stores as they are");
    bencher.counter(BytesCount::of_str(text)).bench_local(|| {
        let rows = black_box(&rows).iter();
        rows.filter(|row| narrowing.verdict(row.as_bytes()) != Verdict::No).count()
    });
}

/// Text of one Session that is kept in memory.
const SESSION_BYTES: usize = 1024 * 1024;
const FINE: Grain = Grain { chunk: 512, bytes_per_bit: 1 };

fn session(name: &str) -> Vec<u8> {
    text(name).bytes().cycle().take(SESSION_BYTES).collect()
}

#[divan::bench(args = CORPORA)]
fn signature_make(bencher: Bencher<'_, '_>, name: &str) {
    let session = session(name);
    bencher
        .counter(BytesCount::of_slice(&session))
        .bench(|| Signatures::new(black_box(&session), FINE));
}

/// A term that the text does not hold: the common case.
#[divan::bench(args = CORPORA)]
fn signature_ask(bencher: Bencher<'_, '_>, name: &str) {
    let signatures = Signatures::new(&session(name), FINE);
    let grams = Grams::new("zzzznotfound");
    bencher.bench(|| black_box(&signatures).stretches(black_box(&grams)).count());
}
