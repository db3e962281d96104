//! Everything that knows nothing about JavaScript.

mod call;
mod cancel;
mod error;
pub mod host;
pub mod json;
pub mod limits;
pub mod reply;
mod session;
pub mod text;
pub mod transcript;

pub use call::{Call, Options, recall, recall_material, recall_more, search_threads};
pub use cancel::Cancel;
pub use error::{Reason, RecallError, Refusal};
pub use session::{LedgerVersion, SessionHeader};
