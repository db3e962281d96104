//! Distilled facts: `memory.sqlite`, `host/storage.md` 8.
//!
//! Another database, another snapshot. A store of facts that cannot be read
//! never fails an answer: it is data that the answer reports.

use std::{collections::HashMap, ops::ControlFlow, path::Path, sync::Arc};

use rusqlite::Row;

use super::{
    cell,
    database::Database,
    file::{Flaw, inspect},
    shape::facts_shape,
};
use crate::engine::{Cancel, RecallError};

const FILE: &str = "memory.sqlite";

/// Without a workspace `?1` is NULL, which equals nothing.
const ITEMS: &str = "SELECT item_id, content, kind, observed_at, updated_at FROM memory_items \
    WHERE lifecycle_state = 'active' \
    AND (scope_type = 'global' OR (scope_type = 'workspace' AND scope_key = ?1)) \
    ORDER BY item_id";
const KEYS: &str = "SELECT item_id, key_text, normalized_key FROM memory_item_keys \
    ORDER BY item_id, normalized_key";

/// What came of reading the facts.
#[derive(Clone, Debug, PartialEq)]
pub enum FactsRead {
    /// There is no store of facts.
    Missing,
    /// It could not be read: why.
    Unavailable(String),
    /// The active facts in scope, by id.
    Items(Arc<[FactItem]>),
}

/// One active fact.
#[derive(Clone, Debug, PartialEq)]
pub struct FactItem {
    /// `item_id`
    pub id: String,
    /// What is known, not redacted.
    pub content: String,
    /// `preference`, `identity`, `context`, `knowledge`, `failure` or `note`.
    pub kind: String,
    /// Epoch ms.
    pub observed_at: f64,
    /// Epoch ms.
    pub updated_at: f64,
    /// What it is found by, in the order of the normalised keys.
    pub keys: Vec<FactKey>,
}

/// One key of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactKey {
    /// As it was written, not redacted.
    pub text: String,
    /// As the host normalised it.
    pub normalized: String,
}

/// The facts of a workspace: a connection of its own, and the facts it read
/// last, as long as nothing was committed since.
#[derive(Default)]
pub struct FactsStore {
    open: Option<Open>,
}

struct Open {
    database: Database,
    read: Option<Read>,
}

/// What one state of the database held for one workspace.
struct Read {
    state: i64,
    workspace_root: Option<String>,
    items: Arc<[FactItem]>,
}

impl FactsStore {
    /// The active facts that are global or of exactly `workspace_root`, the one
    /// that the asking Session's header names, in the workspace at `root`. An
    /// abort is `Unavailable`: the caller checks `cancel`.
    pub fn read(
        &mut self,
        root: &Path,
        workspace_root: Option<&str>,
        cancel: &Cancel,
    ) -> FactsRead {
        let path = match std::path::absolute(root) {
            Ok(root) => root.join(FILE),
            Err(error) => return FactsRead::Unavailable(error.to_string()),
        };
        if matches!(inspect(&path), Err(Flaw::Missing)) {
            self.open = None;
            return FactsRead::Missing;
        }
        let read = self.opened(&path, cancel).and_then(|open| open.items(workspace_root));
        // A connection that is read without locks, or failed, is not kept.
        if read.is_err() || !self.is_current() {
            self.open = None;
        }
        match read {
            Ok(items) => FactsRead::Items(items),
            Err(RecallError::Refused(refusal)) => FactsRead::Unavailable(refusal.message),
            Err(error) => FactsRead::Unavailable(error.to_string()),
        }
    }

    /// Whether what it has open, if anything, may be kept.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.open.as_ref().is_none_or(|open| open.database.is_current())
    }

    fn opened(&mut self, path: &Path, cancel: &Cancel) -> Result<&mut Open, RecallError> {
        let kept = self.open.take().filter(|open| open.database.is_current());
        let open = match kept {
            Some(open) => {
                open.database.serve(cancel);
                open
            }
            None => Open { database: Database::open(path, cancel)?, read: None },
        };
        Ok(self.open.insert(open))
    }
}

impl Open {
    fn items(&mut self, workspace_root: Option<&str>) -> Result<Arc<[FactItem]>, RecallError> {
        let _transaction = self.database.begin()?;
        // Inside a transaction the number is that of the transaction's state.
        let state = self.database.pragma("data_version")?;
        if let Some(read) = &self.read
            && read.state == state
            && read.workspace_root.as_deref() == workspace_root
        {
            return Ok(read.items.clone());
        }
        let items: Arc<[FactItem]> = read(&self.database, workspace_root)?.into();
        let workspace_root = workspace_root.map(str::to_owned);
        self.read = Some(Read { state, workspace_root, items: items.clone() });
        Ok(items)
    }
}

fn read(database: &Database, workspace_root: Option<&str>) -> Result<Vec<FactItem>, RecallError> {
    facts_shape(database)?;
    let mut items = Vec::new();
    database.rows(ITEMS, [workspace_root], |row| {
        items.push(FactItem {
            id: cell::text(row, 0),
            content: cell::text(row, 1),
            kind: cell::text(row, 2),
            observed_at: cell::number(row, 3),
            updated_at: cell::number(row, 4),
            keys: Vec::new(),
        });
        Ok(ControlFlow::Continue(()))
    })?;
    let at: HashMap<String, usize> =
        items.iter().enumerate().map(|(at, item)| (item.id.clone(), at)).collect();
    database.rows(KEYS, [], |row: &Row<'_>| {
        let item = at.get(&cell::text(row, 0)).and_then(|&at| items.get_mut(at));
        if let Some(item) = item {
            item.keys.push(FactKey { text: cell::text(row, 1), normalized: cell::text(row, 2) });
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(items)
}
