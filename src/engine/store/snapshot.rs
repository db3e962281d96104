//! One state of a workspace.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    sync::Arc,
};

use super::{
    database::{Database, Transaction},
    invocations::Shelf,
    marker::Beside,
    messages::Payloads,
    shape::Shape,
    spread::Spread,
};
use crate::engine::{
    LedgerVersion, RecallError, SessionHeader, transcript::records::SessionRecords,
};

/// Everything that one answer reads: a read transaction.
///
/// What it learns on the way (where a Session's rows lie, how many of them are
/// in the corpus) holds as long as it does.
pub struct Snapshot<'a> {
    pub(super) database: &'a Database,
    pub(super) shape: Shape,
    pub(super) spreads: RefCell<HashMap<Arc<str>, Spread>>,
    pub(super) counted: RefCell<HashMap<Arc<str>, u64>>,
    pub(super) shelf: OnceCell<Shelf>,
    pub(super) beside: OnceCell<Beside>,
    _transaction: Transaction<'a>,
}

impl<'a> Snapshot<'a> {
    pub(super) fn new(database: &'a Database, shape: Shape, transaction: Transaction<'a>) -> Self {
        Self {
            database,
            shape,
            spreads: RefCell::default(),
            counted: RefCell::default(),
            shelf: OnceCell::new(),
            beside: OnceCell::new(),
            _transaction: transaction,
        }
    }

    /// Everything stored of one Session. Old message rows only when the Session
    /// was never converted: those of a converted one are never shown.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn read(&self, session: &SessionHeader) -> Result<SessionRecords, RecallError> {
        let mut records = SessionRecords::default();
        self.read_narrowed(session, None, &mut records)?;
        Ok(records)
    }

    /// What is stored beside the events that were read.
    pub(super) fn read_beside_events(
        &self,
        session: &SessionHeader,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        self.number_events(&session.id, records)?;
        self.read_invocations(&session.id, records)?;
        self.read_streams(&session.id, records)?;
        self.read_outcomes(&session.id, records)?;
        if session.ledger != LedgerVersion::Ledger {
            let payloads: Payloads = self.payloads(&session.id)?;
            self.read_messages(&session.id, &payloads, records)?;
        }
        Ok(())
    }

    /// How many messages of the corpus were seen, by Session.
    pub fn counts(&self) -> HashMap<Arc<str>, u64> {
        self.counted.borrow().clone()
    }

    /// Takes over what another snapshot of the same state counted.
    pub fn learn(&self, counts: HashMap<Arc<str>, u64>) {
        self.counted.borrow_mut().extend(counts);
    }
}
