//! Copies of the workspaces that the golden cases are about.

use std::{
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// A copy of `tests/fixtures/golden/<name>` to open, gone when it is dropped.
pub(crate) fn copy(name: &str) -> TempDir {
    let target = tempfile::tempdir().unwrap();
    copy_folder(&folder(name), target.path());
    target
}

/// Where the fixture itself stands.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/golden").join(name)
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
