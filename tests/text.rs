//! The golden units of the text primitives, and the narrowing predicate against
//! the SQL it stands for.

#![expect(clippy::disallowed_methods, reason = "fixtures are no databases")]

use std::{fs, path::Path};

use recall_native::engine::{
    json::RawValue,
    text::{
        Narrowing, Needle, Verdict, fold, fold_into, fold_unstable, fold_unstable_bytes, spans,
        utf16_len, utf16_spans, window,
    },
};
use rusqlite::{Connection, functions::FunctionFlags};
use unicode_normalization::UnicodeNormalization;

/// Calls `check` with every case of a fixture file: an array, or the `vectors`
/// of an object.
#[track_caller]
fn each(file: &str, check: fn(RawValue<'_>)) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file);
    let json = fs::read(path).unwrap();
    let file = RawValue::parse(&json).unwrap();
    let cases = file.get("vectors").unwrap_or(file);
    assert!(cases.elements().next().is_some());
    cases.elements().for_each(check);
}

fn text(case: RawValue<'_>, key: &str) -> String {
    case.get(key).and_then(RawValue::string).unwrap().into_owned()
}

fn number(value: RawValue<'_>) -> usize {
    value.number().unwrap() as usize
}

fn flag(case: RawValue<'_>, key: &str) -> bool {
    case.get(key).and_then(RawValue::bool).unwrap()
}

/// The byte of `text` at a UTF-16 offset; inside a pair, the pair's own.
fn byte_at(text: &str, units: usize) -> usize {
    let mut seen = 0;
    for (byte, character) in text.char_indices() {
        if units < seen + character.len_utf16() {
            return byte;
        }
        seen += character.len_utf16();
    }
    text.len()
}

#[test]
fn folds() {
    each("units/fold.json", |case| {
        let (input, folded) = (text(case, "input"), text(case, "folded"));
        assert_eq!(fold(&input), folded, "{input:?}");
        assert_eq!(fold_unstable(&input), folded != input.to_ascii_lowercase(), "{input:?}");
    });
}

#[test]
fn folds_are_counted_alike() {
    each("vectors/fold.json", |case| {
        let (input, folded) = (text(case, "input"), text(case, "folded"));
        let pair = |key| case.get(key).unwrap().elements().map(number).collect::<Vec<_>>();
        let mut out = String::new();
        fold_into(&input, &mut out);
        assert_eq!(out, folded, "{input:?}");
        assert_eq!(fold(&input), folded, "{input:?}");
        assert_eq!(fold_unstable(&input), flag(case, "foldUnstable"), "{input:?}");
        assert_eq!(fold_unstable_bytes(input.as_bytes()), flag(case, "foldUnstable"), "{input:?}");
        assert_eq!(pair("codePoints"), [input.chars().count(), out.chars().count()], "{input:?}");
        assert_eq!(pair("utf16"), [utf16_len(&input), utf16_len(&out)], "{input:?}");
    });
}

#[test]
fn positions() {
    each("units/positions.json", |case| {
        let (input, term) = (text(case, "text"), text(case, "term"));
        let expected: Vec<(usize, usize)> = case
            .get("spans")
            .unwrap()
            .elements()
            .map(|span| {
                let mut ends = span.elements().map(number);
                (ends.next().unwrap(), ends.next().unwrap())
            })
            .collect();
        let found = spans(&input, &Needle::new(&fold(&term)));
        assert_eq!(utf16_spans(&input, &found), expected, "{term:?} in {input:?}");
    });
}

#[test]
fn windows() {
    each("units/windows.json", |case| {
        let input = text(case, "text");
        let max_bytes = number(case.get("maxBytes").unwrap());
        let match_start = case.get("matchStart").map(|units| byte_at(&input, number(units)));
        let window = window(&input, max_bytes, match_start, flag(case, "capped"));
        let case = String::from_utf8_lossy(case.bytes());
        let (shown, truncated) = (window.shown.as_str(), window.truncated);
        let expected = RawValue::parse(case.as_bytes()).unwrap();
        assert_eq!(shown, text(expected, "shown"), "{case}");
        assert_eq!(truncated, flag(expected, "truncated"), "{case}");
        assert_eq!(&input[window.start..window.start + window.body().len()], window.body());
    });
}

/// The predicate as the design states it, run by SQLite.
fn connection() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection
        .create_scalar_function("fold_unstable", 1, flags, |context| {
            let Ok(text) = std::str::from_utf8(context.get_raw(0).as_bytes()?) else {
                return Ok(true);
            };
            let folded: String = text.nfc().collect::<String>().to_lowercase().nfc().collect();
            Ok(folded != text.to_ascii_lowercase())
        })
        .unwrap();
    connection
}

#[test]
fn narrowing_is_the_predicate_that_sqlite_runs() {
    let rows: &[&[u8]] = &[
        b"",
        b"{\"text\":\"Recall NAMES Sessions\"}",
        "{\"text\":\"模型 Names\"}".as_bytes(),
        "{\"text\":\"ÉTÉ\"}".as_bytes(),
        "{\"text\":\"été e\u{301}\"}".as_bytes(),
        "{\"text\":\"İstanbul ΣΑΣ \u{212a}\"}".as_bytes(),
        "{\"text\":\"I\u{307} stays\"}".as_bytes(),
        "{\"text\":\"한글 \u{1112}\u{1161}\u{11ab}\"}".as_bytes(),
        b"{\"text\":\"100% a_b [x] {y} k\"}",
        "{\"text\":\"ＡＢＣ ｋ か\u{3099}\"}".as_bytes(),
        b"{\"text\":\"cut \xe6\xa8 names\"}",
        b"\xffRECALL",
    ];
    let terms = [
        "names", "recall", "模型", "型 n", "été", "é", "k", "i\u{307}", "한", "100%", "a_b", "[x]",
        "{y", "が", "ａ", "σας", "zzz",
    ];
    let connection = connection();
    let mut plain = connection
        .prepare("SELECT instr(lower(CAST(?1 AS TEXT)), ?2) > 0, fold_unstable(CAST(?1 AS TEXT))")
        .unwrap();
    for row in rows {
        for term in terms {
            let (holds, unstable): (bool, bool) =
                plain.query_row((row, term), |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
            let expected = match (holds, unstable) {
                (true, _) => Verdict::Holds,
                (false, true) => Verdict::Unstable,
                (false, false) => Verdict::No,
            };
            let verdict = Narrowing::new(&[term]).unwrap().verdict(row);
            assert_eq!(verdict, expected, "{term:?} in {}", String::from_utf8_lossy(row));
        }
    }
}
