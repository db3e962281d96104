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
    digest::{Digest, Outline},
    gather,
    known::Known,
    line::{Line, Turn},
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

/// Answers after which texts that had no hit in any of them make room.
const PATIENCE: u64 = 64;

/// Answers that have to read a Session before its texts take that room.
const LEAST_READS: u64 = 16;

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
    /// Sessions that there was no room for, in the states that were tried.
    crowded_out: Mutex<HashMap<Arc<str>, Marker>>,
    /// Sessions that were read for their hits, and are worth keeping first.
    wanted: Mutex<Vec<Arc<str>>>,
    /// Held while the workspace is read ahead: by one thread at a time.
    pub(super) gathering: Line<()>,
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

/// One Session, and the state of its rows.
pub(in crate::engine) struct Kept {
    header: SessionHeader,
    marker: Marker,
    /// Its texts, or only their signatures.
    pub(in crate::engine) form: Form,
    bytes: usize,
    /// Its part of the corpus.
    pub(in crate::engine) corpus: u64,
    /// The answer it was last of use for; 0 for none.
    useful: AtomicU64,
    /// Answers that had to read it because only signatures are kept.
    reads: AtomicU64,
}

/// A Session in one state of its rows.
pub(super) struct State<'a> {
    pub(super) header: &'a SessionHeader,
    pub(super) marker: Marker,
    /// Its messages of the searchable kinds.
    pub(super) corpus: u64,
}

/// How much of a Session is kept.
pub(in crate::engine) enum Form {
    /// Its texts: it answers.
    Digest(Box<Digest>),
    /// Signatures of its texts: it may skip.
    Outline(Outline),
}

impl Keep {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            line: Line::default(),
            reader: Line::default(),
            file: Mutex::default(),
            sessions: Mutex::default(),
            crowded_out: Mutex::default(),
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
    pub(in crate::engine) fn open(&self, cancel: &Cancel) -> Result<Turn<'_, Open>, RecallError> {
        let mut turn = self.line.wait(cancel)?;
        match turn.thing.take() {
            Some(open) if open.store.is_current() => {
                open.store.serve(cancel);
                if let Some(second) = &open.second {
                    second.serve(cancel);
                }
                turn.thing = Some(open);
            }
            Some(_) => {
                self.forget();
                turn.thing = Some(self.open_anew(cancel)?);
            }
            None => turn.thing = Some(self.open_anew(cancel)?),
        }
        Ok(turn)
    }

    fn open_anew(&self, cancel: &Cancel) -> Result<Open, RecallError> {
        let open = Open::new(&self.root, cancel)?;
        let file = open.store.identity();
        let last = {
            let mut known = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *known, file)
        };
        if last != file {
            // Another file: nothing of the old one is proven by its rows.
            self.forget();
        }
        Ok(open)
    }

    /// What is kept of a Session, when it is proven fresh.
    pub(in crate::engine) fn fresh(
        &self,
        header: &SessionHeader,
        snapshot: &Snapshot<'_>,
        known: &mut Known,
    ) -> Result<Option<Arc<Kept>>, RecallError> {
        let kept = self.sessions().get(&header.id).cloned();
        let Some(kept) = kept.filter(|kept| kept.header == *header) else { return Ok(None) };
        let proven = *known.marker(header, snapshot)? == kept.marker;
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
        let sessions = self.sessions();
        sessions.get(id).is_some_and(|kept| LEAST_READS < kept.reads.load(Ordering::Relaxed))
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
        let fresh = kept.header == *header && kept.marker == *marker;
        fresh.then_some(matches!(kept.form, Form::Digest(_)))
    }

    /// Remembers that there was no room for this state of a Session.
    pub(super) fn crowd_out(&self, header: &SessionHeader, marker: Marker) {
        self.crowded_out().insert(header.id.clone(), marker);
    }

    /// Whether it is known that there is no room for a Session as it is.
    pub(in crate::engine) fn gave_up(
        &self,
        header: &SessionHeader,
        snapshot: &Snapshot<'_>,
        known: &mut Known,
    ) -> Result<bool, RecallError> {
        let is_tried = self.crowded_out().contains_key(&header.id);
        Ok(is_tried && self.is_crowded_out(header, known.marker(header, snapshot)?))
    }

    /// Tries Sessions again that there was no room for.
    pub(super) fn try_again(&self) {
        self.crowded_out().clear();
    }

    /// Whether there was no room for this state of a Session.
    pub(super) fn is_crowded_out(&self, header: &SessionHeader, marker: &Marker) -> bool {
        self.crowded_out().get(&header.id) == Some(marker)
    }

    /// Forgets what is kept of a Session; says the answer it was last of use for.
    pub(super) fn take_out(&self, id: &str) -> u64 {
        let Some(old) = self.sessions().remove(id) else { return 0 };
        memory().free(old.bytes);
        old.useful.load(Ordering::Relaxed)
    }

    /// Keeps a Session that was last of use for the answer `useful`. Its `bytes`
    /// are counted in already.
    pub(super) fn put(&self, state: State<'_>, form: Form, bytes: usize, useful: u64) {
        let State { header, marker, corpus } = state;
        let useful = AtomicU64::new(useful);
        let reads = AtomicU64::new(0);
        let kept = Kept { header: header.clone(), marker, form, bytes, corpus, useful, reads };
        if let Some(old) = self.sessions().insert(header.id.clone(), Arc::new(kept)) {
            memory().free(old.bytes);
        }
        // A release that came meanwhile found nothing to forget.
        if self.closed.is_requested() {
            self.forget();
        }
    }

    /// The Session whose texts are of the least use.
    fn least_useful(&self) -> Option<Arc<Kept>> {
        self.sessions()
            .values()
            .filter(|kept| matches!(kept.form, Form::Digest(_)))
            .min_by(|a, b| a.rank().partial_cmp(&b.rank()).unwrap_or(std::cmp::Ordering::Equal))
            .cloned()
    }

    /// Whether some texts have been of no use for long. Only those make room for
    /// others: Sessions that are useful alike would take turns in throwing each
    /// other out.
    pub(in crate::engine) fn has_idle_texts(&self) -> bool {
        self.least_useful().is_some_and(|least| least.is_idle())
    }

    /// Keeps only the signatures of the least useful Session, and answers
    /// whether there was one. They are made while others may look.
    pub(super) fn shrink(&self) -> bool {
        let Some(least) = self.least_useful() else { return false };
        let Form::Digest(digest) = &least.form else { return false };
        let outline = digest.outline();
        let bytes = outline.bytes();
        let form = Form::Outline(outline);
        let kept = Kept {
            header: least.header.clone(),
            marker: least.marker.clone(),
            form,
            bytes,
            corpus: least.corpus,
            useful: AtomicU64::new(least.useful.load(Ordering::Relaxed)),
            reads: AtomicU64::new(0),
        };
        let mut sessions = self.sessions();
        // Another one may have come in its place meanwhile, or none.
        if sessions.get(&least.header.id).is_some_and(|known| Arc::ptr_eq(known, &least)) {
            sessions.insert(least.header.id.clone(), Arc::new(kept));
            memory().exchange(least.bytes, bytes);
        }
        true
    }

    /// Forgets what is kept of Sessions that are not among `ids`.
    pub(super) fn retain(&self, ids: &HashSet<&str>) {
        self.sessions().retain(|id, kept| {
            let stays = ids.contains(&**id);
            if !stays {
                memory().free(kept.bytes);
            }
            stays
        });
    }

    /// Forgets every Session.
    pub(super) fn forget(&self) {
        self.try_again();
        for (_, kept) in self.sessions().drain() {
            memory().free(kept.bytes);
        }
    }

    /// How much is kept.
    pub(super) fn sizes(&self) -> Sizes {
        let sessions = self.sessions();
        let mut sizes = Sizes::default();
        for kept in sessions.values() {
            match &kept.form {
                Form::Digest(digest) => {
                    sizes.held += 1;
                    sizes.text_bytes += digest.text_bytes();
                }
                Form::Outline(_) => sizes.outlined += 1,
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
        let Some(mut turn) = self.line.idle() else { return };
        let Some(open) = &mut turn.thing else { return };
        if !open.facts.is_current() {
            open.facts = FactsStore::default();
        }
        if !open.store.is_current() {
            self.forget();
            turn.thing = None;
        }
    }

    /// Closes the connection, unless an answer uses it.
    pub(super) fn hang_up(&self) {
        if let Some(mut turn) = self.line.idle() {
            turn.thing = None;
        }
    }

    /// Forgets everything, and closes the connections: that of an answer as soon
    /// as it is given.
    pub(super) fn close(&self) {
        self.closed.request();
        self.forget();
        self.hang_up();
        if let Some(mut turn) = self.reader.free_within(RELEASE) {
            turn.thing = None;
        }
    }

    /// The Sessions that were noted, each once.
    pub(super) fn take_wanted(&self) -> Vec<Arc<str>> {
        std::mem::take(&mut *self.wanted.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn crowded_out(&self) -> MutexGuard<'_, HashMap<Arc<str>, Marker>> {
        self.crowded_out.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Kept>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Notes that the Session had hits in the answer with this number.
    pub(in crate::engine) fn was_useful(&self, answer: u64) {
        self.useful.fetch_max(answer, Ordering::Relaxed);
    }

    /// Notes that it had to be read; answers whether that was often enough for
    /// its texts to be worth the room of idle ones.
    pub(in crate::engine) fn was_read(&self) -> bool {
        LEAST_READS < self.reads.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether it has been of no use for long.
    fn is_idle(&self) -> bool {
        let answers = memory().counts.answers.load(Ordering::Relaxed);
        self.useful.load(Ordering::Relaxed).saturating_add(PATIENCE) < answers
    }

    /// What is given up first: what was of use longest ago, then the oldest.
    fn rank(&self) -> (u64, f64) {
        (self.useful.load(Ordering::Relaxed), self.header.last_message_at.unwrap_or_default())
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
