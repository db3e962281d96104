//! Fuzz loops: whatever comes in, nothing panics, and what always holds holds.
//!
//! Every round has a number that seeds it. `RECALL_FUZZ_SECONDS` says how long
//! all loops run together; without it they are short.

mod support;

#[path = "fuzz/documents.rs"]
mod documents;
#[path = "fuzz/passages.rs"]
mod passages;
#[path = "fuzz/redaction.rs"]
mod redaction;
#[path = "fuzz/requests.rs"]
mod requests;
#[path = "fuzz/rows.rs"]
mod rows;
#[path = "fuzz/snippets.rs"]
mod snippets;
#[path = "fuzz/texts.rs"]
mod texts;
