//! Memory has a budget, and what does not fit is answered all the same. In a
//! process of its own, for which the budget counts.

mod support;

use recall_native::engine::{
    Call, Cancel, WarmOptions, WarmReport, recall, release,
    reply::{Coverage, Envelope},
    stats, warm,
};
use serde_json::json;
use support::{
    host::Open,
    random::Random,
    workspace::{Generation, Run, Workspace},
};

const SESSIONS: usize = 12;
const MESSAGES: usize = 60;
const MESSAGE_WORDS: usize = 700;
/// Room for the texts of some of them.
const TIGHT: usize = 2 * 1024 * 1024;
const WIDE: usize = 64 * 1024 * 1024;

fn filled() -> Workspace {
    let workspace = Workspace::new(Generation::Openings);
    let mut random = Random::new(5);
    for number in 0..SESSIONS {
        let id = format!("s{number}");
        workspace.session(&id, json!({}));
        let run = Run { session: &id, run: &id, turn: &id };
        workspace.open(run);
        for _ in 0..MESSAGES {
            let word = |_| format!("w{:x}", random.below(40_000));
            let words: Vec<String> = (0..MESSAGE_WORDS).map(word).collect();
            workspace.said(run, &words.join(" "));
        }
        workspace.said(run, &format!("everywhere and only{number}here"));
        workspace.complete(run);
    }
    workspace
}

fn keep(workspace: &Workspace, budget: usize) -> WarmReport {
    let options = WarmOptions { budget_bytes: Some(budget) };
    let report = warm(workspace.root(), options, &Cancel::default()).unwrap();
    assert_eq!((report.sessions, report.budget_bytes), (SESSIONS, budget));
    assert!(report.held_bytes <= budget, "{report:?}");
    report
}

fn warmed(workspace: &Workspace) -> WarmReport {
    let report = warm(workspace.root(), WarmOptions::default(), &Cancel::default()).unwrap();
    let complete = report.sessions_held + report.sessions_left_out == report.sessions;
    assert_eq!(report.complete, complete, "{report:?}");
    report
}

fn answer(workspace: &Workspace, term: &str, full_scan: bool) -> Envelope {
    let request = json!({"terms": [term]}).to_string().into_bytes();
    let workspace_root = Some(workspace.root().to_owned());
    let mut call = Call { request, workspace_root, ..Call::default() };
    call.options.full_scan = full_scan;
    recall(&call, &Open, &Cancel::default()).unwrap()
}

fn ask(workspace: &Workspace, term: &str, full_scan: bool) -> (usize, String) {
    let envelope = answer(workspace, term, full_scan);
    (envelope.coverage.matched_messages, format!("{:?}", envelope.passages))
}

fn coverage(workspace: &Workspace, term: &str, full_scan: bool) -> Coverage {
    answer(workspace, term, full_scan).coverage
}

/// Terms that stand in one Session, in all, in none, and in some.
fn check(workspace: &Workspace) {
    for number in 0..SESSIONS {
        let term = format!("only{number}here");
        let answer = ask(workspace, &term, false);
        assert_eq!(answer.0, 1);
        assert_eq!(answer, ask(workspace, &term, true));
    }
    assert_eq!(ask(workspace, "everywhere", false).0, SESSIONS);
    assert_eq!(ask(workspace, "nowhere to be found", false).0, 0);
    for term in ["w1f", "w9c3", "wb", "6 w7"] {
        assert_eq!(ask(workspace, term, false), ask(workspace, term, true), "{term}");
    }
}

/// One after the other: both count what the process does.
#[test]
fn memory_keeps_to_its_budget() {
    what_does_not_fit_is_outlined_left_alone_and_answered();
    idle_texts_make_room();
    texts_of_a_workspace_that_nobody_asks_make_room_for_another();
    room_that_becomes_free_is_used();
    what_cannot_be_kept_is_read_ahead_once();
    a_term_that_straddles_the_cut_is_counted_without_texts();
    a_folder_that_cannot_be_read_changes_nothing();
}

fn what_does_not_fit_is_outlined_left_alone_and_answered() {
    let workspace = filled();
    let tight = keep(&workspace, TIGHT);
    assert!(!tight.complete && 1 < tight.sessions_held, "{tight:?}");
    assert_eq!(tight.sessions_held + tight.sessions_outlined, SESSIONS);
    check(&workspace);
    // Sessions that are of use alike do not throw each other out.
    let before = stats();
    for _ in 0..20 {
        assert_eq!(ask(&workspace, "everywhere", false).0, SESSIONS);
    }
    let again = keep(&workspace, TIGHT);
    assert_eq!(stats().evictions, before.evictions);
    assert_eq!(
        (again.sessions_held, again.sessions_outlined),
        (tight.sessions_held, tight.sessions_outlined)
    );
    // A term that no Session holds asks the store about few of them.
    let before = stats();
    ask(&workspace, "absentword", false);
    assert!(stats().misses - before.misses <= 2, "{:?}", stats());

    let wide = keep(&workspace, WIDE);
    assert_eq!((wide.sessions_held, wide.complete), (SESSIONS, true));
    check(&workspace);
    let tight = keep(&workspace, TIGHT);
    assert!(tight.sessions_held < SESSIONS && !tight.complete, "{tight:?}");
    check(&workspace);
    let none = keep(&workspace, 0);
    assert_eq!((none.sessions_held, none.sessions_outlined, none.held_bytes), (0, 0, 0));
    check(&workspace);
}

/// What was of no use for long makes room for what is asked for.
fn idle_texts_make_room() {
    let workspace = filled();
    keep(&workspace, WIDE);
    let outlined = keep(&workspace, TIGHT).sessions_outlined;
    assert!(0 < outlined);
    // The oldest Session has no room.
    for _ in 0..200 {
        assert_eq!(ask(&workspace, "only0here", false).0, 1);
    }
    warmed(&workspace);
    let before = stats();
    assert_eq!(ask(&workspace, "only0here", false).0, 1);
    assert_eq!(stats().misses, before.misses);
    release(None);
}

/// The budget is that of the process.
fn texts_of_a_workspace_that_nobody_asks_make_room_for_another() {
    let (first, second) = (filled(), filled());
    let alone = keep(&first, TIGHT).sessions_held;
    let crowded = warmed(&second).sessions_held;
    assert!(crowded < alone, "{crowded} and {alone}");
    for _ in 0..100 {
        assert_eq!(ask(&second, "everywhere", false).0, SESSIONS);
    }
    let report = warmed(&second);
    assert!(crowded < report.sessions_held && alone <= report.sessions_held, "{report:?}");
    release(None);
}

/// Of Sessions that are deleted, and of a workspace that is released.
fn room_that_becomes_free_is_used() {
    let (first, second) = (filled(), filled());
    let alone = keep(&first, TIGHT).sessions_held;
    assert!(warmed(&second).sessions_held < alone);
    release(Some(first.root()));
    let held = warmed(&second).sessions_held;
    assert!(alone <= held && held < SESSIONS, "{held} and {alone}");
    let stay = held - 1;
    let sql = "DELETE FROM session_metadata WHERE session_id NOT IN \
        (SELECT session_id FROM session_metadata ORDER BY session_id LIMIT ?1)";
    second.execute(sql, &[&(stay as i64)]);
    assert_eq!(warmed(&second).sessions_held, stay);
    release(None);
}

/// It does not change either: an answer need not try it again.
fn what_cannot_be_kept_is_read_ahead_once() {
    let workspace = filled();
    workspace.session("unreadable", json!({}));
    let run = Run { session: "unreadable", run: "unreadable", turn: "unreadable" };
    workspace.open(run);
    workspace.raw_event(run, "broken", "text", &"everywhere, and no JSON");
    let options = WarmOptions { budget_bytes: Some(WIDE) };
    warm(workspace.root(), options, &Cancel::default()).unwrap();
    let report = warmed(&workspace);
    assert_eq!((report.sessions_held, report.sessions_left_out), (SESSIONS, 1));
    let before = stats();
    for _ in 0..20 {
        assert_eq!(ask(&workspace, "everywhere", false).0, SESSIONS);
    }
    warmed(&workspace);
    assert_eq!(stats().read_ahead, before.read_ahead);
    release(None);
}

/// It is longer than what a rest begins with, and its signatures know nothing of it.
fn a_term_that_straddles_the_cut_is_counted_without_texts() {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("long", json!({}));
    let run = Run { session: "long", run: "long", turn: "long" };
    workspace.open(run);
    // No part of it says it all.
    let term: String = (0..66).map(|number| format!("{:x} ", 997 * (number + 100))).collect();
    let (before, cut) = ("x ".repeat((10 * 1024 - 350) / 2), 10 * 1024);
    assert!(before.len() < cut && cut < before.len() + term.len());
    let text = format!("{before}{term}{}", " y".repeat(2_000));
    let call = json!({"kind": "function_call", "id": "c", "name": "Read", "args": {}});
    workspace.event(run, "function_call", call);
    let result = json!({"kind": "text", "text": text});
    let response =
        json!({"kind": "function_response", "id": "c", "name": "Read", "result": result});
    workspace.event(run, "function_response", response);
    workspace.complete(run);
    let truncated = |full_scan| coverage(&workspace, term.trim(), full_scan).truncated_tool_results;
    let options = |bytes| WarmOptions { budget_bytes: Some(bytes) };
    let report = |bytes| warm(workspace.root(), options(bytes), &Cancel::default()).unwrap();
    let held = report(WIDE);
    assert_eq!((held.sessions_held, truncated(false)), (1, 1));
    let outlined = report(held.held_bytes / 2);
    assert_eq!((outlined.sessions_outlined, truncated(false), truncated(true)), (1, 1, 1));
    release(None);
}

/// Neither the budget nor the list of workspaces.
fn a_folder_that_cannot_be_read_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let before = stats();
    let options = WarmOptions { budget_bytes: Some(1) };
    warm(folder.path(), options, &Cancel::default()).unwrap_err();
    let request = json!({"terms": ["x"]}).to_string().into_bytes();
    let workspace_root = Some(folder.path().to_owned());
    let call = Call { request, workspace_root, ..Call::default() };
    recall(&call, &Open, &Cancel::default()).unwrap_err();
    assert_eq!(stats(), before);
}
