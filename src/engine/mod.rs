//! Everything that knows nothing about JavaScript.
//!
//! A query travels: [`request`] admits it, [`source`] names and reads the
//! Sessions that [`eligible`] allows, [`store`] delivers their rows,
//! [`transcript`] says what they mean, [`rank`] verifies and scores the
//! messages, [`passage`] cuts what is shown. [`recall()`] is that way in one file;
//! [`mod@warm`] keeps texts between answers.

pub mod artifact;
mod call;
mod cancel;
pub mod coverage;
mod dates;
pub mod eligible;
mod error;
pub mod facts;
pub mod gaps;
pub mod host;
pub mod json;
pub mod limits;
mod material;
mod more;
pub mod passage;
mod pool;
#[cfg(test)]
#[path = "../../tests/support/random.rs"]
mod random;
pub mod rank;
mod recall;
pub mod reply;
pub mod request;
mod session;
pub mod source;
pub mod store;
pub mod text;
pub mod threads;
pub mod transcript;
pub mod warm;

pub use call::{Call, Options};
pub use cancel::Cancel;
pub use error::{Reason, RecallError, Refusal};
pub use material::recall_material;
pub use more::recall_more;
pub use pool::with_threads;
pub use recall::recall;
pub use session::{LedgerVersion, SessionHeader};
pub use threads::search_threads;
pub use warm::{RecallStats, WarmOptions, WarmReport, release, stats, warm};
