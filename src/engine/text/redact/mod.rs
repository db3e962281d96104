//! Secrets leave a text before anything else is done with it.
//!
//! The rules are JavaScript regular expressions in the host
//! (`host/projection.md` 11). Here each is a matcher written by hand that finds
//! exactly what its expression finds, in time linear in the text. They read
//! bytes, WTF-8 to be exact: a string of a JSON document may hold half a
//! surrogate pair, and no rule can tell it from another letter of no interest.
//!
//! [`may_change`] is the way out for the texts that hold no secret: nearly all.

mod assignment;
mod aws;
mod edit;
mod header;
mod key;
#[cfg(test)]
mod nasty;
mod quoted;
mod rules;
mod scan;
mod serialized;
mod token;
#[cfg(test)]
mod twin;
mod url;
mod verdict;

pub use key::is_sensitive_key;
pub use rules::{redact, redact_text};
pub use verdict::may_change;
