//! What the host records of an artifact.

use crate::engine::json::{RawValue, safe_integer};

/// A live artifact: `artifact_records.record_json`, `host/storage.md` 9.2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArtifactRecord {
    /// The artifact id.
    pub id: String,
    /// The Session that owns it.
    pub session_id: String,
    /// The file name, not redacted.
    pub name: String,
    /// `file`, `diff`, `html`, `image` or `pdf`.
    pub kind: String,
    /// What made it: `user_upload`, `tool_result` and others.
    pub source: Option<String>,
    /// The declared type.
    pub mime_type: Option<String>,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Where its bytes stand, below `artifacts` of the workspace.
    pub relative_path: String,
}

impl ArtifactRecord {
    /// Reads a record; `None` when a required field is missing or of another
    /// type, or when the record says that the artifact was deleted.
    #[must_use]
    pub fn read(json: RawValue<'_>) -> Option<Self> {
        let text =
            |key: &str| json.get(key).and_then(RawValue::string).map(|text| text.into_owned());
        if json.get("status").is_some_and(|status| status.is("deleted")) {
            return None;
        }
        Some(Self {
            id: text("id")?,
            session_id: text("sessionId")?,
            name: text("name")?,
            kind: text("kind")?,
            source: text("source"),
            mime_type: text("mimeType"),
            size_bytes: json.get("sizeBytes").and_then(safe_integer)? as u64,
            relative_path: text("relativePath")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<ArtifactRecord> {
        RawValue::parse(json.as_bytes()).and_then(ArtifactRecord::read)
    }

    const RECORD: &str = r#"{"id":"a","sessionId":"s","turnId":"t","createdAt":1,"name":"n.txt",
        "kind":"file","relativePath":"s/a-n.txt","source":"user_upload","sizeBytes":7}"#;

    #[test]
    fn a_record_is_read_whole() {
        let expected = ArtifactRecord {
            id: "a".into(),
            session_id: "s".into(),
            name: "n.txt".into(),
            kind: "file".into(),
            source: Some("user_upload".into()),
            mime_type: None,
            size_bytes: 7,
            relative_path: "s/a-n.txt".into(),
        };
        assert_eq!(read(RECORD), Some(expected));
    }

    #[test]
    fn what_is_deleted_or_malformed_is_no_record() {
        for (from, to) in [
            (r#""id":"a""#, r#""id":7"#),
            (r#""sizeBytes":7"#, r#""sizeBytes":-7"#),
            (r#""sizeBytes":7"#, r#""sizeBytes":7.5"#),
            (r#""sizeBytes":7"#, r#""sizeBytes":1e999"#),
            (r#""createdAt":1"#, r#""status":"deleted""#),
            (r#""relativePath":"s/a-n.txt","#, ""),
        ] {
            let broken = RECORD.replace(from, to);
            assert_ne!(broken, RECORD);
            assert_eq!(read(&broken), None, "{broken}");
        }
        assert!(read(&RECORD.replace(r#""createdAt":1"#, r#""status":"live""#)).is_some());
    }
}
