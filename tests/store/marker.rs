//! What proves that rows are as they were, and the short ways to it.

use recall_native::engine::store::{Marker, Snapshot};
use serde_json::json;

use super::open;
use crate::support::workspace::{Generation, Run, Workspace};

const SESSIONS: [&str; 3] = ["a", "b", "c"];

fn run(session: &str) -> Run<'_> {
    Run { session, run: session, turn: "t" }
}

fn markers(snapshot: &Snapshot<'_>) -> Vec<Marker> {
    SESSIONS.map(|id| snapshot.marker(id).unwrap()).into()
}

/// The markers by the short way from `earlier`, which must be those of the long one.
#[track_caller]
fn since(snapshot: &Snapshot<'_>, earlier: &[Marker]) -> Vec<Marker> {
    let short: Vec<Marker> = SESSIONS
        .iter()
        .zip(earlier)
        .map(|(id, earlier)| snapshot.marker_since(earlier, id).unwrap())
        .collect();
    assert_eq!(short, markers(snapshot));
    short
}

#[test]
fn the_short_way_to_a_marker_sees_every_change() {
    let workspace = Workspace::new(Generation::Openings);
    for id in SESSIONS {
        workspace.session(id, json!({}));
        workspace.open(run(id));
        workspace.said(run(id), "said");
    }
    let mut store = open(workspace.root()).unwrap();
    let mut earlier = markers(&store.snapshot().unwrap());
    let change = |place: usize, earlier: &mut Vec<Marker>, store: &mut _| {
        let store: &mut recall_native::engine::store::Store = store;
        let snapshot = store.snapshot().unwrap();
        let now = since(&snapshot, earlier);
        for (at, (now, earlier)) in now.iter().zip(&*earlier).enumerate() {
            assert_eq!(now == earlier, at != place, "{at}");
        }
        *earlier = now;
    };
    workspace.said(run("b"), "more");
    change(1, &mut earlier, &mut store);
    workspace.partial(run("c"), "k", None, &json!({}), &["arriv"]);
    change(2, &mut earlier, &mut store);
    let sql = "UPDATE runtime_partial_snapshots SET text_content = text_content || 'ing'";
    workspace.connection().execute_batch(sql).unwrap();
    change(2, &mut earlier, &mut store);
    let sql = "DELETE FROM runtime_partial_segments; DELETE FROM runtime_partial_snapshots";
    workspace.connection().execute_batch(sql).unwrap();
    change(2, &mut earlier, &mut store);
    let sql = "DELETE FROM runtime_session_event_ordinals WHERE session_id = 'a';
        DELETE FROM runtime_events WHERE session_id = 'a'";
    workspace.connection().execute_batch(sql).unwrap();
    change(0, &mut earlier, &mut store);
}

#[test]
fn rows_that_are_numbered_anew_are_noticed() {
    let workspace = Workspace::new(Generation::Openings);
    for id in SESSIONS {
        workspace.session(id, json!({}));
        workspace.open(run(id));
    }
    let mut store = open(workspace.root()).unwrap();
    let numbering = store.snapshot().unwrap().numbering().unwrap().unwrap();
    workspace.said(run("b"), "appended");
    assert!(store.snapshot().unwrap().is_numbered_as(&numbering).unwrap());
    // What goes leaves a gap; only a table that is written anew closes it.
    let sql = "DELETE FROM runtime_session_event_ordinals WHERE session_id = 'b';
        DELETE FROM runtime_events WHERE session_id = 'b'";
    workspace.connection().execute_batch(sql).unwrap();
    assert!(store.snapshot().unwrap().is_numbered_as(&numbering).unwrap());
    let sql = "UPDATE runtime_events SET rowid = 2 WHERE rowid = 3";
    workspace.connection().execute_batch(sql).unwrap();
    assert!(!store.snapshot().unwrap().is_numbered_as(&numbering).unwrap());
    // Another event under the number of the last one.
    let numbering = store.snapshot().unwrap().numbering().unwrap().unwrap();
    let sql = "DELETE FROM runtime_session_event_ordinals WHERE session_id = 'c';
        DELETE FROM runtime_events WHERE session_id = 'c'";
    workspace.connection().execute_batch(sql).unwrap();
    workspace.said(run("a"), "in its place");
    let snapshot = store.snapshot().unwrap();
    let now = snapshot.numbering().unwrap().unwrap();
    assert_ne!(now, numbering);
    assert!(!snapshot.is_numbered_as(&numbering).unwrap());
}

#[test]
fn an_empty_table_has_no_numbers() {
    let workspace = Workspace::new(Generation::Openings);
    let mut store = open(workspace.root()).unwrap();
    assert_eq!(store.snapshot().unwrap().numbering().unwrap(), None);
}

#[test]
fn headers_that_stayed_are_those_that_were_read() {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("a", json!({}));
    workspace.session("b", json!({}));
    let sql = "INSERT INTO session_metadata (session_id, payload_json, created_at, is_archived, \
        metadata_version, committed_at) VALUES ('broken', '{', 1, 0, 1, 1)";
    workspace.connection().execute_batch(sql).unwrap();
    let mut store = open(workspace.root()).unwrap();
    let earlier = store.snapshot().unwrap().sessions().unwrap();
    let sql = "UPDATE session_metadata SET payload_json = json_set(payload_json, '$.name', 'new') \
        WHERE session_id = 'b'";
    workspace.connection().execute_batch(sql).unwrap();
    workspace.session("c", json!({}));
    let snapshot = store.snapshot().unwrap();
    let now = snapshot.sessions_since(Some(&earlier)).unwrap();
    assert_eq!(now, snapshot.sessions().unwrap());
    assert_eq!(now.undecodable, ["broken".into()]);
    let names: Vec<&str> = now.headers.iter().map(|header| &*header.name).collect();
    assert_eq!(names, ["Session a", "new", "Session c"]);
    assert!(std::sync::Arc::ptr_eq(&earlier.headers[0], &now.headers[0]));
}
