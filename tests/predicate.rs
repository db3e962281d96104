//! The narrowing predicate over generated rows, against the SQL that it is.

#![expect(clippy::disallowed_methods, reason = "the rule of folding is made of it")]

mod support;

use recall_native::engine::text::{Narrowing, Verdict, fold};
use rusqlite::{Connection, functions::FunctionFlags};
use unicode_normalization::UnicodeNormalization;

use support::{
    generate::{Population, generate},
    prose::{part, respelled},
    random::Random,
    workspace::GENERATIONS,
};

/// Where text of messages stands.
const ROWS: &str = "SELECT payload_json AS row FROM runtime_events \
    UNION ALL SELECT record_json FROM session_messages \
    UNION ALL SELECT text_content FROM runtime_partial_segments";

#[test]
fn a_row_is_named_when_the_plain_sql_names_it() {
    let mut seen = [[0; 2]; 2];
    for seed in 0..8 {
        let generated = generate(seed, GENERATIONS[seed as usize % 2], Population::Any);
        let connection = generated.workspace.connection();
        register(connection);
        let sql = format!(
            "SELECT row, instr(lower(row), ?1) > 0 OR maka_recall_fold_unstable(row) FROM ({ROWS})"
        );
        let mut plain = connection.prepare(&sql).unwrap();
        let mut random = Random::new(seed);
        for _ in 0..40 {
            let said = &generated.texts[random.below(generated.texts.len())];
            let drawn = part(&mut random, said, 6);
            let term = fold(&respelled(&mut random, &drawn)).into_owned();
            let Some(narrowing) = Narrowing::new(&[&term]) else { continue };
            let mut rows = plain.query([&term]).unwrap();
            while let Some(row) = rows.next().unwrap() {
                let stored = row.get_ref(0).unwrap().as_bytes().unwrap();
                let named: bool = row.get(1).unwrap();
                let verdict = narrowing.verdict(stored);
                // What another writer escaped is looked at as well.
                let agrees = named == (verdict != Verdict::No) || stored.contains(&b'\\');
                let shown = String::from_utf8_lossy(stored);
                assert!(agrees && (!named || verdict != Verdict::No), "{term:?} in {shown}");
                seen[usize::from(named)][usize::from(verdict == Verdict::Holds)] += 1;
            }
        }
    }
    let [[neither, _], [unstable, holds]] = seen;
    assert!(1_000 < neither && 1_000 < unstable && 1_000 < holds, "{seen:?}");
}

/// `maka_recall_fold_unstable` as the design states it.
fn register(connection: &Connection) {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection
        .create_scalar_function("maka_recall_fold_unstable", 1, flags, |context| {
            let Ok(text) = std::str::from_utf8(context.get_raw(0).as_bytes()?) else {
                return Ok(true);
            };
            let folded: String = text.nfc().collect::<String>().to_lowercase().nfc().collect();
            Ok(folded != text.to_ascii_lowercase())
        })
        .unwrap();
}
