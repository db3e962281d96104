//! One answer at a time: callers wait in line for the connection of a workspace.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

use crate::engine::{Cancel, RecallError};

/// How long a caller in line takes to notice that it was cancelled.
const PATIENCE: Duration = Duration::from_millis(10);

/// A thing that one caller has at a time. A caller that panics loses it.
pub(super) struct Line<T> {
    place: Mutex<Place<T>>,
    free: Condvar,
}

struct Place<T> {
    taken: bool,
    thing: Option<T>,
}

impl<T> Default for Line<T> {
    fn default() -> Self {
        Self { place: Mutex::new(Place { taken: false, thing: None }), free: Condvar::new() }
    }
}

impl<T> Line<T> {
    /// Waits in line for the thing.
    pub(super) fn wait(&self, cancel: &Cancel) -> Result<Lease<'_, T>, RecallError> {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        while place.taken {
            cancel.check()?;
            let waited = self.free.wait_timeout(place, PATIENCE);
            place = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        place.taken = true;
        Ok(Lease { line: self, thing: place.thing.take() })
    }

    /// The thing, when nobody has it now.
    pub(super) fn idle(&self) -> Option<Lease<'_, T>> {
        self.free_within(Duration::ZERO)
    }

    /// The thing, when it is free before the time is over.
    pub(super) fn free_within(&self, time: Duration) -> Option<Lease<'_, T>> {
        let place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.free.wait_timeout_while(place, time, |place| place.taken);
        let (mut place, late) = waited.unwrap_or_else(PoisonError::into_inner);
        if late.timed_out() {
            return None;
        }
        place.taken = true;
        Some(Lease { line: self, thing: place.thing.take() })
    }

    /// Whether somebody has it now.
    pub(super) fn is_taken(&self) -> bool {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).taken
    }
}

/// What one caller has, until it is dropped.
pub(in crate::engine) struct Lease<'a, T> {
    line: &'a Line<T>,
    /// What is handed on to the next caller.
    pub(in crate::engine) thing: Option<T>,
}

impl<T> Drop for Lease<'_, T> {
    fn drop(&mut self) {
        // What a panic passed through is in an unknown state.
        let thing = if std::thread::panicking() { None } else { self.thing.take() };
        let mut place = self.line.place.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Place { taken: false, thing };
        self.line.free.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::{panic, thread};

    use super::*;

    #[test]
    fn the_thing_is_handed_on() {
        let line = Line::default();
        line.wait(&Cancel::default()).unwrap().thing = Some(7);
        let lease = line.wait(&Cancel::default()).unwrap();
        assert_eq!(lease.thing, Some(7));
        assert!(line.is_taken() && line.idle().is_none());
    }

    #[test]
    fn a_caller_that_is_cancelled_leaves_the_line() {
        let line = Line::<u8>::default();
        let _lease = line.wait(&Cancel::default()).unwrap();
        let cancel = Cancel::default();
        let late = cancel.clone();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| line.wait(&cancel).map(|_| ()));
            late.request();
            assert!(waiting.join().unwrap().unwrap_err().is_aborted());
        });
    }

    #[test]
    fn a_panic_loses_the_thing_and_frees_the_line() {
        let line = Line::default();
        line.wait(&Cancel::default()).unwrap().thing = Some(7);
        let caught = panic::catch_unwind(panic::AssertUnwindSafe(|| {
            let _lease = line.wait(&Cancel::default()).unwrap();
            panic!("broken off");
        }));
        assert!(caught.is_err());
        assert_eq!(line.idle().unwrap().thing, None);
    }
}
