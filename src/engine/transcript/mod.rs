//! A Session's transcript: the message array that Recall reads.
//!
//! [`records`] is what the store holds, [`Transcript`] what it means. A
//! transcript is light: one [`Row`] per message with its place, and where its
//! contents stand. [`Body`] is the contents of one searchable row, decoded when
//! somebody asks for it.

mod body;
pub mod records;
mod row;

pub use body::{Attachment, Body, FileRef};
pub use row::{Row, RowKind, RowSource, Transcript, Unreadable};
