//! Invocations that are recorded beside the events, and what came of asking
//! for permission.

use std::{collections::HashMap, ops::ControlFlow};

use super::{cell, shape::Generation, snapshot::Snapshot};
use crate::engine::{
    RecallError,
    transcript::records::{InvocationForm, InvocationRecord, OutcomeRecord, SessionRecords},
};

const SHELF: &str = "SELECT session_id, invocation_id FROM runtime_legacy_invocation_openings";
const OPENING: &str = "SELECT invocation_id, run_id, turn_id, opened_at, opening_json \
    FROM runtime_legacy_invocation_openings WHERE invocation_id = ?1";
const RUN_HEADERS: &str = "SELECT run_id, created_at, record_json FROM core_agent_runs \
    WHERE session_id = ?1 ORDER BY created_at, run_id";
const OUTCOMES: &str = "SELECT q.request_id, q.turn_id, q.run_id, q.request_kind, \
    q.record_json, o.record_json FROM core_interaction_requests AS q \
    JOIN core_interaction_outcomes AS o ON o.request_id = q.request_id \
    WHERE q.session_id = ?1 ORDER BY q.request_id";

/// The invocations on the shelf of openings by Session. The shelf has no index
/// by Session: it is walked once for a snapshot.
pub(super) type Shelf = HashMap<Box<str>, Vec<String>>;

impl Snapshot<'_> {
    pub(super) fn read_invocations(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        match self.shape.generation {
            Generation::Openings => self.read_openings(session_id, records),
            Generation::Headers => self.read_run_headers(session_id, records),
        }
    }

    fn read_openings(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        let shelf = match self.shelf.get() {
            Some(shelf) => shelf,
            None => {
                let shelf = self.read_shelf()?;
                self.shelf.get_or_init(|| shelf)
            }
        };
        for invocation_id in shelf.get(session_id).into_iter().flatten() {
            self.database.rows(OPENING, [invocation_id], |row| {
                let record = InvocationRecord {
                    form: InvocationForm::Opening,
                    invocation_id: records.push(cell::bytes(row, 0)),
                    run_id: records.push(cell::bytes(row, 1)),
                    turn_id: records.push(cell::bytes(row, 2)),
                    opened_at: cell::number(row, 3),
                    json: records.push(cell::bytes(row, 4)),
                };
                records.invocations.push(record);
                Ok(ControlFlow::Continue(()))
            })?;
        }
        Ok(())
    }

    fn read_shelf(&self) -> Result<Shelf, RecallError> {
        let mut shelf = Shelf::new();
        self.database.rows(SHELF, [], |row| {
            shelf.entry(cell::text(row, 0).into()).or_default().push(cell::text(row, 1));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(shelf)
    }

    fn read_run_headers(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        self.database.rows(RUN_HEADERS, [session_id], |row| {
            let record = InvocationRecord {
                form: InvocationForm::RunHeader,
                invocation_id: 0..0,
                run_id: records.push(cell::bytes(row, 0)),
                turn_id: 0..0,
                opened_at: cell::number(row, 1),
                json: records.push(cell::bytes(row, 2)),
            };
            records.invocations.push(record);
            Ok(ControlFlow::Continue(()))
        })
    }

    pub(super) fn read_outcomes(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        if !self.shape.outcomes {
            return Ok(());
        }
        self.database.rows(OUTCOMES, [session_id], |row| {
            let [request_id, turn_id, run_id, request_kind, request, outcome] =
                [0, 1, 2, 3, 4, 5].map(|column| records.push(cell::bytes(row, column)));
            let record =
                OutcomeRecord { request_id, turn_id, run_id, request_kind, request, outcome };
            records.outcomes.push(record);
            Ok(ControlFlow::Continue(()))
        })
    }
}
