//! The tables of both generations, as far as they are read.

/// What both generations have.
pub(crate) const COMMON: &str = "
CREATE TABLE session_metadata (
    session_id TEXT PRIMARY KEY, payload_json TEXT NOT NULL, created_at INTEGER NOT NULL,
    last_message_at INTEGER, is_archived INTEGER NOT NULL, metadata_version INTEGER NOT NULL,
    committed_at INTEGER NOT NULL);
CREATE TABLE runtime_events (
    event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL,
    run_id TEXT NOT NULL, turn_id TEXT NOT NULL, event_seq INTEGER NOT NULL CHECK (event_seq > 0),
    event_kind TEXT NOT NULL, payload_json TEXT NOT NULL, committed_at INTEGER NOT NULL,
    UNIQUE (invocation_id, event_seq));
CREATE INDEX runtime_events_by_run ON runtime_events(session_id, run_id, event_seq);
CREATE INDEX runtime_events_by_session ON runtime_events(session_id, committed_at, event_id);
CREATE TABLE runtime_session_event_ordinals (
    session_id TEXT NOT NULL, ordinal INTEGER NOT NULL CHECK (ordinal > 0),
    event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events(event_id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, ordinal)) WITHOUT ROWID;
CREATE TABLE runtime_partial_snapshots (
    stream_key TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL,
    run_id TEXT NOT NULL, turn_id TEXT NOT NULL, after_event_id TEXT, payload_json TEXT NOT NULL,
    text_content TEXT NOT NULL, updated_at INTEGER NOT NULL);
CREATE INDEX runtime_partial_snapshots_by_run
    ON runtime_partial_snapshots(session_id, run_id, updated_at, stream_key);
CREATE TABLE runtime_partial_segments (
    stream_key TEXT NOT NULL REFERENCES runtime_partial_snapshots(stream_key) ON DELETE CASCADE,
    segment_seq INTEGER NOT NULL, text_content TEXT NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (stream_key, segment_seq));
CREATE TABLE session_messages (
    session_id TEXT NOT NULL REFERENCES session_metadata(session_id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL, message_id TEXT NOT NULL, message_type TEXT NOT NULL,
    message_ts INTEGER NOT NULL, record_json TEXT NOT NULL, PRIMARY KEY (session_id, sequence));
CREATE TABLE session_message_payloads (
    session_id TEXT NOT NULL, sequence INTEGER NOT NULL, record_bytes INTEGER NOT NULL,
    sha256 TEXT NOT NULL, PRIMARY KEY (session_id, sequence)) WITHOUT ROWID;
CREATE TABLE session_message_chunks (
    session_id TEXT NOT NULL, sequence INTEGER NOT NULL, chunk_index INTEGER NOT NULL,
    data BLOB NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (session_id, sequence, chunk_index)) WITHOUT ROWID;
CREATE TABLE core_interaction_requests (
    request_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL,
    run_id TEXT NOT NULL, request_kind TEXT NOT NULL, created_at INTEGER NOT NULL,
    record_json TEXT NOT NULL);
CREATE TABLE core_interaction_outcomes (
    request_id TEXT PRIMARY KEY REFERENCES core_interaction_requests(request_id) ON DELETE CASCADE,
    record_json TEXT NOT NULL);
";

/// What only the headers generation has.
pub(crate) const HEADERS: &str = "
CREATE TABLE core_agent_runs (
    session_id TEXT NOT NULL, run_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    record_json TEXT NOT NULL, latest_model_call_sequence INTEGER,
    PRIMARY KEY (session_id, run_id));
CREATE TABLE artifact_records (
    storage_key TEXT PRIMARY KEY, artifact_id TEXT NOT NULL, session_id TEXT NOT NULL,
    created_at INTEGER NOT NULL, status TEXT NOT NULL CHECK (status IN ('live', 'deleted')),
    relative_path TEXT NOT NULL UNIQUE, record_json TEXT NOT NULL);
PRAGMA user_version = 12;
";

/// What only the openings generation has.
pub(crate) const OPENINGS: &str = "
CREATE TABLE core_agent_runs (
    session_id TEXT NOT NULL, run_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    latest_model_call_sequence INTEGER, PRIMARY KEY (session_id, run_id));
CREATE TABLE runtime_legacy_invocation_openings (
    invocation_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, run_id TEXT NOT NULL,
    turn_id TEXT NOT NULL, opened_at INTEGER NOT NULL, opening_json TEXT NOT NULL,
    anchor_event_id TEXT NOT NULL UNIQUE) WITHOUT ROWID;
CREATE INDEX runtime_events_by_session_kind
    ON runtime_events(session_id, event_kind, invocation_id);
CREATE UNIQUE INDEX runtime_events_one_opening_per_invocation
    ON runtime_events(invocation_id) WHERE event_kind = 'invocation_opened';
CREATE TABLE artifact_records (
    artifact_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    relative_path TEXT NOT NULL UNIQUE, record_json TEXT NOT NULL);
PRAGMA user_version = 16;
";

/// The store of facts.
pub(crate) const FACTS: &str = "
CREATE TABLE IF NOT EXISTS memory_items (
    item_id TEXT PRIMARY KEY, content TEXT NOT NULL, kind TEXT NOT NULL, scope_type TEXT NOT NULL,
    scope_key TEXT, observed_at INTEGER NOT NULL, lifecycle_state TEXT NOT NULL,
    updated_at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS memory_item_keys (
    item_id TEXT NOT NULL, key_text TEXT NOT NULL, normalized_key TEXT NOT NULL,
    PRIMARY KEY (item_id, normalized_key)) WITHOUT ROWID;
";
