//! A narrowed search, a full one, one thread, many, either generation of the
//! store, and a host that hands the same messages over: one answer.

mod support;

use recall_native::engine::{
    Call, Cancel, RecallError, WarmOptions, recall, release,
    reply::{Envelope, ThreadResult},
    search_threads, warm, with_threads,
};

use serde_json::json;
use support::{
    generate::{Generated, Population, generate},
    host::{Open, Source},
    query::{recall_call, threads_call},
    random::Random,
    workspace::{Generation, Run, Workspace},
};

/// Workspaces of a property.
const WORKSPACES: u64 = 20;
/// Queries to each.
const QUERIES: usize = 122;

/// What has to be seen for the property to mean anything.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    queries: usize,
    refused: usize,
    narrowed: usize,
    passages: usize,
    facts: usize,
    unreadable: usize,
    truncated: usize,
    materials: usize,
}

impl Seen {
    fn note(&mut self, answer: &Result<Envelope, RecallError>) {
        self.queries += 1;
        let Ok(envelope) = answer else {
            self.refused += 1;
            return;
        };
        self.narrowed += usize::from(envelope.coverage.narrowed);
        self.passages += envelope.passages.len();
        self.facts += envelope.facts.len();
        self.unreadable += envelope.coverage.sessions_unreadable.len();
        self.truncated += envelope.coverage.truncated_tool_results;
        self.materials += envelope.materials.len();
    }
}

#[test]
fn every_way_to_search_gives_the_same_answer() {
    let mut seen = Seen::default();
    for seed in 0..WORKSPACES {
        let headers = generate(seed, Generation::Headers, Population::Any);
        let openings = generate(seed, Generation::Openings, Population::Any);
        let mut random = Random::new(seed ^ 0x9e37);
        let mut asked = Vec::new();
        for query in 0..QUERIES {
            let call = recall_call(&mut random, &headers);
            let cold = ask(&headers, &call, Way::Cold);
            seen.note(&cold);
            let expected = comparable(cold);
            let same = |way: &str, answer: Result<Envelope, RecallError>| {
                assert_same(&comparable(answer), &expected, || {
                    format!("{way}, seed {seed}, query {query}: {}", request(&call))
                });
            };
            same("full, openings", ask(&openings, &call, Way::Full));
            if query % 2 == 0 {
                same("warm, openings", ask(&openings, &call, Way::Warm));
            }
            if query % 8 == 0 {
                same("full", ask(&headers, &call, Way::Full));
                same("warm", ask(&headers, &call, Way::Warm));
                same("cold, openings", ask(&openings, &call, Way::Cold));
                same("one thread", with_threads(1, || ask(&headers, &call, Way::Cold)));
                same("five threads", with_threads(5, || ask(&openings, &call, Way::Full)));
            }
            asked.push((call, expected));
        }
        // All of it in memory.
        warm(openings.workspace.root(), WarmOptions::default(), &Cancel::default()).unwrap();
        for (call, expected) in asked.iter().rev().step_by(3) {
            let answer = comparable(ask(&openings, call, Way::Warm));
            assert_same(&answer, expected, || format!("again, seed {seed}: {}", request(call)));
        }
    }
    assert!(2_000 <= seen.queries - seen.refused, "{seen:?}");
    let Seen { narrowed, passages, facts, unreadable, truncated, materials, .. } = seen;
    assert!(1_000 < narrowed && narrowed < 2_000, "{narrowed} narrowed");
    assert!(2_000 < passages, "{passages} passages");
    for some in [facts, unreadable, truncated, materials] {
        assert!(100 < some, "{seen:?}");
    }
}

#[test]
fn a_host_that_hands_messages_over_gets_the_same_answer() {
    let (mut seen, mut results) = (Seen::default(), 0);
    for seed in 100..110 {
        let generation = [Generation::Headers, Generation::Openings][(seed % 2) as usize];
        let generated = generate(seed, generation, Population::Readable);
        let source = Source::of(generated.workspace.root());
        let unnarrowed = Source::of(generated.workspace.root()).unnarrowed();
        let mut random = Random::new(seed ^ 0x85eb);
        for query in 0..60 {
            let call = recall_call(&mut random, &generated);
            let which = || format!("seed {seed}, query {query}: {}", request(&call));
            let native = ask(&generated, &call, Way::Warm);
            let handed = recall(&call, &source, &Cancel::default());
            let narrowed =
                [&handed, &native].map(|answer| Some(answer.as_ref().ok()?.coverage.narrowed));
            assert_eq!(narrowed[0], narrowed[1], "{}", which());
            seen.note(&handed);
            assert_same(&comparable(handed), &comparable(native), which);
            let call = threads_call(&mut random, &generated);
            let which = || format!("seed {seed}, query {query}: {}", request(&call));
            let native = threads(&generated, &call);
            for host in [&source, &unnarrowed] {
                let handed = search_threads(&call, host, &Cancel::default());
                assert_same(&format!("{handed:?}"), &format!("{native:?}"), which);
                results += handed.map_or(0, |found| found.len());
            }
        }
    }
    assert!(500 < seen.passages && 10 < seen.facts && 20 < seen.materials, "{seen:?}");
    assert!(1_000 < results, "{results} results");
}

/// What only the projection wrote is not found, whichever way it is looked for.
#[test]
fn a_renamed_permission_mode_is_found_neither_narrowed_nor_in_full() {
    let workspace = Workspace::new(Generation::Openings);
    let run = Run { session: "s", run: "r", turn: "t" };
    workspace.session("s", json!({}));
    workspace.open(run);
    workspace.event(
        run,
        "function_call",
        json!({
            "kind": "function_call", "id": "c", "name": "Subagent", "args": {},
        }),
    );
    workspace.event(
        run,
        "function_response",
        json!({
            "kind": "function_response", "id": "c", "name": "Subagent",
            "result": {"kind": "subagent", "permissionMode": "execute", "report": "done"},
        }),
    );
    workspace.complete(run);
    for term in ["ask", "sk", "A", "done", "execute"] {
        let [narrowed, full] = narrowed_and_full(&workspace, term);
        assert_eq!(narrowed.passages.len(), usize::from(term == "done"), "{term}");
        assert_eq!(narrowed.passages, full.passages, "{term}");
    }
}

/// A writer that escapes more than it must hides nothing.
#[test]
fn text_behind_needless_escapes_is_found_narrowed_as_in_full() {
    for (escaped, term) in [
        (r"\u004eeedle", "needle"),
        (r"src\/main.rs", "src/main"),
        (r"\u6a21\u578B", "模型"),
        (r"\ud83d\ude00!", "😀"),
        (r"\u00c9t\u00e9", "été"),
    ] {
        let workspace = Workspace::new(Generation::Openings);
        let run = Run { session: "s", run: "r", turn: "t" };
        workspace.session("s", json!({}));
        workspace.open(run);
        let payload = json!({
            "id": "e", "invocationId": "inv-r", "runId": "r", "sessionId": "s", "turnId": "t",
            "ts": 5, "partial": false, "role": "user", "content": {"kind": "text", "text": "TEXT"},
        });
        let payload = payload.to_string().replace("TEXT", escaped);
        workspace.raw_event(run, "e", "text", &payload);
        workspace.complete(run);
        let [narrowed, full] = narrowed_and_full(&workspace, term);
        assert_eq!(full.passages.len(), 1, "{term}");
        assert_eq!(narrowed.passages, full.passages, "{term}");
    }
}

/// Both answers to one term.
#[track_caller]
fn narrowed_and_full(workspace: &Workspace, term: &str) -> [Envelope; 2] {
    let request = json!({"terms": [term]}).to_string().into_bytes();
    let workspace_root = Some(workspace.root().to_owned());
    let mut call = Call { request, workspace_root, ..Call::default() };
    let narrowed = recall(&call, &Open, &Cancel::default()).unwrap();
    call.options.full_scan = true;
    let full = recall(&call, &Open, &Cancel::default()).unwrap();
    assert!(narrowed.coverage.narrowed && !full.coverage.narrowed);
    [narrowed, full]
}

#[derive(Clone, Copy, Debug)]
enum Way {
    /// With nothing kept in memory.
    Cold,
    /// With what the answers before have left there.
    Warm,
    Full,
}

fn ask(generated: &Generated, call: &Call, way: Way) -> Result<Envelope, RecallError> {
    let mut call = at(generated, call);
    call.options.full_scan = matches!(way, Way::Full);
    if matches!(way, Way::Cold) {
        release(Some(generated.workspace.root()));
    }
    recall(&call, &Open, &Cancel::default())
}

fn threads(generated: &Generated, call: &Call) -> Result<Vec<ThreadResult>, RecallError> {
    search_threads(&at(generated, call), &Open, &Cancel::default())
}

fn at(generated: &Generated, call: &Call) -> Call {
    let root = generated.workspace.root().to_owned();
    Call { workspace_root: Some(root), ..call.clone() }
}

fn request(call: &Call) -> String {
    String::from_utf8_lossy(&call.request).into_owned()
}

/// Two answers as text; shows where they part.
#[track_caller]
fn assert_same(answer: &str, expected: &str, which: impl FnOnce() -> String) {
    if answer == expected {
        return;
    }
    let parting = answer.chars().zip(expected.chars()).take_while(|(a, b)| a == b).count();
    let around = |text: &str| -> String {
        text.chars().skip(parting.saturating_sub(300)).take(600).collect()
    };
    panic!("{}\n{}\nbut expected\n{}", which(), around(answer), around(expected));
}

/// All of an answer but which way it came, as text: to the last bit.
fn comparable(answer: Result<Envelope, RecallError>) -> String {
    let answer = answer.map(|mut envelope| {
        assert_eq!(envelope.scanned_fully, !envelope.coverage.narrowed);
        envelope.scanned_fully = false;
        envelope.coverage.narrowed = false;
        envelope
    });
    format!("{answer:?}")
}
