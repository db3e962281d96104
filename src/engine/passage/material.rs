//! The files of a message, and which of them may be located.
//!
//! A location is offered only for an artifact of a Session that the viewer may
//! search, and never for a PDF, which cannot be read back.

use std::borrow::Cow;

use super::Viewer;
use crate::engine::{
    json::RawValue,
    limits::MESSAGE_MATERIALS,
    reply::{MaterialLocation, MessageMaterial},
    text::redact::redact,
    transcript::{Attachment, Body, FileRef},
};

/// Where the host reads a file of the Session that asks.
const RESOURCE: &str = "maka://runtime/attachments/";

/// The files that `body` carries as a message of a passage shows them.
pub(super) fn of_message(body: &Body, viewer: &Viewer) -> Vec<MessageMaterial> {
    attachments(body).iter().take(MESSAGE_MATERIALS).map(|file| shown(file, viewer)).collect()
}

/// The attachments of a user message; other messages have none.
pub(super) fn attachments(body: &Body) -> &[Attachment] {
    match body {
        Body::User { attachments, .. } => attachments,
        Body::Assistant { .. } | Body::ToolCall { .. } | Body::ToolResult { .. } => &[],
    }
}

fn shown(file: &Attachment, viewer: &Viewer) -> MessageMaterial {
    let Attachment { kind, name, mime_type, bytes, reference } = file;
    let location = match reference {
        FileRef::SessionFile { session_id, relative_path }
            if may_locate(kind, session_id, relative_path, viewer) =>
        {
            Some(location(session_id, relative_path, viewer))
        }
        FileRef::SessionFile { .. } | FileRef::WorkspaceFile | FileRef::ExternalFile => None,
    };
    MessageMaterial {
        name: redact(name).into_owned(),
        kind: kind.clone(),
        mime_type: redact(mime_type).into_owned(),
        bytes: *bytes,
        location,
    }
}

fn location(session_id: &str, artifact_id: &str, viewer: &Viewer) -> MaterialLocation {
    if viewer.active_session_id.as_deref() == Some(session_id) {
        return MaterialLocation::Resource(format!("{RESOURCE}{artifact_id}"));
    }
    MaterialLocation::Source {
        session_id: session_id.to_owned(),
        material_id: artifact_id.to_owned(),
    }
}

/// Whether the viewer may learn where an artifact of a Session is.
pub(super) fn may_locate(kind: &str, session_id: &str, artifact_id: &str, viewer: &Viewer) -> bool {
    kind != "pdf" && is_artifact_id(artifact_id) && viewer.eligible.contains(session_id)
}

/// `^[A-Za-z0-9_-]{1,128}$`: `host/storage.md` 9.1.
fn is_artifact_id(id: &str) -> bool {
    (1..=128).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// An image that a tool answered with, kept as an artifact of a Session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ToolImage {
    pub(super) mime_type: String,
    pub(super) session_id: String,
    pub(super) artifact_id: String,
}

/// The image in `body`, when it is a tool result that is one: content of kind
/// `image` with a `session_file` reference.
pub(super) fn tool_image(body: &Body) -> Option<ToolImage> {
    let Body::ToolResult { content, .. } = body else { return None };
    let content = RawValue::parse(content)?;
    let reference = content.get("ref")?;
    if !content.get("kind")?.is("image") || !reference.get("kind")?.is("session_file") {
        return None;
    }
    let text = |of: RawValue<'_>, key| of.get(key)?.string().map(Cow::into_owned);
    Some(ToolImage {
        mime_type: text(content, "mimeType")?,
        session_id: text(reference, "sessionId")?,
        artifact_id: text(reference, "relativePath")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::passage::held::{artifact, assistant, tool_result, user, viewer};

    fn locations(files: Vec<Attachment>, viewer: &Viewer) -> Vec<Option<MaterialLocation>> {
        of_message(&user("", files), viewer).into_iter().map(|file| file.location).collect()
    }

    #[test]
    fn a_location_is_offered_for_an_artifact_of_an_eligible_session() {
        let files = vec![
            artifact("image", "a.png", "here", "art_1"),
            artifact("code", "b.rs", "there", "art-2"),
            artifact("image", "c.png", "gone", "art_3"),
            artifact("pdf", "d.pdf", "here", "art_4"),
            artifact("image", "e.png", "here", "not canonical"),
            artifact("image", "f.png", "here", ""),
            artifact("image", "g.png", "here", &"x".repeat(129)),
        ];
        let source = |session_id: &str, material_id: &str| {
            Some(MaterialLocation::Source {
                session_id: session_id.to_owned(),
                material_id: material_id.to_owned(),
            })
        };
        let here = "maka://runtime/attachments/art_1".to_owned();
        let here = Some(MaterialLocation::Resource(here));
        let (none, there) = (None, source("there", "art-2"));
        assert_eq!(
            locations(files.clone(), &viewer(Some("here"), &["here", "there"])),
            [
                here,
                there.clone(),
                none.clone(),
                none.clone(),
                none.clone(),
                none.clone(),
                none.clone()
            ]
        );
        let elsewhere = locations(files.clone(), &viewer(None, &["here", "there"]));
        assert_eq!(elsewhere[..2], [source("here", "art_1"), there]);
        // The Session that asks may itself be one that may not be searched.
        assert_eq!(locations(files, &viewer(Some("here"), &[]))[0], none);
    }

    #[test]
    fn files_that_are_no_artifacts_have_no_location() {
        let mut files = vec![artifact("doc", "a.md", "s", "art_1"); 2];
        files[0].reference = FileRef::WorkspaceFile;
        files[1].reference = FileRef::ExternalFile;
        assert_eq!(locations(files, &viewer(Some("s"), &["s"])), [None, None]);
    }

    #[test]
    fn eight_files_with_their_names_redacted() {
        let mut files = vec![artifact("image", "log ghp_0123456789abcdefghij.txt", "s", "art_1")];
        files.resize(12, artifact("image", "more.png", "s", "art_1"));
        let shown = of_message(&user("", files), &viewer(None, &[]));
        assert_eq!(shown.len(), 8);
        assert_eq!(
            shown[0],
            MessageMaterial {
                name: "log [redacted].txt".to_owned(),
                kind: "image".to_owned(),
                mime_type: "image/png".to_owned(),
                bytes: 2048.0,
                location: None,
            }
        );
    }

    #[test]
    fn an_image_result_is_one_by_shape() {
        let content = r#"{"kind":"image","mimeType":"image/webp",
            "ref":{"kind":"session_file","sessionId":"s","relativePath":"art_9"}}"#;
        let image = ToolImage {
            mime_type: "image/webp".to_owned(),
            session_id: "s".to_owned(),
            artifact_id: "art_9".to_owned(),
        };
        assert_eq!(tool_image(&tool_result(content)), Some(image));
        for (part, other) in [
            (r#""image","#, r#""json","#),
            ("session_file", "external_file"),
            (r#""sessionId":"s","#, ""),
            (r#""art_9""#, "9"),
            (r#""mimeType":"image/webp","#, ""),
            (r#"}}"#, "}"),
        ] {
            assert_eq!(tool_image(&tool_result(&content.replace(part, other))), None, "{part}");
        }
        assert_eq!(tool_image(&assistant(content)), None);
    }
}
