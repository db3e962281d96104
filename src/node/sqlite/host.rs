//! Borrowing the host's SQLite.
//!
//! Two copies of SQLite in one process must not open the same file: POSIX
//! locks belong to the process, so each copy undoes the locks of the other.
//! The host already has `node:sqlite`, so this library is also a SQLite
//! extension: once loaded into it, rusqlite calls that copy. When that fails
//! there is no second copy to fall back to, only the reason.

use std::{
    os::raw::{c_char, c_int},
    sync::atomic::{AtomicBool, Ordering},
};

use napi::bindgen_prelude::*;
use rusqlite::ffi;

static BORROWED: AtomicBool = AtomicBool::new(false);

/// Loads the addon at a `file:` URL into `node:sqlite`, and gives what is in
/// the way if it cannot. Electron shows an addon inside its archive, and keeps
/// it beside it.
const LEND: &str = r#"(url) => {
  try {
    const { fileURLToPath } = process.getBuiltinModule?.('node:url') ?? {}
    const { DatabaseSync } = process.getBuiltinModule?.('node:sqlite') ?? {}
    if (DatabaseSync === undefined) {
      return `Node ${process.versions.node} has no node:sqlite, 22.19 or newer is needed`
    }
    const path = fileURLToPath(url).replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked')
    const database = new DatabaseSync(':memory:', { allowExtension: true })
    try {
      database.loadExtension(path)
    } finally {
      database.close()
    }
  } catch (error) {
    return String(error?.message ?? error)
  }
}"#;

/// Borrows SQLite, once for the process; the failure says what is in the way.
/// Runs on a JavaScript thread.
pub(in crate::node) fn borrow(env: &Env) -> std::result::Result<(), String> {
    if BORROWED.load(Ordering::Acquire) {
        return Ok(());
    }
    let obstacle = lend(env).unwrap_or_else(|error| Some(error.reason));
    if BORROWED.load(Ordering::Acquire) {
        return Ok(());
    }
    Err(obstacle.unwrap_or_else(|| {
        "it loaded another copy of this addon, is that unpacked from its archive?".to_owned()
    }))
}

fn lend(env: &Env) -> Result<Option<String>> {
    let lend: Function<'_, String, Option<String>> = env.run_script(LEND)?;
    lend.call(env.get_module_file_name()?)
}

/// What `loadExtension` calls.
///
/// # Safety
///
/// SQLite calls this with its own table of routines, which lives as long as it.
#[unsafe(no_mangle)]
#[expect(unsafe_code, reason = "an entry point that C calls")]
unsafe extern "C" fn sqlite3_extension_init(
    _database: *mut ffi::sqlite3,
    _message: *mut *mut c_char,
    routines: *mut ffi::sqlite3_api_routines,
) -> c_int {
    if routines.is_null() {
        return ffi::SQLITE_ERROR;
    }
    // SAFETY: checked non-null, and SQLite's own by this function's contract.
    match unsafe { ffi::rusqlite_extension_init2(routines) } {
        Ok(()) => {
            BORROWED.store(true, Ordering::Release);
            ffi::SQLITE_OK_LOAD_PERMANENTLY
        }
        Err(_) => ffi::SQLITE_ERROR,
    }
}
