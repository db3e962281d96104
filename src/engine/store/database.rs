//! One read-only connection to one database file.
//!
//! A statement waits for a lock at most [`BUSY_TIMEOUT`], and a stop request
//! ends the waiting as well as the running. The connection stays usable after
//! every failure.

use std::{
    fmt::Write as _,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode, OpenFlags, Params, Row};

use super::{
    fault::{fault, flawed},
    file::{Identity, OpenFiles, Stamp, at_rest, has_log, inspect},
};
use crate::engine::{Cancel, RecallError};

/// How long a statement waits for a lock. The host's writers hold theirs for
/// milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// How long it sleeps between two tries: a stop request waits this long.
const BUSY_PAUSE: Duration = Duration::from_millis(5);
/// Statements that stay prepared: more than the store has.
const STATEMENTS: usize = 48;

/// A connection, with what makes its failures understood.
pub(super) struct Database {
    connection: Connection,
    path: PathBuf,
    cancel: Arc<Mutex<Cancel>>,
    /// The file as it was, when it is read without locks.
    frozen: Option<Stamp>,
    /// What it has open; `None` when that changed while it was opened.
    files: Option<OpenFiles>,
}

impl Database {
    /// Opens the file at `path` and reads from it once.
    ///
    /// A database in WAL mode needs -wal and -shm beside it even to be read. In
    /// a folder that cannot be written SQLite cannot make them; when nothing is
    /// in them either, nobody has the database open, and its file alone is all
    /// there is: it is then read as one that does not change, and every
    /// statement checks that it did not.
    pub(super) fn open(path: &Path, cancel: &Cancel) -> Result<Self, RecallError> {
        cancel.check()?;
        inspect(path).map_err(|flaw| flawed(path, &flaw))?;
        let cancel = Arc::new(Mutex::new(cancel.clone()));
        let (log, before) = (has_log(path), Identity::of(path));
        let opened = match Self::connect(path, &cancel, None) {
            Err(error) if lacks_files(&error) && at_rest(path) && has_log(path) == log => {
                Self::connect(path, &cancel, Stamp::of(path))
            }
            result => result,
        };
        let mut database = opened.map_err(|error| translate(path, &error, &current(&cancel)))?;
        // What its readers share is there since the first read.
        database.files = before.and_then(|before| OpenFiles::of(path, before));
        Ok(database)
    }

    fn connect(
        path: &Path,
        cancel: &Arc<Mutex<Cancel>>,
        frozen: Option<Stamp>,
    ) -> rusqlite::Result<Self> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = if frozen.is_some() {
            let uri = format!("{}?immutable=1", file_uri(path));
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)?
        } else {
            Connection::open_with_flags(path, flags)?
        };
        let waiting = Arc::clone(cancel);
        let mut since = Instant::now();
        connection.busy_handler(Some(move |attempt| {
            if attempt == 0 {
                since = Instant::now();
            }
            if current(&waiting).is_requested() || BUSY_TIMEOUT <= since.elapsed() {
                return false;
            }
            thread::sleep(BUSY_PAUSE);
            true
        }))?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // No mapping: a file that another process cuts would end this one.
        connection.execute_batch(
            "PRAGMA query_only = 1; PRAGMA mmap_size = 0; PRAGMA trusted_schema = 0;",
        )?;
        current(cancel).watch(&connection);
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        let (path, cancel) = (path.to_path_buf(), Arc::clone(cancel));
        Ok(Self { connection, path, cancel, frozen, files: None })
    }

    /// From now on `cancel` stops what this connection does.
    pub(super) fn serve(&self, cancel: &Cancel) {
        cancel.watch(&self.connection);
        *self.cancel.lock().unwrap_or_else(PoisonError::into_inner) = cancel.clone();
    }

    /// Whether this connection may be kept for the next answer: its path still
    /// leads to the files it has open. A file that was replaced never tells, and
    /// one that is read without locks has to be let go.
    pub(super) fn is_current(&self) -> bool {
        let Some(files) = self.files else { return false };
        self.frozen.is_none() && OpenFiles::of(&self.path, files.database()) == Some(files)
    }

    /// Whether its path leads to other files than it has open. Of one that is read
    /// without locks every statement finds out.
    pub(super) fn was_replaced(&self) -> bool {
        self.frozen.is_none() && !self.is_current()
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is.
    pub(super) fn identity(&self) -> Option<Identity> {
        self.files.map(OpenFiles::database)
    }

    /// Begins a read transaction and reads at once, so that it stands on the
    /// state of now. The number is the schema's version.
    pub(super) fn begin(&self) -> Result<(Transaction<'_>, i64), RecallError> {
        self.check()?;
        self.connection.execute_batch("BEGIN").map_err(|error| self.fault(&error))?;
        let transaction = Transaction { connection: &self.connection };
        Ok((transaction, self.pragma("schema_version")?))
    }

    /// The value of a pragma that is one number.
    pub(super) fn pragma(&self, name: &str) -> Result<i64, RecallError> {
        self.connection
            .pragma_query_value(None, name, |row| row.get(0))
            .map_err(|error| self.fault(&error))
    }

    /// Gives every row of `sql` to `row`, until it breaks.
    pub(super) fn rows(
        &self,
        sql: &str,
        params: impl Params,
        mut row: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>, RecallError>,
    ) -> Result<(), RecallError> {
        self.check()?;
        let fault = |error: rusqlite::Error| self.fault(&error);
        let cancel = current(&self.cancel);
        let mut statement = self.connection.prepare_cached(sql).map_err(fault)?;
        let mut rows = statement.query(params).map_err(fault)?;
        while let Some(next) = rows.next().map_err(fault)? {
            // An interrupt that comes between two steps is lost.
            cancel.check()?;
            if row(next)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// What `row` makes of the first row of `sql`.
    pub(super) fn first<T>(
        &self,
        sql: &str,
        params: impl Params,
        row: impl FnOnce(&Row<'_>) -> T,
    ) -> Result<Option<T>, RecallError> {
        let (mut row, mut found) = (Some(row), None);
        self.rows(sql, params, |next| {
            found = row.take().map(|row| row(next));
            Ok(ControlFlow::Break(()))
        })?;
        Ok(found)
    }

    /// Fails when the work was stopped, or when a file that is read without
    /// locks has changed.
    pub(super) fn check(&self) -> Result<(), RecallError> {
        current(&self.cancel).check()?;
        let Some(frozen) = &self.frozen else { return Ok(()) };
        if at_rest(&self.path) && Stamp::of(&self.path).as_ref() == Some(frozen) {
            return Ok(());
        }
        Err(RecallError::unavailable(format!(
            "{} changed while it was read from a folder without permission to write; try again.",
            self.path.display()
        )))
    }

    /// The answer to a failure of this connection.
    pub(super) fn fault(&self, error: &rusqlite::Error) -> RecallError {
        translate(&self.path, error, &current(&self.cancel))
    }
}

/// A read transaction: ends when it is dropped.
pub(super) struct Transaction<'a> {
    connection: &'a Connection,
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        // Only reads happened, so this cannot fail but by being ended already.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

/// A stop request that came while a lock was waited for is an abort.
fn translate(path: &Path, error: &rusqlite::Error, cancel: &Cancel) -> RecallError {
    if cancel.is_requested() { RecallError::aborted() } else { fault(path, error) }
}

fn current(cancel: &Mutex<Cancel>) -> Cancel {
    cancel.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Whether SQLite missed a file beside the database that it could not make.
fn lacks_files(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// `path` as a `file:` URI.
fn file_uri(path: &Path) -> String {
    #[cfg(unix)]
    let bytes = std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str());
    #[cfg(not(unix))]
    let text = path.to_string_lossy().replace('\\', "/");
    #[cfg(not(unix))]
    let bytes = text.as_bytes();
    let mut uri = String::from(if bytes.starts_with(b"/") { "file:" } else { "file:/" });
    for &byte in bytes {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            b':' if cfg!(windows) => uri.push(':'),
            _ => {
                // Writing to a string cannot fail.
                let _ = write!(uri, "%{byte:02x}");
            }
        }
    }
    uri
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_uri_spells_every_byte_of_a_path() {
        assert_eq!(file_uri(Path::new("/a b/é?#%.db")), "file:/a%20b/%c3%a9%3f%23%25.db");
    }
}
