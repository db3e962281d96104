//! The narrowing predicate over stored rows, by the byte.

#[path = "corpus/rows.rs"]
mod corpus;

use corpus::{CORPORA, rows, stable_text, text};
use divan::{Bencher, black_box, counter::BytesCount};
use recall_native::engine::text::{Narrowing, Verdict};
use recall_native::engine::warm::signature::{Grams, Signature};

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

/// Text of one block of what is kept in memory.
const BLOCK_BYTES: usize = 32 * 1024;

#[divan::bench(args = CORPORA)]
fn signature_make(bencher: Bencher<'_, '_>, name: &str) {
    let block = &text(name).as_bytes()[..BLOCK_BYTES];
    bencher.counter(BytesCount::of_slice(block)).bench(|| Signature::new(black_box(block)));
}

/// A term that the text does not hold: the common case.
#[divan::bench(args = CORPORA)]
fn signature_ask(bencher: Bencher<'_, '_>, name: &str) {
    let signature = Signature::new(&text(name).as_bytes()[..BLOCK_BYTES]);
    let grams = Grams::new("zzzznotfound");
    bencher.bench(|| black_box(&signature).may_hold(black_box(&grams)));
}
