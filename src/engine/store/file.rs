//! A database file before it is opened: what `stat` alone can tell.
//!
//! A file that cannot be a database is refused here, so that SQLite does not
//! put its -wal and -shm beside it.

use std::{
    ffi::OsString,
    fs, io,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Every page size of SQLite is a multiple of this.
const SMALLEST_PAGE: u64 = 512;

/// Why a file cannot be opened as a database.
#[derive(Debug)]
pub(super) enum Flaw {
    /// There is none.
    Missing,
    /// It is a directory, a device or a pipe.
    NotAFile,
    /// It has no bytes.
    Empty,
    /// Its size is that of no database, and no journal can complete it.
    Torn,
    /// It cannot be looked at.
    Unreachable(io::Error),
}

/// Looks at the file at `path`.
pub(super) fn inspect(path: &Path) -> Result<(), Flaw> {
    let metadata = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Flaw::Missing,
        _ => Flaw::Unreachable(error),
    })?;
    if !metadata.is_file() {
        return Err(Flaw::NotAFile);
    }
    if metadata.len() == 0 {
        return Err(Flaw::Empty);
    }
    let journaled = has_bytes(&beside(path, "-wal")) || has_bytes(&beside(path, "-journal"));
    if !metadata.len().is_multiple_of(SMALLEST_PAGE) && !journaled {
        return Err(Flaw::Torn);
    }
    Ok(())
}

/// Whether the database at `path` lies still: no process has it open in WAL
/// mode, and nothing waits to be moved into it.
pub(super) fn at_rest(path: &Path) -> bool {
    !has_bytes(&beside(path, "-wal"))
        && !has_bytes(&beside(path, "-journal"))
        && fs::symlink_metadata(beside(path, "-shm"))
            .is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

/// Whether there is a write-ahead log beside the database at `path`, empty or not.
pub(super) fn has_log(path: &Path) -> bool {
    fs::symlink_metadata(beside(path, "-wal")).is_ok()
}

/// What tells two states of a file apart without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    /// The stamp of the file at `path`, where it can be looked at.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        Some(Self { bytes: metadata.len(), modified: metadata.modified().ok() })
    }
}

/// Which files a connection has open: the database, and the memory that its
/// readers share. A program that puts other bytes into the database and takes
/// -wal and -shm away leaves the connection with a log that nobody writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenFiles {
    database: Identity,
    shared_memory: Option<Identity>,
}

impl OpenFiles {
    /// Those of the database at `path`, as long as that is still `database`.
    pub(super) fn of(path: &Path, database: Identity) -> Option<Self> {
        let shared_memory = Identity::of(&beside(path, "-shm"));
        (Identity::of(path) == Some(database)).then_some(Self { database, shared_memory })
    }

    /// The database itself.
    pub(super) fn database(self) -> Identity {
        self.database
    }
}

/// Which file a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Identity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
    /// When it was made, where the file system says so: the number of a deleted
    /// file is given to the next one.
    #[cfg(unix)]
    created: Option<SystemTime>,
}

impl Identity {
    /// The file at `path`. On Windows an open database cannot be replaced, so
    /// there every existing file is the same.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let created = metadata.created().ok();
            Some(Self { device: metadata.dev(), inode: metadata.ino(), created })
        }
        #[cfg(not(unix))]
        {
            metadata.is_file().then_some(Self {})
        }
    }
}

fn has_bytes(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() != 0)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_file_is_one_that_no_journal_completes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        fs::write(&path, [7; 700]).unwrap();
        assert!(matches!(inspect(&path), Err(Flaw::Torn)));
        assert!(at_rest(&path));
        fs::write(dir.path().join("a.sqlite-wal"), []).unwrap();
        assert!(matches!(inspect(&path), Err(Flaw::Torn)));
        assert!(at_rest(&path));
        fs::write(dir.path().join("a.sqlite-wal"), [1]).unwrap();
        assert!(inspect(&path).is_ok());
        assert!(!at_rest(&path));
    }

    #[test]
    fn a_database_with_shared_memory_is_not_at_rest() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        fs::write(&path, [0; 512]).unwrap();
        assert!(at_rest(&path));
        fs::write(dir.path().join("a.sqlite-shm"), []).unwrap();
        assert!(!at_rest(&path));
    }

    #[test]
    fn a_log_that_was_taken_away_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.sqlite");
        let shared_memory = dir.path().join("a.sqlite-shm");
        fs::write(&path, "1").unwrap();
        fs::write(&shared_memory, "1").unwrap();
        let database = Identity::of(&path).unwrap();
        let open = OpenFiles::of(&path, database);
        assert!(open.is_some());
        assert_eq!(OpenFiles::of(&path, database), open);
        fs::remove_file(&shared_memory).unwrap();
        assert_eq!(OpenFiles::of(&path, database) == open, cfg!(not(unix)));
    }

    #[test]
    fn a_replaced_file_is_another_one() {
        let dir = tempfile::tempdir().unwrap();
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        fs::write(&old, "1").unwrap();
        fs::write(&new, "2").unwrap();
        let before = Identity::of(&old);
        assert!(before.is_some());
        assert_eq!(Identity::of(&old), before);
        fs::rename(&new, &old).unwrap();
        assert_eq!(Identity::of(&old) == before, cfg!(not(unix)));
    }
}
