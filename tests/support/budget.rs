//! How long a fuzz loop runs.

use std::{
    env,
    time::{Duration, Instant},
};

/// Seconds of all loops together where nothing else is said.
const SECONDS: f64 = 8.0;
/// Loops that share them.
const LOOPS: f64 = 8.0;

/// Calls `round` with 0, 1, 2… until the time of a loop is over, but `least`
/// times: the number seeds the round, so that a failure is found again.
///
/// `RECALL_FUZZ_SECONDS` says how long all loops of `tests/fuzz.rs` run together,
/// and `RECALL_FUZZ_FROM` with which number they begin.
pub(crate) fn rounds(least: u64, mut round: impl FnMut(u64)) {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse::<f64>().unwrap());
    let seconds = number("RECALL_FUZZ_SECONDS").unwrap_or(SECONDS) / LOOPS;
    let from = number("RECALL_FUZZ_FROM").unwrap_or_default() as u64;
    let (start, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    let mut at = 0;
    while at < least || start.elapsed() < limit {
        round(from + at);
        at += 1;
    }
}
