//! Admission: what an untrusted request asks for, or why it is refused.
//!
//! Every malformed shape is a refusal with a message that names the field.
//! Nothing of the workspace is touched before a request is admitted.

mod field;
mod material;
mod more;
mod privacy;
mod recall;
mod threads;

pub use material::MaterialRequest;
pub use more::MoreRequest;
pub use privacy::{INCOGNITO, Privacy, UNVERIFIED, privacy};
pub use recall::{RecallRequest, Term};
pub use threads::ThreadRequest;
