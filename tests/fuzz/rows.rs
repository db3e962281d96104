//! Damaged workspaces: an answer or a typed error, and narrowed as in full.

use recall_native::engine::{Cancel, RecallError, recall, recall_more, search_threads};
use rusqlite::types::{Value, ValueRef};
use serde_json::json;

use crate::support::{
    budget::rounds,
    generate::{Generated, Population, generate},
    host::Open,
    mutate::mutated,
    query::{recall_call, threads_call},
    random::Random,
    workspace::GENERATIONS,
};

/// What may be damaged.
const CELLS: [(&str, &str); 16] = [
    ("runtime_events", "payload_json"),
    ("runtime_events", "payload_json"),
    ("runtime_events", "payload_json"),
    ("runtime_events", "payload_json"),
    ("runtime_events", "event_kind"),
    ("runtime_events", "committed_at"),
    ("runtime_events", "turn_id"),
    ("runtime_session_event_ordinals", "event_id"),
    ("runtime_partial_snapshots", "payload_json"),
    ("runtime_partial_snapshots", "after_event_id"),
    ("runtime_partial_segments", "text_content"),
    ("session_messages", "record_json"),
    ("session_messages", "record_json"),
    ("session_message_chunks", "data"),
    ("session_metadata", "payload_json"),
    ("core_agent_runs", "created_at"),
];

#[test]
fn a_damaged_workspace_answers_narrowed_as_in_full() {
    let mut seen = [0; 2];
    rounds(30, |seed| {
        let mut random = Random::new(seed);
        let generation = GENERATIONS[random.below(2)];
        let generated = generate(random.below(40) as u64, generation, Population::Any);
        for _ in 0..1 + random.below(12) {
            damage(&mut random, &generated);
        }
        for query in 0..12 {
            let mut call = recall_call(&mut random, &generated);
            if random.below(2) == 0 {
                call.request = json!({"terms": ["needle"]}).to_string().into_bytes();
            }
            call.workspace_root = Some(generated.workspace.root().to_owned());
            let narrowed = recall(&call, &Open, &Cancel::default());
            call.options.full_scan = true;
            let full = recall(&call, &Open, &Cancel::default());
            let request = String::from_utf8_lossy(&call.request);
            match (narrowed, full) {
                (Ok(mut narrowed), Ok(full)) => {
                    narrowed.scanned_fully = full.scanned_fully;
                    narrowed.coverage.narrowed = full.coverage.narrowed;
                    seen[usize::from(!full.passages.is_empty())] += 1;
                    let (narrowed, full) = (format!("{narrowed:#?}"), format!("{full:#?}"));
                    let mut lines = narrowed.lines().zip(full.lines());
                    let parting = lines.find(|(narrowed, full)| narrowed != full);
                    assert!(
                        narrowed == full,
                        "seed {seed}, query {query}, {request}: {parting:#?}"
                    );
                    let anchor = full.lines().find_map(|line| {
                        line.trim().strip_prefix("anchor: \"")?.strip_suffix("\",")
                    });
                    if let Some(anchor) = anchor {
                        call.request = json!({"anchor": anchor}).to_string().into_bytes();
                        typed(recall_more(&call, &Open, &Cancel::default()), seed);
                    }
                }
                (narrowed, full) => {
                    assert_eq!(narrowed, full, "seed {seed}, query {query}, {request}");
                    typed(full, seed);
                }
            }
            let mut call = threads_call(&mut random, &generated);
            call.workspace_root = Some(generated.workspace.root().to_owned());
            typed(search_threads(&call, &Open, &Cancel::default()), seed);
        }
    });
    assert!(seen.iter().all(|&count| 50 < count), "{seen:?}");
}

#[track_caller]
fn typed<T>(answer: Result<T, RecallError>, seed: u64) {
    if let Err(error) = answer {
        assert!(matches!(error, RecallError::Refused(_)), "seed {seed}: {error}");
    }
}

/// Changes one cell, if its table has rows.
fn damage(random: &mut Random, generated: &Generated) {
    let (table, column) = CELLS[random.below(CELLS.len())];
    let connection = generated.workspace.connection();
    connection.execute_batch("PRAGMA foreign_keys = OFF").unwrap();
    let keys = match table {
        "runtime_session_event_ordinals" => "session_id || ' ' || ordinal",
        "session_message_chunks" => "session_id || ' ' || sequence || ' ' || chunk_index",
        _ => "rowid",
    };
    let rows: i64 = connection
        .query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))
        .unwrap();
    if rows == 0 {
        return;
    }
    let at = random.below(rows as usize);
    let select = format!("SELECT {keys}, {column} FROM {table} LIMIT 1 OFFSET {at}");
    let (key, cell): (Value, Option<Vec<u8>>) = connection
        .query_row(&select, [], |row| {
            // What was damaged before need not be UTF-8.
            let cell = match row.get_ref(1)? {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.to_vec()),
                _ => None,
            };
            Ok((row.get(0)?, cell))
        })
        .unwrap();
    let bytes = cell.map_or_else(|| b"12".to_vec(), |cell| mutated(random, &cell));
    let changed = match random.below(12) {
        0 => "CAST(?2 AS BLOB)",
        1 => "length(?2)",
        2 => "length(?2) / 3.0",
        _ => "CAST(?2 AS TEXT)",
    };
    let update = format!("UPDATE OR IGNORE {table} SET {column} = {changed} WHERE {keys} = ?1");
    connection.execute(&update, (key, bytes)).unwrap();
}
