//! Text as Recall sees it: what is stored of a message and what may leave,
//! folded, searched, mapped back and cut.
//!
//! Everything is linear in the text, takes any text, and works on whole code
//! points. Offsets are bytes of UTF-8 unless a name says UTF-16.

mod cut;
mod escape;
mod find;
mod fold;
pub mod message;
mod narrow;
mod probe;
pub mod redact;
#[cfg(test)]
mod samples;
mod space;
mod stable;
mod suspects;
mod trace;

pub use cut::{Window, cut, floor_boundary, window};
pub use find::{Needle, spans, utf16_spans};
pub use fold::{fold, fold_into, fold_unstable, fold_unstable_bytes};
pub use narrow::{Narrowing, Verdict};
pub use space::{is_space, trim, utf16_len};
