//! Cooperative cancellation.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use rusqlite::{Connection, InterruptHandle};

use crate::engine::RecallError;

/// A stop request shared by a caller and the work it started.
#[derive(Clone, Default)]
pub struct Cancel(Arc<State>);

#[derive(Default)]
struct State {
    requested: AtomicBool,
    statements: Mutex<Vec<InterruptHandle>>,
}

impl Cancel {
    /// Asks the work to stop, and interrupts the SQL it is running.
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::Release);
        let statements = self.0.statements.lock().unwrap_or_else(PoisonError::into_inner);
        for statement in statements.iter() {
            statement.interrupt();
        }
    }

    /// Whether the work was asked to stop.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.requested.load(Ordering::Acquire)
    }

    /// Fails when the work was asked to stop: call it between steps.
    pub fn check(&self) -> Result<(), RecallError> {
        if self.is_requested() { Err(RecallError::aborted()) } else { Ok(()) }
    }

    /// Lets a stop request interrupt what `connection` runs. An interrupt only
    /// reaches a statement that runs: call [`Cancel::check`] after this.
    pub fn watch(&self, connection: &Connection) {
        let mut statements = self.0.statements.lock().unwrap_or_else(PoisonError::into_inner);
        statements.push(connection.get_interrupt_handle());
    }

    /// Forgets every connection: one that is kept for the next answer must not
    /// be interrupted by this one.
    pub fn unwatch(&self) {
        self.0.statements.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
