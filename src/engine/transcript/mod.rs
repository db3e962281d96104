//! A Session's transcript: the message array that Recall reads.
//!
//! [`records`] is what the store holds, [`Transcript`] what it means. A
//! transcript is light: one [`Row`] per message with its place, and where its
//! contents stand. [`Body`] is the contents of one searchable row, decoded when
//! somebody asks for it.
//!
//! [`project()`] goes `invocation` (which runs), `ledger` (their events, with
//! `stream` and `convert`, in the `order` of the Session), then row by row. It
//! follows the newest host for every workspace (`host/projection.md`).

mod access;
mod attachment;
mod body;
mod bones;
mod contents;
mod convert;
mod envelope;
mod event;
mod handed;
mod invocation;
mod ledger;
mod message;
mod order;
mod permission;
mod project;
pub mod records;
mod result;
mod row;
mod stream;
mod turn;
mod words;

pub use access::{has_broken_chunk, stored_texts};
pub use body::{Attachment, Body, FileRef};
pub use bones::bones;
pub use contents::{event_body, stream_body};
pub use handed::host_transcript;
pub use ledger::ordered_events;
pub use message::{message_body, message_words};
pub use project::{Projection, project};
pub use row::{Row, RowKind, RowSource, Transcript, Unreadable};
pub use words::{Document, Words};
