//! The workspace on disk, read through the host's copy of SQLite.
//!
//! All SQL of the engine stands here. A [`Store`] is one read-only connection,
//! a [`Snapshot`] one state of `runtime.sqlite`: everything that one answer
//! reads comes from one snapshot. Nothing is ever written, and no database file
//! is opened by anything but SQLite: closing any other descriptor of it would
//! drop the locks of a host in the same process.
//!
//! SQL narrows and delivers; which message hits is decided elsewhere.

mod artifacts;
mod cell;
mod count;
mod database;
mod extent;
mod facts;
mod fault;
mod file;
mod invocations;
mod ledger;
mod marker;
mod messages;
mod narrow;
mod sessions;
mod settle;
mod shape;
mod snapshot;
mod spread;
mod streams;
mod workspace;

pub use extent::{Appended, Extent};
pub use facts::{FactItem, FactKey, FactsRead, FactsStore};
pub(in crate::engine) use file::Identity;
pub use marker::Marker;
pub use sessions::Sessions;
pub use snapshot::Snapshot;
pub use workspace::Store;
