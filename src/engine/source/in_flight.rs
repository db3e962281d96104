//! A bound on the bytes that are read and not yet verified.

use std::sync::{Condvar, Mutex, PoisonError};

/// What may wait for the pool: enough to keep it busy, little enough to be lean.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Counts bytes from the reader to the end of their verification.
#[derive(Default)]
pub(super) struct InFlight {
    bytes: Mutex<usize>,
    less: Condvar,
}

impl InFlight {
    /// Waits until there is room, then counts `bytes` in. A Session larger than
    /// the bound travels alone.
    pub(super) fn enter(&self, bytes: usize) -> Flight<'_> {
        let held = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let mut held = self
            .less
            .wait_while(held, |held| *held != 0 && MOST_BYTES < held.saturating_add(bytes))
            .unwrap_or_else(PoisonError::into_inner);
        *held += bytes;
        Flight { of: self, bytes }
    }
}

/// Bytes that are counted until this drops, also by a panic.
pub(super) struct Flight<'a> {
    of: &'a InFlight,
    bytes: usize,
}

impl Drop for Flight<'_> {
    fn drop(&mut self) {
        *self.of.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= self.bytes;
        self.of.less.notify_all();
    }
}
