//! The Sessions of a workspace.

use std::{ops::ControlFlow, sync::Arc};

use super::{cell, snapshot::Snapshot};
use crate::engine::{RecallError, SessionHeader, json::RawValue};

/// The order is that of the ids' code points.
const SESSIONS: &str = "SELECT session_id, payload_json FROM session_metadata ORDER BY session_id";
const SESSION: &str = "SELECT session_id, payload_json FROM session_metadata WHERE session_id = ?1";

/// The listed Sessions of a workspace: archived ones, every revision and
/// staging imports included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sessions {
    /// Their headers, by id.
    pub headers: Vec<Arc<SessionHeader>>,
    /// Ids of the rows that hold no header, or that of another Session; of what
    /// a host lists without an id, its place.
    pub undecodable: Vec<Arc<str>>,
    /// The rows they come from, by id.
    stored: Vec<StoredHeader>,
}

/// A row of `session_metadata`.
#[derive(Clone, Debug, PartialEq)]
struct StoredHeader {
    id: Box<[u8]>,
    json: Box<[u8]>,
    /// What it says, if anything.
    header: Option<Arc<SessionHeader>>,
}

impl Sessions {
    fn push(&mut self, row: StoredHeader) {
        match &row.header {
            Some(header) if header.listed => self.headers.push(header.clone()),
            Some(_) => {}
            None => self.undecodable.push(String::from_utf8_lossy(&row.id).into()),
        }
        self.stored.push(row);
    }

    fn stored(&self, id: &[u8]) -> Option<&StoredHeader> {
        let place = self.stored.binary_search_by(|row| (*row.id).cmp(id)).ok()?;
        self.stored.get(place)
    }
}

impl Snapshot<'_> {
    /// The Sessions of the workspace.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn sessions(&self) -> Result<Sessions, RecallError> {
        self.sessions_since(None)
    }

    /// The same, when those of an earlier state are known: rows that stayed as
    /// they were are not read anew.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn sessions_since(&self, earlier: Option<&Sessions>) -> Result<Sessions, RecallError> {
        let mut sessions = Sessions::default();
        self.database.rows(SESSIONS, [], |row| {
            let (id, json) = (cell::bytes(row, 0), cell::bytes(row, 1));
            let known = earlier.and_then(|earlier| earlier.stored(id));
            sessions.push(match known.filter(|known| *known.json == *json) {
                Some(known) => known.clone(),
                None => StoredHeader { id: id.into(), json: json.into(), header: read(id, json) },
            });
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(sessions)
    }

    /// The header of one listed Session.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn session(&self, id: &str) -> Result<Option<Arc<SessionHeader>>, RecallError> {
        let header = self
            .database
            .first(SESSION, [id], |row| read(cell::bytes(row, 0), cell::bytes(row, 1)))?;
        Ok(header.flatten().filter(|header| header.listed))
    }
}

fn read(id: &[u8], json: &[u8]) -> Option<Arc<SessionHeader>> {
    let header = RawValue::parse(json).and_then(SessionHeader::read)?;
    (header.id.as_bytes() == id).then(|| Arc::new(header))
}
