//! How far the events of a workspace reach, and what was appended since.
//!
//! A host only ever appends events, and removes all those of a Session. SQLite
//! gives each a rowid above all others, and writing the table anew, as VACUUM
//! does, closes the gaps. So when the first and the last event stand where they
//! stood, and as many as before stand up to there, every one of them is still
//! there under its rowid. That takes one count, which SQLite does page by page.

use std::{collections::HashSet, ops::ControlFlow};

use super::{cell, snapshot::Snapshot};
use crate::engine::RecallError;

const FIRST: &str = "SELECT rowid, event_id FROM runtime_events ORDER BY rowid LIMIT 1";
const LAST: &str = "SELECT rowid, event_id FROM runtime_events ORDER BY rowid DESC LIMIT 1";
const AT: &str = "SELECT event_id FROM runtime_events WHERE rowid = ?1";
const COUNT: &str = "SELECT count(*) FROM runtime_events";
/// Without an index: one that is ordered by Session would be read as a whole.
const APPENDED: &str = "SELECT session_id FROM runtime_events NOT INDEXED WHERE ?1 < rowid";

/// How far the events of a snapshot reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    first: Place,
    last: Place,
    events: i64,
}

/// Where an event stands.
#[derive(Clone, Debug, PartialEq)]
struct Place {
    rowid: i64,
    event_id: Box<[u8]>,
}

/// Ids of the Sessions that events were appended to, as they are stored.
#[derive(Debug, Default, PartialEq)]
pub struct Appended(HashSet<Box<[u8]>>);

impl Appended {
    /// Whether events were appended to a Session.
    #[must_use]
    pub fn holds(&self, session_id: &str) -> bool {
        self.0.contains(session_id.as_bytes())
    }
}

impl Snapshot<'_> {
    /// How far the events of this snapshot reach; `None` when there are none.
    /// Cost: the pages of an index of all events, half a millisecond of 120,000.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn extent(&self) -> Result<Option<Extent>, RecallError> {
        let place = |sql| {
            self.database.first(sql, [], |row| Place {
                rowid: cell::integer(row, 0),
                event_id: cell::bytes(row, 1).into(),
            })
        };
        let events = self.database.first(COUNT, [], |row| cell::integer(row, 0))?;
        let places = place(FIRST)?.zip(place(LAST)?);
        Ok(places.zip(events).map(|((first, last), events)| Extent { first, last, events }))
    }

    /// What was appended since an earlier snapshot, when `now` is the extent of
    /// this one; `None` when an event of that time is gone, or stands elsewhere.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn appended_since(
        &self,
        earlier: &Extent,
        now: &Extent,
    ) -> Result<Option<Appended>, RecallError> {
        for Place { rowid, event_id } in [&earlier.first, &earlier.last] {
            let there =
                self.database.first(AT, [rowid], |row| *cell::bytes(row, 0) == **event_id)?;
            if there != Some(true) {
                return Ok(None);
            }
        }
        let (mut appended, mut events) = (Appended::default(), 0);
        self.database.rows(APPENDED, [earlier.last.rowid], |row| {
            let session_id = cell::bytes(row, 0);
            if !appended.0.contains(session_id) {
                appended.0.insert(session_id.into());
            }
            events += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((earlier.events + events == now.events).then_some(appended))
    }
}
