//! A narrowed search, a full one, one thread, many, either generation of the
//! store, and a host that hands the same messages over: one answer.

mod support;

use recall_native::engine::{
    Call, Cancel, RecallError, recall,
    reply::{Envelope, ThreadResult},
    search_threads, with_threads,
};

use support::{
    generate::{Generated, Population, generate},
    host::{Open, Source},
    query::{recall_call, threads_call},
    random::Random,
    workspace::Generation,
};

/// Workspaces of a property.
const WORKSPACES: u64 = 24;
/// Queries to each.
const QUERIES: usize = 90;

/// What has to be seen for the property to mean anything.
#[derive(Debug, Default)]
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
            let narrowed = ask(&headers, &call, Way::Narrowed);
            seen.note(&narrowed);
            let expected = comparable(narrowed);
            let same = |way: &str, answer: Result<Envelope, RecallError>| {
                assert_same(&comparable(answer), &expected, || {
                    format!("{way}, seed {seed}, query {query}: {}", request(&call))
                });
            };
            same("full", ask(&headers, &call, Way::Full));
            same("narrowed, openings", ask(&openings, &call, Way::Narrowed));
            same("full, openings", ask(&openings, &call, Way::Full));
            if query % 3 == 0 {
                same("one thread", with_threads(1, || ask(&headers, &call, Way::Narrowed)));
                same("five threads", with_threads(5, || ask(&openings, &call, Way::Full)));
            }
            asked.push((call, expected));
        }
        // Nothing that an answer leaves behind changes the next one.
        for (call, expected) in asked.iter().rev().step_by(5) {
            assert_eq!(comparable(ask(&headers, call, Way::Narrowed)), *expected, "seed {seed}");
        }
    }
    println!("{seen:?}");
    assert!(2_000 <= seen.queries - seen.refused, "{seen:?}");
    let Seen { narrowed, passages, facts, unreadable, truncated, materials, .. } = seen;
    assert!(1_000 < narrowed && narrowed < 1_950, "{narrowed} narrowed");
    assert!(2_000 < passages, "{passages} passages");
    assert!(50 < facts && 50 < unreadable && 50 < truncated && 50 < materials);
}

#[test]
fn a_host_that_hands_messages_over_gets_the_same_answer() {
    let mut seen = Seen::default();
    for seed in 100..112 {
        let generation = [Generation::Headers, Generation::Openings][(seed % 2) as usize];
        let generated = generate(seed, generation, Population::Readable);
        let source = Source::of(generated.workspace.root());
        let mut random = Random::new(seed ^ 0x85eb);
        for query in 0..60 {
            let call = recall_call(&mut random, &generated);
            let which = || format!("seed {seed}, query {query}: {}", request(&call));
            let native = ask(&generated, &call, Way::Narrowed);
            let handed = recall(&call, &source, &Cancel::default());
            let narrowed =
                [&handed, &native].map(|answer| Some(answer.as_ref().ok()?.coverage.narrowed));
            assert_eq!(narrowed[0], narrowed[1], "{}", which());
            seen.note(&handed);
            assert_same(&comparable(handed), &comparable(native), which);
            let call = threads_call(&mut random, &generated);
            let which = || format!("seed {seed}, query {query}: {}", request(&call));
            let native = threads(&generated, &call);
            let handed = search_threads(&call, &source, &Cancel::default());
            assert_same(&format!("{handed:#?}"), &format!("{native:#?}"), which);
        }
    }
    println!("{seen:?}");
    assert!(500 < seen.passages && 10 < seen.facts && 20 < seen.materials, "{seen:?}");
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Narrowed,
    Full,
}

fn ask(generated: &Generated, call: &Call, way: Way) -> Result<Envelope, RecallError> {
    let mut call = at(generated, call);
    call.options.full_scan = matches!(way, Way::Full);
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

/// Two answers as text; says the first line where they part.
#[track_caller]
fn assert_same(answer: &str, expected: &str, which: impl FnOnce() -> String) {
    if answer == expected {
        return;
    }
    let lines = answer.lines().zip(expected.lines());
    let parting = lines.enumerate().find(|(_, (answer, expected))| answer != expected);
    panic!("{}\nparts at line {parting:#?}\n{answer}", which());
}

/// All of an answer but which way it came, as text: to the last bit.
fn comparable(answer: Result<Envelope, RecallError>) -> String {
    let answer = answer.map(|mut envelope| {
        assert_eq!(envelope.scanned_fully, !envelope.coverage.narrowed);
        envelope.scanned_fully = false;
        envelope.coverage.narrowed = false;
        envelope
    });
    format!("{answer:#?}")
}
