//! `recallMaterial`: a file that a message carries.
//!
//! Named by Session and id, never by a path. It resolves only when the Session
//! is eligible and a message of its transcript carries that id.

use crate::engine::{
    Call, Cancel, Reason, RecallError,
    artifact::{ArtifactFailure, ArtifactRecord, read_artifact, sniffed_image},
    host::{Host, HostAnswer},
    json::{Kind, RawValue},
    limits::{MAX_ATTACHMENT_BYTES, MAX_IMAGE_BYTES, MAX_TEXT_MATERIAL_BYTES},
    more::{find_session, not_found},
    passage::{Carried, carried},
    reply::MaterialContent,
    request::{INCOGNITO, MaterialRequest, privacy},
    source::{SessionBodies, Source, with_source},
    text::redact::redact,
};

/// What every material that may not be had answers.
const NOT_FOUND: &str = "That material was not found.";

/// Answers `recallMaterial`.
pub fn recall_material(
    call: &Call,
    host: &dyn Host,
    cancel: &Cancel,
) -> Result<MaterialContent, RecallError> {
    cancel.check()?;
    let request = MaterialRequest::parse(&call.request)?;
    let Some(active) = call.options.active_session_id.as_deref() else {
        return Err(not_found("Materials need an active Session."));
    };
    privacy(&host.privacy(cancel)?).admit(INCOGNITO)?;
    let found = with_source(call, host, cancel, |source| {
        let carried = find(call, &request, source)?;
        let is_own = source.root().is_some() && request.session_id == active;
        match host.fetches_material() && !is_own {
            true => Ok(None),
            false => native(&request, &carried, source).map(Some),
        }
    })?;
    // The source is closed by now: the host may take its time, write to the
    // workspace, and recall from it.
    let content = match found {
        Some(content) => content,
        None => ask_host(&request, active, host, cancel)?,
    };
    cancel.check()?;
    Ok(content)
}

/// How the Session's transcript carries the material.
fn find(
    call: &Call,
    request: &MaterialRequest,
    source: &mut dyn Source,
) -> Result<Carried, RecallError> {
    let (header, _) =
        find_session(call, &request.session_id, source)?.ok_or_else(|| not_found(NOT_FOUND))?;
    let Some(loaded) = source.load(&header, None)? else { return Err(not_found(NOT_FOUND)) };
    let bodies = &mut SessionBodies::new(source, &header);
    carried(&loaded.transcript.rows, bodies, &request.session_id, &request.material_id)?
        .ok_or_else(|| not_found(NOT_FOUND))
}

/// The host's `fetchMaterial`, which copies another Session's file into the
/// asking one.
fn ask_host(
    request: &MaterialRequest,
    active: &str,
    host: &dyn Host,
    cancel: &Cancel,
) -> Result<MaterialContent, RecallError> {
    let answer = host.fetch_material(&request.session_id, &request.material_id, active, cancel)?;
    match answer {
        HostAnswer::Value(json) => pass_on(&json),
        HostAnswer::Absent | HostAnswer::Declined | HostAnswer::Failed(_) => {
            Err(not_found(NOT_FOUND))
        }
    }
}

/// `{ok: true, content}`, or `{ok: false, reason, message}` of the host.
fn pass_on(json: &[u8]) -> Result<MaterialContent, RecallError> {
    let Some(answer) = RawValue::parse(json) else { return Err(not_found(NOT_FOUND)) };
    if answer.get("ok").and_then(RawValue::bool) == Some(true) {
        let has_content =
            answer.get("content").is_some_and(|content| content.kind() == Kind::Object);
        return match has_content {
            true => Ok(MaterialContent::Host(json.to_vec())),
            false => Err(not_found(NOT_FOUND)),
        };
    }
    let message = answer.get("message").and_then(RawValue::string);
    let message = message.map_or_else(|| NOT_FOUND.to_owned(), |text| redact(&text).into_owned());
    let unsupported = answer.get("reason").is_some_and(|reason| reason.is("unsupported"));
    let reason = if unsupported { Reason::InvalidQuery } else { Reason::NotFound };
    Err(RecallError::refused(reason, message))
}

fn native(
    request: &MaterialRequest,
    carried: &Carried,
    source: &mut dyn Source,
) -> Result<MaterialContent, RecallError> {
    let record = source.artifact(&request.session_id, &request.material_id)?;
    match carried {
        Carried::Image { mime_type } => image(request, mime_type, record.as_ref(), source),
        Carried::Attachment(file) => {
            let Some(record) =
                record.filter(|record| record.source.as_deref() == Some("user_upload"))
            else {
                return Err(not_found("That material is no longer kept."));
            };
            if file.kind == "pdf" || record.kind == "pdf" {
                return Err(RecallError::refused(
                    Reason::InvalidQuery,
                    "A PDF cannot be read back; open it in its own Session.",
                ));
            }
            if MAX_ATTACHMENT_BYTES < record.size_bytes {
                return Err(RecallError::refused(
                    Reason::InvalidQuery,
                    "That material is larger than 50 MiB and cannot be read back.",
                ));
            }
            if file.kind == "image" {
                return image(request, &file.mime_type, Some(&record), source);
            }
            text(&record, source)
        }
    }
}

fn image(
    request: &MaterialRequest,
    mime_type: &str,
    record: Option<&ArtifactRecord>,
    source: &mut dyn Source,
) -> Result<MaterialContent, RecallError> {
    let (mime_type, bytes) = match request.bytes {
        true => {
            let record = record.ok_or_else(|| not_found(NOT_FOUND))?;
            let (sniffed, bytes) = image_bytes(record, source)?;
            (sniffed.to_owned(), Some(bytes))
        }
        false => (redact(mime_type).into_owned(), None),
    };
    Ok(MaterialContent::Image {
        mime_type,
        session_id: request.session_id.clone(),
        relative_path: request.material_id.clone(),
        bytes,
    })
}

/// The bytes of an image, and the type that they show: the message that carries
/// it may declare another one.
fn image_bytes(
    record: &ArtifactRecord,
    source: &mut dyn Source,
) -> Result<(&'static str, Vec<u8>), RecallError> {
    let bytes = read(record, MAX_IMAGE_BYTES, source).map_err(|failure| match failure {
        ArtifactFailure::TooLarge => RecallError::refused(
            Reason::InvalidQuery,
            "That image is larger than 5 MiB; ask for its reference without `bytes`.",
        ),
        _ => not_found("That material could not be read."),
    })?;
    match sniffed_image(&bytes) {
        Some(sniffed) if record.mime_type.as_deref().is_none_or(|declared| declared == sniffed) => {
            Ok((sniffed, bytes))
        }
        _ => Err(not_found("That material is not the image that its record declares.")),
    }
}

fn text(record: &ArtifactRecord, source: &mut dyn Source) -> Result<MaterialContent, RecallError> {
    let bytes = read(record, MAX_TEXT_MATERIAL_BYTES, source)
        .map_err(|_| not_found("That material could not be read."))?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(MaterialContent::Text { text: redact(&text).into_owned() })
}

fn read(
    record: &ArtifactRecord,
    limit: u64,
    source: &mut dyn Source,
) -> Result<Vec<u8>, ArtifactFailure> {
    match source.root() {
        Some(root) => read_artifact(root, record, limit),
        None => Err(ArtifactFailure::Missing),
    }
}
