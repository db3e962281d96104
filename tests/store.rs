//! The store over databases on disk, of both generations.

#![expect(clippy::disallowed_methods, reason = "what is read here is no database in use")]

mod support;

#[path = "store/count.rs"]
mod count;
#[path = "store/facts.rs"]
mod facts;
#[path = "store/golden.rs"]
mod golden;
#[path = "store/marker.rs"]
mod marker;
#[path = "store/narrow.rs"]
mod narrow;
#[path = "store/open.rs"]
mod open;
#[path = "store/read.rs"]
mod read;
#[path = "store/snapshot.rs"]
mod snapshot;

use std::path::Path;

use recall_native::engine::{
    Cancel, Reason, RecallError, SessionHeader,
    store::{Snapshot, Store},
};

fn open(root: &Path) -> Result<Store, RecallError> {
    Store::open(root, &Cancel::default())
}

/// The header of a Session of the snapshot.
fn header(snapshot: &Snapshot<'_>, id: &str) -> SessionHeader {
    let sessions = snapshot.sessions().unwrap();
    let header = sessions.headers.iter().find(|header| &*header.id == id).unwrap();
    SessionHeader::clone(header)
}

/// Why there was no answer.
#[track_caller]
fn refused<T>(outcome: Result<T, RecallError>) -> (Reason, String) {
    match outcome {
        Err(RecallError::Refused(refusal)) => (refusal.reason, refusal.message),
        Err(error) => panic!("{error}"),
        Ok(_) => panic!("it was not refused"),
    }
}
