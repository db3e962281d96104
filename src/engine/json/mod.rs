//! JSON as `JSON.parse` accepts it.
//!
//! The host's rows are read in place: [`RawValue`] is a checked slice of the
//! stored bytes, and nothing is decoded before somebody asks for it. Unlike a
//! strict parser this one keeps what the host keeps: escapes of lone
//! surrogates (as U+FFFD), numbers beyond `f64` (as infinity), any depth, and
//! bytes that are not UTF-8 (as U+FFFD). Nothing here recurses.

mod check;
mod number;
mod raw;
mod string;
mod strings;
mod tree;
mod visit;
mod walk;

pub(in crate::engine) use number::{push_number, safe_integer};
pub use raw::{Kind, RawValue};
pub use string::RawString;
pub use strings::{StringRole, Strings};
pub(in crate::engine) use tree::escaped_len;
pub use tree::{Tree, escaped};
pub use visit::{Visitor, visit};
pub use walk::{Token, Walk};
