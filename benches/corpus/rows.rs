//! The committed texts, and rows cut from them.

use recall_native::engine::text::{cut, fold_unstable};

/// Program text, a chat in Chinese, stored events, and a bit of everything.
pub(crate) const CORPORA: [&str; 4] = ["code", "chat_zh", "tool_json", "mixed"];

/// The usual size of a stored event.
const ROW_BYTES: usize = 1400;

/// The text of that name.
pub(crate) fn text(name: &str) -> &'static str {
    match name {
        "code" => include_str!("code.txt"),
        "chat_zh" => include_str!("chat_zh.txt"),
        "tool_json" => include_str!("tool_json.txt"),
        "mixed" => include_str!("mixed.txt"),
        other => panic!("no corpus is named {other}"),
    }
}

/// Its lines that fold as SQLite lowers them, which nearly all stored text does.
pub(crate) fn stable_text(name: &str) -> String {
    text(name).split_inclusive('\n').filter(|line| !fold_unstable(line)).collect()
}

/// `text` as rows of the usual size.
pub(crate) fn rows(text: &str) -> Vec<&str> {
    let mut rows = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let row = cut(rest, ROW_BYTES);
        rows.push(row);
        rest = &rest[row.len()..];
    }
    rows
}
