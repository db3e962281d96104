//! Everything that knows nothing about JavaScript.

pub mod artifact;
mod call;
mod cancel;
mod error;
pub mod facts;
pub mod gaps;
pub mod host;
pub mod json;
pub mod limits;
pub mod passage;
pub mod reply;
mod session;
pub mod store;
pub mod text;
pub mod transcript;

pub use call::{Call, Options, recall, recall_material, recall_more, search_threads};
pub use cancel::Cancel;
pub use error::{Reason, RecallError, Refusal};
pub use session::{LedgerVersion, SessionHeader};
