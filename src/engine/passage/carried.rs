//! Whether a transcript carries a file: the containment check of `recallMaterial`.

use super::{Bodies, material};
use crate::engine::{
    RecallError,
    transcript::{Attachment, FileRef, Row, RowKind},
};

/// How a transcript carries a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Carried {
    /// Attached to a user message.
    Attachment(Attachment),
    /// Answered by a tool.
    Image {
        /// The declared type.
        mime_type: String,
    },
}

/// The first row that refers to the artifact `artifact_id` of `session_id`: as
/// an attachment, else as the image of a tool result.
///
/// # Errors
/// The contents of a row cannot be read, or the work was cancelled.
pub fn carried(
    rows: &[Row],
    bodies: &mut dyn Bodies,
    session_id: &str,
    artifact_id: &str,
) -> Result<Option<Carried>, RecallError> {
    for row in rows.iter().filter(|row| row.may_carry_files && row.kind == RowKind::User) {
        let Some(body) = bodies.body(row)? else { continue };
        let found = material::attachments(&body)
            .iter()
            .find(|file| refers_to(&file.reference, session_id, artifact_id));
        if let Some(file) = found {
            return Ok(Some(Carried::Attachment(file.clone())));
        }
    }
    for row in rows.iter().filter(|row| row.may_carry_files && row.kind == RowKind::ToolResult) {
        let Some(image) = bodies.body(row)?.as_ref().and_then(material::tool_image) else {
            continue;
        };
        if image.session_id == session_id && image.artifact_id == artifact_id {
            return Ok(Some(Carried::Image { mime_type: image.mime_type }));
        }
    }
    Ok(None)
}

fn refers_to(reference: &FileRef, session: &str, artifact: &str) -> bool {
    match reference {
        FileRef::SessionFile { session_id, relative_path } => {
            session_id == session && relative_path == artifact
        }
        FileRef::WorkspaceFile | FileRef::ExternalFile => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::passage::held::{Held, artifact, tool_result, user};

    fn image(session_id: &str, id: &str) -> String {
        format!(
            r#"{{"kind":"image","mimeType":"image/webp","ref":
                {{"kind":"session_file","sessionId":"{session_id}","relativePath":"{id}"}}}}"#
        )
    }

    #[test]
    fn attachments_win_over_images_and_the_first_over_the_next() {
        let mut held = Held::new("s");
        held.push("r1", None, tool_result(&image("s", "both")))
            .push("r2", None, tool_result(&image("s", "shot")))
            .push("u1", None, user("", vec![artifact("pdf", "first", "s", "both")]))
            .push("u2", None, user("", vec![artifact("image", "second", "s", "both")]));
        let (session, bodies) = held.parts();
        let mut find =
            |session_id: &str, id: &str| carried(session.rows, bodies, session_id, id).unwrap();
        let first = artifact("pdf", "first", "s", "both");
        assert_eq!(find("s", "both"), Some(Carried::Attachment(first)));
        let mime_type = "image/webp".to_owned();
        assert_eq!(find("s", "shot"), Some(Carried::Image { mime_type }));
        assert_eq!(find("t", "shot"), None);
        assert_eq!(find("s", "sho"), None);
    }
}
