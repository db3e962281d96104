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
    keep::{Form, Keep, State},
    memory::{Share, memory},
};
use crate::engine::{
    Cancel, RecallError, SessionHeader,
    eligible::{Scope, eligible},
    pool::install,
    source::Held,
    store::{Marker, Snapshot, Store},
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
    /// Sessions that the budget had no room for.
    pub(super) crowded_out: usize,
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
/// used up.
pub(super) fn gather(keep: &Keep, cancel: &Cancel) -> Result<Gathered, RecallError> {
    let _alone = keep.gathering.wait(cancel)?;
    cancel.check()?;
    let _closes = Reading::begin(keep, cancel)?;
    let mut queue = Queue { wanted: keep.take_wanted().into_iter().collect(), ..Queue::default() };
    let mut gathered = Gathered::default();
    loop {
        while keep.line.is_taken() {
            cancel.check()?;
            thread::sleep(GIVE_WAY);
        }
        let next = {
            let mut turn = keep.reader.wait(cancel)?;
            let released = "the workspace was released while it was read ahead";
            let store = turn.thing.as_mut().ok_or_else(|| RecallError::unavailable(released))?;
            queue.next(keep, &store.snapshot()?)?
        };
        gathered.sessions = queue.sessions.len();
        let Some(next) = next else { break };
        cancel.check()?;
        match next {
            Next::Fresh => {}
            Next::CrowdedOut => gathered.crowded_out += 1,
            Next::LeftOut => gathered.left_out += 1,
            Next::Read(stored) => {
                let Stored { header, marker, corpus, records } = *stored;
                let grows = queue.newest.contains(&header.id) || keep.knows(&header.id);
                let Some(digest) = digest(&header, records, grows) else {
                    gathered.left_out += 1;
                    continue;
                };
                let state = State { header: &header, marker, corpus };
                let sought = keep.is_sought(&header.id);
                if !place(keep, state, digest, sought) {
                    gathered.crowded_out += 1;
                }
            }
        }
    }
    Ok(gathered)
}

/// The connection that reads in the background. Between two reads a release may
/// close it; it closes in the end in any case.
struct Reading<'a> {
    keep: &'a Keep,
    cancel: &'a Cancel,
}

impl<'a> Reading<'a> {
    fn begin(keep: &'a Keep, cancel: &'a Cancel) -> Result<Self, RecallError> {
        keep.reader.wait(cancel)?.thing = Some(Store::open(&keep.root, cancel)?);
        Ok(Self { keep, cancel })
    }
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        self.cancel.unwatch();
        if let Some(mut turn) = self.keep.reader.idle() {
            turn.thing = None;
        }
    }
}

/// The Sessions of a workspace, each looked at once.
#[derive(Default)]
struct Queue {
    /// The state of the list.
    state: Option<i64>,
    sessions: Vec<Arc<SessionHeader>>,
    /// The place of the next one, as long as the list is this one.
    at: usize,
    wanted: HashSet<Arc<str>>,
    newest: HashSet<Arc<str>>,
    done: HashSet<Arc<str>>,
}

/// The next Session.
enum Next {
    /// It is kept, and fresh.
    Fresh,
    /// There is no room for more of it.
    CrowdedOut,
    /// It is read from the store each time.
    LeftOut,
    /// What is stored of it.
    Read(Box<Stored>),
}

/// A Session of one state.
struct Stored {
    header: Arc<SessionHeader>,
    marker: Marker,
    corpus: u64,
    records: SessionRecords,
}

impl Queue {
    /// The next Session as `snapshot` shows it, header and rows of one state.
    fn next(&mut self, keep: &Keep, snapshot: &Snapshot<'_>) -> Result<Option<Next>, RecallError> {
        let state = snapshot.state()?;
        if self.state != Some(state) {
            self.state = Some(state);
            self.at = 0;
            let listed = snapshot.sessions()?;
            let headers = &listed.headers;
            keep.retain(&headers.iter().map(|header| &*header.id).collect());
            let scope = Scope { include_archived: true, ..Scope::default() };
            self.sessions = eligible(headers, scope);
            let newest = self.sessions.iter().take(LIKELY_TO_GROW);
            self.newest = newest.map(|header| header.id.clone()).collect();
            self.sessions.sort_by_key(|header| !self.wanted.contains(&header.id));
        }
        let rest = &self.sessions[self.at..];
        let Some(skipped) = rest.iter().position(|header| !self.done.contains(&header.id)) else {
            return Ok(None);
        };
        let header = rest[skipped].clone();
        self.at += skipped + 1;
        self.done.insert(header.id.clone());
        if !Keep::can_keep(&header, snapshot) {
            return Ok(Some(Next::LeftOut));
        }
        let marker = snapshot.marker(&header.id)?;
        if keep.kept(&header, &marker) == Some(true) {
            return Ok(Some(Next::Fresh));
        }
        let may_make_room = keep.is_sought(&header.id) && keep.has_idle_texts();
        if !may_make_room && keep.is_crowded_out(&header, &marker) {
            return Ok(Some(Next::CrowdedOut));
        }
        let records = snapshot.read(&header)?;
        let corpus = snapshot.corpus_count(&[&header.id])?;
        Ok(Some(Next::Read(Box::new(Stored { header, marker, corpus, records }))))
    }
}

fn digest(header: &SessionHeader, records: SessionRecords, grows: bool) -> Option<Digest> {
    let projection = project(header, &records).ok()?;
    let transcript = projection.transcript.clone();
    let bones = grows.then(|| bones(&records, &projection));
    let contents = Held { projection, records };
    let digest = install(|| Digest::new(transcript, &contents))?;
    Some(match bones {
        Some(bones) => digest.with_bones(bones),
        None => digest,
    })
}

/// Keeps a Session as far as there is room: its texts, else their signatures.
/// Answers whether its texts are kept.
fn place(keep: &Keep, state: State<'_>, digest: Digest, sought: bool) -> bool {
    // What was kept of it before is of no use any more, and takes room.
    let useful = keep.take_out(&state.header.id);
    let bytes = digest.bytes();
    let mut room = memory().admit(bytes, Share::Texts);
    // What is sought makes room at the cost of what is not.
    while !room && sought && keep.has_idle_texts() && keep.shrink() {
        room = memory().admit(bytes, Share::Texts);
    }
    if room {
        keep.put(state, Form::Digest(Box::new(digest)), bytes, useful);
        return true;
    }
    keep.crowd_out(state.header, state.marker.clone());
    let outline = digest.outline();
    let bytes = outline.bytes();
    let mut room = memory().admit(bytes, Share::All);
    // Signatures of all Sessions are worth more than the texts of some.
    while !room && memory().budget() / LEAST_TEXTS < keep.sizes().text_bytes && keep.shrink() {
        room = memory().admit(bytes, Share::All);
    }
    if room {
        keep.put(state, Form::Outline(outline), bytes, useful);
    }
    false
}
