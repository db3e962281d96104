//! Sessions that are read from the store.
//!
//! Two connections read, when the second one proves that it shows the state of
//! the first: reading is half of the work. What the rows mean is worked out on
//! the pool meanwhile.

use std::{
    collections::HashMap,
    panic::resume_unwind,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rayon::Scope;

use super::{
    ScanPlan,
    in_flight::InFlight,
    outcome::{Outcome, examine},
};
use crate::engine::{
    Cancel, RecallError,
    pool::scope,
    store::{Snapshot, Store},
    text::Narrowing,
    transcript::records::SessionRecords,
};

/// Records whose room is kept for the next Sessions, and the room of one: that
/// of an ordinary Session.
const SPARE: usize = 4;
const SPARE_BYTES: usize = 4 * 1024 * 1024;

/// A second connection, and the state it saw before the first one began.
pub(super) struct Aside<'a> {
    store: &'a mut Store,
    before: i64,
}

impl<'a> Aside<'a> {
    /// Takes note of the state before the snapshot of the first connection
    /// begins. `None` when that fails: one connection is enough.
    pub(super) fn of(store: &'a mut Store) -> Option<Self> {
        let before = store.data_version().ok()?;
        Some(Self { store, before })
    }

    /// A snapshot of the very state of the first connection, whose snapshot
    /// began after [`Self::of`]: nothing was committed since then. `None` when
    /// something was, or when there is none to be had.
    fn snapshot(&mut self) -> Option<Snapshot<'_>> {
        let before = self.before;
        let snapshot = self.store.snapshot().ok()?;
        (snapshot.state().ok()? == before).then_some(snapshot)
    }
}

/// Reads and examines Sessions.
pub(super) struct StoredScan<'a> {
    plan: &'a ScanPlan<'a>,
    narrowing: Option<&'a Narrowing>,
    cancel: &'a Cancel,
    /// The Sessions, by their places in the plan, and the next of them.
    indices: &'a [usize],
    next: AtomicUsize,
    in_flight: InFlight,
    /// Records that were dealt with: their room is used again.
    spare: Mutex<Vec<SessionRecords>>,
    examined: Mutex<Vec<(usize, Outcome)>>,
    read: Mutex<Vec<Arc<str>>>,
}

/// What became of the Sessions.
pub(super) struct Examined {
    /// Their outcomes, by place, in no order; none of those that cannot hit.
    pub(super) outcomes: Vec<(usize, Outcome)>,
    /// Those that were read for their hits.
    pub(super) read: Vec<Arc<str>>,
}

impl<'a> StoredScan<'a> {
    pub(super) fn new(
        plan: &'a ScanPlan<'a>,
        indices: &'a [usize],
        narrowing: Option<&'a Narrowing>,
        cancel: &'a Cancel,
    ) -> Self {
        Self {
            plan,
            narrowing,
            cancel,
            indices,
            next: AtomicUsize::new(0),
            in_flight: InFlight::default(),
            spare: Mutex::default(),
            examined: Mutex::default(),
            read: Mutex::default(),
        }
    }

    /// Reads the Sessions that `narrowing` names and examines them.
    pub(super) fn run(
        self,
        snapshot: &Snapshot<'_>,
        aside: Option<Aside<'_>>,
    ) -> Result<Examined, RecallError> {
        // One Session is read by one connection.
        let aside = aside.filter(|_| 1 < self.indices.len());
        let scan = &self;
        scope(|pool| {
            thread::scope(|threads| {
                // Without a thread to be had the first connection reads alone.
                let second = aside.and_then(|mut aside| {
                    let thread = thread::Builder::new().name("recall-aside".to_owned());
                    thread.spawn_scoped(threads, move || scan.read_aside(&mut aside, pool)).ok()
                });
                let first = scan.read_in_turn(snapshot, pool);
                let counts = match second.map(thread::ScopedJoinHandle::join) {
                    Some(Ok(counts)) => counts?,
                    Some(Err(panic)) => resume_unwind(panic),
                    None => HashMap::new(),
                };
                snapshot.learn(counts);
                first
            })
        })?;
        let outcomes = self.examined.into_inner().unwrap_or_else(PoisonError::into_inner);
        let read = self.read.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(Examined { outcomes, read })
    }

    /// The same on the second connection; what it counted.
    fn read_aside<'s>(
        &'s self,
        aside: &mut Aside<'_>,
        pool: &Scope<'s>,
    ) -> Result<HashMap<Arc<str>, u64>, RecallError> {
        let Some(snapshot) = aside.snapshot() else { return Ok(HashMap::new()) };
        self.read_in_turn(&snapshot, pool)?;
        Ok(snapshot.counts())
    }

    /// Reads one Session after another until none is left.
    fn read_in_turn<'s>(
        &'s self,
        snapshot: &Snapshot<'_>,
        pool: &Scope<'s>,
    ) -> Result<(), RecallError> {
        let mut records = SessionRecords::default();
        while let Some(&index) = self.indices.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let read = self.read_session(index, snapshot, &mut records);
            if read.is_err() {
                // The other connection need not go on.
                self.next.store(self.indices.len(), Ordering::Relaxed);
            }
            if !read? {
                continue;
            }
            let found = std::mem::replace(&mut records, self.spare_records());
            let flight = self.in_flight.enter(found.room());
            pool.spawn(move |_| {
                self.examine(index, found);
                drop(flight);
            });
        }
        Ok(())
    }

    fn read_session(
        &self,
        index: usize,
        snapshot: &Snapshot<'_>,
        records: &mut SessionRecords,
    ) -> Result<bool, RecallError> {
        self.cancel.check()?;
        let header = &self.plan.sessions[index];
        let found = snapshot.read_narrowed(header, self.narrowing, records)?;
        if found {
            self.read.lock().unwrap_or_else(PoisonError::into_inner).push(header.id.clone());
        }
        Ok(found)
    }

    fn examine(&self, index: usize, records: SessionRecords) {
        let header = &self.plan.sessions[index];
        let (outcome, mut records) =
            examine(self.plan, header, records, self.narrowing, self.cancel);
        self.examined.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
        records.clear();
        let mut spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE && records.room() < SPARE_BYTES {
            spare.push(records);
        }
    }

    fn spare_records(&self) -> SessionRecords {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }
}
