//! From verified hits to ranked passages.
//!
//! [`mod@verify`] decides which messages hit, [`bm25`] what a hit is worth,
//! [`quota`] which hits become passages. Nothing here reads a store.

pub mod bm25;
pub mod quota;
pub mod verify;

pub use bm25::Corpus;
pub use quota::{Ranked, choose};
pub use verify::{Contents, Hit, Query, SessionHits, verify};
