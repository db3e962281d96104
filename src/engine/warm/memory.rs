//! Everything that is kept in the process, and its budget.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use super::{keep::Keep, kept::Kept};

/// What may be kept unless `warm` says otherwise: ARCHITECTURE.md, invariant 7.
const BUDGET_BYTES: usize = 128 * 1024 * 1024;

/// The kept workspaces.
pub(in crate::engine) struct Memory {
    keeps: Mutex<HashMap<PathBuf, Arc<Keep>>>,
    budget: AtomicUsize,
    used: AtomicUsize,
    /// What was counted since the process began.
    pub(in crate::engine) counts: Counts,
}

/// How much of the budget a thing may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// All of it.
    All,
    /// Most of it: texts leave room for the signatures of what has none.
    Texts,
}

impl Share {
    fn of(self, budget: usize) -> usize {
        match self {
            Self::All => budget,
            Self::Texts => budget / 64 * 63,
        }
    }
}

/// What was counted since the process began.
#[derive(Default)]
pub(in crate::engine) struct Counts {
    /// Answers given from a workspace.
    pub(in crate::engine) answers: AtomicU64,
    /// Sessions answered from memory.
    pub(in crate::engine) hits: AtomicU64,
    /// Sessions skipped by their signatures.
    pub(in crate::engine) skips: AtomicU64,
    /// Sessions that the store was asked about.
    pub(in crate::engine) misses: AtomicU64,
    /// Sessions that were read in the background.
    pub(in crate::engine) read_ahead: AtomicU64,
    /// Sessions whose texts were given up for room.
    pub(in crate::engine) evictions: AtomicU64,
    /// Microseconds of the last answer.
    pub(in crate::engine) last_answer_us: AtomicU64,
    /// Microseconds of the scan of the last answer.
    pub(in crate::engine) last_scan_us: AtomicU64,
    /// Calls that the host's callbacks answered in place of a workspace.
    pub(super) fallbacks: AtomicU64,
    /// Why the last of them did.
    pub(super) last_fallback: Mutex<Option<String>>,
}

impl Counts {
    /// Counts a call that the host's callbacks answer in place of a workspace,
    /// and keeps what `why` says.
    pub(in crate::engine) fn fell_back(&self, why: &str) {
        self.fallbacks.fetch_add(1, Ordering::Relaxed);
        let mut last = self.last_fallback.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(why.to_owned());
    }
}

/// The memory of the process: environments and threads share it.
pub(in crate::engine) fn memory() -> &'static Memory {
    static MEMORY: OnceLock<Memory> = OnceLock::new();
    MEMORY.get_or_init(|| Memory {
        keeps: Mutex::default(),
        budget: AtomicUsize::new(BUDGET_BYTES),
        used: AtomicUsize::new(0),
        counts: Counts::default(),
    })
}

impl Memory {
    /// What is kept of the workspace at `root`.
    pub(in crate::engine) fn keep(&self, root: &Path) -> Arc<Keep> {
        let root = absolute(root);
        let mut keeps = self.keeps.lock().unwrap_or_else(PoisonError::into_inner);
        keeps.entry(root).or_insert_with_key(|root| Arc::new(Keep::new(root))).clone()
    }

    /// Forgets one workspace, or all: their connections close as soon as no
    /// answer uses them.
    pub(super) fn release(&self, root: Option<&Path>) {
        let released: Vec<Arc<Keep>> = {
            let mut keeps = self.keeps.lock().unwrap_or_else(PoisonError::into_inner);
            match root {
                Some(root) => keeps.remove(&absolute(root)).into_iter().collect(),
                None => keeps.drain().map(|(_, keep)| keep).collect(),
            }
        };
        for keep in released {
            keep.close();
        }
        // What they leave is room for others.
        self.keeps().iter().for_each(|keep| keep.try_again());
    }

    /// Lets go of a workspace that was never open: there is nothing to keep of it.
    pub(super) fn dismiss(&self, keep: &Arc<Keep>) {
        let mut keeps = self.keeps.lock().unwrap_or_else(PoisonError::into_inner);
        if !keep.was_open() && keeps.get(&keep.root).is_some_and(|known| Arc::ptr_eq(known, keep)) {
            keeps.remove(&keep.root);
        }
    }

    /// The workspaces.
    pub(super) fn keeps(&self) -> Vec<Arc<Keep>> {
        self.keeps.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Counts `bytes` in, when a share of the budget has room for them.
    pub(super) fn admit(&self, bytes: usize, share: Share) -> bool {
        let used = self.used.fetch_add(bytes, Ordering::AcqRel).saturating_add(bytes);
        let admitted = used <= share.of(self.budget());
        if !admitted {
            self.free(bytes);
        }
        admitted
    }

    /// Counts `bytes` out.
    pub(super) fn free(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::AcqRel);
    }

    /// Counts a Session that shrank.
    pub(super) fn exchange(&self, before: usize, after: usize) {
        self.used.fetch_add(after, Ordering::AcqRel);
        self.used.fetch_sub(before, Ordering::AcqRel);
        self.counts.evictions.fetch_add(1, Ordering::Relaxed);
    }

    /// Bytes that may be kept.
    pub(super) fn budget(&self) -> usize {
        self.budget.load(Ordering::Relaxed)
    }

    /// Changes what may be kept; more than that is given up at once.
    pub(super) fn set_budget(&self, bytes: usize) {
        self.budget.store(bytes, Ordering::Relaxed);
        self.keeps().iter().for_each(|keep| keep.try_again());
        while self.budget() < self.used() {
            if !self.shrink() {
                self.keeps().iter().for_each(|keep| keep.forget());
                return;
            }
        }
    }

    /// Keeps only the signatures of the Session that is of the least use, and
    /// answers whether there was one.
    pub(super) fn shrink(&self) -> bool {
        self.shrink_if(|_| true)
    }

    /// The same, when that one has been of no use for long.
    pub(super) fn shrink_idle(&self) -> bool {
        self.shrink_if(Kept::is_idle)
    }

    fn shrink_if(&self, may_go: impl FnOnce(&Kept) -> bool) -> bool {
        let least = self.least_useful().filter(|(_, kept)| may_go(kept));
        let Some((keep, kept)) = least else { return false };
        keep.shrink(&kept);
        true
    }

    /// Whether some texts have been of no use for long.
    pub(in crate::engine) fn has_idle_texts(&self) -> bool {
        self.least_useful().is_some_and(|(_, kept)| kept.is_idle())
    }

    /// Bytes of text that are kept.
    pub(super) fn text_bytes(&self) -> usize {
        self.keeps().iter().map(|keep| keep.sizes().text_bytes).sum()
    }

    fn least_useful(&self) -> Option<(Arc<Keep>, Arc<Kept>)> {
        let least = |keep: Arc<Keep>| keep.least_useful().map(|kept| (keep, kept));
        self.keeps().into_iter().filter_map(least).min_by(|(_, a), (_, b)| a.compare_use(b))
    }

    /// Bytes that are kept.
    pub(super) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }
}

/// The same folder under the name it keeps when the process goes to another one.
fn absolute(root: &Path) -> PathBuf {
    std::path::absolute(root).unwrap_or_else(|_| root.to_owned())
}
