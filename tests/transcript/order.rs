//! The order of a Session's events against the words of the rule.

use std::{cmp::Ordering, collections::HashMap};

use super::ledger::Ledger;

/// An event as the rule speaks of it.
#[derive(Clone, Debug)]
struct Placed {
    id: String,
    ts: f64,
    /// Of an ended run only.
    ordinal: Option<i64>,
    run: usize,
    index: usize,
}

/// `host/projection.md` 3: the comparator of any two events.
fn compare(a: &Placed, b: &Placed) -> Ordering {
    match (a.ordinal, b.ordinal) {
        (Some(x), Some(y)) => x.cmp(&y).then(a.index.cmp(&b.index)).then(a.id.cmp(&b.id)),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => {
            a.ts.total_cmp(&b.ts)
                .then(a.run.cmp(&b.run))
                .then(a.index.cmp(&b.index))
                .then(a.id.cmp(&b.id))
        }
    }
}

#[test]
fn agrees_with_the_comparator_of_any_two_events() {
    let mut random = Random(0x0dd_ba11);
    for round in 0..400 {
        let (ledger, expected) = session(&mut random);
        assert_eq!(ledger.ordered_ids(), expected, "round {round}");
    }
}

/// A Session of some runs, and its events in order.
fn session(random: &mut Random) -> (Ledger, Vec<String>) {
    const SAYS: &str = r#""role":"user","content":{"kind":"text","text":"x"}"#;
    let mut ledger = Ledger::new(1);
    let runs: Vec<_> = (0..1 + random.below(4)).map(|run| format!("r{run}")).collect();
    let ended: Vec<_> = runs.iter().map(|_| random.below(2) == 0).collect();
    for (index, run) in runs.iter().enumerate() {
        ledger.shelf(run, index as f64, r#"{"route":{"modelId":"m"}}"#);
    }
    let mut durable: HashMap<usize, Vec<(String, f64, Option<i64>)>> = HashMap::new();
    for number in 0..random.below(14) {
        let run = random.below(runs.len());
        let id = format!("e{number}");
        ledger.event(&runs[run], &id, SAYS);
        let event = ledger.records.events.last_mut().unwrap();
        if random.below(5) == 0 {
            event.ordinal = None;
        }
        durable.entry(run).or_default().push((id, number as f64 + 1.0, event.ordinal));
    }
    for (run, name) in runs.iter().enumerate().filter(|(run, _)| ended[*run]) {
        ledger.end(name);
        let number = ledger.records.events.len() as i64;
        durable.entry(run).or_default().push((format!("{name}-end"), number as f64, Some(number)));
    }
    let mut streams: HashMap<usize, Vec<(Option<usize>, f64, String)>> = HashMap::new();
    for number in 0..random.below(6) {
        let run = random.below(runs.len());
        let (id, ts) = (format!("p{}", 9 - number), random.below(16) as f64);
        let known = durable.get(&run).map_or(0, Vec::len);
        // Before all, after one of them, or after one that is not there.
        let anchor = random.below(known + 2).checked_sub(1);
        let name = anchor.map(|at| {
            durable.get(&run).and_then(|events| events.get(at)).map_or("nowhere", |event| &event.0)
        });
        let name = name.map(str::to_owned);
        let rest = format!(r#""ts":{ts},"partial":true,"role":"tool","refs":{{"toolCallId":"c"}}"#);
        ledger.stream_after(&runs[run], &id, name.as_deref(), &rest);
        streams.entry(run).or_default().push((anchor, ts, id));
    }

    let mut placed = Vec::new();
    for (run, ended) in ended.into_iter().enumerate() {
        let mut streams = streams.remove(&run).unwrap_or_default();
        streams.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.2.cmp(&b.2)));
        let mut events = Vec::new();
        let events_of = |anchor: Option<usize>| {
            let group = streams.iter().filter(move |stream| stream.0 == anchor);
            group.map(|(_, ts, id)| (id.clone(), *ts, None)).collect::<Vec<_>>()
        };
        events.extend(events_of(None));
        let durable = durable.remove(&run).unwrap_or_default();
        let count = durable.len();
        for (at, event) in durable.into_iter().enumerate() {
            events.push(event);
            events.extend(events_of(Some(at)));
        }
        events.extend(events_of(Some(count)));
        for (index, (id, ts, _)) in events.iter().enumerate() {
            let earlier = events[..=index].iter().rev().find_map(|event| event.2);
            let later = events[index..].iter().find_map(|event| event.2);
            let ordinal = if ended { earlier.or(later) } else { None };
            placed.push(Placed { id: id.clone(), ts: *ts, ordinal, run, index });
        }
    }
    // The slow way: each goes before the first that is later.
    let mut sorted: Vec<Placed> = Vec::new();
    for event in placed {
        let at = sorted.iter().position(|other| compare(&event, other) == Ordering::Less);
        sorted.insert(at.unwrap_or(sorted.len()), event);
    }
    (ledger, sorted.into_iter().map(|event| event.id).collect())
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }
}
