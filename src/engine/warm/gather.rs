//! Filling the memory in the background.
//!
//! A thread of its own, on a connection of its own, reads one Session at a
//! time in a short transaction and keeps it. An answer that comes meanwhile
//! goes first. When there is nothing left to read the thread waits a while for
//! more, then closes the connection of the workspace and ends: every connection
//! that is kept has such a thread.

use std::{
    collections::HashSet,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

use super::{
    digest::Digest,
    keep::{GaveUp, Keep},
    kept::{Kept, State},
    known::Known,
    memory::{Share, memory},
};
use crate::engine::{
    Cancel, RecallError, SessionHeader,
    eligible::{Scope, eligible},
    pool::install,
    source::Held,
    store::{Identity, Sessions, Snapshot, Store},
    transcript::{bones, project, records::SessionRecords},
};

/// How long a connection stays open after its last answer. Shorter than the five
/// seconds that the host waits for a lock: entering or leaving the WAL mode, and
/// deleting the log, need the database alone.
const IDLE: Duration = Duration::from_secs(2);
/// How often an idle thread looks for work.
const TICK: Duration = Duration::from_millis(50);
/// How long an answer is given way before the next look.
const GIVE_WAY: Duration = Duration::from_millis(1);

/// Sessions that were used last and are likely to grow.
const LIKELY_TO_GROW: usize = 4;

/// The part of the budget that signatures leave to texts: one in so many bytes.
const LEAST_TEXTS: usize = 4;

/// What one pass over a workspace came to.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gathered {
    /// Sessions that may be searched.
    pub(super) sessions: usize,
    /// Sessions that cannot be kept: unreadable ones, and those of older shapes.
    pub(super) left_out: usize,
    /// Whether the texts of all others are kept now.
    pub(super) complete: bool,
}

/// Starts a thread for `keep` unless it has one. A system that gives no thread
/// leaves the memory as it is, and nothing open.
pub(super) fn start(keep: &Arc<Keep>) {
    if keep.attended.swap(true, Ordering::AcqRel) {
        return;
    }
    let own = keep.clone();
    let thread = thread::Builder::new().name("recall-keep".to_owned());
    if thread.spawn(move || attend(&own)).is_err() {
        keep.attended.store(false, Ordering::Release);
        keep.hang_up();
    }
}

fn attend(keep: &Arc<Keep>) {
    loop {
        let mut seen = 0;
        // A failure here fails again in the next answer, which reports it.
        let _ = catch_unwind(AssertUnwindSafe(|| attend_until_idle(keep, &mut seen)));
        keep.hang_up();
        keep.attended.store(false, Ordering::Release);
        // An answer that came meanwhile saw this thread, and started none.
        let is_done = keep.closed.is_requested() || keep.answers.load(Ordering::Acquire) == seen;
        if is_done || keep.attended.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

fn attend_until_idle(keep: &Keep, seen: &mut u64) {
    let mut idle_since = Instant::now();
    while !keep.closed.is_requested() && idle_since.elapsed() < IDLE {
        let answers = keep.answers.load(Ordering::Acquire);
        if answers == *seen {
            keep.let_go();
            thread::sleep(TICK);
            continue;
        }
        *seen = answers;
        if keep.is_behind.swap(false, Ordering::AcqRel) {
            let _ = gather(keep, &keep.closed);
        }
        idle_since = Instant::now();
    }
}

/// Reads the Sessions of the workspace that are not kept or not fresh, those
/// that were of use first, then the newest, until all are kept or the budget is
/// used up. Sessions that are created meanwhile wait for the next answer.
pub(super) fn gather(keep: &Keep, cancel: &Cancel) -> Result<Gathered, RecallError> {
    let mut lease = keep.gathering.wait(cancel)?;
    let mut known = lease.thing.take().unwrap_or_default();
    loop {
        cancel.check()?;
        if let Some(gathered) = Reading::begin(keep, cancel)?.gather(&mut known)? {
            lease.thing = Some(known.moved());
            return Ok(gathered);
        }
        known = Known::default();
    }
}

/// The connection that reads in the background. Between two reads a release may
/// close it; it closes in the end in any case.
struct Reading<'a> {
    keep: &'a Keep,
    cancel: &'a Cancel,
}

impl<'a> Reading<'a> {
    fn begin(keep: &'a Keep, cancel: &'a Cancel) -> Result<Self, RecallError> {
        let store = Store::open(&keep.root, cancel)?;
        keep.saw(store.identity());
        keep.reader.wait(cancel)?.thing = Some(store);
        Ok(Self { keep, cancel })
    }

    /// One pass; `None` when the file was replaced meanwhile.
    fn gather(&self, known: &mut Known) -> Result<Option<Gathered>, RecallError> {
        let mut queue = Queue::default();
        let mut gathered = Gathered::default();
        loop {
            self.give_way()?;
            let (next, file) = {
                let mut lease = self.keep.reader.wait(self.cancel)?;
                let released = "the workspace was released while it was read ahead";
                let store =
                    lease.thing.as_mut().ok_or_else(|| RecallError::unavailable(released))?;
                if store.was_replaced() {
                    return Ok(None);
                }
                let file = store.identity();
                let snapshot = store.snapshot()?;
                known.at(&snapshot)?;
                (queue.next(self.keep, &snapshot, known)?, file)
            };
            self.cancel.check()?;
            match next {
                Next::End => break,
                Next::Passed => {}
                Next::LeftOut => gathered.left_out += 1,
                Next::Read(stored) => {
                    let is_kept = keep_session(self.keep, *stored, file, self.cancel)?;
                    gathered.left_out += usize::from(!is_kept);
                }
            }
        }
        gathered.sessions = queue.sessions.len();
        let held = queue.sessions.iter().filter(|header| self.keep.holds_texts(&header.id)).count();
        gathered.complete = held + gathered.left_out == gathered.sessions;
        Ok(Some(gathered))
    }

    /// Lets answers go first.
    fn give_way(&self) -> Result<(), RecallError> {
        while self.keep.line.is_taken() {
            self.cancel.check()?;
            thread::sleep(GIVE_WAY);
        }
        Ok(())
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.cancel.unwatch();
        if let Some(mut lease) = self.keep.reader.idle() {
            lease.thing = None;
        }
    }
}

/// The Sessions of a workspace, each looked at once.
#[derive(Default)]
struct Queue {
    /// The list they come from.
    listed: Option<Arc<Sessions>>,
    sessions: Vec<Arc<SessionHeader>>,
    /// The place of the next one.
    at: usize,
    newest: HashSet<Arc<str>>,
}

/// The next Session.
enum Next {
    /// There is none.
    End,
    /// There is nothing to do: it is kept and fresh, there is no room for more of
    /// it, or it is gone.
    Passed,
    /// It is read from the store each time.
    LeftOut,
    /// What is stored of it.
    Read(Box<Stored>),
}

/// What is stored of a Session.
struct Stored {
    state: State,
    records: SessionRecords,
    /// Whether it is likely to grow.
    grows: bool,
}

impl Queue {
    /// The next Session as `snapshot` shows it, header and rows of one state.
    fn next(
        &mut self,
        keep: &Keep,
        snapshot: &Snapshot<'_>,
        known: &mut Known,
    ) -> Result<Next, RecallError> {
        let listed = match &self.listed {
            Some(listed) => listed.clone(),
            None => self.fill(keep, known.sessions(snapshot)?),
        };
        let Some(header) = self.sessions.get(self.at) else { return Ok(Next::End) };
        self.at += 1;
        // After a commit one row is read again: listing all of them each time
        // takes longer than a busy host leaves between two commits.
        let header = match known.lists(&listed) {
            true => Some(header.clone()),
            false => snapshot.session(&header.id)?,
        };
        let Some(header) = header else { return Ok(Next::Passed) };
        if !Keep::can_keep(&header, snapshot) {
            return Ok(Next::LeftOut);
        }
        let marker = known.marker(&header, snapshot)?.clone();
        if keep.kept(&header, &marker) == Some(true) {
            return Ok(Next::Passed);
        }
        match keep.why_given_up(&header, &marker) {
            Some(GaveUp::CannotBeKept) => return Ok(Next::LeftOut),
            Some(GaveUp::NoRoom) if !(keep.is_sought(&header.id) && memory().has_idle_texts()) => {
                return Ok(Next::Passed);
            }
            _ => {}
        }
        let records = snapshot.read(&header)?;
        let corpus = snapshot.corpus_count(&[&header.id])?;
        let grows = self.newest.contains(&header.id) || keep.knows(&header.id);
        let state = State { header, marker, corpus };
        Ok(Next::Read(Box::new(Stored { state, records, grows })))
    }

    /// Lines up the Sessions of a list.
    fn fill(&mut self, keep: &Keep, listed: Arc<Sessions>) -> Arc<Sessions> {
        keep.retain(&listed.headers.iter().map(|header| &*header.id).collect());
        let scope = Scope { include_archived: true, ..Scope::default() };
        self.sessions = eligible(&listed.headers, scope);
        let newest = self.sessions.iter().take(LIKELY_TO_GROW);
        self.newest = newest.map(|header| header.id.clone()).collect();
        let wanted: HashSet<Arc<str>> = keep.take_wanted().into_iter().collect();
        self.sessions.sort_by_key(|header| !wanted.contains(&header.id));
        self.listed.insert(listed).clone()
    }
}

/// Keeps as much of a Session as there is room for; answers whether it can be
/// kept at all.
fn keep_session(
    keep: &Keep,
    stored: Stored,
    file: Option<Identity>,
    cancel: &Cancel,
) -> Result<bool, RecallError> {
    let Stored { state, records, grows } = stored;
    memory().counts.read_ahead.fetch_add(1, Ordering::Relaxed);
    Ok(match digest(&state.header, records, grows, cancel)? {
        Some(digest) => {
            place(keep, state, digest, file);
            true
        }
        None => {
            keep.take_out(&state.header.id);
            keep.give_up(&state.header, state.marker, GaveUp::CannotBeKept);
            false
        }
    })
}

fn digest(
    header: &SessionHeader,
    records: SessionRecords,
    grows: bool,
    cancel: &Cancel,
) -> Result<Option<Digest>, RecallError> {
    let Ok(projection) = project(header, &records, cancel)? else { return Ok(None) };
    let transcript = projection.transcript.clone();
    let bones = grows.then(|| bones(&records, &projection));
    let contents = Held { projection, records };
    let digest = install(|| Digest::new(transcript, &contents));
    Ok(digest.map(|digest| match bones {
        Some(bones) => digest.with_bones(bones),
        None => digest,
    }))
}

/// Keeps the texts of a Session when there is room, else their signatures.
fn place(keep: &Keep, state: State, digest: Digest, file: Option<Identity>) {
    let sought = keep.is_sought(&state.header.id);
    // What was kept of it before is of no use any more, and takes room.
    let useful = keep.take_out(&state.header.id);
    // What is sought was of use just now.
    let now = memory().counts.answers.load(Ordering::Relaxed);
    let kept = Kept::new(state.clone(), digest, if sought { now } else { useful });
    let mut room = memory().admit(kept.bytes(), Share::Texts);
    // What is sought makes room at the cost of what is not.
    while !room && sought && memory().shrink_idle() {
        room = memory().admit(kept.bytes(), Share::Texts);
    }
    if room {
        return keep.put(kept, file);
    }
    keep.give_up(&state.header, state.marker, GaveUp::NoRoom);
    let Some(outlined) = kept.outlined() else { return };
    let mut room = memory().admit(outlined.bytes(), Share::All);
    // Signatures of all Sessions are worth more than the texts of some.
    while !room && memory().budget() / LEAST_TEXTS < memory().text_bytes() && memory().shrink() {
        room = memory().admit(outlined.bytes(), Share::All);
    }
    if room {
        keep.put(outlined, file);
    }
}
