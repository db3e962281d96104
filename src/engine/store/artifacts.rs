//! Records of artifacts: `host/storage.md` 9.2.

use std::ops::ControlFlow;

use super::{cell, snapshot::Snapshot};
use crate::engine::{RecallError, artifact::ArtifactRecord, json::RawValue};

const ARTIFACT: &str = "SELECT relative_path, record_json FROM artifact_records \
    WHERE session_id = ?1 AND artifact_id = ?2";
const LIVE_ARTIFACT: &str = "SELECT relative_path, record_json FROM artifact_records \
    WHERE session_id = ?1 AND artifact_id = ?2 AND status = 'live'";

impl Snapshot<'_> {
    /// The record of an artifact of a Session; `None` when there is none, it
    /// was deleted, or it is malformed.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn artifact(
        &self,
        session_id: &str,
        artifact_id: &str,
    ) -> Result<Option<ArtifactRecord>, RecallError> {
        let sql = if self.shape.artifact_status { LIVE_ARTIFACT } else { ARTIFACT };
        let mut found = None;
        self.database.rows(sql, (session_id, artifact_id), |row| {
            found = RawValue::parse(cell::bytes(row, 1)).and_then(ArtifactRecord::read).filter(
                |record| {
                    record.id == artifact_id
                        && record.session_id == session_id
                        && record.relative_path.as_bytes() == cell::bytes(row, 0)
                },
            );
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }
}
