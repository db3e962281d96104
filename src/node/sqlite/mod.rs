//! Where SQLite comes from.

#[cfg(feature = "host-sqlite")]
mod host;

#[cfg(feature = "host-sqlite")]
pub(in crate::node) use host::borrow;

/// The private copy of a test build needs nothing of the host.
#[cfg(not(feature = "host-sqlite"))]
pub(in crate::node) fn borrow(_env: &napi::Env) -> Result<(), String> {
    Ok(())
}
