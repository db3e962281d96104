//! Which Sessions a query need not read.

use recall_native::engine::{
    store::Snapshot,
    text::{Narrowing, fold},
    transcript::records::{EventRecord, SessionRecords},
};
use serde_json::json;

use super::{header, open};
use crate::support::{
    random::Random,
    workspace::{GENERATIONS, Generation, Run, Workspace},
};

fn run(session: &str) -> Run<'_> {
    Run { session, run: session, turn: "t" }
}

#[track_caller]
fn may_hit(snapshot: &Snapshot<'_>, session: &str, term: &str) -> bool {
    let narrowing = Narrowing::new(&[&fold(term)]).unwrap();
    snapshot.may_hit(&header(snapshot, session), &narrowing).unwrap()
}

#[test]
fn only_a_session_that_holds_a_term_is_named() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        for id in ["ascii", "accent", "child"] {
            workspace.session(id, json!({}));
        }
        workspace.said(run("ascii"), "The Needle is here");
        workspace.answered(run("accent"), "l'ÉTÉ 模型");
        workspace.event_with(run("child"), "runtime_fact", json!({"note": "needle"}));
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        for (term, named) in [
            ("needle", [true, false, true]),
            ("NEEDLE IS", [true, false, false]),
            ("été", [false, true, false]),
            ("模型", [false, true, false]),
            ("absent", [false, false, false]),
        ] {
            let seen = ["ascii", "accent", "child"].map(|id| may_hit(&snapshot, id, term));
            assert_eq!(seen, named, "{term}");
        }
    }
}

#[test]
fn arriving_text_makes_a_session_a_candidate_whatever_it_says() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        workspace.session("s", json!({}));
        workspace.session("quiet", json!({}));
        workspace.partial(run("s"), "k", None, &json!({}), &["nee", "dle"]);
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        assert!(may_hit(&snapshot, "s", "needle"));
        assert!(may_hit(&snapshot, "s", "absent"));
        assert!(!may_hit(&snapshot, "quiet", "needle"));
    }
}

#[test]
fn old_messages_count_only_until_a_session_is_converted() {
    let workspace = Workspace::new(Generation::Openings);
    let filler = "filler ".repeat(12_000);
    for (id, version) in [("old", json!(null)), ("staging", json!(0)), ("converted", json!(1))] {
        workspace.session(id, json!({"transcriptLedgerVersion": version}));
        workspace.message(id, &json!({"type": "user", "text": "inline Needle"}));
        workspace.message(id, &json!({"type": "user", "text": format!("{filler} chunked ÉTÉ")}));
    }
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    for (term, named) in [("needle", true), ("chunked", true), ("été", true), ("absent", false)] {
        assert_eq!(may_hit(&snapshot, "old", term), named, "{term}");
        assert_eq!(may_hit(&snapshot, "staging", term), named, "{term}");
        assert!(!may_hit(&snapshot, "converted", term), "{term}");
    }
}

#[test]
fn a_term_across_two_chunks_is_found() {
    let workspace = Workspace::new(Generation::Headers);
    workspace.session("s", json!({"transcriptLedgerVersion": null}));
    let before = r#"{"type":"user","text":""#.len();
    let text = format!("{}needle{}", ".".repeat(65_536 - before - 3), ".".repeat(100));
    workspace.message("s", &json!({"type": "user", "text": text}));
    let mut store = open(workspace.root()).unwrap();
    assert!(may_hit(&store.snapshot().unwrap(), "s", "needle"));
}

#[test]
fn a_broken_message_makes_a_session_a_candidate() {
    let workspace = Workspace::new(Generation::Headers);
    workspace.session("s", json!({"transcriptLedgerVersion": null}));
    let note = json!({"type": "system_note", "text": "x".repeat(70_000)});
    workspace.message("s", &note);
    let mut store = open(workspace.root()).unwrap();
    assert!(!may_hit(&store.snapshot().unwrap(), "s", "needle"));
    workspace.execute("DELETE FROM session_message_chunks WHERE chunk_index = 0", &[]);
    assert!(may_hit(&store.snapshot().unwrap(), "s", "needle"));
}

const PARTS: [&str; 14] = [
    "needle",
    "Needle",
    "nee",
    "dle",
    " ",
    "模型",
    "É",
    "e\u{301}",
    "\n",
    "\u{301}x",
    "ΟΔΟΣ",
    "\"quoted\"",
    "İ",
    "n",
];
const TERMS: [&str; 9] =
    ["needle", "模型", "é", "οδοσ", "οδος", "\u{301}x", "i\u{307}", "ń", "quoted"];

#[test]
fn no_session_that_could_hit_is_left_out() {
    let mut random = Random::new(5);
    let (mut named, mut left_out) = (0, 0);
    for round in 0..40 {
        let workspace = Workspace::new(GENERATIONS[round % 2]);
        workspace.connection().execute_batch("BEGIN").unwrap();
        let ids: Vec<String> = (0..6).map(|at| format!("s{at}")).collect();
        let mut texts: Vec<Vec<String>> = vec![Vec::new(); ids.len()];
        for (at, id) in ids.iter().enumerate() {
            let version = if at % 2 == 0 { json!(1) } else { json!(null) };
            workspace.session(id, json!({"transcriptLedgerVersion": version}));
        }
        for _ in 0..20 {
            let at = random.below(ids.len());
            let text: String = (0..random.below(5)).map(|_| random.pick(&PARTS)).collect();
            if at % 2 == 1 && random.below(2) == 0 {
                workspace.message(&ids[at], &json!({"type": "assistant", "text": text}));
            } else {
                workspace.said(run(&ids[at]), &text);
            }
            texts[at].push(fold(&text).into_owned());
        }
        workspace.connection().execute_batch("COMMIT").unwrap();
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        for term in TERMS {
            let folded = fold(term);
            for (id, texts) in ids.iter().zip(&texts) {
                let hits = texts.iter().any(|text| text.contains(&*folded));
                let candidate = may_hit(&snapshot, id, term);
                assert!(candidate || !hits, "{term:?} in {texts:?}");
                named += usize::from(candidate);
                left_out += usize::from(!candidate);
            }
        }
    }
    assert!(300 < named && 300 < left_out, "{named} named, {left_out} left out");
}

#[test]
fn a_session_is_read_when_it_may_hit_and_its_rows_say_whether_they_do() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        workspace.session("s", json!({}));
        for text in ["first", "a needle", "last"] {
            workspace.said(run("s"), text);
        }
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let session = header(&snapshot, "s");
        let read = |narrowing: Option<&Narrowing>| {
            let mut records = SessionRecords::default();
            let found = snapshot.read_narrowed(&session, narrowing, &mut records).unwrap();
            let said = |event: &EventRecord| {
                let payload = String::from_utf8_lossy(records.bytes(&event.payload));
                ["first", "needle", "last"].iter().position(|word| payload.contains(word))
            };
            let events = records.events.iter().enumerate();
            let held = events.filter_map(|(at, event)| Some((said(event)?, records.may_hold(at))));
            let mut held: Vec<_> = held.collect();
            held.sort_unstable();
            (found, held)
        };
        let narrowing = |term| Narrowing::new(&[term]);
        assert_eq!(read(None), (true, vec![(0, true), (1, true), (2, true)]));
        let held = vec![(0, false), (1, true), (2, false)];
        assert_eq!(read(narrowing("needle").as_ref()), (true, held));
        assert_eq!(read(narrowing("absent").as_ref()), (false, vec![]));
    }
}
