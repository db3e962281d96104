//! An opened workspace.

use std::{
    cell::Cell,
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    cell,
    database::Database,
    file::Identity,
    shape::{Shape, runtime_shape},
    snapshot::Snapshot,
};
use crate::engine::{Cancel, RecallError};

const FILE: &str = "runtime.sqlite";

/// A read-only connection to the `runtime.sqlite` of a workspace. It belongs to
/// one thread at a time.
pub struct Store {
    database: Database,
    /// The shape, and the schema version it was seen at.
    shape: Cell<Option<(i64, Shape)>>,
}

impl Store {
    /// Opens the workspace at `root`, and reads enough of it to know that it
    /// can be read. `cancel` stops this and what is done with the store, until
    /// another one is [served](Self::serve).
    ///
    /// # Errors
    ///
    /// `unavailable` when there is no such folder or file in it, or it cannot
    /// be read now (no database, truncated, encrypted, no permission, locked
    /// for two seconds, I/O); `unsupported_workspace` when the file is empty, or
    /// a table or column is missing; `aborted`. Every message names the path.
    pub fn open(root: &Path, cancel: &Cancel) -> Result<Self, RecallError> {
        cancel.check()?;
        let path = database_path(root)?;
        let database = Database::open(&path, cancel)?;
        let mut store = Self { database, shape: Cell::new(None) };
        store.snapshot()?;
        Ok(store)
    }

    /// From now on `cancel` stops what is done with this store: for a store
    /// that is kept. Whoever lent the one before takes it back with
    /// [`Cancel::unwatch`].
    pub fn serve(&self, cancel: &Cancel) {
        self.database.serve(cancel);
    }

    /// One state of the workspace, that of this moment, for all reads of one
    /// answer. It ends when it is dropped.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn snapshot(&mut self) -> Result<Snapshot<'_>, RecallError> {
        let (transaction, version) = self.database.begin()?;
        let shape = match self.shape.get() {
            Some((seen, shape)) if seen == version => shape,
            _ => runtime_shape(&self.database)?,
        };
        self.shape.set(Some((version, shape)));
        Ok(Snapshot::new(&self.database, shape, transaction))
    }

    /// A number that changes whenever another connection commits to the
    /// database. It compares only with earlier ones of this store.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn data_version(&self) -> Result<i64, RecallError> {
        self.database.check()?;
        self.database.pragma("data_version")
    }

    /// Whether this store may be kept for the next answer: its path still leads
    /// to the files it has open.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.database.is_current()
    }

    /// Whether its path leads to other files than it has open.
    #[must_use]
    pub fn was_replaced(&self) -> bool {
        self.database.was_replaced()
    }

    /// Bytes of the database.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn bytes(&self) -> Result<i64, RecallError> {
        let pages = self.database.pragma("page_count")?;
        Ok(pages.saturating_mul(self.database.pragma("page_size")?))
    }

    /// Whether the database is in WAL mode, where readers and a writer do not
    /// wait for each other.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn has_wal(&self) -> Result<bool, RecallError> {
        let mode = self.database.first("PRAGMA journal_mode", [], |row| cell::text(row, 0))?;
        Ok(mode.is_some_and(|mode| mode.eq_ignore_ascii_case("wal")))
    }

    /// Which file this is.
    pub(in crate::engine) fn identity(&self) -> Option<Identity> {
        self.database.identity()
    }
}

/// The database of the workspace at `root`; fails when there is no such folder.
fn database_path(root: &Path) -> Result<PathBuf, RecallError> {
    let refuse = |what: &str| {
        RecallError::unavailable(format!(
            "Cannot read the workspace {}: {what}; pass the folder that the app uses as its \
             workspace root.",
            root.display()
        ))
    };
    match fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => return Err(refuse("it is not a folder")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(refuse("there is no such folder"));
        }
        Err(error) => return Err(refuse(&error.to_string())),
    }
    let root = std::path::absolute(root).map_err(|error| refuse(&error.to_string()))?;
    Ok(root.join(FILE))
}
