//! What is matched of a row: its words, in place.
//!
//! The projection checks every payload once. It notes where the words of a row
//! stand in it ([`WordsAt`]), and they are read from there without another look
//! at the payload.

use std::{borrow::Cow, ops::Range};

use super::{
    Attachment, Body,
    attachment::attachments,
    envelope::{Done, Said},
    event::{Content, Role},
    result::Shown,
};
use crate::engine::json::{RawString, RawValue};

/// The words of a searchable row.
#[derive(Clone, Debug)]
pub enum Words<'a> {
    /// What somebody said.
    Said {
        /// What was shown, an assistant's text, or the intent of a call.
        prose: Cow<'a, str>,
        /// The names of the files that came with it.
        names: Vec<String>,
    },
    /// What a tool answered.
    Result {
        /// The `content` of the row, after the conversions of the projection.
        content: Document<'a>,
        /// The result as it is stored, where a conversion wrote a text that no
        /// store holds: a term has to stand in it as well.
        stored: Option<Document<'a>>,
    },
}

/// A JSON document.
#[derive(Clone, Debug)]
pub enum Document<'a> {
    /// One that was checked, in place.
    Checked(RawValue<'a>),
    /// One that was made, or comes from somebody else.
    Made(Cow<'a, [u8]>),
}

impl<'a> Document<'a> {
    fn borrowed(json: &'a [u8]) -> Self {
        Self::Made(Cow::Borrowed(json))
    }

    /// Its value; `None` when it is no JSON.
    #[must_use]
    pub fn value(&self) -> Option<RawValue<'_>> {
        match self {
            Self::Checked(value) => Some(*value),
            Self::Made(json) => RawValue::parse(json),
        }
    }

    /// Its bytes.
    pub(super) fn into_bytes(self) -> Box<[u8]> {
        match self {
            Self::Checked(value) => value.bytes().into(),
            Self::Made(json) => json.into(),
        }
    }
}

impl Body {
    /// What is matched of it; `None` of a call without an intent.
    #[must_use]
    pub fn words(&self) -> Option<Words<'_>> {
        Some(match self {
            Self::User { text, display_text, attachments } => Words::Said {
                prose: display_text.as_ref().unwrap_or(text).into(),
                names: attachments.iter().map(|Attachment { name, .. }| name.clone()).collect(),
            },
            Self::Assistant { text } => Words::said(text),
            Self::ToolCall { intent, tool_name: _ } => Words::said(intent.as_ref()?),
            Self::ToolResult { content, stored, tool_use_id: _, is_error: _ } => {
                let stored = stored.as_deref().map(Document::borrowed);
                Words::Result { content: Document::borrowed(content), stored }
            }
        })
    }
}

impl<'a> Words<'a> {
    /// Prose without files.
    pub(super) fn said(prose: impl Into<Cow<'a, str>>) -> Self {
        Self::Said { prose: prose.into(), names: Vec::new() }
    }

    /// The words of a result. One that the projection would refuse stays as it
    /// is: a message of a host callback may hold anything.
    pub(super) fn of_result(result: RawValue<'a>) -> Self {
        match Shown::of(result) {
            Some(shown) => {
                let stored = shown.stored().map(Document::Checked);
                Self::Result { content: shown.document(), stored }
            }
            None => Self::Result { content: Document::Checked(result), stored: None },
        }
    }

    /// The same, apart from the body they are of.
    #[must_use]
    pub fn into_owned(self) -> Words<'static> {
        let own =
            |document: Document<'_>| Document::Made(Cow::Owned(document.into_bytes().into_vec()));
        match self {
            Self::Said { prose, names } => Words::Said { prose: prose.into_owned().into(), names },
            Self::Result { content, stored } => {
                Words::Result { content: own(content), stored: stored.map(own) }
            }
        }
    }
}

/// Where the words of an event stand in its payload.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum WordsAt {
    #[default]
    Nowhere,
    /// A user message: its text, what was shown instead, its attachments.
    User { text: At, shown: Option<At>, files: Option<At> },
    /// A text.
    Text(At),
    /// The changes of state that hold the intent of a call.
    Intent(At),
    /// A result that is shown as it is stored.
    Result(At),
    /// A result that is shown in another form.
    Converted(At),
}

/// A part of a payload: a row of SQLite has fewer than 2^31 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    start: u32,
    end: u32,
}

impl At {
    fn of(value: RawValue<'_>, payload: &[u8]) -> Option<Self> {
        let Range { start, end } = value.place_in(payload);
        Some(Self { start: start.try_into().ok()?, end: end.try_into().ok()? })
    }

    /// Its bytes in the payload.
    pub(super) fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    fn value(self, payload: &[u8]) -> RawValue<'_> {
        RawValue::at(payload, self.range())
    }

    fn text(self, payload: &[u8]) -> Cow<'_, str> {
        self.value(payload).string().unwrap_or_default()
    }
}

impl WordsAt {
    /// Where they stand in `payload`, whose members these are.
    pub(super) fn of(
        payload: &[u8],
        (role, content): (Role, &Content<'_>),
        said: &Said<'_>,
        done: &Done<'_>,
    ) -> Self {
        let place = |value: Option<RawValue<'_>>| At::of(value?, payload);
        let found = match (content, role) {
            (Content::Text, Role::User) => place(said.text).map(|text| Self::User {
                text,
                shown: place(said.display_text.filter(|shown| shown.raw_string().is_some())),
                files: place(said.attachments),
            }),
            (Content::Text, _) => place(said.text).map(Self::Text),
            (Content::Call { .. }, _) => place(done.state_delta).map(Self::Intent),
            (Content::Response { result: Some(shown), .. }, _) if shown.is_as_stored() => {
                place(said.result).map(Self::Result)
            }
            (Content::Response { .. }, _) => place(said.result).map(Self::Converted),
            _ => None,
        };
        found.unwrap_or_default()
    }

    /// The words there; `None` when there are none.
    pub(super) fn read(self, payload: &[u8]) -> Option<Words<'_>> {
        Some(match self {
            Self::Nowhere => return None,
            Self::User { text, shown, files } => Words::Said {
                prose: shown.unwrap_or(text).text(payload),
                names: attachments(files.map(|files| files.value(payload)))
                    .into_iter()
                    .map(|Attachment { name, .. }| name)
                    .collect(),
            },
            Self::Text(text) => Words::said(text.text(payload)),
            Self::Intent(state) => {
                let intent = state.value(payload).get("intent").and_then(RawValue::raw_string);
                Words::said(intent.map(RawString::decode)?)
            }
            Self::Result(result) => {
                Words::Result { content: Document::Checked(result.value(payload)), stored: None }
            }
            Self::Converted(result) => Words::of_result(result.value(payload)),
        })
    }
}
