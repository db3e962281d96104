//! How large the corpus is.

use recall_native::engine::text::Narrowing;
use serde_json::json;

use super::{header, open};
use crate::support::workspace::{GENERATIONS, Run, Workspace};

/// Two Sessions whose events are woven so that one is read by the index.
fn workspace(generation: crate::support::workspace::Generation) -> Workspace {
    let workspace = Workspace::new(generation);
    workspace.session("s", json!({}));
    workspace.session("rare", json!({"transcriptLedgerVersion": null}));
    workspace.session("staging", json!({"transcriptLedgerVersion": 0}));
    let run = Run { session: "s", run: "r", turn: "t" };
    let rare = Run { session: "rare", run: "rr", turn: "t" };
    workspace.said(rare, "first");
    workspace.open(run);
    for at in 0..10 {
        workspace.said(run, "text");
        workspace.event(run, "thinking", json!({"kind": "thinking", "text": "text"}));
        workspace.event(run, "function_call", json!({"kind": "function_call", "id": at}));
    }
    let child = Run { run: "child", ..run };
    workspace.event(child, "function_response", json!({"kind": "function_response"}));
    workspace.complete(run);
    workspace.said(rare, "last");
    workspace.partial(run, "k", None, &json!({}), &["not counted"]);
    for id in ["s", "rare", "staging"] {
        for kind in ["user", "assistant", "tool_call", "tool_result", "system_note", "turn_state"] {
            workspace.message(id, &json!({"type": kind}));
        }
    }
    workspace
}

#[test]
fn messages_of_the_searchable_kinds_are_counted() {
    for generation in GENERATIONS {
        let workspace = workspace(generation);
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let count = |ids: &[&str]| snapshot.corpus_count(ids).unwrap();
        assert_eq!(count(&["s"]), 21);
        assert_eq!(count(&["rare"]), 2 + 4);
        assert_eq!(count(&["staging"]), 4);
        assert_eq!(count(&["s", "rare", "staging", "unknown"]), 31);
        assert_eq!(count(&[]), 0);
    }
}

#[test]
fn what_was_read_is_not_counted_otherwise() {
    for generation in GENERATIONS {
        let workspace = workspace(generation);
        let mut store = open(workspace.root()).unwrap();
        let absent = Narrowing::new(&["absent"]).unwrap();
        let present = Narrowing::new(&["text"]).unwrap();
        let snapshot = store.snapshot().unwrap();
        for id in ["s", "rare", "staging"] {
            let session = header(&snapshot, id);
            snapshot.may_hit(&session, &present).unwrap();
            snapshot.may_hit(&session, &absent).unwrap();
        }
        assert_eq!(snapshot.corpus_count(&["s", "rare", "staging"]).unwrap(), 31);
        drop(snapshot);
        let snapshot = store.snapshot().unwrap();
        for id in ["s", "rare", "staging"] {
            snapshot.read(&header(&snapshot, id)).unwrap();
        }
        assert_eq!(snapshot.corpus_count(&["s", "rare", "staging"]).unwrap(), 31);
    }
}
