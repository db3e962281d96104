//! The text of messages: what of it is stored, and what of it may leave.

pub mod message;
pub mod redact;
