//! What `recallMaterial` hands over, and under which type.

mod support;

use recall_native::engine::{
    Call, Cancel, Options, Reason, RecallError, Refusal, recall_material, reply::MaterialContent,
};
use serde_json::{Value, json};
use support::{
    host::Open,
    workspace::{GENERATIONS, Run, Workspace},
};

const JPEG: &[u8] = b"\xff\xd8\xff\xe0 not a whole one";
const RUN: Run<'_> = Run { session: "s", run: "r", turn: "t" };

/// A material in bytes: attached as a PNG, and recorded and kept as this.
fn material(bytes: &[u8], record: &Value) -> [Result<MaterialContent, RecallError>; 2] {
    GENERATIONS.map(|generation| {
        let workspace = Workspace::new(generation);
        workspace.session("s", json!({}));
        workspace.open(RUN);
        let attachment = json!({
            "kind": "image", "name": "note.txt", "mimeType": "image/png", "bytes": bytes.len(),
            "ref": {"kind": "session_file", "sessionId": "s", "relativePath": "art_1"},
        });
        let content = json!({"kind": "text", "text": "look", "attachments": [attachment]});
        let fields = json!({"content": content, "role": "user", "author": "user"});
        workspace.event_with(RUN, "text", fields);
        workspace.complete(RUN);
        workspace.artifact("s", "art_1", bytes, record.clone());
        let call = Call {
            request: json!({"id": "s/art_1", "bytes": true}).to_string().into_bytes(),
            workspace_root: Some(workspace.root().to_owned()),
            options: Options { active_session_id: Some("s".to_owned()), ..Options::default() },
            ..Call::default()
        };
        recall_material(&call, &Open, &Cancel::default())
    })
}

#[test]
fn a_pdf_that_is_attached_as_an_image_is_none() {
    for record in [json!({"mimeType": "application/pdf"}), json!({"mimeType": null})] {
        for answer in material(b"%PDF-1.7 and more", &record) {
            let Err(RecallError::Refused(Refusal { reason, message })) = answer else {
                panic!("a PDF was handed over as an image")
            };
            assert_eq!(reason, Reason::NotFound);
            assert_eq!(message, "That material is not the image that its record declares.");
        }
    }
}

#[test]
fn the_type_of_an_image_is_that_of_its_bytes_not_that_of_the_message() {
    for record in [json!({"mimeType": "image/jpeg"}), json!({"mimeType": null})] {
        for answer in material(JPEG, &record) {
            let Ok(MaterialContent::Image { mime_type, bytes, .. }) = answer else {
                panic!("no image: {answer:?}")
            };
            assert_eq!((&*mime_type, bytes.as_deref()), ("image/jpeg", Some(JPEG)));
        }
    }
}
