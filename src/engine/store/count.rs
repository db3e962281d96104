//! How large the corpus is: N of the score, `semantics.md` 7.
//!
//! Events of every run count, whether they are shown or not. What was counted
//! while rows were read anyway is not counted again.

use std::{ops::ControlFlow, sync::Arc};

use super::{cell, snapshot::Snapshot};
use crate::engine::{LedgerVersion, RecallError, SessionHeader, json::RawValue};

/// Answered by an index of Session and kind alone, where there is one.
const EVENTS: &str = "SELECT count(*) FROM runtime_events WHERE session_id = ?1 \
    AND event_kind IN ('text', 'function_call', 'function_response')";
const COUNTED: &str = "sum(event_kind IN ('text', 'function_call', 'function_response'))";
const HAS_MESSAGES: &str = "SELECT 1 FROM session_messages WHERE session_id = ?1 LIMIT 1";
const HEADER: &str = "SELECT payload_json FROM session_metadata WHERE session_id = ?1";
const MESSAGES: &str = "SELECT count(*) FROM session_messages WHERE session_id = ?1 \
    AND message_type IN ('user', 'assistant', 'tool_call', 'tool_result')";

impl Snapshot<'_> {
    /// How many messages of the searchable kinds the Sessions hold, readable or
    /// not: events, and old message rows of Sessions that were never converted.
    ///
    /// The headers generation has no index for this, and counting costs as much
    /// as reading: ask after [`may_hit`](Self::may_hit) or [`read`](Self::read),
    /// which count on the way.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn corpus_count(&self, session_ids: &[&str]) -> Result<u64, RecallError> {
        let mut count = 0;
        for &session_id in session_ids {
            count += self.event_count(session_id)? + self.message_count(session_id)?;
        }
        Ok(count)
    }

    fn event_count(&self, session_id: &str) -> Result<u64, RecallError> {
        if let Some(&counted) = self.counted.borrow().get(session_id) {
            return Ok(counted);
        }
        if self.shape.kind_index {
            return self.number(EVENTS, session_id);
        }
        let mut count = 0;
        self.events(&Arc::from(session_id), COUNTED, |row| {
            count = u64::try_from(cell::integer(row, 0)).unwrap_or_default();
            Ok(ControlFlow::Break(()))
        })?;
        Ok(count)
    }

    fn message_count(&self, session_id: &str) -> Result<u64, RecallError> {
        if self.database.first(HAS_MESSAGES, [session_id], |_| ())?.is_none() {
            return Ok(0);
        }
        let header = self.database.first(HEADER, [session_id], |row| {
            RawValue::parse(cell::bytes(row, 0)).and_then(SessionHeader::read)
        })?;
        match header.flatten() {
            Some(header) if header.ledger == LedgerVersion::Ledger => Ok(0),
            _ => self.number(MESSAGES, session_id),
        }
    }

    fn number(&self, sql: &str, session_id: &str) -> Result<u64, RecallError> {
        let number = self.database.first(sql, [session_id], |row| cell::integer(row, 0))?;
        Ok(number.and_then(|number| u64::try_from(number).ok()).unwrap_or_default())
    }
}
