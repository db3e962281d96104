//! The Sessions of a workspace.

use std::{ops::ControlFlow, sync::Arc};

use super::{cell, snapshot::Snapshot};
use crate::engine::{RecallError, SessionHeader, json::RawValue};

/// The order is that of the ids' code points.
const SESSIONS: &str = "SELECT session_id, payload_json FROM session_metadata ORDER BY session_id";

/// The listed Sessions of a workspace: archived ones, every revision and
/// staging imports included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sessions {
    /// Their headers, by id.
    pub headers: Vec<SessionHeader>,
    /// Ids of the rows that hold no header, or that of another Session.
    pub undecodable: Vec<Arc<str>>,
}

impl Snapshot<'_> {
    /// The Sessions of the workspace.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn sessions(&self) -> Result<Sessions, RecallError> {
        let mut sessions = Sessions::default();
        self.database.rows(SESSIONS, [], |row| {
            let header = RawValue::parse(cell::bytes(row, 1)).and_then(SessionHeader::read);
            match header {
                Some(header) if header.id.as_bytes() == cell::bytes(row, 0) => {
                    if header.listed {
                        sessions.headers.push(header);
                    }
                }
                _ => sessions.undecodable.push(cell::text(row, 0).into()),
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(sessions)
    }
}
