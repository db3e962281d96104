//! The threads that project, verify and score.

use std::{cell::RefCell, rc::Rc, sync::OnceLock, thread};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// Stack of a worker: address space, not memory, until it is used.
const STACK_BYTES: usize = 8 * 1024 * 1024;

thread_local! {
    /// The pool of [`with_threads`], while that runs.
    static CHOSEN: RefCell<Option<Rc<ThreadPool>>> = const { RefCell::new(None) };
}

/// Runs `work` with a pool of its own of `threads` threads: an answer must not
/// depend on their number, and whoever doubts it asks here. Without such a pool
/// to be had the one of the process does the work.
pub fn with_threads<T>(threads: usize, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CHOSEN.replace(build(threads).map(Rc::new)));
    work()
}

/// Puts the pool back that was chosen before, also after a panic.
struct Restore(Option<Rc<ThreadPool>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CHOSEN.set(self.0.take());
    }
}

/// Runs `work` on the calling thread, and what it spawns on the pool; returns
/// when all of it is done. A panic of spawned work is raised here.
pub(super) fn scope<'scope, T>(work: impl FnOnce(&Scope<'scope>) -> T) -> T {
    if let Some(chosen) = CHOSEN.with_borrow(Clone::clone) {
        return chosen.in_place_scope(work);
    }
    match pool() {
        Some(pool) => pool.in_place_scope(work),
        // No threads to be had: rayon then does the work where it stands.
        None => rayon::in_place_scope(work),
    }
}

/// Runs `work` on the pool.
pub(super) fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if let Some(chosen) = CHOSEN.with_borrow(Clone::clone) {
        return chosen.install(work);
    }
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The pool of the process; started by the first call.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| build(thread::available_parallelism().map_or(1, usize::from))).as_ref()
}

fn build(threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(STACK_BYTES)
        .thread_name(|index| format!("recall-{index}"))
        .build()
        .ok()
}
