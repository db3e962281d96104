//! The file of a workspace is replaced while it is read ahead: nothing of the
//! old one may stay. In a process of its own, whose memory it looks at.

mod support;

use std::{fs, thread, time::Duration};

use recall_native::engine::{Call, Cancel, WarmOptions, recall, warm};
use serde_json::json;
use support::{
    host::Open,
    random::Random,
    workspace::{Generation, Run, Workspace},
};

const SESSIONS: usize = 40;
const MESSAGES: usize = 20;
const FILE: &str = "runtime.sqlite";

/// Equal ids, equal ordinals: only the texts differ.
fn filled(word: &str) -> tempfile::TempDir {
    let workspace = Workspace::new(Generation::Openings);
    for number in 0..SESSIONS {
        let id = format!("s{number}");
        workspace.session(&id, json!({}));
        let run = Run { session: &id, run: &id, turn: &id };
        workspace.open(run);
        for message in 0..MESSAGES {
            workspace.said(run, &format!("{word} {message}"));
        }
    }
    workspace.close()
}

fn matched(root: &std::path::Path, term: &str) -> usize {
    let request = json!({"terms": [term]}).to_string().into_bytes();
    let call = Call { request, workspace_root: Some(root.to_owned()), ..Call::default() };
    recall(&call, &Open, &Cancel::default()).unwrap().coverage.matched_messages
}

#[test]
fn a_file_that_is_replaced_while_it_is_read_ahead_leaves_nothing() {
    let (before, after) = (filled("alpha"), filled("gamma"));
    let mut random = Random::new(3);
    for _ in 0..30 {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(FILE);
        fs::copy(before.path().join(FILE), &path).unwrap();
        fs::copy(after.path().join(FILE), root.path().join("next")).unwrap();
        thread::scope(|threads| {
            threads.spawn(|| {
                // Refused when the file goes at the wrong moment: it is read next time.
                let _ = warm(root.path(), WarmOptions::default(), &Cancel::default());
            });
            thread::sleep(Duration::from_micros(random.below(6_000) as u64));
            fs::rename(root.path().join("next"), &path).unwrap();
        });
        for _ in 0..3 {
            assert_eq!(matched(root.path(), "alpha"), 0);
            assert_eq!(matched(root.path(), "gamma"), SESSIONS * MESSAGES);
            warm(root.path(), WarmOptions::default(), &Cancel::default()).unwrap();
        }
    }
}
