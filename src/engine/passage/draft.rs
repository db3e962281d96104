//! A message as it may be shown, before it is cut.

use std::sync::Arc;

use super::{Bodies, SessionView, Viewer, material};
use crate::engine::{
    RecallError,
    reply::{MatchKind, MessageMaterial},
    text::{
        message::{Redacted, redacted},
        trim,
    },
    transcript::{Body, RowKind},
};

/// A row with its redacted contents.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) row: usize,
    pub(super) message_id: Arc<str>,
    pub(super) match_kind: MatchKind,
    pub(super) timestamp: f64,
    /// The whole text, redacted and trimmed.
    pub(super) text: String,
    /// Whether the text was cut before, so that there is more of it than can be shown.
    pub(super) capped: bool,
    pub(super) materials: Option<Vec<MessageMaterial>>,
}

impl Draft {
    /// What row `row` shows; `None` when that is neither a text nor a file.
    pub(super) fn of(
        session: SessionView<'_>,
        row: usize,
        viewer: &Viewer,
        bodies: &mut dyn Bodies,
    ) -> Result<Option<Self>, RecallError> {
        let Some(place) = session.rows.get(row) else { return Ok(None) };
        let Some(match_kind) = match_kind(place.kind) else { return Ok(None) };
        let Some(body) = bodies.body(place)? else { return Ok(None) };
        let (text, capped) = shown_text(&body);
        let materials = material::of_message(&body, viewer);
        if text.is_empty() && materials.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self {
            row,
            message_id: place.id.clone(),
            match_kind,
            timestamp: place.ts,
            text,
            capped,
            materials: (!materials.is_empty()).then_some(materials),
        }))
    }
}

/// As what a row stands in a passage; `None` for rows without contents.
pub(super) fn match_kind(kind: RowKind) -> Option<MatchKind> {
    match kind {
        RowKind::User => Some(MatchKind::User),
        RowKind::Assistant => Some(MatchKind::Assistant),
        RowKind::ToolCall => Some(MatchKind::ToolIntent),
        RowKind::ToolResult => Some(MatchKind::ToolResult),
        RowKind::Other(_) => None,
    }
}

/// Whether a message with this contents shows a text or a file.
pub(super) fn shows_anything(body: &Body) -> bool {
    !material::attachments(body).is_empty() || !shown_text(body).0.is_empty()
}

/// The text that a message shows, whole, and whether it was cut before.
fn shown_text(body: &Body) -> (String, bool) {
    let Some(Redacted { text, prose, cut }) = redacted(body) else {
        return (String::new(), false);
    };
    (trim(&text[..prose]).to_owned(), cut)
}
