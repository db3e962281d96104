//! Distilled facts.

use std::fs;

use recall_native::engine::{
    Cancel,
    store::{FactKey, FactsRead, FactsStore},
};
use rusqlite::Connection;

use crate::support::workspace::{Generation, Workspace};

fn workspace() -> Workspace {
    let workspace = Workspace::new(Generation::Openings);
    workspace.fact("f2", "The deploy target is staging.", None, &["Deploy Target", "部署目标"]);
    workspace.fact("f1", "Here only.", Some("/ws"), &[]);
    workspace.fact("f3", "Elsewhere only.", Some("/Work"), &["elsewhere"]);
    workspace.fact("f4", "Archived.", None, &["archived"]);
    let facts = Connection::open(workspace.root().join("memory.sqlite")).unwrap();
    let archive = "UPDATE memory_items SET lifecycle_state = 'archived' WHERE item_id = 'f4'";
    facts.execute_batch(archive).unwrap();
    workspace
}

fn read(workspace: &Workspace, scope: Option<&str>) -> FactsRead {
    FactsStore::default().read(workspace.root(), scope, &Cancel::default())
}

fn ids(facts: FactsRead) -> Vec<String> {
    let FactsRead::Items(items) = facts else { panic!("{facts:?}") };
    items.iter().map(|item| item.id.clone()).collect()
}

#[test]
fn active_facts_in_scope_are_read() {
    let workspace = workspace();
    assert_eq!(ids(read(&workspace, None)), ["f2"]);
    assert_eq!(ids(read(&workspace, Some("/ws"))), ["f1", "f2"]);
    assert_eq!(ids(read(&workspace, Some("/ws/"))), ["f2"]);
    let FactsRead::Items(items) = read(&workspace, None) else { panic!() };
    let item = &items[0];
    assert_eq!(item.content, "The deploy target is staging.");
    assert_eq!((item.kind.as_str(), item.observed_at, item.updated_at), ("knowledge", 1.0, 1.0));
    let key =
        |text: &str, normalized: &str| FactKey { text: text.into(), normalized: normalized.into() };
    assert_eq!(item.keys, [key("Deploy Target", "deploy target"), key("部署目标", "部署目标")]);
}

#[test]
fn a_kept_store_sees_every_change() {
    let workspace = workspace();
    let mut store = FactsStore::default();
    let cancel = Cancel::default();
    let mut read = |scope: Option<&str>| ids(store.read(workspace.root(), scope, &cancel));
    assert_eq!(read(None), ["f2"]);
    assert_eq!(read(Some("/ws")), ["f1", "f2"]);
    let facts = rusqlite::Connection::open(workspace.root().join("memory.sqlite")).unwrap();
    facts
        .execute("UPDATE memory_items SET lifecycle_state = 'archived' WHERE item_id = 'f2'", [])
        .unwrap();
    assert_eq!(read(Some("/ws")), ["f1"]);
    assert_eq!(read(None), [""; 0]);
    drop(facts);
    std::fs::remove_file(workspace.root().join("memory.sqlite")).unwrap();
    assert_eq!(store.read(workspace.root(), None, &cancel), FactsRead::Missing);
}

#[test]
fn no_store_of_facts_is_no_failure() {
    let workspace = Workspace::new(Generation::Openings);
    assert_eq!(read(&workspace, None), FactsRead::Missing);
    let nowhere = workspace.root().join("nowhere");
    assert_eq!(FactsStore::default().read(&nowhere, None, &Cancel::default()), FactsRead::Missing);
}

#[track_caller]
fn test_unavailable(workspace: &Workspace, part: &str) {
    let facts = read(workspace, None);
    let FactsRead::Unavailable(reason) = facts else { panic!("{facts:?}") };
    assert!(reason.contains(part), "{reason}");
    assert!(reason.contains("memory.sqlite"), "{reason}");
}

#[test]
fn a_store_that_cannot_be_read_says_why() {
    let workspace = workspace();
    let file = workspace.root().join("memory.sqlite");
    let whole = fs::read(&file).unwrap();
    fs::write(&file, "").unwrap();
    test_unavailable(&workspace, "empty");
    fs::write(&file, vec![b'x'; 4_096]).unwrap();
    test_unavailable(&workspace, "not a database");
    fs::write(&file, &whole[..4_096]).unwrap();
    test_unavailable(&workspace, "damaged");
    fs::write(&file, &whole).unwrap();
    assert_eq!(ids(read(&workspace, None)), ["f2"]);

    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    test_unavailable(&workspace, "locked");
    other
        .execute_batch("ROLLBACK; ALTER TABLE memory_items RENAME COLUMN content TO body")
        .unwrap();
    test_unavailable(&workspace, "memory_items.content");
    drop(other);
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    test_unavailable(&workspace, "not a file");
}
