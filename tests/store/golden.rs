//! The golden workspaces, as the store sees them.

use recall_native::engine::{
    Cancel,
    artifact::{ArtifactFailure, read_artifact, sniffed_image},
    limits::{MAX_ATTACHMENT_BYTES, MAX_IMAGE_BYTES},
    store::{FactsRead, FactsStore},
    text::Narrowing,
};

use super::{header, open};
use crate::support::golden::copy;

#[test]
fn every_session_of_both_generations_is_read() {
    for (name, sessions) in [("tiny", 3), ("edge2", 62), ("empty", 0), ("badchunk", 2)] {
        for generation in ["headers", "openings"] {
            let folder = copy(&format!("{name}-{generation}"));
            let mut store = open(folder.path()).unwrap();
            let snapshot = store.snapshot().unwrap();
            let listed = snapshot.sessions().unwrap();
            assert_eq!((listed.headers.len(), listed.undecodable.len()), (sessions, 0), "{name}");
            for session in &listed.headers {
                let records = snapshot.read(session).unwrap();
                for event in &records.events {
                    let payload = snapshot.event_payload(event.rowid).unwrap().unwrap();
                    assert_eq!(records.bytes(&event.payload), payload);
                }
                for stream in &records.streams {
                    let key = std::str::from_utf8(records.bytes(&stream.key)).unwrap();
                    let text = snapshot.stream_text(key).unwrap().unwrap();
                    assert_eq!(records.bytes(&stream.text), text);
                }
                for message in &records.messages {
                    let again = snapshot.message(&session.id, message.sequence).unwrap();
                    assert_eq!(
                        message.json.as_ref().map(|span| records.bytes(span)),
                        again.as_deref()
                    );
                }
            }
        }
    }
}

#[test]
fn a_lost_chunk_makes_its_session_a_candidate_for_every_term() {
    for generation in ["headers", "openings"] {
        let folder = copy(&format!("badchunk-{generation}"));
        let mut store = open(folder.path()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let absent = Narrowing::new(&["no such word anywhere"]).unwrap();
        let mut broken = Vec::new();
        for session in snapshot.sessions().unwrap().headers {
            let records = snapshot.read(&session).unwrap();
            let is_broken = records.messages.iter().any(|message| message.json.is_none());
            assert_eq!(snapshot.may_hit(&session, &absent).unwrap(), is_broken);
            broken.extend(is_broken.then_some(session.id.clone()));
        }
        assert_eq!(broken.len(), 1);
    }
}

#[test]
fn artifacts_are_found_live_and_read_from_below_artifacts_only() {
    for generation in ["headers", "openings"] {
        let folder = copy(&format!("edge2-{generation}"));
        let mut store = open(folder.path()).unwrap();
        let snapshot = store.snapshot().unwrap();
        assert_eq!(&*header(&snapshot, "e-mat").id, "e-mat");
        let record = snapshot.artifact("e-mat", "art_m1").unwrap().unwrap();
        assert_eq!(record.kind, "image");
        assert_eq!(record.source.as_deref(), Some("user_upload"));
        assert_eq!(record.name, "image.png");
        assert_eq!(record.mime_type.as_deref(), Some("image/png"));
        assert_eq!(record.size_bytes, 2_048);
        assert_eq!(record.relative_path, "e-mat/art_m1-image.png");
        let bytes = read_artifact(folder.path(), &record, MAX_IMAGE_BYTES).unwrap();
        assert_eq!((bytes.len(), sniffed_image(&bytes)), (70, Some("image/png")));

        let record = snapshot.artifact("e-mat", "art_huge").unwrap().unwrap();
        assert_eq!(record.size_bytes, MAX_ATTACHMENT_BYTES + 1);
        let outcome = read_artifact(folder.path(), &record, MAX_ATTACHMENT_BYTES);
        assert_eq!(outcome, Err(ArtifactFailure::TooLarge));

        let unicode = snapshot.artifact("e-uni", "art_uni").unwrap().unwrap();
        assert_eq!(read_artifact(folder.path(), &unicode, 2_048).unwrap().len(), 70);
        assert_eq!(snapshot.artifact("e-mat", "art_deleted").unwrap(), None);
        assert_eq!(snapshot.artifact("e-uni", "art_m1").unwrap(), None);
        assert_eq!(snapshot.artifact("e-mat", "nothing").unwrap(), None);
    }
}

#[test]
fn facts_are_read_or_reported() {
    for generation in ["headers", "openings"] {
        let edge = copy(&format!("edge2-{generation}"));
        let facts = FactsStore::default().read(edge.path(), None, &Cancel::default());
        let FactsRead::Items(items) = facts else { panic!("{facts:?}") };
        assert!(items.iter().all(|item| !item.content.is_empty()));
        assert!(items.is_sorted_by(|one, next| one.id < next.id));
        let tiny = copy(&format!("tiny-{generation}"));
        assert_eq!(
            FactsStore::default().read(tiny.path(), None, &Cancel::default()),
            FactsRead::Missing
        );
        let bad = copy(&format!("badfacts-{generation}"));
        let facts = FactsStore::default().read(bad.path(), None, &Cancel::default());
        assert!(matches!(facts, FactsRead::Unavailable(_)), "{facts:?}");
        assert!(open(bad.path()).is_ok());
    }
}
