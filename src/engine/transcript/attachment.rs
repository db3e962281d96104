//! The files of a user message: `host/storage.md` 9.1.

use super::{Attachment, FileRef};
use crate::engine::json::{Kind, RawValue, safe_integer};

/// The attachments of the declared shape, in order; others are left out, as
/// the host's Recall leaves them out.
pub(super) fn attachments(value: Option<RawValue<'_>>) -> Vec<Attachment> {
    value.map(|list| list.elements().filter_map(attachment).collect()).unwrap_or_default()
}

fn attachment(value: RawValue<'_>) -> Option<Attachment> {
    let (mut kind, mut name, mut mime_type, mut bytes, mut reference) = Default::default();
    for (key, value) in value.entries() {
        match &*key.decode() {
            "kind" => kind = Some(value),
            "name" => name = Some(value),
            "mimeType" => mime_type = Some(value),
            "bytes" => bytes = Some(value),
            "ref" => reference = Some(value),
            _ => {}
        }
    }
    let kind = kind?.string()?;
    if !matches!(&*kind, "image" | "pdf" | "doc" | "code" | "other") {
        return None;
    }
    Some(Attachment {
        kind: kind.into_owned(),
        name: name?.string()?.into_owned(),
        mime_type: mime_type?.string()?.into_owned(),
        bytes: safe_integer(bytes?)?,
        reference: file_ref(reference?)?,
    })
}

fn file_ref(value: RawValue<'_>) -> Option<FileRef> {
    let text = |key| value.get(key)?.string();
    match &*text("kind")? {
        "session_file" => Some(FileRef::SessionFile {
            session_id: text("sessionId")?.into_owned(),
            relative_path: text("relativePath")?.into_owned(),
        }),
        "workspace_file" => {
            (value.get("relativePath")?.kind() == Kind::String).then_some(FileRef::WorkspaceFile)
        }
        "external_file" => {
            (value.get("absolutePath")?.kind() == Kind::String).then_some(FileRef::ExternalFile)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Vec<Attachment> {
        attachments(RawValue::parse(json.as_bytes()))
    }

    fn one(kind: &str, bytes: &str, reference: &str) -> Vec<FileRef> {
        let json = format!(
            r#"[{{"kind":"{kind}","name":"n","mimeType":"m","bytes":{bytes},"ref":{reference}}}]"#
        );
        read(&json).into_iter().map(|attachment| attachment.reference).collect()
    }

    #[test]
    fn every_kind_of_reference() {
        let workspace = r#"{"kind":"workspace_file","relativePath":"a.rs"}"#;
        assert_eq!(one("code", "0", workspace), [FileRef::WorkspaceFile]);
        let external = r#"{"kind":"external_file","absolutePath":"/a"}"#;
        assert_eq!(one("doc", "7", external), [FileRef::ExternalFile]);
        let session = r#"{"relativePath":"art","sessionId":"s","kind":"session_file","x":1}"#;
        assert_eq!(
            one("image", "9007199254740991", session),
            [FileRef::SessionFile { session_id: "s".into(), relative_path: "art".into() }]
        );
    }

    #[test]
    fn another_shape_is_left_out() {
        let reference = r#"{"kind":"external_file","absolutePath":"/a"}"#;
        assert_eq!(one("video", "1", reference), []);
        assert_eq!(one("image", "1.5", reference), []);
        assert_eq!(one("image", "-1", reference), []);
        assert_eq!(one("image", "1e999", reference), []);
        assert_eq!(one("image", "null", reference), []);
        assert_eq!(one("image", "1", r#"{"kind":"external_file"}"#), []);
        assert_eq!(one("image", "1", r#"{"kind":"session_file","sessionId":"s"}"#), []);
        assert_eq!(read(r#"[null,{"kind":"image"},7]"#), []);
        assert_eq!(read(r#"{"0":1}"#), []);
    }
}
