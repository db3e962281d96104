//! Files that belong to a Session: their records, and their bytes.

mod bytes;
mod record;
mod sniff;

pub use bytes::{ArtifactFailure, read_artifact};
pub use record::ArtifactRecord;
pub use sniff::sniffed_image;
