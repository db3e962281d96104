//! Where the rows of a Session lie among all events.
//!
//! Events are appended, so a Session's rows mostly lie together, and walking
//! that stretch of the table reads each page once, in order. The walk also
//! passes rows of other Sessions; when those are too many, fetching each row
//! that an index names is the better way.

use std::{ops::ControlFlow, sync::Arc};

use rusqlite::Row;

use super::{cell, snapshot::Snapshot};
use crate::engine::RecallError;

/// A stretch is walked when at least one in this many of its rows counts. With
/// two Sessions woven into one another both ways take the same time; with four
/// the walk takes 1.3 times as long, with eight 1.8 times.
const SPARSEST: i64 = 2;

const SPREAD: &str =
    "SELECT min(rowid), max(rowid), count(*) FROM runtime_events WHERE session_id = ?1";

const WALK: &str = "FROM runtime_events NOT INDEXED \
                    WHERE rowid BETWEEN ?2 AND ?3 AND session_id = ?1";
const LOOK_UP: &str = "FROM runtime_events WHERE session_id = ?1";

/// The stretch of a Session's events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Spread {
    first: i64,
    last: i64,
    rows: i64,
}

impl Spread {
    fn is_dense(self) -> bool {
        let stretch = self.last.saturating_sub(self.first).saturating_add(1);
        stretch <= self.rows.saturating_mul(SPARSEST)
    }
}

impl Snapshot<'_> {
    /// Gives `columns` of every event of a Session to `row`, in any order,
    /// until it breaks.
    pub(super) fn events(
        &self,
        session_id: &Arc<str>,
        columns: &str,
        row: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, RecallError>,
    ) -> Result<(), RecallError> {
        let spread = self.spread(session_id)?;
        let Spread { first, last, rows } = spread;
        if rows == 0 {
            return Ok(());
        }
        if spread.is_dense() {
            let walk = format!("SELECT {columns} {WALK}");
            return self.database.rows(&walk, (&**session_id, first, last), row);
        }
        self.database.rows(&format!("SELECT {columns} {LOOK_UP}"), [&**session_id], row)
    }

    /// Where the events of a Session lie.
    fn spread(&self, session_id: &Arc<str>) -> Result<Spread, RecallError> {
        if let Some(&spread) = self.spreads.borrow().get(session_id) {
            return Ok(spread);
        }
        let spread = self.database.first(SPREAD, [&**session_id], |row| Spread {
            first: cell::integer(row, 0),
            last: cell::integer(row, 1),
            rows: cell::integer(row, 2),
        })?;
        let spread = spread.unwrap_or(Spread { first: 0, last: 0, rows: 0 });
        self.spreads.borrow_mut().insert(Arc::clone(session_id), spread);
        Ok(spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(first: i64, last: i64, rows: i64, dense: bool) {
        assert_eq!(Spread { first, last, rows }.is_dense(), dense);
    }

    #[test]
    fn a_stretch_is_walked_unless_most_of_it_belongs_to_others() {
        test(1, 1, 1, true);
        test(1, 2, 1, true);
        test(1, 3, 1, false);
        test(11, 50, 20, true);
        test(11, 51, 20, false);
        test(i64::MIN, i64::MAX, 3, false);
    }
}
