//! Rules of the projection that the vectors do not show, on small ledgers.

#[path = "transcript/ledger.rs"]
mod ledger;
#[path = "transcript/order.rs"]
mod order;

use ledger::{Ledger, run_header};
use recall_native::engine::{
    Cancel,
    transcript::{RowKind, RowSource, project},
};

const FRESH: &str = r#"{"route":{"modelId":"m"},"source":{"kind":"fresh"}}"#;

#[test]
fn results_of_the_recall_tools_and_captions_are_not_searchable() {
    let mut ledger = Ledger::new(1);
    ledger.opened("r", 1.0, FRESH);
    let call = |id: &str, tool: &str| {
        format!(
            r#""role":"model","content":{{"kind":"function_call","id":"{id}","name":"{tool}","args":{{}}}}"#
        )
    };
    let result = |id: &str, result: &str| {
        format!(
            r#""role":"tool","content":{{"kind":"function_response","id":"{id}","name":"x","result":{result}}}"#
        )
    };
    let text = r#"{"kind":"text","text":"x"}"#;
    for (id, rest) in [
        ("before-its-call", result("c", text)),
        ("call-1", call("c", "SearchHistory")),
        ("echo", result("c", text)),
        ("no-call", result("d", text)),
        ("call-2", call("c", "Grep")),
        ("found", result("c", text)),
        ("caption", result("c", r#"{"kind":"explore_agent","filesInspected":2}"#)),
        ("report", result("c", r#"{"kind":"explore_agent","filesInspected":2,"report":"r"}"#)),
        ("archive", result("c", r#"{"kind":"archived_tool_result"}"#)),
    ] {
        ledger.event("r", id, &rest);
    }
    let transcript = ledger.project().unwrap().transcript;
    let results: Vec<_> = transcript
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::ToolResult)
        .map(|row| (&*row.id, row.searchable))
        .collect();
    assert_eq!(
        results,
        [
            ("before-its-call", true),
            ("echo", false),
            ("no-call", true),
            ("found", true),
            ("caption", false),
            ("report", true),
            ("archive", false),
        ]
    );
}

#[test]
fn a_run_header_stands_in_for_an_opening() {
    let mut ledger = Ledger::new(1);
    for (run, more) in [
        ("first", ""),
        ("child", r#","parentRunId":"first""#),
        ("continued", r#","parentRunId":"first","continuationSource":{"sourceRunId":"first"}"#),
    ] {
        ledger.header(run, &run_header(run, more));
        ledger.event(
            run,
            &format!("{run}-says"),
            r#""role":"model","content":{"kind":"text","text":"x"}"#,
        );
        ledger.end(run);
    }
    assert_eq!(ledger.row_ids(), ["first-says", "first-end", "continued-says", "continued-end"]);
}

#[test]
fn the_opening_of_the_ledger_wins() {
    let mut ledger = Ledger::new(1);
    ledger.opened("r", 1.0, FRESH);
    let child = run_header("r", r#","parentRunId":"p""#);
    ledger.header("r", &child);
    ledger.event("r", "says", r#""role":"model","content":{"kind":"text","text":"x"}"#);
    assert_eq!(ledger.row_ids(), ["says"]);
}

#[test]
fn runs_that_are_not_shown_are_not_decoded() {
    let mut ledger = Ledger::new(1);
    ledger.opened("child", 1.0, r#"{"source":{"kind":"fresh"},"lineage":{"parentRunId":"p"}}"#);
    ledger.raw_event("child", "broken", "{");
    ledger.raw_event("never-opened", "broken-too", "{");
    assert_eq!(ledger.row_ids(), [""; 0]);
    ledger.opened("r", 1.0, FRESH);
    ledger.raw_event("r", "broken-here", "{");
    assert_eq!(ledger.refusal(), "event broken-here: it is not a JSON object");
}

#[test]
fn a_handoff_ends_its_run_without_a_row() {
    let mut ledger = Ledger::new(1);
    ledger.opened("r", 1.0, FRESH);
    ledger.event("r", "says", r#""role":"model","content":{"kind":"text","text":"x"}"#);
    let pause = r#""role":"system","actions":{"endInvocation":true,"handoffPause":{}}"#;
    ledger.event("r", "pause", pause);
    assert_eq!(ledger.row_ids(), ["says"]);
    let mut ledger = Ledger::new(1);
    ledger.opened("r", 1.0, FRESH);
    ledger.event("r", "bare", r#""role":"system","actions":{"endInvocation":true}"#);
    assert_eq!(ledger.refusal(), "event bare: it ends its run without a status");
}

#[test]
fn a_run_that_was_opened_twice_is_refused() {
    let mut ledger = Ledger::new(1);
    ledger.opened("r", 1.0, FRESH);
    ledger.opened("r", 2.0, FRESH);
    assert_eq!(ledger.refusal(), "run r was opened twice");
}

#[test]
fn a_staged_import_is_refused() {
    assert_eq!(Ledger::new(0).refusal(), "its import is still being prepared");
}

#[test]
fn a_stream_that_cannot_be_decoded_is_dropped() {
    let mut ledger = Ledger::new(1);
    ledger.shelf("r", 1.0, FRESH);
    let text = r#""partial":true,"role":"model","content":{"kind":"text","text":""}"#;
    let named = |id: &str| format!(r#"{text},"refs":{{"providerEventId":"{id}"}}"#);
    ledger.stream("r", "arriving", &named("m1"));
    ledger.stream("r", "unnamed", text);
    ledger.stream("r", "settled", &named("m2").replace("true", "false"));
    ledger.stream("r", "ended", &format!(r#"{},"status":"completed""#, named("m3")));
    ledger.stream("r", "broken", "{");
    assert_eq!(ledger.row_ids(), ["m1"]);
    let projection = ledger.project().unwrap();
    assert_eq!(projection.transcript.rows[0].source, RowSource::Stream("arriving".into()));
    assert_eq!(projection.raw(&ledger.records, 0), b"text of arriving");
}

const ASKS: &str = r#"{"type":"user","id":"u1","turnId":"turn-of-old","ts":5,"text":"x"}"#;
const ANSWERS: &str = r#"{"type":"assistant","id":"a1","turnId":"turn-of-old","ts":6,"text":"y"}"#;

/// The converter's run of `turn-of-old` in Session `s`.
fn own_run() -> String {
    let mut ledger = Ledger::unconverted();
    ledger.message(ASKS);
    let opened = ledger.ordered_ids().remove(0);
    opened.strip_suffix("-opened").unwrap().to_owned()
}

#[test]
fn a_turn_that_a_run_has_answered_is_not_converted() {
    let mut ledger = Ledger::unconverted();
    ledger.message(ASKS);
    ledger.message(ANSWERS);
    ledger.opened("old", 1.0, FRESH);
    ledger.event("old", "ledger-u1", r#""role":"user","content":{"kind":"text","text":"x"}"#);
    assert_eq!(ledger.row_ids(), ["ledger-u1"]);
}

#[test]
fn an_interrupted_conversion_is_done_again() {
    let run = own_run();
    let mut ledger = Ledger::unconverted();
    ledger.message(ASKS);
    ledger.message(ANSWERS);
    ledger.opened_as(&run, "turn-of-old", 1.0, FRESH);
    let first =
        r#""role":"user","content":{"kind":"text","text":"x"},"refs":{"storedMessageId":"u1"}"#;
    ledger.event_as(&run, "turn-of-old", &format!("{run}-e1"), first);
    let ended = format!("{run}-e3");
    assert_eq!(ledger.row_ids(), ["u1", "a1", &ended]);
    // Once it has ended it is the Session's.
    let end = r#""role":"system","status":"completed","actions":{"endInvocation":true}"#;
    ledger.event_as(&run, "turn-of-old", "own-end", end);
    assert_eq!(ledger.row_ids(), ["u1", "own-end"]);
}

#[test]
fn a_conversion_renumbers_the_session_run_by_run() {
    let said = |ledger: &mut Ledger| {
        ledger.opened("late", 9.0, FRESH);
        ledger.opened("early", 8.0, FRESH);
        for (run, id) in [("late", "l1"), ("early", "e1"), ("late", "l2"), ("early", "e2")] {
            ledger.event(run, id, r#""role":"user","content":{"kind":"text","text":"x"}"#);
        }
        ledger.end("late");
        ledger.end("early");
    };
    let mut ledger = Ledger::new(1);
    said(&mut ledger);
    assert_eq!(ledger.row_ids(), ["l1", "e1", "l2", "e2", "late-end", "early-end"]);
    let mut ledger = Ledger::unconverted();
    said(&mut ledger);
    assert_eq!(ledger.row_ids(), ["e1", "e2", "early-end", "l1", "l2", "late-end"]);
}

#[test]
fn converted_turns_that_open_at_the_same_time_go_by_run_id() {
    // The header's time leaves no room for a distance: both open at 0.
    let mut ledger = Ledger::unconverted_since(0.0);
    for turn in ["one", "two", "three"] {
        ledger.message(&format!(
            r#"{{"type":"user","id":"{turn}","turnId":"{turn}","ts":1,"text":"x"}}"#
        ));
    }
    let mut opened: Vec<_> =
        ledger.ordered_ids().into_iter().filter(|id| id.ends_with("-opened")).collect();
    let in_order = opened.clone();
    opened.sort();
    assert_eq!(in_order, opened);
    assert_eq!(opened.len(), 3);
}

#[test]
fn old_notes_of_a_turn_take_their_places() {
    let mut ledger = Ledger::unconverted();
    ledger.message(ASKS);
    for note in ["session_start", "step_limit"] {
        ledger.message(&format!(
            r#"{{"type":"system_note","id":"{note}","turnId":"turn-of-old","ts":7,"kind":"{note}"}}"#
        ));
    }
    ledger.message(
        r#"{"type":"turn_state","id":"state","turnId":"turn-of-old","ts":8,"status":"failed","errorClass":"tool_step_cap_reached"}"#,
    );
    let ids = ledger.row_ids();
    let [asked, note, state, notice] = &*ids else { panic!("{ids:?}") };
    assert_eq!([&**asked, note, state], ["u1", "step_limit", "state"]);
    assert_eq!(*notice, format!("{}-e3:step-limit-notice", own_run()));
}

#[test]
fn an_old_session_without_messages_is_empty() {
    let ledger = Ledger::unconverted();
    let projection = project(&ledger.header, &ledger.records, &Cancel::default()).unwrap().unwrap();
    assert_eq!(projection.transcript.rows, []);
}
