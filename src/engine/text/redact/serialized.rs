//! A text that is a JSON document.

use super::{key, rules::rewrite};
use crate::engine::{
    json::{Kind, RawValue, Tree},
    limits::REDACTED,
};

/// What became of a text that may be a JSON document.
pub(super) enum Serialized {
    /// It is no object, array or string: it is redacted as a text.
    NotJson,
    /// Nothing in it is a secret.
    Unchanged,
    /// The document without its secrets, spelled as `JSON.stringify` does.
    Changed(String),
}

/// Redacts every string of a document on its own, and the value of every
/// sensitive key whatever it is. A string that is JSON itself is a text in here.
///
/// What `JSON.parse` drops, an earlier value of a duplicate key, is read by
/// nobody who parses the document, and shown to everybody who sees its text: a
/// document that has such a value is spelled without it. The host leaves it.
pub(super) fn redact(text: &str) -> Serialized {
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return Serialized::NotJson;
    }
    let Some(value) = RawValue::parse(text.as_bytes()) else { return Serialized::NotJson };
    if !matches!(value.kind(), Kind::Object | Kind::Array | Kind::String) {
        return Serialized::NotJson;
    }
    let mut tree = Tree::parse(value);
    let replaced = tree.replace(key::is_sensitive, REDACTED, rewrite);
    if replaced || tree.drops() {
        Serialized::Changed(tree.stringify())
    } else {
        Serialized::Unchanged
    }
}
