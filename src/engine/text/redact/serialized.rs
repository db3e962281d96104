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
/// As in the host, what `JSON.parse` drops counts for nothing: a document whose
/// only secret is an earlier value of a duplicate key stays as it is.
pub(super) fn redact(text: &str) -> Serialized {
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return Serialized::NotJson;
    }
    let Some(value) = RawValue::parse(text.as_bytes()) else { return Serialized::NotJson };
    if !matches!(value.kind(), Kind::Object | Kind::Array | Kind::String) {
        return Serialized::NotJson;
    }
    let mut tree = Tree::parse(value);
    if tree.replace(key::is_sensitive, REDACTED, rewrite) {
        Serialized::Changed(tree.stringify())
    } else {
        Serialized::Unchanged
    }
}
