//! Text that is still arriving: `host/storage.md` 3.6.

use std::ops::ControlFlow;

use super::{cell, snapshot::Snapshot};
use crate::engine::{
    RecallError,
    transcript::records::{SessionRecords, StreamRecord},
};

const STREAMS: &str = "SELECT stream_key, invocation_id, run_id, turn_id, after_event_id, \
    payload_json, text_content FROM runtime_partial_snapshots WHERE session_id = ?1 \
    ORDER BY updated_at, stream_key";
const SEGMENTS: &str = "SELECT text_content FROM runtime_partial_segments \
    WHERE stream_key = ?1 ORDER BY segment_seq";
const TEXT: &str = "SELECT text_content FROM runtime_partial_snapshots WHERE stream_key = ?1";
const ANY: &str = "SELECT 1 FROM runtime_partial_snapshots WHERE session_id = ?1 LIMIT 1";

impl Snapshot<'_> {
    /// The arrived text of a stream: its own and all its segments in order;
    /// `None` when there is no such stream.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn stream_text(&self, key: &str) -> Result<Option<Vec<u8>>, RecallError> {
        let text = self.database.first(TEXT, [key], |row| cell::bytes(row, 0).to_vec())?;
        let Some(mut text) = text else { return Ok(None) };
        self.segments(key, |segment| text.extend_from_slice(segment))?;
        Ok(Some(text))
    }

    /// Whether any text of a Session is still arriving.
    pub(super) fn has_stream(&self, session_id: &str) -> Result<bool, RecallError> {
        Ok(self.database.first(ANY, [session_id], |_| ())?.is_some())
    }

    pub(super) fn read_streams(
        &self,
        session_id: &str,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        self.database.rows(STREAMS, [session_id], |row| {
            let [key, invocation_id, run_id, turn_id] =
                [0, 1, 2, 3].map(|column| records.push(cell::bytes(row, column)));
            let after_event_id =
                (!cell::is_null(row, 4)).then(|| records.push(cell::bytes(row, 4)));
            let payload = records.push(cell::bytes(row, 5));
            // Segments follow the text at once, so that all of it is one span.
            let mut text = records.push(cell::bytes(row, 6));
            self.segments(&cell::text(row, 0), |segment| text.end = records.push(segment).end)?;
            let record =
                StreamRecord { key, invocation_id, run_id, turn_id, after_event_id, payload, text };
            records.streams.push(record);
            Ok(ControlFlow::Continue(()))
        })
    }

    fn segments(&self, key: &str, mut segment: impl FnMut(&[u8])) -> Result<(), RecallError> {
        self.database.rows(SEGMENTS, [key], |row| {
            segment(cell::bytes(row, 0));
            Ok(ControlFlow::Continue(()))
        })
    }
}
