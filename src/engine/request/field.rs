//! Fields of a request.

use crate::engine::{
    Reason, RecallError,
    json::{Kind, RawValue},
    limits::MAX_ID_UNITS,
    text::{trim, utf16_len},
};

/// A request that is refused for its shape.
pub(super) fn invalid(message: &str) -> RecallError {
    RecallError::refused(Reason::InvalidQuery, message)
}

/// The request as an object.
pub(super) fn object<'a>(request: &'a [u8], message: &str) -> Result<RawValue<'a>, RecallError> {
    RawValue::parse(request)
        .filter(|value| value.kind() == Kind::Object)
        .ok_or_else(|| invalid(message))
}

/// A trimmed id of 1–256 UTF-16 units.
pub(super) fn id(value: RawValue<'_>) -> Option<String> {
    let text = value.string()?;
    let id = trim(&text);
    (!id.is_empty() && utf16_len(id) <= MAX_ID_UNITS).then(|| id.to_owned())
}

/// The two halves of an `anchor` or a material `id`: cut at the first `/`.
pub(super) fn split(value: RawValue<'_>) -> Option<(String, String)> {
    let text = value.string()?;
    let (session, rest) = text.split_once('/')?;
    let half = |text: &str| {
        let id = trim(text);
        (!id.is_empty() && utf16_len(id) <= MAX_ID_UNITS).then(|| id.to_owned())
    };
    Some((half(session)?, half(rest)?))
}

/// A whole number from `low` to `high`.
pub(super) fn integer(value: RawValue<'_>, low: usize, high: usize) -> Option<usize> {
    let number = value.number()?;
    (number.fract() == 0.0 && low as f64 <= number && number <= high as f64)
        .then_some(number as usize)
}
