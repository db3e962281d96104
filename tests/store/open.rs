//! Roots that are no workspace, or one that cannot be read.

use std::{
    fs,
    path::{Path, PathBuf},
};

use recall_native::engine::{Cancel, Reason, store::Store};
use rusqlite::Connection;
use serde_json::json;

use super::{open, refused};
use crate::support::workspace::{GENERATIONS, Generation, Run, Workspace};

/// Everything below a folder, with sizes.
fn listing(folder: &Path) -> Vec<(PathBuf, u64)> {
    let mut listing = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            }
            listing.push((entry.path(), metadata.len()));
        }
    }
    listing.sort();
    listing
}

/// A refusal names the path and the reason, and leaves nothing behind.
#[track_caller]
fn test(root: &Path, within: &Path, reason: Reason, part: &str) {
    let before = listing(within);
    let (actual, message) = refused(open(root));
    assert_eq!(actual, reason, "{message}");
    assert!(message.contains(&*root.to_string_lossy()), "{message}");
    assert!(message.contains(part), "{message}");
    assert_eq!(listing(within), before);
}

/// A workspace at rest, not in WAL mode.
fn at_rest() -> tempfile::TempDir {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("s", json!({}));
    workspace.connection().execute_batch("PRAGMA journal_mode = DELETE").unwrap();
    workspace.close()
}

#[test]
fn a_root_that_is_no_workspace() {
    let folder = tempfile::tempdir().unwrap();
    let within = folder.path();
    test(&within.join("nowhere"), within, Reason::Unavailable, "no such folder");
    let file = within.join("file");
    fs::write(&file, "text").unwrap();
    test(&file, within, Reason::Unavailable, "not a folder");
    test(within, within, Reason::Unavailable, "There is no");
    test(Path::new("nul\0byte"), within, Reason::Unavailable, "Cannot read");
    fs::create_dir(within.join("runtime.sqlite")).unwrap();
    test(within, within, Reason::Unavailable, "not a file");
}

#[test]
fn a_file_that_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let file = root.join("runtime.sqlite");
    fs::write(&file, "").unwrap();
    test(root, root, Reason::UnsupportedWorkspace, "empty");
    fs::write(&file, "this is no database").unwrap();
    test(root, root, Reason::Unavailable, "not a database");
    let noise: Vec<u8> =
        (0..16_384_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    fs::write(&file, noise).unwrap();
    test(root, root, Reason::Unavailable, "encrypted");
}

#[test]
fn a_database_that_lost_its_end() {
    for bytes in [1, 100, 512, 1_000, 4_096, 8_192, 20_000] {
        let folder = at_rest();
        let file = folder.path().join("runtime.sqlite");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..bytes]).unwrap();
        test(folder.path(), folder.path(), Reason::Unavailable, "truncated");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("runtime.sqlite");
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    test(folder.path(), folder.path(), Reason::Unavailable, "not a file");
}

#[test]
fn an_empty_database_lacks_its_first_table() {
    let folder = tempfile::tempdir().unwrap();
    let connection = Connection::open(folder.path().join("runtime.sqlite")).unwrap();
    connection.execute_batch("CREATE TABLE t (c)").unwrap();
    test(folder.path(), folder.path(), Reason::UnsupportedWorkspace, "table `session_metadata`");
}

#[test]
fn a_lock_is_waited_for_and_then_reported() {
    let folder = at_rest();
    let holder = Connection::open(folder.path().join("runtime.sqlite")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    test(folder.path(), folder.path(), Reason::Unavailable, "locked by another program");
    holder.execute_batch("ROLLBACK").unwrap();
    assert!(open(folder.path()).is_ok());
}

#[test]
fn an_abort_ends_the_waiting_for_a_lock() {
    let folder = at_rest();
    let holder = Connection::open(folder.path().join("runtime.sqlite")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let cancel = Cancel::default();
    let outcome = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| Store::open(folder.path(), &cancel).map(|_| ()));
        std::thread::sleep(std::time::Duration::from_millis(50));
        cancel.request();
        waiting.join().unwrap()
    });
    assert!(outcome.unwrap_err().is_aborted());
}

#[test]
fn every_missing_table_and_column_is_named() {
    for generation in GENERATIONS {
        let (own, other) = match generation {
            Generation::Headers => (
                ("core_agent_runs", &["session_id", "run_id", "created_at", "record_json"][..]),
                "core_agent_runs",
            ),
            Generation::Openings => (
                (
                    "runtime_legacy_invocation_openings",
                    &[
                        "invocation_id",
                        "session_id",
                        "run_id",
                        "turn_id",
                        "opened_at",
                        "opening_json",
                    ][..],
                ),
                // Without the shelf it is taken for the older generation.
                "core_agent_runs.record_json",
            ),
        };
        let tables = [
            ("session_metadata", &["session_id", "payload_json"][..]),
            (
                "runtime_events",
                &[
                    "event_id",
                    "session_id",
                    "invocation_id",
                    "run_id",
                    "turn_id",
                    "event_seq",
                    "event_kind",
                    "payload_json",
                    "committed_at",
                ],
            ),
            ("runtime_session_event_ordinals", &["session_id", "ordinal", "event_id"]),
            (
                "runtime_partial_snapshots",
                &[
                    "stream_key",
                    "session_id",
                    "invocation_id",
                    "run_id",
                    "turn_id",
                    "after_event_id",
                    "payload_json",
                    "text_content",
                    "updated_at",
                ],
            ),
            ("runtime_partial_segments", &["stream_key", "segment_seq", "text_content"]),
            ("session_messages", &["session_id", "sequence", "message_type", "record_json"]),
            ("session_message_payloads", &["session_id", "sequence", "record_bytes", "sha256"]),
            (
                "session_message_chunks",
                &["session_id", "sequence", "chunk_index", "data", "sha256"],
            ),
            (
                "artifact_records",
                &["artifact_id", "session_id", "created_at", "relative_path", "record_json"],
            ),
            own,
        ];
        for (table, columns) in tables {
            for column in columns {
                let workspace = Workspace::new(generation);
                let rename = format!("ALTER TABLE {table} RENAME COLUMN {column} TO gone");
                workspace.connection().execute_batch(&rename).unwrap();
                let (reason, message) = refused(open(workspace.root()));
                assert_eq!(reason, Reason::UnsupportedWorkspace, "{message}");
                assert!(message.contains(&format!("column `{table}.{column}`")), "{message}");
            }
            let workspace = Workspace::new(generation);
            workspace.connection().execute_batch(&format!("DROP TABLE {table}")).unwrap();
            let (reason, message) = refused(open(workspace.root()));
            assert_eq!(reason, Reason::UnsupportedWorkspace, "{message}");
            let named = if table == own.0 { other } else { table };
            assert!(message.contains(&format!("`{named}`")), "{message}");
        }
    }
}

#[test]
fn what_is_there_beyond_does_not_matter() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        workspace
            .connection()
            .execute_batch(
                "ALTER TABLE runtime_events ADD COLUMN extra TEXT;
                 CREATE TABLE of_tomorrow (a, b);
                 CREATE VIEW seen AS SELECT * FROM runtime_events;
                 PRAGMA user_version = 99;",
            )
            .unwrap();
        assert!(open(workspace.root()).is_ok());
    }
}

#[test]
fn permission_outcomes_are_optional() {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("s", json!({}));
    let drop = "DROP TABLE core_interaction_outcomes; DROP TABLE core_interaction_requests";
    workspace.connection().execute_batch(drop).unwrap();
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let records = snapshot.read(&super::header(&snapshot, "s")).unwrap();
    assert_eq!(records.outcomes.len(), 0);
}

#[test]
fn any_path_leads_to_its_workspace() {
    for name in ["a b", "é?x=1&y#z", "100%41", "file:x"] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(name);
        let workspace = at_rest();
        if fs::create_dir(&root).is_err() {
            // Not every system takes every name.
            continue;
        }
        fs::copy(workspace.path().join("runtime.sqlite"), root.join("runtime.sqlite")).unwrap();
        let mut store = open(&root).unwrap();
        let sessions = store.snapshot().unwrap().sessions().unwrap();
        assert_eq!(&*sessions.headers[0].id, "s");
    }
}

#[cfg(unix)]
mod permission {
    use std::{
        os::unix::{fs::PermissionsExt, process::CommandExt},
        process::Command,
    };

    use super::*;
    use crate::header;

    const NOBODY: u32 = 65_534;
    const ROOT: &str = "RECALL_TEST_WORKSPACE";

    /// Runs `check` on a folder as a user who is bound by its permissions: as
    /// this one, or, when this one is not bound, in another process as nobody.
    fn as_bound_user(test: &str, folder: &Path, check: fn(&Path)) {
        if fs::write(folder.join("probe"), "").is_err() {
            return check(folder);
        }
        fs::remove_file(folder.join("probe")).unwrap();
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let program = place.path().join("test");
        fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
        let status = Command::new(&program)
            .args([test, "--exact", "--test-threads", "1"])
            .env(ROOT, folder)
            .current_dir(place.path())
            .uid(NOBODY)
            .gid(NOBODY)
            .status()
            .unwrap();
        assert!(status.success());
    }

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// A database of one Session in WAL mode, that nobody has open.
    fn resting_in_wal_mode() -> tempfile::TempDir {
        let workspace = Workspace::new(Generation::Headers);
        workspace.session("s", json!({}));
        let run = Run { session: "s", run: "r", turn: "t" };
        workspace.open(run);
        workspace.said(run, "at rest");
        let folder = workspace.close();
        assert_eq!(listing(folder.path()).len(), 1);
        folder
    }

    fn reads_all(root: &Path) {
        let mut store = open(root).unwrap();
        assert!(!store.is_current(), "a file read without locks is not kept");
        let snapshot = store.snapshot().unwrap();
        let records = snapshot.read(&header(&snapshot, "s")).unwrap();
        let payload = records.bytes(&records.events[0].payload);
        assert!(String::from_utf8_lossy(payload).contains("at rest"));
        assert_eq!(listing(root).len(), 1);
    }

    fn is_refused(root: &Path) {
        test(root, root, Reason::Unavailable, "may be read by this user");
    }

    #[test]
    fn a_database_in_a_folder_that_cannot_be_written() {
        const NAME: &str = "open::permission::a_database_in_a_folder_that_cannot_be_written";
        if let Some(root) = std::env::var_os(ROOT) {
            return reads_all(Path::new(&root));
        }
        let folder = resting_in_wal_mode();
        set_mode(&folder.path().join("runtime.sqlite"), 0o444);
        set_mode(folder.path(), 0o555);
        as_bound_user(NAME, folder.path(), reads_all);
        set_mode(folder.path(), 0o755);
    }

    #[test]
    fn a_log_that_cannot_be_read_is_never_left_out() {
        const NAME: &str = "open::permission::a_log_that_cannot_be_read_is_never_left_out";
        if let Some(root) = std::env::var_os(ROOT) {
            return is_refused(Path::new(&root));
        }
        let folder = resting_in_wal_mode();
        let log = folder.path().join("runtime.sqlite-wal");
        fs::write(&log, [1; 32]).unwrap();
        set_mode(&folder.path().join("runtime.sqlite"), 0o444);
        set_mode(&log, 0o000);
        set_mode(folder.path(), 0o555);
        as_bound_user(NAME, folder.path(), is_refused);
        set_mode(folder.path(), 0o755);
    }

    #[test]
    fn a_database_that_may_not_be_read() {
        const NAME: &str = "open::permission::a_database_that_may_not_be_read";
        if let Some(root) = std::env::var_os(ROOT) {
            return is_refused(Path::new(&root));
        }
        let folder = resting_in_wal_mode();
        set_mode(&folder.path().join("runtime.sqlite"), 0o000);
        set_mode(folder.path(), 0o555);
        as_bound_user(NAME, folder.path(), is_refused);
        set_mode(folder.path(), 0o755);
    }
}
