//! Folding and the stability test, by the byte.

#[path = "corpus/rows.rs"]
mod corpus;

use corpus::{CORPORA, rows, stable_text, text};
use divan::{Bencher, black_box, counter::BytesCount};
use recall_native::engine::text::{fold_into, fold_unstable_bytes};
use unicode_normalization::UnicodeNormalization;

fn main() {
    divan::main();
}

/// What the memory gives.
#[divan::bench(args = CORPORA)]
fn copy(bencher: Bencher<'_, '_>, name: &str) {
    into(bencher, text(name), |text, out| out.push_str(text));
}

#[divan::bench(args = CORPORA)]
fn fold_all(bencher: Bencher<'_, '_>, name: &str) {
    into(bencher, text(name), fold_into);
}

#[divan::bench(args = CORPORA)]
fn fold_stable(bencher: Bencher<'_, '_>, name: &str) {
    into(bencher, &stable_text(name), fold_into);
}

/// The rule as it is written.
#[divan::bench(args = CORPORA)]
#[expect(clippy::disallowed_methods, reason = "the rule is written with it")]
fn fold_naive(bencher: Bencher<'_, '_>, name: &str) {
    into(bencher, text(name), |text, out| {
        out.extend(text.nfc().collect::<String>().to_lowercase().nfc());
    });
}

#[divan::bench(args = CORPORA)]
fn unstable_all(bencher: Bencher<'_, '_>, name: &str) {
    unstable(bencher, text(name));
}

#[divan::bench(args = CORPORA)]
fn unstable_stable(bencher: Bencher<'_, '_>, name: &str) {
    unstable(bencher, &stable_text(name));
}

fn into(bencher: Bencher<'_, '_>, text: &str, fold: fn(&str, &mut String)) {
    let mut out = String::with_capacity(2 * text.len());
    bencher.counter(BytesCount::of_str(text)).bench_local(|| {
        out.clear();
        fold(black_box(text), &mut out);
        black_box(&mut out);
    });
}

fn unstable(bencher: Bencher<'_, '_>, text: &str) {
    let rows = rows(text);
    bencher.counter(BytesCount::of_str(text)).bench_local(|| {
        black_box(&rows).iter().filter(|row| fold_unstable_bytes(row.as_bytes())).count()
    });
}
