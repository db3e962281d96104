//! The threads that project, verify and score.

use std::{sync::OnceLock, thread};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// Stack of a worker: address space, not memory, until it is used.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// Runs `work` on the calling thread, and what it spawns on the pool; returns
/// when all of it is done. A panic of spawned work is raised here.
pub(super) fn scope<'scope, T>(work: impl FnOnce(&Scope<'scope>) -> T) -> T {
    match pool() {
        Some(pool) => pool.in_place_scope(work),
        // No threads to be had: rayon then does the work where it stands.
        None => rayon::in_place_scope(work),
    }
}

/// Runs `work` on the pool.
pub(super) fn install<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    match pool() {
        Some(pool) => pool.install(work),
        None => work(),
    }
}

/// The pool of the process; started by the first call.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    POOL.get_or_init(|| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .stack_size(STACK_BYTES)
            .thread_name(|index| format!("recall-{index}"))
            .build()
            .ok()
    })
    .as_ref()
}
