//! Damaged rows: whatever stands in the store, a Session is projected or
//! refused, and what is projected is whole.

#[path = "vectors/load.rs"]
mod load;

use load::{Change, Vector, unchanged, vectors};
use recall_native::engine::{
    Cancel, SessionHeader,
    host::HostMessage,
    json::{Kind, RawValue},
    transcript::{
        Projection, RowKind, RowSource, Unreadable, event_body, host_transcript, message_body,
        ordered_events, project, records::SessionRecords, stored_texts,
    },
};

/// Damaged versions of each vector.
const ROUNDS: u64 = 60;

#[test]
fn a_damaged_session_is_projected_whole_or_refused() {
    let (mut read, mut refused) = (0, 0);
    let mut random = Random(0x5eed_0001);
    for (folder, load) in LOADERS {
        for vector in vectors(folder) {
            for _ in 0..ROUNDS {
                let damage_all = random.below(4) == 0;
                let mut change = |text: &[u8]| {
                    if damage_all || random.below(3) == 0 {
                        damage(text, &mut random)
                    } else {
                        unchanged(text)
                    }
                };
                let (header, records) = load(&vector, &mut change);
                let projection = project(&header, &records, &Cancel::default()).unwrap();
                let ordered = ordered_events(&header, &records);
                match projection {
                    Ok(projection) => {
                        read += 1;
                        assert!(ordered.is_ok(), "{}", vector.name);
                        check_whole(&vector.name, &records, &projection);
                    }
                    Err(Unreadable { why }) => {
                        refused += 1;
                        assert_ne!(why, "");
                    }
                }
            }
        }
    }
    assert!(500 < read && 500 < refused, "{read} read, {refused} refused");
}

#[test]
fn damaged_texts_have_contents_or_none() {
    let mut random = Random(0x5eed_0002);
    for (folder, load) in LOADERS {
        for vector in vectors(folder) {
            let (_, records) = load(&vector, &mut unchanged);
            for text in stored_texts(&records) {
                for _ in 0..20 {
                    let text = damage(text, &mut random);
                    let is_json = RawValue::parse(&text).is_some();
                    assert!(is_json || event_body(&text).is_none());
                    assert!(is_json || message_body(&text).is_none());
                    let handed = HostMessage { json: text.clone(), matched: None };
                    match host_transcript(&[handed], &Cancel::default()).unwrap() {
                        Ok(transcript) => {
                            let [row] = &*transcript.rows else { panic!("{transcript:?}") };
                            assert_eq!(row.source, RowSource::Message(0));
                            let has_body = !matches!(row.kind, RowKind::Other(_));
                            assert_eq!(message_body(&text).is_some(), has_body);
                        }
                        Err(unreadable) => {
                            assert!(unreadable.why.starts_with("message 0: "));
                            assert_eq!(message_body(&text), None);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn deep_values_do_not_recurse() {
    let deep = 200_000;
    for (open, close) in [("[", "]"), ("{\"content\":", "}")] {
        let value = open.repeat(deep) + "1" + &close.repeat(deep);
        for (folder, load) in LOADERS {
            let mut change = |text: &[u8]| replace_some(text, value.as_bytes());
            let vector = &vectors(folder)[0];
            let (header, records) = load(vector, &mut change);
            assert!(
                project(&header, &records, &Cancel::default()).unwrap().is_ok(),
                "{}",
                vector.name
            );
        }
    }
}

type Loader = fn(&Vector, Change<'_>) -> (SessionHeader, SessionRecords);

const LOADERS: [(&str, Loader); 3] =
    [("projection", load::projection), ("session", load::session), ("legacy", load::legacy)];

/// Every row that has contents shows them, and only those are searchable.
fn check_whole(name: &str, records: &SessionRecords, projection: &Projection) {
    for (index, row) in projection.transcript.rows.iter().enumerate() {
        let body = projection.body(records, index);
        match row.kind {
            RowKind::Other(_) => {
                assert!(body.is_none() && !row.searchable, "{name}: row {index}");
                assert_eq!(row.source, RowSource::Nothing, "{name}: row {index}");
            }
            _ => assert!(body.is_some(), "{name}: row {index}"),
        }
    }
    let end = projection.transcript.rows.len();
    assert_eq!(projection.body(records, end), None);
    assert_eq!(projection.raw(records, end), b"");
}

/// Adds an unknown member with this value to an object.
fn replace_some(text: &[u8], value: &[u8]) -> Vec<u8> {
    let end = text.iter().rposition(|byte| *byte == b'}').unwrap();
    [&text[..end], b",\"unknown\":", value, b"}"].concat()
}

/// Flips, cuts, drops or replaces something.
fn damage(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut damaged = text.to_vec();
    if text.is_empty() {
        return damaged;
    }
    match random.below(8) {
        0 => {
            let at = random.below(text.len());
            damaged[at] ^= 1 << random.below(8);
        }
        1 => damaged.truncate(random.below(text.len())),
        2 | 3 => {
            let members: Vec<_> = parts(text).into_iter().filter(|part| part.member).collect();
            if let Some(part) = random.pick(&members) {
                // A name that nobody knows: the member is gone.
                damaged[part.start + 1] = b'~';
            }
        }
        _ => {
            let values: Vec<_> = parts(text).into_iter().filter(|part| !part.member).collect();
            if let Some(part) = random.pick(&values) {
                const OTHERS: [&str; 12] = [
                    "null",
                    "true",
                    "false",
                    "7",
                    "-1e999",
                    "\"\"",
                    "\"\\ud800\"",
                    "[]",
                    "{}",
                    "[null,{}]",
                    "\"completed\"",
                    "{\"kind\":\"text\",\"text\":\"x\"}",
                ];
                let other = random.pick(&OTHERS).unwrap();
                damaged.splice(part.start..part.end, other.bytes());
            }
        }
    }
    damaged
}

/// The name of a member, or a value.
struct Part {
    start: usize,
    end: usize,
    member: bool,
}

/// Every member name that is not empty and every value below the top.
fn parts(text: &[u8]) -> Vec<Part> {
    let offset = |bytes: &[u8]| bytes.as_ptr() as usize - text.as_ptr() as usize;
    let mut parts = Vec::new();
    let mut open: Vec<_> = RawValue::parse(text).into_iter().collect();
    while let Some(value) = open.pop() {
        for (name, member) in value.entries() {
            if !name.bytes().is_empty() {
                let start = offset(name.bytes()) - 1;
                parts.push(Part { start, end: start, member: true });
            }
            open.push(member);
        }
        open.extend(value.elements());
        let start = offset(value.bytes());
        if start != 0 || !matches!(value.kind(), Kind::Object) {
            parts.push(Part { start, end: start + value.bytes().len(), member: false });
        }
    }
    parts
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'t, T>(&mut self, from: &'t [T]) -> Option<&'t T> {
        if from.is_empty() { None } else { Some(&from[self.below(from.len())]) }
    }
}
