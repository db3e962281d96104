//! Memory has a budget, and what does not fit is answered all the same. In a
//! process of its own, for which the budget counts.

mod support;

use recall_native::engine::{Call, Cancel, WarmOptions, WarmReport, recall, stats, warm};
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

fn fill(workspace: &Workspace) {
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
}

fn keep(workspace: &Workspace, budget: usize) -> WarmReport {
    let options = WarmOptions { budget_bytes: Some(budget) };
    let report = warm(workspace.root(), options, &Cancel::default()).unwrap();
    assert_eq!((report.sessions, report.budget_bytes), (SESSIONS, budget));
    assert!(report.held_bytes <= budget, "{report:?}");
    report
}

fn ask(workspace: &Workspace, term: &str, full_scan: bool) -> (usize, String) {
    let request = json!({"terms": [term]}).to_string().into_bytes();
    let workspace_root = Some(workspace.root().to_owned());
    let mut call = Call { request, workspace_root, ..Call::default() };
    call.options.full_scan = full_scan;
    let envelope = recall(&call, &Open, &Cancel::default()).unwrap();
    (envelope.coverage.matched_messages, format!("{:?}", envelope.passages))
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
}

fn what_does_not_fit_is_outlined_left_alone_and_answered() {
    let workspace = Workspace::new(Generation::Openings);
    fill(&workspace);
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
    let workspace = Workspace::new(Generation::Openings);
    fill(&workspace);
    keep(&workspace, WIDE);
    let outlined = keep(&workspace, TIGHT).sessions_outlined;
    assert!(0 < outlined);
    // The oldest Session has no room.
    for _ in 0..200 {
        assert_eq!(ask(&workspace, "only0here", false).0, 1);
    }
    warm(workspace.root(), WarmOptions::default(), &Cancel::default()).unwrap();
    let before = stats();
    assert_eq!(ask(&workspace, "only0here", false).0, 1);
    assert_eq!(stats().misses, before.misses);
}
