//! What is kept in memory between answers.
//!
//! A kept Session is a narrowing like any other: it may skip and it may answer
//! the predicate, and only while it is proven fresh ([`Marker`]): an answer
//! never depends on whether anything was kept. What is kept is bounded by one
//! budget for the process, newest and most useful Sessions first.
//!
//! `keep` holds what is kept of one workspace, `kept` one Session of it,
//! `memory` all workspaces and the budget; `gather` fills it in the background.
//! `digest` is the texts of a Session; `known` is what one state of the database
//! showed.
//!
//! [`Marker`]: crate::engine::store::Marker

mod digest;
mod gather;
mod keep;
mod kept;
mod known;
mod line;
mod memory;
mod report;
pub mod signature;
mod texts;

pub(in crate::engine) use digest::Digest;
pub(in crate::engine) use keep::{Keep, Open};
pub(in crate::engine) use kept::{Form, Kept};
pub(in crate::engine) use known::Known;
pub(in crate::engine) use memory::memory;
pub use report::{RecallStats, WarmOptions, WarmReport, release, stats, warm};
pub(in crate::engine) use texts::Search;
