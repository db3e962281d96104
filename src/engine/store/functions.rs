//! The scalar functions that a connection of ours knows.
//!
//! They are ours alone: nothing of them is stored in the database.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{
    Connection,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

use crate::engine::text::{Narrowing, Verdict, fold_unstable_bytes};

/// What `maka_recall_narrow` answers: the row cannot hit.
pub(super) const NO: i64 = 0;
/// The row holds a term.
pub(super) const HOLDS: i64 = 1;
/// The row's folding needs more than ASCII, so it may hold one.
pub(super) const UNSTABLE: i64 = 2;

/// The narrowing that `maka_recall_narrow` applies: that of the running query.
#[derive(Clone, Default)]
pub(super) struct NarrowingSlot(Arc<Mutex<Option<Narrowing>>>);

impl NarrowingSlot {
    /// Sets the narrowing of a query.
    pub(super) fn set(&self, narrowing: Option<Narrowing>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = narrowing;
    }

    /// Without a narrowing nothing is known, and every row may hit.
    fn verdict(&self, row: &[u8]) -> i64 {
        let slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match slot.as_ref().map(|narrowing| narrowing.verdict(row)) {
            Some(Verdict::No) => NO,
            Some(Verdict::Holds) => HOLDS,
            Some(Verdict::Unstable) | None => UNSTABLE,
        }
    }
}

/// Registers the functions on `connection`.
pub(super) fn register(connection: &Connection, slot: &NarrowingSlot) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function(
        "maka_recall_fold_unstable",
        1,
        flags | FunctionFlags::SQLITE_DETERMINISTIC,
        |context| Ok(fold_unstable_bytes(text(context))),
    )?;
    // Not deterministic: another query has another narrowing.
    let slot = slot.clone();
    connection.create_scalar_function("maka_recall_narrow", 1, flags, move |context| {
        Ok(slot.verdict(text(context)))
    })
}

fn text<'a>(context: &'a Context<'_>) -> &'a [u8] {
    match context.get_raw(0) {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::fold;

    const PIECES: [&str; 17] = [
        "needle",
        "Needle",
        "NEE",
        "dle",
        " ",
        "\"",
        "\\n",
        "模型",
        "É",
        "é",
        "e\u{301}",
        "ΟΔΟΣ",
        "İ",
        "ß",
        "{\"text\":\"",
        "\u{fffd}",
        "οδος",
    ];
    const TERMS: [&str; 6] = ["needle", "模型", "é", "οδος", "ß", "text"];

    /// Rows of pieces, some of them no UTF-8, some no text.
    fn rows(connection: &Connection) {
        connection.execute_batch("CREATE TABLE runtime_events (payload_json)").unwrap();
        let mut insert = connection.prepare("INSERT INTO runtime_events VALUES (?1)").unwrap();
        let mut state = 7_u64;
        let mut below = |end: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % end
        };
        for _ in 0..3_000 {
            let pieces = below(6);
            let text: String = (0..pieces).map(|_| PIECES[below(17) as usize]).collect();
            insert.execute([&text]).unwrap();
        }
        connection
            .execute_batch(
                "INSERT INTO runtime_events VALUES (CAST(x'ff6e6565646c65' AS TEXT));
                 INSERT INTO runtime_events VALUES (CAST(x'ff' AS TEXT));
                 INSERT INTO runtime_events VALUES (x'6e6565646c65');
                 INSERT INTO runtime_events VALUES (NULL), (7), (2.5), ('');",
            )
            .unwrap();
    }

    #[test]
    fn the_fast_predicate_is_the_plain_one_row_by_row() {
        let connection = Connection::open_in_memory().unwrap();
        let slot = NarrowingSlot::default();
        register(&connection, &slot).unwrap();
        rows(&connection);
        for term in TERMS {
            let term = fold(term);
            slot.set(Narrowing::new(&[&term]));
            let sql = "SELECT rowid, \
                instr(lower(payload_json), ?1) > 0 OR maka_recall_fold_unstable(payload_json), \
                maka_recall_narrow(payload_json) FROM runtime_events";
            let mut statement = connection.prepare(sql).unwrap();
            let mut rows = statement.query([&term]).unwrap();
            let mut seen = [0; 3];
            while let Some(row) = rows.next().unwrap() {
                let plain: Option<bool> = row.get(1).unwrap();
                let narrow: i64 = row.get(2).unwrap();
                let rowid: i64 = row.get(0).unwrap();
                // `instr` of NULL is NULL, which names no Session.
                assert_eq!(plain.unwrap_or_default(), narrow != NO, "{term} in row {rowid}");
                seen[narrow as usize] += 1;
            }
            assert!(seen.iter().all(|&rows| 100 < rows), "{term}: {seen:?}");
        }
    }

    #[test]
    fn without_a_narrowing_every_row_may_hit() {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection, &NarrowingSlot::default()).unwrap();
        let verdict: i64 = connection
            .query_row("SELECT maka_recall_narrow('plain')", [], |row| row.get(0))
            .unwrap();
        assert_eq!(verdict, UNSTABLE);
    }
}
