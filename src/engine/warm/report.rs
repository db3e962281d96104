//! The public side of the memory: `warm`, `release`, `stats`.

use std::{
    path::Path,
    sync::{PoisonError, atomic::Ordering},
    time::{Duration, Instant},
};

use super::{gather::gather, memory::memory};
use crate::engine::{Cancel, RecallError};

/// How `warm` fills the memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct WarmOptions {
    /// Bytes that may be kept in the process from now on.
    pub budget_bytes: Option<usize>,
}

/// What is kept of a workspace after `warm`.
#[derive(Clone, Debug, PartialEq)]
pub struct WarmReport {
    /// Sessions that may be searched.
    pub sessions: usize,
    /// Sessions whose texts are kept: they answer from memory.
    pub sessions_held: usize,
    /// Sessions of which only signatures are kept: they are skipped from memory.
    pub sessions_outlined: usize,
    /// Sessions that are read from the store each time: those that cannot be
    /// read, those with old message rows, and all of the headers generation.
    pub sessions_left_out: usize,
    /// Bytes of searchable text kept of this workspace.
    pub text_bytes: usize,
    /// Bytes kept in the process.
    pub held_bytes: usize,
    /// Bytes that may be kept in the process.
    pub budget_bytes: usize,
    /// Whether the texts of every Session that can be kept are.
    pub complete: bool,
    /// How long it took.
    pub took: Duration,
}

/// What is kept in the process, and what that was good for.
#[derive(Clone, Debug, PartialEq)]
pub struct RecallStats {
    /// Workspaces that something is kept of.
    pub workspaces: usize,
    /// Bytes that may be kept.
    pub budget_bytes: usize,
    /// Bytes that are kept.
    pub held_bytes: usize,
    /// Bytes of searchable text among them.
    pub text_bytes: usize,
    /// Sessions whose texts are kept.
    pub sessions_held: usize,
    /// Sessions of which only signatures are kept.
    pub sessions_outlined: usize,
    /// Answers given from a workspace since the process began.
    pub answers: u64,
    /// Sessions that were answered from memory.
    pub hits: u64,
    /// Sessions that were skipped by their signatures.
    pub skips: u64,
    /// Sessions that the store was asked about.
    pub misses: u64,
    /// Sessions that were read in the background, or by [`warm`].
    pub read_ahead: u64,
    /// Sessions whose texts were given up for room.
    pub evictions: u64,
    /// How long the last answer took, without the host's part.
    pub last_answer: Duration,
    /// How long its search took.
    pub last_scan: Duration,
    /// Calls that the host's callbacks answered in place of a workspace that
    /// could not be read, the slow way.
    pub fallbacks: u64,
    /// Why the last of them did.
    pub last_fallback: Option<String>,
}

/// Reads a workspace ahead, and reports what is kept of it.
pub fn warm(root: &Path, options: WarmOptions, cancel: &Cancel) -> Result<WarmReport, RecallError> {
    let since = Instant::now();
    let keep = memory().keep(root);
    // The connection of the first answer is opened here.
    let lease = keep.open(cancel)?;
    // It is another call's from now on, which this one must not interrupt.
    cancel.unwatch();
    drop(lease);
    if let Some(bytes) = options.budget_bytes {
        memory().set_budget(bytes);
    }
    let gathered = gather(&keep, cancel);
    keep.answered(None);
    let gathered = gathered?;
    let sizes = keep.sizes();
    Ok(WarmReport {
        sessions: gathered.sessions,
        sessions_held: sizes.held,
        sessions_outlined: sizes.outlined,
        sessions_left_out: gathered.left_out,
        text_bytes: sizes.text_bytes,
        held_bytes: memory().used(),
        budget_bytes: memory().budget(),
        complete: gathered.complete,
        took: since.elapsed(),
    })
}

/// Closes the connections of a workspace, or of all, and forgets what is kept.
pub fn release(root: Option<&Path>) {
    memory().release(root);
}

/// What is kept, and what that was good for.
#[must_use]
pub fn stats() -> RecallStats {
    let memory = memory();
    let keeps = memory.keeps();
    let sizes: Vec<_> = keeps.iter().map(|keep| keep.sizes()).collect();
    let counts = &memory.counts;
    let micros =
        |value: &std::sync::atomic::AtomicU64| Duration::from_micros(value.load(Ordering::Relaxed));
    RecallStats {
        workspaces: keeps.len(),
        budget_bytes: memory.budget(),
        held_bytes: memory.used(),
        text_bytes: sizes.iter().map(|sizes| sizes.text_bytes).sum(),
        sessions_held: sizes.iter().map(|sizes| sizes.held).sum(),
        sessions_outlined: sizes.iter().map(|sizes| sizes.outlined).sum(),
        answers: counts.answers.load(Ordering::Relaxed),
        hits: counts.hits.load(Ordering::Relaxed),
        skips: counts.skips.load(Ordering::Relaxed),
        misses: counts.misses.load(Ordering::Relaxed),
        read_ahead: counts.read_ahead.load(Ordering::Relaxed),
        evictions: counts.evictions.load(Ordering::Relaxed),
        last_answer: micros(&counts.last_answer_us),
        last_scan: micros(&counts.last_scan_us),
        fallbacks: counts.fallbacks.load(Ordering::Relaxed),
        last_fallback: counts.last_fallback.lock().unwrap_or_else(PoisonError::into_inner).clone(),
    }
}
