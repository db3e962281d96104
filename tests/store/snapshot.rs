//! One state for one answer, and a connection that is kept.

use std::{fs, sync::Arc};

use recall_native::engine::{Cancel, Reason, store::Store};
use serde_json::json;

use super::{header, open, refused};
use crate::support::workspace::{GENERATIONS, Generation, Run, Workspace};

const RUN: Run<'_> = Run { session: "s", run: "r", turn: "t" };

fn workspace() -> Workspace {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("s", json!({}));
    workspace.open(RUN);
    workspace
}

#[test]
fn a_snapshot_stands_on_the_moment_it_was_taken() {
    let workspace = workspace();
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    workspace.said(RUN, "later");
    workspace.session("later", json!({}));
    assert_eq!(snapshot.sessions().unwrap().headers.len(), 1);
    assert_eq!(snapshot.read(&header(&snapshot, "s")).unwrap().events.len(), 1);
    assert_eq!(snapshot.corpus_count(&["s"]).unwrap(), 0);
    drop(snapshot);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.sessions().unwrap().headers.len(), 2);
    assert_eq!(snapshot.read(&header(&snapshot, "s")).unwrap().events.len(), 2);
    assert_eq!(snapshot.corpus_count(&["s"]).unwrap(), 1);
}

#[test]
fn the_data_version_tells_that_something_changed() {
    let workspace = workspace();
    let mut store = open(workspace.root()).unwrap();
    let before = store.data_version().unwrap();
    store.snapshot().unwrap().sessions().unwrap();
    assert_eq!(store.data_version().unwrap(), before);
    workspace.said(RUN, "more");
    assert_ne!(store.data_version().unwrap(), before);
}

#[test]
fn a_store_is_current_until_its_file_is_replaced() {
    let workspace = workspace();
    let folder = workspace.close();
    let file = folder.path().join("runtime.sqlite");
    let store = open(folder.path()).unwrap();
    assert!(store.is_current());
    fs::copy(&file, folder.path().join("copy")).unwrap();
    if fs::rename(folder.path().join("copy"), &file).is_ok() {
        assert!(!store.is_current());
        fs::remove_file(&file).unwrap();
        assert!(!store.is_current());
    }
}

#[test]
fn a_stopped_store_works_for_the_next_answer() {
    let workspace = workspace();
    workspace.said(RUN, "something");
    let cancel = Cancel::default();
    let mut store = Store::open(workspace.root(), &cancel).unwrap();
    let snapshot = store.snapshot().unwrap();
    let session = header(&snapshot, "s");
    cancel.request();
    assert!(snapshot.sessions().unwrap_err().is_aborted());
    assert!(snapshot.read(&session).unwrap_err().is_aborted());
    assert!(snapshot.corpus_count(&["s"]).unwrap_err().is_aborted());
    assert!(snapshot.event_payload(1).unwrap_err().is_aborted());
    drop(snapshot);
    assert!(store.snapshot().err().unwrap().is_aborted());
    assert!(store.data_version().unwrap_err().is_aborted());
    cancel.unwatch();
    store.serve(&Cancel::default());
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.read(&session).unwrap().events.len(), 2);
}

#[test]
fn an_abort_ends_reading_wherever_it_is() {
    let workspace = workspace();
    for _ in 0..2_000 {
        workspace.said(RUN, &"much text ".repeat(20));
    }
    let cancel = Cancel::default();
    let mut store = Store::open(workspace.root(), &cancel).unwrap();
    let snapshot = store.snapshot().unwrap();
    let session = header(&snapshot, "s");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(20));
            cancel.request();
        });
        let error = loop {
            match snapshot.read(&session) {
                Ok(records) => assert_eq!(records.events.len(), 2_001),
                Err(error) => break error,
            }
        };
        assert!(error.is_aborted());
    });
}

#[test]
fn a_shape_is_looked_at_again_when_the_schema_changed() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        let mut store = open(workspace.root()).unwrap();
        workspace
            .connection()
            .execute_batch("ALTER TABLE runtime_events RENAME COLUMN payload_json TO body")
            .unwrap();
        let (reason, message) = refused(store.snapshot());
        assert_eq!(reason, Reason::UnsupportedWorkspace);
        assert!(message.contains("runtime_events.payload_json"), "{message}");
        workspace
            .connection()
            .execute_batch("ALTER TABLE runtime_events RENAME COLUMN body TO payload_json")
            .unwrap();
        assert!(store.snapshot().is_ok());
    }
}

#[test]
fn damage_in_the_middle_is_reported_and_the_rest_still_answers() {
    let workspace = workspace();
    for _ in 0..300 {
        workspace.said(RUN, &"filler ".repeat(100));
    }
    workspace.connection().execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    let folder = workspace.close();
    let file = folder.path().join("runtime.sqlite");
    let mut bytes = fs::read(&file).unwrap();
    let middle = memchr::memmem::rfind(&bytes, b"filler filler").unwrap() / 4_096 * 4_096;
    bytes[middle..middle + 4_096].fill(0xee);
    fs::write(&file, bytes).unwrap();
    let mut store = open(folder.path()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let session = header(&snapshot, "s");
    let (reason, message) = refused(snapshot.read(&session));
    assert_eq!(reason, Reason::Unavailable);
    assert!(message.contains("damaged"), "{message}");
    assert!(message.contains(&*file.to_string_lossy()), "{message}");
    assert_eq!(snapshot.sessions().unwrap().headers, [Arc::new(session)]);
}

#[test]
fn sessions_are_the_listed_ones() {
    let workspace = Workspace::new(Generation::Headers);
    workspace.session("b", json!({"isArchived": true, "transcriptLedgerVersion": 0}));
    workspace.session("a", json!({"name": "标题", "transcriptLedgerVersion": null}));
    workspace.session("copy", json!({"conversationCopy": {"state": "preparing"}}));
    workspace.session("hub", json!({"role": "coordination"}));
    workspace.session("liar", json!({"id": "a"}));
    workspace.session("nobody", json!({"id": 7}));
    for (id, payload) in [("broken", "x'7b'"), ("null", "''"), ("number", "7")] {
        let insert =
            format!("INSERT INTO session_metadata VALUES ('{id}', {payload}, 1, 1, 0, 1, 1)");
        workspace.connection().execute_batch(&insert).unwrap();
    }
    let mut store = open(workspace.root()).unwrap();
    let sessions = store.snapshot().unwrap().sessions().unwrap();
    let seen: Vec<_> =
        sessions.headers.iter().map(|h| (&*h.id, h.name.as_str(), h.archived)).collect();
    assert_eq!(seen, [("a", "标题", false), ("b", "Session b", true)]);
    let undecodable: Vec<&str> = sessions.undecodable.iter().map(|id| &**id).collect();
    assert_eq!(undecodable, ["broken", "liar", "nobody", "null", "number"]);
}

#[test]
fn a_store_may_move_to_another_thread() {
    let workspace = workspace();
    workspace.said(RUN, "said");
    let mut store = open(workspace.root()).unwrap();
    let read = move || store.snapshot().unwrap().corpus_count(&["s"]).unwrap();
    assert_eq!(std::thread::spawn(read).join().unwrap(), 1);
}
