//! What each world of the crate may name: ARCHITECTURE.md, invariant 5.

#![expect(clippy::disallowed_methods, reason = "reads the sources of this crate")]

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The sources below `folder`, and their code without comments.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
                found.push((path, code.collect::<Vec<_>>().join("\n")));
            }
        }
    }
    assert!(10 < found.len(), "the sources are not where they were");
    found
}

/// The files below `folder`, but for those whose path contains one of `but`,
/// that name `word`.
fn naming(word: &str, folder: &str, but: &[&str]) -> Vec<PathBuf> {
    let elsewhere = |path: &Path| {
        let path = path.to_string_lossy().replace('\\', "/");
        !but.iter().any(|part| path.contains(part))
    };
    let sources = sources(folder).into_iter();
    let found = sources.filter(|(path, code)| elsewhere(path) && code.contains(word));
    found.map(|(path, _)| path).collect()
}

#[test]
fn the_engine_knows_nothing_of_node() {
    assert_eq!(naming("napi", "src/engine", &[]), Vec::<PathBuf>::new());
    assert_eq!(naming("crate::node", "src/engine", &[]), Vec::<PathBuf>::new());
}

#[test]
fn sqlite_stands_only_in_the_store() {
    // `cancel` holds the handles that interrupt a statement.
    let store = ["engine/store/", "engine/cancel.rs"];
    assert_eq!(naming("rusqlite", "src/engine", &store), Vec::<PathBuf>::new());
    assert_eq!(naming("SELECT ", "src/engine", &store), Vec::<PathBuf>::new());
}

#[test]
fn the_binding_borrows_sqlite_and_reads_nothing_with_it() {
    let borrowing = ["node/sqlite/", "node/lock_tests.rs"];
    assert_eq!(naming("rusqlite", "src/node", &borrowing), Vec::<PathBuf>::new());
    assert_eq!(naming("engine::store", "src/node", &borrowing), Vec::<PathBuf>::new());
}

#[test]
fn unsafe_code_stands_where_c_calls() {
    let entry = ["node/sqlite/host.rs"];
    assert_eq!(naming("unsafe ", "src", &entry), Vec::<PathBuf>::new());
}
