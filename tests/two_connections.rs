//! A large workspace is read by two connections: they must see one state.

mod support;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use recall_native::engine::{Call, Cancel, recall, release};
use serde_json::json;
use support::{
    host::Open,
    workspace::{Generation, Run, Workspace},
};

/// Enough for a second connection to be worth it.
const SESSIONS: usize = 12;
const FILLER: usize = 2 * 1024 * 1024;
const ANSWERS: usize = 30;

/// What a host commits together is seen together, or not yet: in the Session
/// that is read first by one connection and in the last one, which the other
/// reads.
#[test]
fn what_was_committed_together_is_seen_together() {
    let workspace = Workspace::new(Generation::Openings);
    let ids: Vec<String> = (0..SESSIONS).map(|number| format!("s{number:02}")).collect();
    for id in &ids {
        workspace.session(id, json!({}));
        let run = Run { session: id, run: id, turn: id };
        workspace.open(run);
        workspace.said(run, &"filler words ".repeat(FILLER / 13));
    }
    let root = workspace.root().to_owned();
    let done = AtomicBool::new(false);
    let (seen, written) = thread::scope(|scope| {
        let (done, ids) = (&done, &ids);
        let writer = scope.spawn(move || {
            let mut pairs = 0;
            while !done.load(Ordering::Acquire) {
                workspace.connection().execute_batch("BEGIN").unwrap();
                for id in [&ids[0], &ids[SESSIONS - 1]] {
                    workspace.said(Run { session: id, run: id, turn: id }, "pairword");
                }
                workspace.connection().execute_batch("COMMIT").unwrap();
                pairs += 1;
                thread::yield_now();
            }
            (workspace, pairs)
        });
        let mut seen = Vec::new();
        for _ in 0..ANSWERS {
            release(Some(&root));
            let request = json!({"terms": ["pairword"]}).to_string().into_bytes();
            let call = Call { request, workspace_root: Some(root.clone()), ..Call::default() };
            seen.push(recall(&call, &Open, &Cancel::default()).unwrap().coverage.matched_messages);
        }
        done.store(true, Ordering::Release);
        (seen, writer.join().unwrap())
    });
    assert!(seen.iter().all(|matched| matched % 2 == 0), "{seen:?}");
    assert!(seen.is_sorted(), "{seen:?}");
    let (workspace, pairs) = written;
    assert!(2 < pairs && seen[0] < seen[ANSWERS - 1], "{seen:?} of {pairs} pairs");
    drop(workspace);
}
