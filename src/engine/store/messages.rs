//! Message rows from before the ledger: `host/storage.md` 6.
//!
//! A record over 64 KiB stands in chunks. Whether a row is chunked is decided
//! by its payload row, never by what the row itself says. A chunked record that
//! cannot be put together exactly is broken, and so is its Session.

use std::{collections::HashMap, fmt::Write as _, ops::ControlFlow};

use sha2::{Digest, Sha256};

use super::{cell, snapshot::Snapshot};
use crate::engine::{
    RecallError,
    transcript::records::{MessageRecord, SessionRecords},
};

const MESSAGES: &str = "SELECT sequence, record_json FROM session_messages \
    WHERE session_id = ?1 ORDER BY sequence";
const MESSAGE: &str =
    "SELECT record_json FROM session_messages WHERE session_id = ?1 AND sequence = ?2";
const PAYLOADS: &str =
    "SELECT sequence, record_bytes, sha256 FROM session_message_payloads WHERE session_id = ?1";
const PAYLOAD: &str = "SELECT sequence, record_bytes, sha256 FROM session_message_payloads \
    WHERE session_id = ?1 AND sequence = ?2";
const CHUNKS: &str = "SELECT chunk_index, data, sha256 FROM session_message_chunks \
    WHERE session_id = ?1 AND sequence = ?2 ORDER BY chunk_index";

/// The chunked records of a Session by sequence.
pub(super) type Payloads = HashMap<i64, Payload>;

/// What a chunked record must come to.
pub(super) struct Payload {
    bytes: i64,
    sha256: Vec<u8>,
}

impl Snapshot<'_> {
    /// The record of an old message row, put together where it was chunked;
    /// `None` when there is no such row or it is broken.
    ///
    /// # Errors
    ///
    /// `aborted`, or `unavailable` with the file and the reason.
    pub fn message(&self, session_id: &str, sequence: i64) -> Result<Option<Vec<u8>>, RecallError> {
        let key = (session_id, sequence);
        match self.database.first(PAYLOAD, key, Payload::read)? {
            Some((_, payload)) => self.reassemble(session_id, sequence, &payload),
            None => self.database.first(MESSAGE, key, |row| cell::bytes(row, 0).to_vec()),
        }
    }

    /// Which records of a Session are chunked.
    pub(super) fn payloads(&self, session_id: &str) -> Result<Payloads, RecallError> {
        let mut payloads = Payloads::new();
        self.database.rows(PAYLOADS, [session_id], |row| {
            payloads.extend([Payload::read(row)]);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(payloads)
    }

    pub(super) fn read_messages(
        &self,
        session_id: &str,
        payloads: &Payloads,
        records: &mut SessionRecords,
    ) -> Result<(), RecallError> {
        self.database.rows(MESSAGES, [session_id], |row| {
            let sequence = cell::integer(row, 0);
            let json = match payloads.get(&sequence) {
                Some(payload) => self
                    .reassemble(session_id, sequence, payload)?
                    .map(|record| records.push(&record)),
                None => Some(records.push(cell::bytes(row, 1))),
            };
            records.messages.push(MessageRecord { sequence, json });
            Ok(ControlFlow::Continue(()))
        })
    }

    /// A chunked record; `None` when its chunks are not numbered from 0 without
    /// a gap, a checksum differs, or the size does.
    pub(super) fn reassemble(
        &self,
        session_id: &str,
        sequence: i64,
        payload: &Payload,
    ) -> Result<Option<Vec<u8>>, RecallError> {
        let (mut record, mut whole, mut expected) = (Vec::new(), true, 0);
        self.database.rows(CHUNKS, (session_id, sequence), |row| {
            let data = cell::bytes(row, 1);
            whole = cell::integer(row, 0) == expected && is_sum(cell::bytes(row, 2), data);
            if !whole {
                return Ok(ControlFlow::Break(()));
            }
            expected += 1;
            record.extend_from_slice(data);
            Ok(ControlFlow::Continue(()))
        })?;
        whole = whole
            && i64::try_from(record.len()) == Ok(payload.bytes)
            && is_sum(&payload.sha256, &record);
        Ok(whole.then_some(record))
    }
}

impl Payload {
    fn read(row: &rusqlite::Row<'_>) -> (i64, Self) {
        let payload = Self { bytes: cell::integer(row, 1), sha256: cell::bytes(row, 2).to_vec() };
        (cell::integer(row, 0), payload)
    }
}

/// Whether `sum` is the SHA-256 of `bytes` in lower-case hex.
fn is_sum(sum: &[u8], bytes: &[u8]) -> bool {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex.as_bytes() == sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_sha_256_in_hex() {
        let sum = b"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert!(is_sum(sum, b"abc"));
        assert!(!is_sum(sum, b"abd"));
        assert!(!is_sum(&sum.to_ascii_uppercase(), b"abc"));
        assert!(!is_sum(&sum[..63], b"abc"));
    }
}
