//! Whether the tables are those that can be read, and which generation wrote
//! them: `host/storage.md` 2.3.
//!
//! The shape decides, never a version number. What is missing is named; what
//! is there beyond does not matter.

use std::collections::{HashMap, HashSet};

use super::{cell, database::Database, fault::unsupported};
use crate::engine::RecallError;

type Columns = &'static [&'static str];

const REQUIRED: [(&str, Columns); 10] = [
    (
        "session_metadata",
        &[
            "session_id",
            "payload_json",
            "created_at",
            "last_message_at",
            "is_archived",
            "metadata_version",
            "committed_at",
        ],
    ),
    (
        "runtime_events",
        &[
            "event_id",
            "session_id",
            "invocation_id",
            "run_id",
            "turn_id",
            "event_seq",
            "event_kind",
            "payload_json",
            "committed_at",
        ],
    ),
    ("runtime_session_event_ordinals", &["session_id", "ordinal", "event_id"]),
    (
        "runtime_partial_snapshots",
        &[
            "stream_key",
            "session_id",
            "invocation_id",
            "run_id",
            "turn_id",
            "after_event_id",
            "payload_json",
            "text_content",
            "updated_at",
        ],
    ),
    ("runtime_partial_segments", &["stream_key", "segment_seq", "text_content"]),
    ("session_messages", &["session_id", "sequence", "message_type", "record_json"]),
    ("session_message_payloads", &["session_id", "sequence", "record_bytes", "sha256"]),
    ("session_message_chunks", &["session_id", "sequence", "chunk_index", "data", "sha256"]),
    (
        "artifact_records",
        &["artifact_id", "session_id", "created_at", "relative_path", "record_json"],
    ),
    // Stands last, so that what both generations lack is named first.
    ("core_agent_runs", &["session_id", "run_id", "created_at", "record_json"]),
];

/// Its existence makes the openings generation; it takes the place of run headers.
const SHELF: (&str, Columns) = (
    "runtime_legacy_invocation_openings",
    &["invocation_id", "session_id", "run_id", "turn_id", "opened_at", "opening_json"],
);

const OUTCOMES: [(&str, Columns); 2] = [
    (
        "core_interaction_requests",
        &["request_id", "session_id", "turn_id", "run_id", "request_kind", "record_json"],
    ),
    ("core_interaction_outcomes", &["request_id", "record_json"]),
];

const FACTS: [(&str, Columns); 2] = [
    (
        "memory_items",
        &[
            "item_id",
            "content",
            "kind",
            "scope_type",
            "scope_key",
            "observed_at",
            "lifecycle_state",
            "updated_at",
        ],
    ),
    ("memory_item_keys", &["item_id", "key_text", "normalized_key"]),
];

/// Which host wrote the workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Generation {
    /// Runs are headers in `core_agent_runs`.
    Headers,
    /// Runs are opening events, or stand on the shelf of openings.
    Openings,
}

/// What differs between workspaces that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Where runs are recorded.
    pub(super) generation: Generation,
    /// Whether permission outcomes are recorded.
    pub(super) outcomes: bool,
    /// Whether `artifact_records` has a `status`.
    pub(super) artifact_status: bool,
    /// Whether an index holds Session and kind of an event.
    pub(super) kind_index: bool,
}

/// The shape of `runtime.sqlite`, or the first thing it lacks.
pub(super) fn runtime_shape(database: &Database) -> Result<Shape, RecallError> {
    let tables = tables(database)?;
    let generation = match tables.contains_key(SHELF.0) {
        true => Generation::Openings,
        false => Generation::Headers,
    };
    for (table, columns) in REQUIRED {
        match (table, generation) {
            ("core_agent_runs", Generation::Openings) => require(database, &tables, SHELF)?,
            _ => require(database, &tables, (table, columns))?,
        }
    }
    Ok(Shape {
        generation,
        outcomes: OUTCOMES.iter().all(|&part| missing(&tables, part).is_none()),
        artifact_status: missing(&tables, ("artifact_records", &["status"])).is_none(),
        kind_index: has_kind_index(database)?,
    })
}

/// Fails with the first thing that `memory.sqlite` lacks.
pub(super) fn facts_shape(database: &Database) -> Result<(), RecallError> {
    let tables = tables(database)?;
    FACTS.iter().try_for_each(|&part| require(database, &tables, part))
}

fn require(
    database: &Database,
    tables: &HashMap<String, HashSet<String>>,
    part: (&str, Columns),
) -> Result<(), RecallError> {
    let Some(missing) = missing(tables, part) else { return Ok(()) };
    Err(unsupported(format!(
        "{} has no {missing}: it was written by a version of the app that this reader does not \
         know; update the reader, or open the workspace with the app once.",
        database.path().display()
    )))
}

fn missing(tables: &HashMap<String, HashSet<String>>, part: (&str, Columns)) -> Option<String> {
    let (table, columns) = part;
    let Some(present) = tables.get(table) else { return Some(format!("table `{table}`")) };
    let column = columns.iter().find(|column| !present.contains(**column))?;
    Some(format!("column `{table}.{column}`"))
}

/// The columns of every table, by name; SQL does not tell cases apart.
fn tables(database: &Database) -> Result<HashMap<String, HashSet<String>>, RecallError> {
    let mut tables: HashMap<String, HashSet<String>> = HashMap::new();
    let sql = "SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c \
               WHERE m.type = 'table'";
    database.rows(sql, [], |row| {
        let (mut table, mut column) = (cell::text(row, 0), cell::text(row, 1));
        table.make_ascii_lowercase();
        column.make_ascii_lowercase();
        tables.entry(table).or_default().insert(column);
        Ok(std::ops::ControlFlow::Continue(()))
    })?;
    Ok(tables)
}

fn has_kind_index(database: &Database) -> Result<bool, RecallError> {
    let sql = "SELECT 1 FROM pragma_index_list('runtime_events') AS l, \
               pragma_index_info(l.name) AS a, pragma_index_info(l.name) AS b \
               WHERE l.partial = 0 AND a.seqno = 0 AND lower(a.name) = 'session_id' \
               AND b.seqno = 1 AND lower(b.name) = 'event_kind' LIMIT 1";
    Ok(database.first(sql, [], |_| ())?.is_some())
}
