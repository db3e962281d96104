// The tables of a workspace in both generations, written from what a reader
// must know of them: names, columns, keys, indexes.

const COMMON = `
  CREATE TABLE operational_schema_migrations (
    scope TEXT PRIMARY KEY, version INTEGER NOT NULL, applied_at INTEGER NOT NULL
  );
  CREATE TABLE session_metadata_schema (scope TEXT PRIMARY KEY, version INTEGER NOT NULL);
  CREATE TABLE session_catalog_state (
    scope TEXT PRIMARY KEY, epoch TEXT NOT NULL, generation INTEGER NOT NULL, pending_writes INTEGER NOT NULL
  );
  CREATE TABLE session_catalog_projection (
    session_id TEXT PRIMARY KEY REFERENCES session_metadata(session_id) ON DELETE CASCADE,
    activity_at INTEGER NOT NULL, last_message_at INTEGER, last_message_preview TEXT,
    is_archived INTEGER NOT NULL, is_flagged INTEGER NOT NULL, subagent_parent_session_id TEXT
  );
  CREATE INDEX session_catalog_by_activity ON session_catalog_projection(activity_at DESC, session_id ASC);
  CREATE INDEX session_catalog_by_subagent_activity
    ON session_catalog_projection(subagent_parent_session_id, activity_at DESC, session_id ASC);

  CREATE TABLE runtime_events (
    event_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL, run_id TEXT NOT NULL,
    turn_id TEXT NOT NULL, event_seq INTEGER NOT NULL, event_kind TEXT NOT NULL, payload_json TEXT NOT NULL,
    committed_at INTEGER NOT NULL, UNIQUE (invocation_id, event_seq)
  );
  CREATE INDEX runtime_events_by_run ON runtime_events(session_id, run_id, event_seq);
  CREATE INDEX runtime_events_by_session ON runtime_events(session_id, committed_at, event_id);
  CREATE TABLE runtime_session_event_ordinals (
    session_id TEXT NOT NULL, ordinal INTEGER NOT NULL,
    event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events(event_id) ON DELETE CASCADE,
    PRIMARY KEY (session_id, ordinal)
  ) WITHOUT ROWID;
  CREATE TABLE runtime_partial_snapshots (
    stream_key TEXT PRIMARY KEY, session_id TEXT NOT NULL, invocation_id TEXT NOT NULL, run_id TEXT NOT NULL,
    turn_id TEXT NOT NULL, after_event_id TEXT, payload_json TEXT NOT NULL, text_content TEXT NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE INDEX runtime_partial_snapshots_by_run
    ON runtime_partial_snapshots(session_id, run_id, updated_at, stream_key);
  CREATE TABLE runtime_partial_segments (
    stream_key TEXT NOT NULL REFERENCES runtime_partial_snapshots(stream_key) ON DELETE CASCADE,
    segment_seq INTEGER NOT NULL, text_content TEXT NOT NULL, updated_at INTEGER NOT NULL,
    PRIMARY KEY (stream_key, segment_seq)
  );

  CREATE TABLE session_messages (
    session_id TEXT NOT NULL REFERENCES session_metadata(session_id) ON DELETE CASCADE,
    sequence INTEGER NOT NULL, message_id TEXT NOT NULL, message_type TEXT NOT NULL, message_ts INTEGER NOT NULL,
    record_json TEXT NOT NULL, PRIMARY KEY (session_id, sequence)
  );
  CREATE INDEX session_messages_by_identity ON session_messages(session_id, message_id);
  CREATE INDEX session_messages_by_time ON session_messages(session_id, message_ts, sequence);
  CREATE TABLE session_message_payloads (
    session_id TEXT NOT NULL, sequence INTEGER NOT NULL, record_bytes INTEGER NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (session_id, sequence),
    FOREIGN KEY (session_id, sequence) REFERENCES session_messages(session_id, sequence) ON DELETE CASCADE
  ) WITHOUT ROWID;
  CREATE TABLE session_message_chunks (
    session_id TEXT NOT NULL, sequence INTEGER NOT NULL, chunk_index INTEGER NOT NULL, data BLOB NOT NULL,
    sha256 TEXT NOT NULL, PRIMARY KEY (session_id, sequence, chunk_index),
    FOREIGN KEY (session_id, sequence) REFERENCES session_message_payloads(session_id, sequence) ON DELETE CASCADE
  ) WITHOUT ROWID;

  CREATE TABLE core_interaction_requests (
    request_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, run_id TEXT NOT NULL,
    request_kind TEXT NOT NULL, created_at INTEGER NOT NULL, record_json TEXT NOT NULL
  );
  CREATE INDEX core_interaction_pending ON core_interaction_requests(session_id, created_at, request_id);
  CREATE TABLE core_interaction_outcomes (
    request_id TEXT PRIMARY KEY REFERENCES core_interaction_requests(request_id) ON DELETE CASCADE,
    record_json TEXT NOT NULL
  );
`

const SUBAGENT_COLUMNS = `
    subagent_parent_session_id TEXT, subagent_parent_run_id TEXT, subagent_tool_call_id TEXT, subagent_swarm_id TEXT,
    subagent_item_id TEXT, subagent_request_fingerprint TEXT, subagent_initial_turn_id TEXT,
    subagent_initial_run_id TEXT, external_adapter_id TEXT, external_source_session_id TEXT`

const metadata = (lastUsed) => `
  CREATE TABLE session_metadata (
    session_id TEXT PRIMARY KEY, payload_json TEXT NOT NULL, created_at INTEGER NOT NULL,${lastUsed}
    last_message_at INTEGER, name TEXT NOT NULL, is_flagged INTEGER NOT NULL, is_archived INTEGER NOT NULL,
    parent_session_id TEXT, revision_root_session_id TEXT, revision_index INTEGER, has_unread INTEGER NOT NULL,
    backend TEXT NOT NULL, llm_connection_slug TEXT NOT NULL, model TEXT NOT NULL, metadata_version INTEGER NOT NULL,
    committed_at INTEGER NOT NULL,${SUBAGENT_COLUMNS}
  );
  CREATE INDEX session_metadata_by_parent ON session_metadata(parent_session_id, session_id);
  CREATE INDEX session_metadata_by_revision
    ON session_metadata(revision_root_session_id, revision_index, session_id);
  CREATE INDEX session_metadata_by_subagent_parent ON session_metadata(subagent_parent_session_id, session_id);
  CREATE INDEX session_metadata_by_external_origin
    ON session_metadata(external_adapter_id, external_source_session_id, created_at DESC, session_id)
    WHERE external_adapter_id IS NOT NULL AND external_source_session_id IS NOT NULL;
`

const runs = (record) => `
  CREATE TABLE core_agent_runs (
    session_id TEXT NOT NULL, run_id TEXT NOT NULL, created_at INTEGER NOT NULL,${record}
    latest_model_call_sequence INTEGER, PRIMARY KEY (session_id, run_id)
  );
  CREATE INDEX core_agent_runs_identity ON core_agent_runs(run_id, session_id);
  CREATE INDEX core_agent_runs_session_order ON core_agent_runs(session_id, created_at, run_id);
`

const OPENINGS = `
  ${metadata('')}
  ${runs('')}
  CREATE INDEX runtime_events_by_session_kind ON runtime_events(session_id, event_kind, invocation_id);
  CREATE UNIQUE INDEX runtime_events_one_opening_per_invocation
    ON runtime_events(invocation_id) WHERE event_kind = 'invocation_opened';
  CREATE TABLE runtime_legacy_invocation_openings (
    invocation_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, run_id TEXT NOT NULL, turn_id TEXT NOT NULL,
    opened_at INTEGER NOT NULL, opening_json TEXT NOT NULL,
    anchor_event_id TEXT NOT NULL UNIQUE REFERENCES runtime_events(event_id) ON DELETE CASCADE
  ) WITHOUT ROWID;
  CREATE INDEX runtime_legacy_invocation_openings_by_session
    ON runtime_legacy_invocation_openings(session_id, opened_at, invocation_id);
  CREATE TABLE artifact_records (
    artifact_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    relative_path TEXT NOT NULL, record_json TEXT NOT NULL
  );
  CREATE UNIQUE INDEX artifact_records_relative_path ON artifact_records(relative_path);
  CREATE INDEX artifact_records_session_order ON artifact_records(session_id, created_at, artifact_id);
  CREATE TABLE artifact_session_revisions (session_id TEXT PRIMARY KEY, revision_token TEXT NOT NULL);
  PRAGMA user_version = 16;
`

const HEADERS = `
  ${metadata(' last_used_at INTEGER NOT NULL DEFAULT 0,')}
  ${runs(' record_json TEXT NOT NULL,')}
  CREATE TABLE artifact_records (
    storage_key TEXT PRIMARY KEY, artifact_id TEXT NOT NULL, session_id TEXT NOT NULL, created_at INTEGER NOT NULL,
    status TEXT NOT NULL, relative_path TEXT NOT NULL, record_json TEXT NOT NULL
  );
  CREATE UNIQUE INDEX artifact_records_relative_path ON artifact_records(relative_path);
  CREATE INDEX artifact_records_session_order ON artifact_records(session_id, created_at, storage_key);
  PRAGMA user_version = 12;
`

const MEMORY = `
  CREATE TABLE memory_items (
    item_id TEXT PRIMARY KEY, version INTEGER NOT NULL, content TEXT NOT NULL, kind TEXT NOT NULL,
    statement_type TEXT NOT NULL, temporal_type TEXT NOT NULL, scope_type TEXT NOT NULL, scope_key TEXT,
    event_started_at INTEGER, event_ended_at INTEGER, observed_at INTEGER NOT NULL, lifecycle_state TEXT NOT NULL,
    origin TEXT NOT NULL, content_hash TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL
  );
  CREATE INDEX memory_items_by_scope_and_lifecycle
    ON memory_items(scope_type, scope_key, lifecycle_state, updated_at DESC, item_id);
  CREATE TABLE memory_item_keys (
    item_id TEXT NOT NULL REFERENCES memory_items(item_id) ON DELETE CASCADE, key_text TEXT NOT NULL,
    normalized_key TEXT NOT NULL, key_type TEXT NOT NULL, key_origin TEXT NOT NULL,
    PRIMARY KEY (item_id, normalized_key)
  ) WITHOUT ROWID;
  CREATE INDEX memory_item_keys_by_normalized_key ON memory_item_keys(normalized_key, item_id);
  PRAGMA user_version = 5;
`

/** Creates the tables of `runtime.sqlite`; `generation` is `openings` or `headers`. */
export function createRuntimeTables(db, generation) {
  db.exec(`BEGIN; ${COMMON} ${generation === 'headers' ? HEADERS : OPENINGS} COMMIT;`)
}

/** Creates the tables of `memory.sqlite`. */
export function createMemoryTables(db) {
  db.exec(`BEGIN; ${MEMORY} COMMIT;`)
}
