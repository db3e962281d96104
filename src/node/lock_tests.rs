//! Exports for the tests of locks (`__test__/safety/locks.spec.mjs`), compiled
//! into a library of their own with the feature `lock-tests`, never into the
//! package.
//!
//! The public functions end their reads before a test could look at the locks.
//! Here a read transaction stays open, on the connection that the product reads
//! with, and a write lock is tried for, and nothing is written.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use napi::{Env, Error, Result};
use napi_derive::napi;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::{
    engine::{Cancel, RecallError, store::Store},
    node::sqlite,
};

/// What a reading gives: the titles of the Sessions, or why there are none.
type Titles = std::result::Result<Vec<String>, RecallError>;

/// A read transaction that is open, on a thread of its own: the host's SQLite
/// serves a connection on one thread only.
struct Held {
    reread: mpsc::Sender<()>,
    read: mpsc::Receiver<Titles>,
    thread: JoinHandle<()>,
}

static HELD: Mutex<Option<Held>> = Mutex::new(None);

/// Begins a read transaction in the workspace at `root`, and gives the titles
/// of its Sessions.
#[napi]
pub fn begin_read(env: &Env, root: String) -> Result<Vec<String>> {
    sqlite::borrow(env).map_err(Error::from_reason)?;
    let (reread, asked) = mpsc::channel();
    let (say, read) = mpsc::channel();
    let thread = thread::spawn(move || {
        if let Err(error) = hold(&PathBuf::from(root), &asked, &say) {
            // Nobody may be there to be told: the test is over then.
            say.send(Err(error)).unwrap_or_default();
        }
    });
    let held = Held { reread, read, thread };
    let titles = next(&held)?;
    *HELD.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
    Ok(titles)
}

/// Reads the titles again, in the same transaction.
#[napi]
pub fn reread_held() -> Result<Vec<String>> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
    let held = held.as_ref().ok_or_else(|| Error::from_reason("nothing is held"))?;
    held.reread.send(()).map_err(|_| Error::from_reason("the reading has ended"))?;
    next(held)
}

/// Ends the transaction, and closes its connection.
#[napi]
pub fn end_read() -> Result<()> {
    let held = HELD.lock().unwrap_or_else(PoisonError::into_inner).take();
    let Some(Held { reread, read: _, thread }) = held else { return Ok(()) };
    drop(reread);
    thread.join().map_err(|_| Error::from_reason("the reading has failed"))
}

/// Whether a write transaction may begin now in the database at `path`: `ok`,
/// or `busy`. It is given up at once.
#[napi(ts_return_type = "'ok' | 'busy'")]
pub fn try_begin_immediate(env: &Env, path: String) -> Result<&'static str> {
    sqlite::borrow(env).map_err(Error::from_reason)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let began = Connection::open_with_flags(path, flags).and_then(|database| {
        database.busy_timeout(Duration::ZERO)?;
        database.execute_batch("BEGIN IMMEDIATE; ROLLBACK;")
    });
    match began {
        Ok(()) => Ok("ok"),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok("busy"),
        Err(error) => Err(Error::from_reason(error.to_string())),
    }
}

fn next(held: &Held) -> Result<Vec<String>> {
    let titles = held.read.recv().map_err(|_| Error::from_reason("the reading has ended"))?;
    titles.map_err(|error| Error::from_reason(error.to_string()))
}

/// Reads at once and whenever it is asked, until nobody can ask any more.
fn hold(
    root: &Path,
    asked: &mpsc::Receiver<()>,
    say: &mpsc::Sender<Titles>,
) -> std::result::Result<(), RecallError> {
    let mut store = Store::open(root, &Cancel::default())?;
    let snapshot = store.snapshot()?;
    loop {
        let titles =
            snapshot.sessions()?.headers.iter().map(|header| header.name.clone()).collect();
        if say.send(Ok(titles)).is_err() || asked.recv().is_err() {
            return Ok(());
        }
    }
}
