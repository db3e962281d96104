//! The thin layer: JavaScript values in, JavaScript values out.
//!
//! It holds no rule of recall. A call goes
//! `recall.rs` … → `job` (thread, promise, panic guard) → `operation` (the
//! engine) → `reply` (shapes that cross back). Whatever belongs to the host is
//! touched in the script of `bridge` alone; `host` asks it from the thread of the
//! call, over a `line`.
//!
//! What `#[napi]` exports is `pub` all the way up: a test build registers
//! nothing with Node, and would find the layer dead otherwise.

mod bridge;
mod host;
mod job;
mod line;
#[cfg(feature = "lock-tests")]
pub mod lock_tests;
mod operation;
pub mod recall;
pub mod recall_material;
pub mod recall_more;
pub mod reply;
pub mod search_threads;
pub mod searchable_text;
mod sqlite;
pub mod warm;
