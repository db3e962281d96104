//! Work on one large Session stops when it is told to, not when it is done.

mod support;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use recall_native::engine::{
    Cancel,
    host::HostMessage,
    store::Store,
    transcript::{host_transcript, project},
};
use serde_json::json;
use support::workspace::{GENERATIONS, Run, Workspace};

const EVENTS: usize = 6_000;
/// Work that was told to stop takes less than this part of the whole.
const PART: u32 = 4;

/// The shortest of a few tries: other work of the machine is no part of it.
fn shortest<T>(mut work: impl FnMut() -> T) -> Duration {
    let time = |_| {
        let since = Instant::now();
        black_box(work());
        since.elapsed()
    };
    (0..5).map(time).min().unwrap_or_default()
}

fn stops(what: &str, mut work: impl FnMut(&Cancel) -> bool) {
    let whole = shortest(|| assert!(work(&Cancel::default()), "{what}"));
    let cancel = Cancel::default();
    cancel.request();
    let stopped = shortest(|| assert!(!work(&cancel), "{what}"));
    assert!(stopped * PART < whole, "{what}: {stopped:?} of {whole:?}");
}

#[test]
fn the_projection_of_a_large_session_went_on_to_its_end_after_an_abort() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        let text = "a line of text\n".repeat(10);
        workspace.connection().execute_batch("BEGIN").unwrap();
        workspace.session("ledger", json!({}));
        workspace.session("old", json!({"transcriptLedgerVersion": null}));
        let run = Run { session: "ledger", run: "r", turn: "t" };
        workspace.open(run);
        for number in 0..EVENTS {
            workspace.answered(run, &text);
            let id = format!("m{number}");
            let record = json!({"type": "user", "id": id, "turnId": "t", "ts": 1, "text": text});
            workspace.message("old", &record);
        }
        workspace.complete(run);
        workspace.connection().execute_batch("COMMIT").unwrap();

        let mut store = Store::open(workspace.root(), &Cancel::default()).unwrap();
        let snapshot = store.snapshot().unwrap();
        for header in &snapshot.sessions().unwrap().headers {
            let records = snapshot.read(header).unwrap();
            stops(&header.id, |cancel| project(header, &records, cancel).is_ok_and(|p| p.is_ok()));
        }
    }
}

#[test]
fn the_messages_of_a_host_were_read_to_their_end_after_an_abort() {
    let message = |number: usize| {
        let text = "a line of text\n".repeat(10);
        let record = json!({"type": "user", "id": format!("m{number}"), "ts": 1, "text": text});
        HostMessage { json: record.to_string().into_bytes(), matched: None }
    };
    let messages: Vec<_> = (0..EVENTS).map(message).collect();
    stops("messages", |cancel| host_transcript(&messages, cancel).is_ok_and(|t| t.is_ok()));
}
