//! One Session in memory, and of what use it has been.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use super::{
    digest::{Digest, Outline},
    memory::memory,
};
use crate::engine::{SessionHeader, store::Marker};

/// Answers after which texts that had no hit in any of them make room.
const PATIENCE: u64 = 64;

/// Answers that have to read a Session before its texts take that room.
const LEAST_READS: u64 = 16;

/// One Session in one state of its rows.
pub(in crate::engine) struct Kept {
    state: State,
    /// Its texts, or only their signatures.
    pub(in crate::engine) form: Form,
    bytes: usize,
    /// The answer it was last of use for; 0 for none.
    useful: AtomicU64,
    /// Answers that had to read it because only signatures are kept.
    reads: AtomicU64,
}

/// What a Session was when it was read.
#[derive(Clone)]
pub(super) struct State {
    pub(super) header: Arc<SessionHeader>,
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

impl Kept {
    /// A Session with its texts, that was last of use for the answer `useful`.
    pub(super) fn new(state: State, digest: Digest, useful: u64) -> Self {
        Self::with(state, Form::Digest(Box::new(digest)), useful)
    }

    /// The same without its texts; `None` when it has none. Cost: one pass over
    /// them, on the pool.
    pub(super) fn outlined(&self) -> Option<Self> {
        let outline = self.digest()?.outline();
        Some(Self::with(self.state.clone(), Form::Outline(outline), self.useful()))
    }

    fn with(state: State, form: Form, useful: u64) -> Self {
        let form_bytes = match &form {
            Form::Digest(digest) => size_of::<Digest>() + digest.bytes(),
            Form::Outline(outline) => outline.bytes(),
        };
        // With its place among the Sessions, and its header.
        let bytes = size_of::<(Arc<str>, Self, SessionHeader)>()
            + state.header.bytes()
            + state.marker.bytes()
            + form_bytes;
        Self { state, form, bytes, useful: useful.into(), reads: AtomicU64::new(0) }
    }

    /// Its id.
    pub(super) fn id(&self) -> &Arc<str> {
        &self.state.header.id
    }

    /// Its part of the corpus.
    pub(in crate::engine) fn corpus(&self) -> u64 {
        self.state.corpus
    }

    /// Its texts, when they are kept.
    pub(in crate::engine) fn digest(&self) -> Option<&Digest> {
        match &self.form {
            Form::Digest(digest) => Some(digest),
            Form::Outline(_) => None,
        }
    }

    /// Whether a Session has the header it had.
    pub(super) fn has_header(&self, header: &SessionHeader) -> bool {
        *self.state.header == *header
    }

    /// Whether its rows have the marker they had.
    pub(super) fn has_marker(&self, marker: &Marker) -> bool {
        self.state.marker == *marker
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The answer it was last of use for; 0 for none.
    pub(super) fn useful(&self) -> u64 {
        self.useful.load(Ordering::Relaxed)
    }

    /// Notes that the Session had hits in the answer with this number.
    pub(in crate::engine) fn was_useful(&self, answer: u64) {
        self.useful.fetch_max(answer, Ordering::Relaxed);
    }

    /// Notes that it had to be read; answers whether that was often enough for
    /// its texts to be worth the room of idle ones.
    pub(in crate::engine) fn was_read(&self) -> bool {
        LEAST_READS < self.reads.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether it was.
    pub(super) fn is_sought(&self) -> bool {
        LEAST_READS < self.reads.load(Ordering::Relaxed)
    }

    /// Whether it has been of no use for long. Only such texts make room for
    /// others: Sessions that are useful alike would take turns in throwing each
    /// other out.
    pub(super) fn is_idle(&self) -> bool {
        let answers = memory().counts.answers.load(Ordering::Relaxed);
        self.useful().saturating_add(PATIENCE) < answers
    }

    /// What is given up first: what was of use longest ago, then the oldest.
    pub(super) fn compare_use(&self, other: &Self) -> std::cmp::Ordering {
        let last = |kept: &Self| kept.state.header.last_message_at.unwrap_or_default();
        self.useful().cmp(&other.useful()).then(last(self).total_cmp(&last(other)))
    }
}
