//! What an answer says of what was searched.

mod support;

use recall_native::engine::{Call, Cancel, recall, reply::Coverage};
use serde_json::json;

use support::{
    host::Open,
    workspace::{GENERATIONS, Run, Workspace},
};

fn coverage(workspace: &Workspace, term: &str) -> Coverage {
    let request = json!({"terms": [term]}).to_string().into_bytes();
    let workspace_root = Some(workspace.root().to_owned());
    let call = Call { request, workspace_root, ..Call::default() };
    recall(&call, &Open, &Cancel::default()).unwrap().coverage
}

#[test]
fn a_damaged_header_is_reported_and_is_none_of_the_searched() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        workspace.session("s", json!({}));
        let run = Run { session: "s", run: "r", turn: "t" };
        workspace.open(run);
        workspace.said(run, "needle");
        workspace.complete(run);
        workspace
            .execute("INSERT INTO session_metadata VALUES ('damaged', '{', 1, 1, 0, 1, 1)", &[]);
        let coverage = coverage(&workspace, "needle");
        assert_eq!((coverage.sessions_eligible, coverage.sessions_searched), (1, 1));
        let unreadable: Vec<&str> = coverage.sessions_unreadable.iter().map(|id| &**id).collect();
        assert_eq!(unreadable, ["damaged"]);
        assert_eq!(coverage.matched_messages, 1);
    }
}
