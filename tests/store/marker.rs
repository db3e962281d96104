//! What proves that rows are as they were, and the short ways to it.

use recall_native::engine::store::{Extent, Marker, Snapshot, Store};
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

/// Sees each change of a workspace once.
struct Watch {
    store: Store,
    extent: Extent,
    markers: Vec<Marker>,
}

impl Watch {
    fn new(workspace: &Workspace) -> Self {
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let (extent, markers) = (snapshot.extent().unwrap().unwrap(), markers(&snapshot));
        drop(snapshot);
        Self { store, extent, markers }
    }

    /// Whether all events of before are still there, and which Sessions have
    /// another marker now. The short way to a marker, where it may be taken, is
    /// compared with the long one.
    #[track_caller]
    fn look(&mut self) -> (bool, Vec<&'static str>) {
        let snapshot = self.store.snapshot().unwrap();
        let extent = snapshot.extent().unwrap().unwrap();
        let appended = snapshot.appended_since(&self.extent, &extent).unwrap();
        let now = markers(&snapshot);
        for (place, id) in SESSIONS.iter().enumerate() {
            if appended.as_ref().is_some_and(|appended| !appended.holds(id)) {
                let short = snapshot.marker_since(&self.markers[place], id).unwrap();
                assert_eq!(short, now[place], "{id}");
            }
        }
        let others = (0..SESSIONS.len()).filter(|place| now[*place] != self.markers[*place]);
        let others = others.map(|place| SESSIONS[place]).collect();
        drop(snapshot);
        (self.extent, self.markers) = (extent, now);
        (appended.is_some(), others)
    }
}

fn furnished() -> Workspace {
    let workspace = Workspace::new(Generation::Openings);
    for id in SESSIONS {
        workspace.session(id, json!({}));
        workspace.open(run(id));
        workspace.said(run(id), "said");
    }
    workspace
}

fn execute(workspace: &Workspace, sql: &str) {
    workspace.connection().execute_batch(sql).unwrap();
}

#[test]
fn what_is_appended_or_arrives_changes_one_marker() {
    let workspace = furnished();
    let mut watch = Watch::new(&workspace);
    assert_eq!(watch.look(), (true, vec![]));
    workspace.said(run("b"), "more");
    assert_eq!(watch.look(), (true, vec!["b"]));
    workspace.partial(run("c"), "k", None, &json!({}), &["arriv"]);
    assert_eq!(watch.look(), (true, vec!["c"]));
    execute(
        &workspace,
        "UPDATE runtime_partial_snapshots SET text_content = text_content || 'ing'",
    );
    assert_eq!(watch.look(), (true, vec!["c"]));
    execute(
        &workspace,
        "DELETE FROM runtime_partial_segments; DELETE FROM runtime_partial_snapshots",
    );
    assert_eq!(watch.look(), (true, vec!["c"]));
}

#[test]
fn events_that_are_gone_are_noticed_wherever_they_stood() {
    // The last of one Session, one in the middle of another, and all of a third;
    // each time something is appended elsewhere.
    for (gone, owner) in [
        ("session_id = 'a' AND event_kind = 'text'", "a"),
        ("rowid = 3", "b"),
        ("session_id = 'c'", "c"),
    ] {
        let workspace = furnished();
        workspace.said(run("b"), "last of all");
        let mut watch = Watch::new(&workspace);
        execute(
            &workspace,
            &format!(
                "DELETE FROM runtime_session_event_ordinals WHERE event_id IN \
                    (SELECT event_id FROM runtime_events WHERE {gone});
                DELETE FROM runtime_events WHERE {gone}"
            ),
        );
        let other = if owner == "a" { "b" } else { "a" };
        workspace.said(run(other), "appended");
        let mut changed = vec![owner, other];
        changed.sort_unstable();
        assert_eq!(watch.look(), (false, changed), "{gone}");
        assert_eq!(watch.look(), (true, vec![]), "{gone}");
    }
}

#[test]
fn rows_that_are_numbered_anew_are_noticed() {
    let workspace = furnished();
    let mut watch = Watch::new(&workspace);
    execute(&workspace, "UPDATE runtime_events SET rowid = 60 WHERE rowid = 6");
    assert_eq!(watch.look(), (false, vec!["c"]));
    // Another event under the number of the last one.
    execute(
        &workspace,
        "DELETE FROM runtime_session_event_ordinals WHERE session_id = 'c';
        DELETE FROM runtime_events WHERE session_id = 'c'; VACUUM",
    );
    workspace.said(run("a"), "in its place");
    workspace.said(run("a"), "in its place");
    assert_eq!(watch.look(), (false, vec!["a", "c"]));
}

#[test]
fn no_events_reach_nowhere() {
    let workspace = Workspace::new(Generation::Openings);
    let mut store = open(workspace.root()).unwrap();
    assert_eq!(store.snapshot().unwrap().extent().unwrap(), None);
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
