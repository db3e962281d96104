//! The stored rows of one Session, as the store reads them.
//!
//! All bytes stand in one buffer and the records are spans of it: a Session of
//! a hundred thousand rows is a handful of allocations, dropped at once.

use std::ops::Range;

/// Bytes of a [`SessionRecords`].
pub type Span = Range<usize>;

/// Everything the store holds of one Session.
#[derive(Clone, Debug, Default)]
pub struct SessionRecords {
    /// `runtime_events`, in any order.
    pub events: Vec<EventRecord>,
    /// Invocations that are recorded beside the events: the shelf of openings,
    /// or run headers.
    pub invocations: Vec<InvocationRecord>,
    /// Text that is still arriving, ordered by `updated_at`, then stream key.
    pub streams: Vec<StreamRecord>,
    /// `session_messages` of a Session whose ledger version is not 1, by sequence.
    pub messages: Vec<MessageRecord>,
    /// Outcomes of permission requests.
    pub outcomes: Vec<OutcomeRecord>,
    bytes: Vec<u8>,
    /// For each event whether it may hold a term of the query it was read for.
    may_hold: Vec<bool>,
}

/// A row of `runtime_events`.
#[derive(Clone, Debug)]
pub struct EventRecord {
    /// The implicit rowid.
    pub rowid: i64,
    /// `event_id`
    pub event_id: Span,
    /// `invocation_id`
    pub invocation_id: Span,
    /// `run_id`
    pub run_id: Span,
    /// `turn_id`
    pub turn_id: Span,
    /// `event_seq`
    pub event_seq: i64,
    /// `event_kind` is `invocation_opened`.
    pub opening: bool,
    /// `committed_at`, epoch ms.
    pub committed_at: f64,
    /// The Session ordinal, where there is one.
    pub ordinal: Option<i64>,
    /// `payload_json`
    pub payload: Span,
}

/// A row of `runtime_legacy_invocation_openings`, or of `core_agent_runs` in
/// the headers generation.
#[derive(Clone, Debug)]
pub struct InvocationRecord {
    /// What `json` is.
    pub form: InvocationForm,
    /// The opening's `invocation_id`; empty for a run header (it is in the JSON).
    pub invocation_id: Span,
    /// `run_id`
    pub run_id: Span,
    /// The opening's `turn_id`; empty for a run header.
    pub turn_id: Span,
    /// `opened_at`, or `created_at` of a run header; epoch ms.
    pub opened_at: f64,
    /// `opening_json` or `record_json`.
    pub json: Span,
}

/// The two shapes an invocation is recorded in beside the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InvocationForm {
    /// `opening_json`: the content of an `invocation_opened` event.
    Opening,
    /// `record_json`: a run header of the headers generation.
    RunHeader,
}

/// A row of `runtime_partial_snapshots` with its segments.
#[derive(Clone, Debug)]
pub struct StreamRecord {
    /// `stream_key`
    pub key: Span,
    /// `invocation_id`
    pub invocation_id: Span,
    /// `run_id`
    pub run_id: Span,
    /// `turn_id`
    pub turn_id: Span,
    /// `after_event_id`
    pub after_event_id: Option<Span>,
    /// `payload_json`: the event of the first delta, its text empty.
    pub payload: Span,
    /// `text_content` and all segments in order.
    pub text: Span,
}

/// A row of `session_messages`.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    /// `sequence`
    pub sequence: i64,
    /// `record_json`, put together again where it was chunked; `None` when that
    /// failed.
    pub json: Option<Span>,
}

/// A permission outcome with its request.
#[derive(Clone, Debug)]
pub struct OutcomeRecord {
    /// `request_id`
    pub request_id: Span,
    /// `turn_id` of the request.
    pub turn_id: Span,
    /// `run_id` of the request.
    pub run_id: Span,
    /// `request_kind`
    pub request_kind: Span,
    /// `record_json` of the request.
    pub request: Span,
    /// `record_json` of the outcome.
    pub outcome: Span,
}

impl SessionRecords {
    /// Keeps `bytes` and says where.
    pub fn push(&mut self, bytes: &[u8]) -> Span {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        start..self.bytes.len()
    }

    /// The bytes at `span`.
    #[must_use]
    pub fn bytes(&self, span: &Span) -> &[u8] {
        &self.bytes[span.clone()]
    }

    /// Adds an event, and whether it may hold a term.
    pub fn push_event(&mut self, event: EventRecord, may_hold: bool) {
        self.may_hold.resize(self.events.len(), true);
        self.events.push(event);
        self.may_hold.push(may_hold);
    }

    /// Whether the event may hold a term of the query that the records were read
    /// for: every event of records that were read for none.
    #[must_use]
    pub fn may_hold(&self, event: usize) -> bool {
        self.may_hold.get(event).copied().unwrap_or(true)
    }

    /// Forgets everything but the room it took.
    pub fn clear(&mut self) {
        let Self { events, invocations, streams, messages, outcomes, bytes, may_hold } = self;
        events.clear();
        invocations.clear();
        streams.clear();
        messages.clear();
        outcomes.clear();
        bytes.clear();
        may_hold.clear();
    }

    /// How many bytes are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes there is room for, about: what they take in memory.
    #[must_use]
    pub fn room(&self) -> usize {
        let events = self.events.capacity() * size_of::<EventRecord>() + self.may_hold.capacity();
        self.bytes.capacity() + events
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}
