//! Everything that knows nothing about JavaScript.

mod cancel;
mod error;
pub mod host;
pub mod json;
pub mod limits;
pub mod reply;
mod session;
pub mod transcript;

pub use cancel::Cancel;
pub use error::{Reason, RecallError, Refusal};
pub use session::{LedgerVersion, SessionHeader};
