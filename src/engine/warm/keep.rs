//! What is kept of one workspace.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{
    gather,
    kept::Kept,
    known::Known,
    line::{Lease, Line},
    memory::memory,
};
use crate::engine::{
    Cancel, LedgerVersion, RecallError, SessionHeader,
    store::{FactsStore, Identity, Marker, Snapshot, Store},
};

/// How long a release waits for a read in the background, which it interrupts: on
/// the host's event loop.
const RELEASE: Duration = Duration::from_millis(4);

/// Bytes of a database that two connections read: below, opening the second one
/// takes longer than it saves.
const SECOND_FROM: i64 = 16 * 1024 * 1024;

/// A workspace, as long as the process uses it.
pub(in crate::engine) struct Keep {
    /// The workspace root.
    pub(super) root: PathBuf,
    /// The connection, for one answer at a time.
    pub(super) line: Line<Open>,
    /// The connection that reads in the background.
    pub(super) reader: Line<Store>,
    /// The file that was opened last.
    file: Mutex<Option<Identity>>,
    /// What is kept of its Sessions.
    sessions: Mutex<HashMap<Arc<str>, Arc<Kept>>>,
    /// What is known of the state that was seen last, while no connection is open.
    known: Mutex<Known>,
    /// Sessions whose texts are not kept, in the states that were tried.
    given_up: Mutex<HashMap<Arc<str>, (Marker, GaveUp)>>,
    /// Sessions that were read for their hits, and are worth keeping first.
    wanted: Mutex<Vec<Arc<str>>>,
    /// Held while the workspace is read ahead: by one thread at a time. What was
    /// true of the state that was read last.
    pub(super) gathering: Line<Known>,
    /// Answers given.
    pub(super) answers: AtomicU64,
    /// Whether an answer had to read what could be kept.
    pub(super) is_behind: AtomicBool,
    /// Whether a thread looks after it now.
    pub(super) attended: AtomicBool,
    /// Stops what runs in the background.
    pub(super) closed: Cancel,
}

/// An open connection, and what it knows of the state it saw last.
pub(in crate::engine) struct Open {
    /// The connection.
    pub(in crate::engine) store: Store,
    /// Another one to the same file, when that is large: two read it in half the
    /// time.
    pub(in crate::engine) second: Option<Store>,
    /// What was true of that state.
    pub(in crate::engine) known: Known,
    /// The facts, another database.
    pub(in crate::engine) facts: FactsStore,
}

/// How much is kept of a workspace.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sizes {
    /// Sessions with their texts.
    pub(super) held: usize,
    /// Sessions with signatures alone.
    pub(super) outlined: usize,
    /// Bytes of text.
    pub(super) text_bytes: usize,
}

/// Why the texts of a Session are not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GaveUp {
    /// There was no room for them.
    NoRoom,
    /// It cannot be read, or is too large.
    CannotBeKept,
}

impl Keep {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            line: Line::default(),
            reader: Line::default(),
            file: Mutex::default(),
            sessions: Mutex::default(),
            known: Mutex::default(),
            given_up: Mutex::default(),
            wanted: Mutex::default(),
            gathering: Line::default(),
            answers: AtomicU64::new(0),
            is_behind: AtomicBool::new(false),
            attended: AtomicBool::new(false),
            closed: Cancel::default(),
        }
    }

    /// The connection of the workspace, once no other answer has it; opened anew
    /// when there is none or its file was replaced.
    pub(in crate::engine) fn open<'a>(
        self: &'a Arc<Self>,
        cancel: &Cancel,
    ) -> Result<Lease<'a, Open>, RecallError> {
        let mut lease = self.line.wait(cancel)?;
        match lease.thing.take() {
            Some(open) if open.store.is_current() => {
                open.store.serve(cancel);
                if let Some(second) = &open.second {
                    second.serve(cancel);
                }
                lease.thing = Some(open);
            }
            Some(_) => {
                self.forget();
                lease.thing = Some(self.open_anew(cancel)?);
            }
            None => lease.thing = Some(self.open_anew(cancel)?),
        }
        Ok(lease)
    }

    fn open_anew(self: &Arc<Self>, cancel: &Cancel) -> Result<Open, RecallError> {
        let open = Open::new(&self.root, cancel).inspect_err(|_| memory().dismiss(self))?;
        self.saw(open.store.identity());
        let known = std::mem::take(&mut *self.known());
        Ok(Open { known, ..open })
    }

    /// Takes note of the file that is open now. Of another one than before
    /// nothing is proven by its rows.
    pub(super) fn saw(&self, file: Option<Identity>) {
        let last = std::mem::replace(&mut *self.file(), file);
        if last != file {
            self.forget();
        }
    }

    /// Whether its file was ever open.
    pub(super) fn was_open(&self) -> bool {
        self.file().is_some()
    }

    /// What is kept of a Session, when it is proven fresh.
    pub(in crate::engine) fn fresh(
        &self,
        header: &SessionHeader,
        snapshot: &Snapshot<'_>,
        known: &mut Known,
    ) -> Result<Option<Arc<Kept>>, RecallError> {
        let kept = self.sessions().get(&header.id).cloned();
        let Some(kept) = kept.filter(|kept| kept.has_header(header)) else { return Ok(None) };
        let proven = kept.has_marker(known.marker(header, snapshot)?);
        Ok(proven.then_some(kept))
    }

    /// What is kept of an earlier state of a Session whose transcript stands in the
    /// ledger.
    pub(in crate::engine) fn earlier(&self, header: &SessionHeader) -> Option<Arc<Kept>> {
        let kept = self.sessions().get(&header.id).cloned();
        kept.filter(|_| header.ledger == LedgerVersion::Ledger)
    }

    /// Whether a Session was read often enough to take the room of idle texts.
    pub(super) fn is_sought(&self, id: &str) -> bool {
        self.sessions().get(id).is_some_and(|kept| kept.is_sought())
    }

    /// Whether anything is kept of a Session.
    pub(super) fn knows(&self, id: &str) -> bool {
        self.sessions().contains_key(id)
    }

    /// Whether a Session can be kept at all.
    pub(in crate::engine) fn can_keep(header: &SessionHeader, snapshot: &Snapshot<'_>) -> bool {
        snapshot.has_markers() && header.ledger == LedgerVersion::Ledger
    }

    /// Whether this very state of a Session is kept, and with its texts.
    pub(super) fn kept(&self, header: &SessionHeader, marker: &Marker) -> Option<bool> {
        let sessions = self.sessions();
        let kept = sessions.get(&header.id)?;
        let is_fresh = kept.has_header(header) && kept.has_marker(marker);
        is_fresh.then_some(kept.digest().is_some())
    }

    /// Remembers that the texts of this state of a Session are not kept.
    pub(super) fn give_up(&self, header: &SessionHeader, marker: Marker, why: GaveUp) {
        self.given_up().insert(header.id.clone(), (marker, why));
    }

    /// Whether it is known that the texts of a Session as it is are not kept.
    pub(in crate::engine) fn gave_up(
        &self,
        header: &SessionHeader,
        snapshot: &Snapshot<'_>,
        known: &mut Known,
    ) -> Result<bool, RecallError> {
        if !Self::can_keep(header, snapshot) {
            return Ok(true);
        }
        let is_tried = self.given_up().contains_key(&header.id);
        Ok(is_tried && self.why_given_up(header, known.marker(header, snapshot)?).is_some())
    }

    /// Why the texts of this state of a Session are not kept, when that was tried.
    pub(super) fn why_given_up(&self, header: &SessionHeader, marker: &Marker) -> Option<GaveUp> {
        let given_up = self.given_up();
        given_up.get(&header.id).filter(|(tried, _)| tried == marker).map(|(_, why)| *why)
    }

    /// Tries Sessions again that there was no room for.
    pub(super) fn try_again(&self) {
        self.given_up().retain(|_, (_, why)| *why == GaveUp::CannotBeKept);
    }

    /// Forgets what is kept of a Session; says the answer it was last of use for.
    pub(super) fn take_out(&self, id: &str) -> u64 {
        let Some(old) = self.sessions().remove(id) else { return 0 };
        memory().free(old.bytes());
        old.useful()
    }

    /// Keeps a Session that was read from `file`. Its bytes are counted in
    /// already.
    pub(super) fn put(&self, kept: Kept, file: Option<Identity>) {
        let (id, bytes) = (kept.id().clone(), kept.bytes());
        let outdated = {
            let mut sessions = self.sessions();
            // Whoever noticed that the file was replaced forgets what is there by
            // then, and nothing that comes later.
            match *self.file() == file {
                true => sessions.insert(id, Arc::new(kept)).map(|old| old.bytes()),
                false => Some(bytes),
            }
        };
        memory().free(outdated.unwrap_or_default());
        // A release that came meanwhile found nothing to forget.
        if self.closed.is_requested() {
            self.forget();
        }
    }

    /// The Session whose texts are of the least use.
    pub(super) fn least_useful(&self) -> Option<Arc<Kept>> {
        self.sessions()
            .values()
            .filter(|kept| kept.digest().is_some())
            .min_by(|a, b| a.compare_use(b))
            .cloned()
    }

    /// Keeps only the signatures of a Session. They are made while others may
    /// look.
    pub(super) fn shrink(&self, kept: &Arc<Kept>) {
        let Some(outlined) = kept.outlined() else { return };
        let bytes = outlined.bytes();
        let mut sessions = self.sessions();
        // Another one may have come in its place meanwhile, or none.
        if sessions.get(kept.id()).is_some_and(|known| Arc::ptr_eq(known, kept)) {
            sessions.insert(kept.id().clone(), Arc::new(outlined));
            memory().exchange(kept.bytes(), bytes);
        }
    }

    /// Forgets what is kept of Sessions that are not among `ids`.
    pub(super) fn retain(&self, ids: &HashSet<&str>) {
        self.given_up().retain(|id, _| ids.contains(&**id));
        let mut freed = 0;
        self.sessions().retain(|id, kept| {
            let stays = ids.contains(&**id);
            freed += if stays { 0 } else { kept.bytes() };
            stays
        });
        if freed != 0 {
            memory().free(freed);
            self.try_again();
        }
    }

    /// Forgets every Session.
    pub(super) fn forget(&self) {
        self.given_up().clear();
        *self.known() = Known::default();
        for (_, kept) in self.sessions().drain() {
            memory().free(kept.bytes());
        }
    }

    /// Whether the texts of a Session are kept.
    pub(super) fn holds_texts(&self, id: &str) -> bool {
        self.sessions().get(id).is_some_and(|kept| kept.digest().is_some())
    }

    /// How much is kept.
    pub(super) fn sizes(&self) -> Sizes {
        let sessions = self.sessions();
        let mut sizes = Sizes::default();
        for kept in sessions.values() {
            match kept.digest() {
                Some(digest) => {
                    sizes.held += 1;
                    sizes.text_bytes += digest.text_bytes();
                }
                None => sizes.outlined += 1,
            }
        }
        sizes
    }

    /// Counts an answer, and sees to it that its connection is closed in the end.
    /// `wanted` are the Sessions that were read for their hits, where there is
    /// more to keep: then the memory is filled in the background.
    pub(in crate::engine) fn answered(self: &Arc<Self>, wanted: Option<Vec<Arc<str>>>) {
        if let Some(wanted) = wanted {
            self.wanted.lock().unwrap_or_else(PoisonError::into_inner).extend(wanted);
            self.is_behind.store(true, Ordering::Release);
        }
        self.answers.fetch_add(1, Ordering::AcqRel);
        gather::start(self);
    }

    /// Lets a connection go that nobody uses when its files were replaced:
    /// whoever did that may need them for himself.
    pub(super) fn let_go(&self) {
        let Some(mut lease) = self.line.idle() else { return };
        let Some(open) = &mut lease.thing else { return };
        if !open.facts.is_current() {
            open.facts = FactsStore::default();
        }
        if !open.store.is_current() {
            self.forget();
            lease.thing = None;
        }
    }

    /// Closes the connection, unless an answer uses it.
    pub(super) fn hang_up(&self) {
        let Some(mut lease) = self.line.idle() else { return };
        if let Some(open) = lease.thing.take() {
            *self.known() = open.known.moved();
        }
    }

    /// Forgets everything, and closes the connections: that of an answer as soon
    /// as it is given.
    pub(super) fn close(&self) {
        self.closed.request();
        self.hang_up();
        self.forget();
        if let Some(mut lease) = self.reader.free_within(RELEASE) {
            lease.thing = None;
        }
    }

    /// The Sessions that were noted, each once.
    pub(super) fn take_wanted(&self) -> Vec<Arc<str>> {
        std::mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn file(&self) -> MutexGuard<'_, Option<Identity>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn given_up(&self) -> MutexGuard<'_, HashMap<Arc<str>, (Marker, GaveUp)>> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Kept>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Open {
    fn new(root: &Path, cancel: &Cancel) -> Result<Self, RecallError> {
        let store = Store::open(root, cancel)?;
        let mut second = None;
        // Without a log a writer that waits for one reader keeps out another.
        if store.has_wal()? && SECOND_FROM <= store.bytes()? {
            let opened = Store::open(root, cancel)?;
            // The file may have been replaced in between.
            second = Some(opened).filter(|second| second.identity() == store.identity());
        }
        Ok(Self { store, second, known: Known::default(), facts: FactsStore::default() })
    }
}
