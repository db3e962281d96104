//! Recall over Session history.
//!
//! [`engine`] knows nothing about JavaScript; `node` knows nothing about
//! scoring. The addon is the first wrapped in the second.

#[cfg(all(feature = "host-sqlite", feature = "bundled-sqlite"))]
compile_error!("pick one SQLite: `host-sqlite` or `bundled-sqlite`");

pub mod engine;
