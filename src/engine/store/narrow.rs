//! Which Sessions a query need not read.
//!
//! A Session may be left out only when none of its messages can hit and it
//! could not be reported as unreadable either. So this looks at more than a
//! search would show: at events of every kind and run, and at old rows of every
//! type, since an unreadable Session is reported when any stored row holds a
//! term: `semantics.md` 6, `GOLDEN.md` 4 (coverage).

use std::ops::ControlFlow;

use super::{
    cell,
    functions::{HOLDS, NO},
    ledger::CORPUS_KINDS,
    messages::Payloads,
    settle::{may_hold, settle},
    snapshot::Snapshot,
};
use crate::engine::{
    LedgerVersion, RecallError, SessionHeader, text::Narrowing, transcript::records::SessionRecords,
};

/// The candidate predicate over `runtime_events`: not 0 where the row may hit.
/// It is the plain `instr(lower(payload_json), ?) > 0 OR
/// maka_recall_fold_unstable(payload_json)`, in one pass over the row. A row that
/// is only unstable is then [settled](settle()): one in 250 rows is, and as a
/// ticket each would make nearly every Session a candidate.
const EVENT: &str = "maka_recall_narrow(payload_json), event_kind, rowid";
/// The same over old message rows; `record_json` of a chunked one is a mark.
const MESSAGES: &str = "SELECT maka_recall_narrow(record_json), sequence FROM session_messages \
    WHERE session_id = ?1";

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
        if self.has_stream(&session.id)? {
            return Ok(true);
        }
        self.narrowing.set(Some(narrowing.clone()));
        if self.event_may_hit(session, narrowing)? {
            return Ok(true);
        }
        Ok(session.ledger != LedgerVersion::Ledger && self.message_may_hit(session, narrowing)?)
    }

    /// Reads a Session into `records`, which hold nothing, in one pass over its
    /// events; `false` when nothing of it can hit: what was read then is of no
    /// use. Reads it in any case without a narrowing.
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
        let mut found = narrowing.is_none() || self.has_stream(&session.id)?;
        self.read_events(&session.id, records, |payload| {
            let holds = narrowing.is_none_or(|narrowing| may_hold(narrowing, payload));
            found |= holds;
            holds
        })?;
        if let Some(narrowing) = narrowing.filter(|_| !found)
            && session.ledger != LedgerVersion::Ledger
        {
            self.narrowing.set(Some(narrowing.clone()));
            found = self.message_may_hit(session, narrowing)?;
        }
        if found {
            self.read_beside_events(session, records)?;
        }
        Ok(found)
    }

    fn event_may_hit(
        &self,
        session: &SessionHeader,
        narrowing: &Narrowing,
    ) -> Result<bool, RecallError> {
        let (mut found, mut counted) = (false, 0);
        self.events(&session.id, EVENT, |row| {
            counted += u64::from(CORPUS_KINDS.contains(&cell::bytes(row, 1)));
            found = match cell::integer(row, 0) {
                NO => false,
                HOLDS => true,
                _ => self
                    .event_payload(cell::integer(row, 2))?
                    .is_none_or(|payload| settle(narrowing, &payload)),
            };
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
            let sequence = cell::integer(row, 1);
            found = match cell::integer(row, 0) {
                _ if payloads.contains_key(&sequence) => false,
                NO => false,
                HOLDS => true,
                _ => self
                    .message(&session.id, sequence)?
                    .is_none_or(|record| settle(narrowing, &record)),
            };
            Ok(if found { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(found)
    }
}
