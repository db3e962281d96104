//! What is kept in memory between answers.
//!
//! A kept Session is a narrowing like any other: it may skip and it may answer
//! the predicate, and only while it is proven fresh ([`Marker`]): an answer
//! never depends on whether anything was kept. What is kept is bounded by one
//! budget for the process, newest and most useful Sessions first.
//!
//! `keep` holds what is kept of one workspace, `memory` all workspaces and
//! the budget, `gather` fills it in the background, and `digest` is one Session.
//!
//! [`Marker`]: crate::engine::store::Marker

mod digest;
mod gather;
mod keep;
mod known;
mod line;
mod memory;
mod report;
pub mod signature;
mod texts;

pub(in crate::engine) use digest::Digest;
pub(in crate::engine) use keep::{Form, Keep, Kept, Open};
pub(in crate::engine) use known::Known;
pub(in crate::engine) use memory::memory;
pub use report::{RecallStats, WarmOptions, WarmReport, release, stats, warm};
pub(in crate::engine) use texts::Search;
