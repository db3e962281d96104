//! The bytes of an artifact, read so that a record cannot lead elsewhere.
//!
//! Records are data of a workspace that may come from anywhere. A path must be
//! the one that the host builds, lead below `artifacts` without a symbolic
//! link, and end at a regular file no larger than recorded: a pipe is never
//! waited for, and a file that grows is never read to its end.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
};

use super::ArtifactRecord;
use crate::engine::text::is_space;

/// UTF-16 units that the host keeps of a file name.
const NAME_UNITS: usize = 120;

/// Why the bytes of an artifact are not handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArtifactFailure {
    /// There is no such file.
    Missing,
    /// The path is not the artifact's own below `artifacts`, or leaves it.
    Outside,
    /// It is a folder, a pipe or a device.
    NotAFile,
    /// The file is larger than its record says.
    LargerThanRecorded,
    /// The file, or its record, is larger than the limit.
    TooLarge,
    /// It cannot be read: why.
    Unreadable(String),
}

/// Reads the file of `record` in the workspace at `root`, when it is at most
/// `limit` bytes.
pub fn read_artifact(
    root: &Path,
    record: &ArtifactRecord,
    limit: u64,
) -> Result<Vec<u8>, ArtifactFailure> {
    if !is_own_path(record) {
        return Err(ArtifactFailure::Outside);
    }
    if limit < record.size_bytes {
        return Err(ArtifactFailure::TooLarge);
    }
    let file = open(&located(root, record)?)?;
    let metadata = file.metadata().map_err(failure)?;
    if !metadata.is_file() {
        return Err(ArtifactFailure::NotAFile);
    }
    if record.size_bytes < metadata.len() {
        return Err(ArtifactFailure::LargerThanRecorded);
    }
    let mut bytes = Vec::new();
    file.take(record.size_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failure)?;
    // The file may have grown since it was looked at.
    if record.size_bytes < bytes.len() as u64 {
        return Err(ArtifactFailure::LargerThanRecorded);
    }
    Ok(bytes)
}

/// Whether the recorded path is `<sessionId>/<id>-<name>`, with the name as it
/// is recorded or as the host makes it fit for a file.
fn is_own_path(record: &ArtifactRecord) -> bool {
    let ArtifactRecord { id, session_id, name, relative_path, .. } = record;
    let Some(file) =
        relative_path.strip_prefix(session_id.as_str()).and_then(|rest| rest.strip_prefix('/'))
    else {
        return false;
    };
    let Some(recorded) = file.strip_prefix(id.as_str()).and_then(|rest| rest.strip_prefix('-'))
    else {
        return false;
    };
    is_component(session_id)
        && is_component(file)
        && (recorded == name || recorded == file_name(name))
}

/// Whether `text` names one thing in a folder, on every system.
fn is_component(text: &str) -> bool {
    !matches!(text, "" | "." | "..") && !text.contains(['/', '\\', ':', '\0'])
}

/// A name as the host writes it to disk.
fn file_name(name: &str) -> String {
    let replaced = name.replace(['\\', '/', ':', '*', '?', '"', '<', '>', '|', '\0'], "-");
    let words: Vec<&str> = replaced.split(is_space).filter(|word| !word.is_empty()).collect();
    let mut units = 0;
    let fits = |character: &char| {
        units += character.len_utf16();
        units <= NAME_UNITS
    };
    words.join(" ").chars().take_while(fits).collect()
}

/// The real path of the file, below the real path of `artifacts`.
fn located(root: &Path, record: &ArtifactRecord) -> Result<PathBuf, ArtifactFailure> {
    let artifacts = fs::canonicalize(root.join("artifacts")).map_err(failure)?;
    let folder = artifacts.join(&record.session_id);
    let path = artifacts.join(&record.relative_path);
    for step in [&folder, &path] {
        if fs::symlink_metadata(step).map_err(failure)?.is_symlink() {
            return Err(ArtifactFailure::Outside);
        }
    }
    let real = fs::canonicalize(&path).map_err(failure)?;
    if real.starts_with(&artifacts) { Ok(real) } else { Err(ArtifactFailure::Outside) }
}

/// Opens a file for reading, without following a link that took its place
/// meanwhile and without waiting for a pipe.
#[expect(
    clippy::disallowed_methods,
    reason = "the one place that opens a file: an artifact's, which is no database"
)]
fn open(path: &Path) -> Result<File, ArtifactFailure> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        libc::O_NOFOLLOW | libc::O_NONBLOCK,
    );
    options.open(path).map_err(failure)
}

fn failure(error: io::Error) -> ArtifactFailure {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ArtifactFailure::Missing,
        // A folder cannot be opened as a file everywhere.
        io::ErrorKind::IsADirectory => ArtifactFailure::NotAFile,
        _ => ArtifactFailure::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: &[u8] = b"twelve bytes";

    fn record() -> ArtifactRecord {
        ArtifactRecord {
            id: "art_1".into(),
            session_id: "s-1".into(),
            name: "a name É.txt".into(),
            kind: "file".into(),
            source: None,
            mime_type: None,
            size_bytes: 12,
            relative_path: "s-1/art_1-a name É.txt".into(),
        }
    }

    /// A workspace with one artifact.
    fn workspace() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("artifacts/s-1");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("art_1-a name É.txt");
        fs::write(&file, BYTES).unwrap();
        (root, file)
    }

    #[test]
    fn the_file_of_a_record_is_read() {
        let (root, _) = workspace();
        assert_eq!(read_artifact(root.path(), &record(), 12), Ok(BYTES.to_vec()));
        let larger = ArtifactRecord { size_bytes: 900, ..record() };
        assert_eq!(read_artifact(root.path(), &larger, 900), Ok(BYTES.to_vec()));
    }

    #[test]
    fn a_file_that_is_too_large_is_refused() {
        let (root, _) = workspace();
        let refused = |record, limit| read_artifact(root.path(), &record, limit).unwrap_err();
        assert_eq!(refused(record(), 11), ArtifactFailure::TooLarge);
        let smaller = ArtifactRecord { size_bytes: 11, ..record() };
        assert_eq!(refused(smaller, 12), ArtifactFailure::LargerThanRecorded);
    }

    #[test]
    fn a_file_that_is_not_there_is_missing() {
        let (root, file) = workspace();
        fs::remove_file(&file).unwrap();
        assert_eq!(read_artifact(root.path(), &record(), 12), Err(ArtifactFailure::Missing));
        let empty = tempfile::tempdir().unwrap();
        assert_eq!(read_artifact(empty.path(), &record(), 12), Err(ArtifactFailure::Missing));
    }

    #[test]
    fn a_path_that_the_host_does_not_build_is_outside() {
        let (root, _) = workspace();
        let elsewhere = |session: &str, id: &str, name: &str, path: &str| {
            let record = ArtifactRecord {
                session_id: session.into(),
                id: id.into(),
                name: name.into(),
                relative_path: path.into(),
                ..record()
            };
            read_artifact(root.path(), &record, 12)
        };
        for (session, id, name, path) in [
            ("s-1", "art_1", "n", "../runtime.sqlite"),
            ("s-1", "art_1", "n", "/etc/passwd"),
            ("s-1", "art_1", "n", "s-1/art_2-n"),
            ("s-1", "art_1", "n", "s-1/art_1-m"),
            ("s-1", "art_1", "n", "s-2/art_1-n"),
            ("s-1", "art_1", "n/../../x", "s-1/art_1-n/../../x"),
            ("..", "art_1", "n", "../art_1-n"),
            ("", "art_1", "n", "/art_1-n"),
            ("s-1", "..", "n", "s-1/..-n/x"),
            ("a/b", "art_1", "n", "a/b/art_1-n"),
            ("s-1", "art_1", "n\0", "s-1/art_1-n\0"),
            ("s-1", "art_1", "a\\b", "s-1/art_1-a\\b"),
            ("c:", "art_1", "n", "c:/art_1-n"),
        ] {
            let outcome = elsewhere(session, id, name, path);
            assert_eq!(outcome, Err(ArtifactFailure::Outside), "{path}");
        }
    }

    #[test]
    fn a_name_is_also_taken_as_the_host_writes_it() {
        assert_eq!(file_name("a/b:\tc  d\u{feff}?.txt"), "a-b- c d ?.txt".replace('?', "-"));
        assert_eq!(file_name(&"é".repeat(130)), "é".repeat(120));
        let (root, file) = workspace();
        fs::rename(&file, file.with_file_name("art_1-a-b.txt")).unwrap();
        let record = ArtifactRecord {
            name: "a/b.txt".into(),
            relative_path: "s-1/art_1-a-b.txt".into(),
            ..record()
        };
        assert_eq!(read_artifact(root.path(), &record, 12), Ok(BYTES.to_vec()));
    }

    #[test]
    fn a_folder_is_no_file() {
        let (root, file) = workspace();
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        let failure = read_artifact(root.path(), &record(), 12).unwrap_err();
        // Windows does not open folders at all.
        let unreadable = matches!(failure, ArtifactFailure::Unreadable(_)) && cfg!(windows);
        assert!(failure == ArtifactFailure::NotAFile || unreadable, "{failure:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_outside_wherever_it_leads() {
        use std::os::unix::fs::symlink;

        let (root, file) = workspace();
        let other = file.with_file_name("other");
        fs::rename(&file, &other).unwrap();
        symlink(&other, &file).unwrap();
        assert_eq!(read_artifact(root.path(), &record(), 12), Err(ArtifactFailure::Outside));

        let (root, file) = workspace();
        let folder = file.parent().unwrap();
        fs::rename(folder, root.path().join("elsewhere")).unwrap();
        symlink(root.path().join("elsewhere"), folder).unwrap();
        assert_eq!(read_artifact(root.path(), &record(), 12), Err(ArtifactFailure::Outside));
    }

    #[cfg(unix)]
    #[test]
    fn a_workspace_behind_a_symbolic_link_is_read() {
        let (root, _) = workspace();
        let link = root.path().join("link");
        std::os::unix::fs::symlink(root.path(), &link).unwrap();
        assert_eq!(read_artifact(&link, &record(), 12), Ok(BYTES.to_vec()));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let (root, file) = workspace();
        fs::remove_file(&file).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
        assert!(made.success());
        assert_eq!(read_artifact(root.path(), &record(), 12), Err(ArtifactFailure::NotAFile));
    }
}
