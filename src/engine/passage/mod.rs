//! Passages: a message with its neighbours, cut to what an answer may cost, and
//! the files that go with it.
//!
//! A passage is made from light rows; the contents of a row are asked for only
//! when they may be shown. A message is a row, not an id: ids repeat. The
//! neighbours are those of one stretch of a turn; the files are those of all its
//! rows.

mod build;
mod carried;
mod cost;
mod draft;
mod fit;
#[cfg(test)]
mod held;
mod matches;
mod material;
mod neighbours;
mod query;
mod source;
mod turn_files;

pub use build::{Anchor, Around, Built, PassageBuilder, recall_more_anchor};
pub use carried::{Carried, carried};
pub use query::{Query, TermSet};
pub use source::{Bodies, SessionView, Viewer};
pub use turn_files::TurnFiles;
