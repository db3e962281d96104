//! What SQLite's failures mean to a caller.

use std::path::Path;

use rusqlite::{Error, ErrorCode};

use super::file::Flaw;
use crate::engine::{Reason, RecallError};

/// The answer to a failure of SQLite while it read `path`.
pub(super) fn fault(path: &Path, error: &Error) -> RecallError {
    let (what, advice) = match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => return RecallError::aborted(),
        Some(ErrorCode::NotADatabase) => (
            "it is not a database, or it is encrypted",
            "choose another workspace root, or restore the file from a backup",
        ),
        Some(ErrorCode::DatabaseCorrupt) => {
            ("the database is damaged or truncated", "restore the file from a backup")
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            "it is locked by another program",
            "try again, or close the program that holds the lock",
        ),
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied,
        ) => ("it cannot be opened", "check that the file and its folder may be read by this user"),
        Some(ErrorCode::ReadOnly) => (
            "it must be recovered first, and that needs permission to write",
            "start the app on this workspace once",
        ),
        Some(ErrorCode::SystemIoFailure) => {
            ("reading the disk failed", "check the disk, or try again")
        }
        Some(ErrorCode::DiskFull) => ("the disk is full", "free some space and try again"),
        Some(ErrorCode::OutOfMemory) => ("memory ran out", "try again with less running"),
        Some(ErrorCode::SchemaChanged) => ("its tables changed meanwhile", "try again"),
        Some(ErrorCode::FileLockingProtocolFailed) => {
            ("too many programs are opening it", "try again")
        }
        _ => ("SQLite failed", "try again"),
    };
    RecallError::unavailable(format!("Cannot read {}: {what} ({error}); {advice}.", path.display()))
}

/// The answer to a file that cannot be a database.
pub(super) fn flawed(path: &Path, flaw: &Flaw) -> RecallError {
    let path = path.display();
    match flaw {
        Flaw::Missing => RecallError::unavailable(format!(
            "There is no {path}: pass the folder that the app uses as its workspace root."
        )),
        Flaw::NotAFile => RecallError::unavailable(format!(
            "Cannot read {path}: it is not a file; pass the folder that the app uses as its workspace root."
        )),
        Flaw::Empty => unsupported(format!(
            "{path} is empty: it holds no table yet; open the workspace with the app once."
        )),
        Flaw::Torn => RecallError::unavailable(format!(
            "Cannot read {path}: it is truncated, or it is not a database; restore the file from a backup."
        )),
        Flaw::Unreachable(error) => RecallError::unavailable(format!(
            "Cannot read {path}: {error}; check that the file and its folder may be read by this user."
        )),
    }
}

/// A refusal of a shape that cannot be read.
pub(super) fn unsupported(message: String) -> RecallError {
    RecallError::refused(Reason::UnsupportedWorkspace, message)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[track_caller]
    fn test(code: i32, reason: &str, part: &str) {
        let error = Error::SqliteFailure(ffi::Error::new(code), None);
        let RecallError::Refused(refusal) = fault(Path::new("/w/runtime.sqlite"), &error) else {
            panic!("{code} is no refusal");
        };
        assert_eq!(refusal.reason.as_str(), reason);
        assert!(refusal.message.contains(part), "{}", refusal.message);
        assert_eq!(refusal.message.contains("/w/runtime.sqlite"), reason != "aborted");
    }

    #[test]
    fn every_code_names_the_file_and_what_to_do() {
        test(ffi::SQLITE_INTERRUPT, "aborted", "aborted");
        test(ffi::SQLITE_NOTADB, "unavailable", "not a database");
        test(ffi::SQLITE_CORRUPT, "unavailable", "damaged");
        test(ffi::SQLITE_CANTOPEN, "unavailable", "cannot be opened");
        test(ffi::SQLITE_PERM, "unavailable", "may be read by this user");
        test(ffi::SQLITE_AUTH, "unavailable", "may be read by this user");
        test(ffi::SQLITE_BUSY, "unavailable", "locked");
        test(ffi::SQLITE_LOCKED, "unavailable", "locked");
        test(ffi::SQLITE_IOERR, "unavailable", "disk");
        test(ffi::SQLITE_FULL, "unavailable", "full");
        test(ffi::SQLITE_SCHEMA, "unavailable", "tables changed");
        test(ffi::SQLITE_READONLY, "unavailable", "recovered");
        test(ffi::SQLITE_NOMEM, "unavailable", "memory");
        test(ffi::SQLITE_ERROR, "unavailable", "SQLite failed");
    }
}
