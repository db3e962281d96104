//! Which Sessions a query need not read.
//!
//! A Session may be left out only when none of its messages can hit and it
//! could not be reported as unreadable either. So this looks at more than a
//! search would show: at events of every kind and run, and at old rows of every
//! type, since an unreadable Session is reported when any stored row holds a
//! term: `semantics.md` 6, `GOLDEN.md` 4 (coverage).

use std::ops::ControlFlow;

use super::{cell, ledger::CORPUS_KINDS, messages::Payloads, settle::may_hold, snapshot::Snapshot};
use crate::engine::{
    LedgerVersion, RecallError, SessionHeader, text::Narrowing, transcript::records::SessionRecords,
};

const EVENT: &str = "payload_json, event_kind";
/// `record_json` of a chunked record is a mark.
const MESSAGES: &str = "SELECT record_json, sequence FROM session_messages WHERE session_id = ?1";

impl Snapshot<'_> {
    /// Whether a Session has to be read: false only when nothing of it can hit.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn may_hit(
        &self,
        session: &SessionHeader,
        narrowing: &Narrowing,
    ) -> Result<bool, RecallError> {
        if self.has_stream(&session.id)? || self.event_may_hit(session, narrowing)? {
            return Ok(true);
        }
        Ok(session.ledger != LedgerVersion::Ledger && self.message_may_hit(session, narrowing)?)
    }

    /// Reads a Session into `records`, which hold nothing, and notes which events
    /// may hit; `false`, and nothing is read, when nothing of it can. Reads it in
    /// any case without a narrowing.
    ///
    /// It is looked through first, up to a row that may hit: to keep every row on
    /// the way, in case there is one, takes longer than to come back for the few
    /// before it.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn read_narrowed(
        &self,
        session: &SessionHeader,
        narrowing: Option<&Narrowing>,
        records: &mut SessionRecords,
    ) -> Result<bool, RecallError> {
        if let Some(narrowing) = narrowing
            && !self.may_hit(session, narrowing)?
        {
            return Ok(false);
        }
        self.read_events(&session.id, records, |payload| {
            narrowing.is_none_or(|narrowing| may_hold(narrowing, payload))
        })?;
        self.read_beside_events(session, records)?;
        Ok(true)
    }

    fn event_may_hit(
        &self,
        session: &SessionHeader,
        narrowing: &Narrowing,
    ) -> Result<bool, RecallError> {
        let (mut found, mut counted) = (false, 0);
        self.events(&session.id, EVENT, |row| {
            counted += u64::from(CORPUS_KINDS.contains(&cell::bytes(row, 1)));
            found = may_hold(narrowing, cell::bytes(row, 0));
            Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        if !found {
            // Every row was seen: the corpus needs no second look.
            self.counted.borrow_mut().insert(session.id.clone(), counted);
        }
        Ok(found)
    }

    fn message_may_hit(
        &self,
        session: &SessionHeader,
        narrowing: &Narrowing,
    ) -> Result<bool, RecallError> {
        let payloads: Payloads = self.payloads(&session.id)?;
        for (&sequence, payload) in &payloads {
            let record = self.reassemble(&session.id, sequence, payload)?;
            if record.is_none_or(|record| may_hold(narrowing, &record)) {
                return Ok(true);
            }
        }
        let mut found = false;
        self.database.rows(MESSAGES, [&*session.id], |row| {
            found = !payloads.contains_key(&cell::integer(row, 1))
                && may_hold(narrowing, cell::bytes(row, 0));
            Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }
}
