// The tables of a workspace of the openings generation that Recall reads, and
// the few that the host keeps beside them. Column names are the host's.

/** `runtime.sqlite`. */
export const RUNTIME = `
PRAGMA user_version = 16;

CREATE TABLE operational_schema_migrations (
  scope TEXT PRIMARY KEY, version INTEGER NOT NULL, applied_at INTEGER NOT NULL
);
CREATE TABLE session_metadata_schema (scope TEXT PRIMARY KEY, version INTEGER NOT NULL);

CREATE TABLE session_metadata (
  session_id TEXT PRIMARY KEY,
  payload_json TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_message_at INTEGER,
  name TEXT NOT NULL,
  is_flagged INTEGER NOT NULL,
  is_archived INTEGER NOT NULL,
  parent_session_id TEXT,
  revision_root_session_id TEXT,
  revision_index INTEGER,
  has_unread INTEGER NOT NULL,
  backend TEXT NOT NULL,
  llm_connection_slug TEXT NOT NULL,
  model TEXT NOT NULL,
  metadata_version INTEGER NOT NULL,
  committed_at INTEGER NOT NULL
);
CREATE TABLE session_catalog_state (
  scope TEXT PRIMARY KEY, epoch TEXT NOT NULL, generation INTEGER NOT NULL, pending_writes INTEGER NOT NULL
);
CREATE TABLE session_catalog_projection (
  session_id TEXT PRIMARY KEY REFERENCES session_metadata(session_id) ON DELETE CASCADE,
  activity_at INTEGER NOT NULL,
  last_message_at INTEGER,
  last_message_preview TEXT,
  is_archived INTEGER NOT NULL,
  is_flagged INTEGER NOT NULL,
  subagent_parent_session_id TEXT
);

CREATE TABLE runtime_events (
  event_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  event_kind TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  committed_at INTEGER NOT NULL,
  UNIQUE (invocation_id, event_seq)
);
CREATE INDEX runtime_events_by_run ON runtime_events (session_id, run_id, event_seq);
CREATE INDEX runtime_events_by_session ON runtime_events (session_id, committed_at, event_id);
CREATE INDEX runtime_events_by_session_kind ON runtime_events (session_id, event_kind, invocation_id);
CREATE TABLE runtime_session_event_ordinals (
  session_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events(event_id) ON DELETE CASCADE,
  PRIMARY KEY (session_id, ordinal)
) WITHOUT ROWID;
CREATE TABLE runtime_partial_snapshots (
  stream_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  invocation_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  after_event_id TEXT,
  payload_json TEXT NOT NULL,
  text_content TEXT NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE runtime_partial_segments (
  stream_key TEXT NOT NULL REFERENCES runtime_partial_snapshots(stream_key) ON DELETE CASCADE,
  segment_seq INTEGER NOT NULL,
  text_content TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (stream_key, segment_seq)
);
CREATE TABLE runtime_legacy_invocation_openings (
  invocation_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  opening_json TEXT NOT NULL,
  anchor_event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events(event_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE session_messages (
  session_id TEXT NOT NULL REFERENCES session_metadata(session_id) ON DELETE CASCADE,
  sequence INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  message_type TEXT NOT NULL,
  message_ts INTEGER NOT NULL,
  record_json TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence)
);
CREATE TABLE session_message_payloads (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  record_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence)
) WITHOUT ROWID;
CREATE TABLE session_message_chunks (
  session_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  chunk_index INTEGER NOT NULL,
  data BLOB NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (session_id, sequence, chunk_index)
) WITHOUT ROWID;

CREATE TABLE artifact_records (
  artifact_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  relative_path TEXT NOT NULL UNIQUE,
  record_json TEXT NOT NULL
);
CREATE TABLE artifact_session_revisions (session_id TEXT PRIMARY KEY, revision_token TEXT NOT NULL);
CREATE TABLE core_interaction_requests (
  request_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  request_kind TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  record_json TEXT NOT NULL
);
CREATE TABLE core_interaction_outcomes (
  request_id TEXT PRIMARY KEY REFERENCES core_interaction_requests(request_id) ON DELETE CASCADE,
  record_json TEXT NOT NULL
);
`

/** `memory.sqlite`. */
export const MEMORY = `
PRAGMA user_version = 5;

CREATE TABLE memory_items (
  item_id TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  content TEXT NOT NULL,
  kind TEXT NOT NULL,
  statement_type TEXT NOT NULL,
  temporal_type TEXT NOT NULL,
  scope_type TEXT NOT NULL,
  scope_key TEXT,
  event_started_at INTEGER,
  event_ended_at INTEGER,
  observed_at INTEGER NOT NULL,
  lifecycle_state TEXT NOT NULL,
  origin TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
CREATE TABLE memory_item_keys (
  item_id TEXT NOT NULL REFERENCES memory_items(item_id) ON DELETE CASCADE,
  key_text TEXT NOT NULL,
  normalized_key TEXT NOT NULL,
  key_type TEXT NOT NULL,
  key_origin TEXT NOT NULL,
  PRIMARY KEY (item_id, normalized_key)
) WITHOUT ROWID;
CREATE INDEX memory_item_keys_by_normalized_key ON memory_item_keys (normalized_key, item_id);
`
