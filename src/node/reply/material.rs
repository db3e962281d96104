//! Files of the past: as listed, and as fetched.

use napi::bindgen_prelude::*;
use napi_derive::napi;

use crate::engine::reply::{Material, MaterialLocation, MessageMaterial};

/// A file of the asking Session, carried by a message.
#[napi(object, object_from_js = false)]
pub struct RecallResourceMaterial {
    /// The file name, redacted.
    pub name: String,
    /// What kind of file.
    #[napi(ts_type = "RecallMaterialKind")]
    pub kind: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: f64,
    /// `maka://runtime/attachments/<id>`: how the host reads it.
    pub resource: String,
}

/// A file of another Session, carried by a message: `recallMaterial` fetches it.
#[napi(object, object_from_js = false)]
pub struct RecallSourceMaterial {
    /// The file name, redacted.
    pub name: String,
    /// What kind of file.
    #[napi(ts_type = "RecallMaterialKind")]
    pub kind: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: f64,
    /// `sessionId` of `recallMaterial`'s request.
    pub source_session_id: String,
    /// `materialId` of `recallMaterial`'s request.
    pub material_id: String,
}

/// A file that a message carries and that cannot be read from here.
#[napi(object, object_from_js = false)]
pub struct RecallListedMaterial {
    /// The file name, redacted.
    pub name: String,
    /// What kind of file.
    #[napi(ts_type = "RecallMaterialKind")]
    pub kind: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: f64,
}

/// A file of the turn that a passage comes from.
#[napi(object, object_from_js = false)]
pub struct RecallTurnMaterial {
    /// `<sessionId>/<artifactId>`: what `recallMaterial` takes. Absent when it cannot be fetched.
    pub id: Option<String>,
    /// What kind of file.
    #[napi(ts_type = "RecallMaterialKind")]
    pub kind: String,
    /// The file name, redacted.
    pub name: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes, where it is recorded.
    pub bytes: Option<f64>,
    /// The Session it was found in.
    pub session_id: String,
    /// The turn it was found in.
    pub turn_id: Option<String>,
    /// The message that carries it.
    pub message_id: String,
}

/// The answer of `recallMaterial`.
#[napi(object, object_from_js = false)]
pub struct RecallMaterialAnswer {
    /// Tells an answer from a failure.
    #[napi(ts_type = "true")]
    pub ok: bool,
    /// The file: untrusted data of the past.
    #[napi(ts_type = "RecallMaterialContent")]
    pub content: Either<RecallImageContent, RecallTextContent>,
    /// The file's bytes; only of an image, and when the request said `bytes: true`.
    pub bytes: Option<Buffer>,
}

/// An image, as the host turns it into a part for a provider.
#[napi(object, object_from_js = false)]
pub struct RecallImageContent {
    /// What it is.
    #[napi(ts_type = "'image'")]
    pub kind: &'static str,
    /// The declared type.
    pub mime_type: String,
    /// Where it is.
    #[napi(js_name = "ref")]
    pub reference: RecallMaterialRef,
}

/// Where an image is.
#[napi(object, object_from_js = false)]
pub struct RecallMaterialRef {
    /// A file of a Session.
    #[napi(ts_type = "'session_file'")]
    pub kind: &'static str,
    /// The Session that owns it.
    pub session_id: String,
    /// Its artifact id.
    pub relative_path: String,
}

/// The redacted text of a file.
#[napi(object, object_from_js = false)]
pub struct RecallTextContent {
    /// What it is.
    #[napi(ts_type = "'text'")]
    pub kind: &'static str,
    /// The text.
    pub text: String,
}

/// `RecallMessageMaterial` of the interface.
pub(super) type AnyMessageMaterial =
    Either3<RecallResourceMaterial, RecallSourceMaterial, RecallListedMaterial>;

pub(super) fn of_message(material: MessageMaterial) -> AnyMessageMaterial {
    let MessageMaterial { name, kind, mime_type, bytes, location } = material;
    match location {
        Some(MaterialLocation::Resource(resource)) => {
            Either3::A(RecallResourceMaterial { name, kind, mime_type, bytes, resource })
        }
        Some(MaterialLocation::Source { session_id, material_id }) => {
            Either3::B(RecallSourceMaterial {
                name,
                kind,
                mime_type,
                bytes,
                source_session_id: session_id,
                material_id,
            })
        }
        None => Either3::C(RecallListedMaterial { name, kind, mime_type, bytes }),
    }
}

impl From<Material> for RecallTurnMaterial {
    fn from(material: Material) -> Self {
        let Material { id, kind, name, mime_type, bytes, session_id, turn_id, message_id } =
            material;
        Self {
            id,
            kind,
            name,
            mime_type,
            bytes,
            session_id: session_id.as_ref().to_owned(),
            turn_id: turn_id.as_deref().map(str::to_owned),
            message_id: message_id.as_ref().to_owned(),
        }
    }
}

impl RecallMaterialAnswer {
    pub(in crate::node) fn image(
        mime_type: String,
        session_id: String,
        relative_path: String,
        bytes: Option<Vec<u8>>,
    ) -> Self {
        let reference = RecallMaterialRef { kind: "session_file", session_id, relative_path };
        let content = Either::A(RecallImageContent { kind: "image", mime_type, reference });
        Self { ok: true, content, bytes: bytes.map(Into::into) }
    }

    pub(in crate::node) fn text(text: String) -> Self {
        Self { ok: true, content: Either::B(RecallTextContent { kind: "text", text }), bytes: None }
    }
}
