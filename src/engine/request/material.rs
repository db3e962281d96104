//! What `recallMaterial` is asked: `semantics.md` 10. Never a path.

use super::field::{id, invalid, object, split};
use crate::engine::{RecallError, json::RawValue};

/// An admitted request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaterialRequest {
    /// The Session that owns the material.
    pub session_id: String,
    /// Its artifact id.
    pub material_id: String,
    /// Whether the bytes of an image are asked for.
    pub bytes: bool,
}

impl MaterialRequest {
    /// Admits `request`, JSON of the caller's value.
    pub fn parse(request: &[u8]) -> Result<Self, RecallError> {
        let request = object(request, "Material request must be an object.")?;
        let named = match request.get("id") {
            Some(name) => split(name),
            None => {
                request.get("sessionId").and_then(id).zip(request.get("materialId").and_then(id))
            }
        };
        let (session_id, material_id) = named
            .ok_or_else(|| invalid("A material is named by its Session and its material id."))?;
        let bytes = match request.get("bytes") {
            None => false,
            Some(value) => RawValue::bool(value)
                .ok_or_else(|| invalid("Material `bytes` must be true or false."))?,
        };
        Ok(Self { session_id, material_id, bytes })
    }
}
