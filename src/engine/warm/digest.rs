//! One Session's texts, folded, in memory.
//!
//! A digest answers the predicate of a query without the store. The matched
//! text of every searchable message is kept, and what the first clause of the
//! predicate needs beyond it: the stored text where redaction changed it, and
//! the rest of a tool result that is longer than what is matched. It equals
//! [`verify`](fn@crate::engine::rank::verify), which a property test compares it
//! with; the one thing it cannot decide, a term longer than the overlap of a
//! rest with its beginning, is in doubt, and the store decides.

use std::sync::Arc;

use rayon::prelude::*;

use super::{
    signature::Signatures,
    texts::{Occurrences, Search, Texts},
};
use crate::engine::{
    SessionHeader,
    limits::MAX_TERMS,
    pool::install,
    rank::{Contents, Hit, Query, SessionHits},
    text::{floor_boundary, fold, fold_unstable, message::Stored},
    transcript::{Row, RowKind, Transcript, records::SessionRecords},
};

/// Bytes of the matched text that the rest of a tool result begins with: a term
/// up to this long cannot fall between the two.
const OVERLAP: usize = 256;
/// Rows that one rayon task folds.
const ROWS_PER_TASK: usize = 32;

/// What is kept of a Session.
#[derive(Debug)]
pub(in crate::engine) struct Digest {
    /// Its rows.
    transcript: Arc<Transcript>,
    /// The messages with text, in row order, and their matched texts.
    entries: Box<[Entry]>,
    matched: Texts,
    /// Stored texts of the messages that redaction changed, and their entries.
    stored: Texts,
    stored_entries: Box<[u32]>,
    /// Rests of the tool results that go on as they begin, and their entries.
    rests: Texts,
    rest_entries: Box<[u32]>,
    /// Its [bones](crate::engine::transcript::bones()), when it is likely to grow.
    bones: Option<Box<SessionRecords>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    row: u32,
    /// Code points of the matched text.
    length: u32,
    /// The place of the stored text, when it is not the matched one or a text
    /// that begins with it.
    stored: Option<u32>,
    /// Whether the message is longer than what is matched.
    cut: bool,
    tool_result: bool,
}

/// The signatures of a Session's texts: what is matched, what is stored instead,
/// and rests.
#[derive(Debug)]
pub(in crate::engine) struct Outline {
    signatures: [Signatures; 3],
}

impl Digest {
    /// Keeps what `contents` say; `None` of a Session too large to be kept.
    pub(super) fn new(transcript: Arc<Transcript>, contents: &impl Contents) -> Option<Self> {
        let messages: Vec<Message> = transcript
            .rows
            .par_iter()
            .enumerate()
            .with_min_len(ROWS_PER_TASK)
            .filter_map(|(index, row)| Message::new(index, row, contents))
            .collect();
        let matched = Texts::new(messages.iter().map(|message| &*message.text))?;
        let mut entries = Vec::with_capacity(messages.len());
        let (mut stored, mut stored_entries) = (Vec::new(), Vec::new());
        let (mut rests, mut rest_entries) = (Vec::new(), Vec::new());
        for message in messages {
            let Message { row, length, beyond, cut, tool_result, text: _ } = message;
            let entry = u32::try_from(entries.len()).ok()?;
            let mut place = None;
            match beyond {
                Beyond::Nothing => {}
                Beyond::Rest(rest) => {
                    rest_entries.push(entry);
                    rests.push(rest);
                }
                Beyond::Stored(text) => {
                    place = Some(u32::try_from(stored.len()).ok()?);
                    stored_entries.push(entry);
                    stored.push(text);
                }
            }
            entries.push(Entry { row, length, stored: place, cut, tool_result });
        }
        Some(Self {
            transcript,
            entries: entries.into(),
            matched,
            stored: Texts::new(stored.iter().map(String::as_str))?,
            stored_entries: stored_entries.into(),
            rests: Texts::new(rests.iter().map(String::as_str))?,
            rest_entries: rest_entries.into(),
            bones: None,
        })
    }

    /// The same, ready to see the Session grow.
    pub(super) fn with_bones(self, bones: SessionRecords) -> Self {
        Self { bones: Some(Box::new(bones)), ..self }
    }

    /// What it takes to see the Session grow, when that was kept.
    pub(in crate::engine) fn bones(&self) -> Option<&SessionRecords> {
        self.bones.as_deref()
    }

    /// Its rows.
    pub(in crate::engine) fn transcript(&self) -> &Transcript {
        &self.transcript
    }

    /// What stays when the texts go.
    pub(super) fn outline(&self) -> Outline {
        let texts = [&self.matched, &self.stored, &self.rests];
        install(|| Outline { signatures: texts.map(Texts::outline) })
    }

    /// Bytes of text held.
    pub(super) fn text_bytes(&self) -> usize {
        self.matched.len() + self.stored.len() + self.rests.len()
    }

    /// Bytes held, rows included.
    pub(super) fn bytes(&self) -> usize {
        // A row's id is an allocation of its own: counts, text and slack.
        let rows = self.transcript.rows.iter().map(|row| size_of::<Row>() + row.id.len() + 32);
        let beyond = size_of_val(&*self.stored_entries) + size_of_val(&*self.rest_entries);
        let entries = size_of_val(&*self.entries) + beyond;
        let texts = self.matched.bytes() + self.stored.bytes() + self.rests.bytes();
        let bones = self.bones().map(SessionRecords::room).unwrap_or_default();
        texts + entries + bones + rows.sum::<usize>()
    }

    /// The hits of a query, and the rows in doubt: cut tool results whose matched
    /// text holds no term, and whose stored text may.
    pub(in crate::engine) fn verify(
        &self,
        query: Query<'_>,
        search: &Search<'_>,
        header: &Arc<SessionHeader>,
    ) -> (SessionHits, Vec<usize>) {
        let (in_matched, in_stored) = (self.matched.find(search), self.stored.holders(search));
        let mut found = SessionHits {
            header: header.clone(),
            transcript: self.transcript.clone(),
            hits: Vec::with_capacity(in_matched.len()),
            truncated_tool_results: 0,
        };
        for (entry, tf) in in_matched {
            self.settle(query, &in_stored, entry, tf, &mut found);
        }
        // Cut results that redaction changed: their stored text alone decides.
        let changed = in_stored.iter().map(|(place, _)| self.entry(self.stored_entries[*place]));
        let changed = changed.filter(|entry| entry.cut && self.admits(query, entry));
        found.truncated_tool_results += changed.count();
        let doubts = self.rests(query, search, &mut found);
        (found, doubts)
    }

    /// Applies the first clause to a message whose matched text holds a term.
    fn settle(
        &self,
        query: Query<'_>,
        in_stored: &Occurrences,
        entry: usize,
        mut tf: [u32; MAX_TERMS],
        found: &mut SessionHits,
    ) {
        let entry = &self.entries[entry];
        if !self.admits(query, entry) {
            return;
        }
        if let Some(place) = entry.stored {
            let stored = in_stored.binary_search_by_key(&(place as usize), |(place, _)| *place);
            let Ok(stored) = stored else { return };
            for (tf, stored) in tf.iter_mut().zip(in_stored[stored].1) {
                *tf *= u32::from(stored != 0);
            }
        } else if entry.cut {
            found.truncated_tool_results += 1;
        }
        if tf.iter().any(|tf| *tf != 0) {
            let Entry { row, length, tool_result, .. } = *entry;
            found.hits.push(Hit { row: row as usize, tf, length, tool_result });
        }
    }

    /// Counts the cut results that hold a term only in their rest; those that a
    /// term may straddle are in doubt.
    fn rests(&self, query: Query<'_>, search: &Search<'_>, found: &mut SessionHits) -> Vec<usize> {
        let rests: Vec<usize> = match search.longest() <= OVERLAP {
            true => self.rests.holders(search).into_iter().map(|(rest, _)| rest).collect(),
            false => (0..self.rest_entries.len()).collect(),
        };
        let mut rows = Vec::new();
        for rest in rests {
            let entry = self.entry(self.rest_entries[rest]);
            let row = entry.row as usize;
            let known = found.hits.binary_search_by_key(&row, |hit| hit.row).is_ok();
            if !known && self.admits(query, entry) {
                rows.push(row);
            }
        }
        if search.longest() <= OVERLAP {
            found.truncated_tool_results += rows.len();
            rows.clear();
        }
        rows
    }

    fn entry(&self, index: u32) -> &Entry {
        &self.entries[index as usize]
    }

    /// Whether a message may hit at all. Every one that is kept is searchable, so
    /// its row, which costs more than the rest, is only asked when it can matter.
    fn admits(&self, query: Query<'_>, entry: &Entry) -> bool {
        let is_bounded = query.request.since.is_some() || query.request.until.is_some();
        !(is_bounded || query.excluded_turns.is_some())
            || query.admits(&self.transcript.rows[entry.row as usize])
    }
}

impl Outline {
    /// Whether a message of the Session may hold a term.
    pub(in crate::engine) fn may_hold(&self, search: &Search<'_>) -> bool {
        let [.., rests] = &self.signatures;
        // A longer term may begin before the rest of a result and end in it.
        let may_straddle = OVERLAP < search.longest() && !rests.is_empty();
        may_straddle || self.signatures.iter().any(|signatures| search.may_be_in(signatures))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.signatures.iter().map(Signatures::bytes).sum()
    }
}

/// One message, folded.
struct Message {
    row: u32,
    /// The matched text.
    text: String,
    length: u32,
    beyond: Beyond,
    cut: bool,
    tool_result: bool,
}

/// What the first clause is about beyond the matched text.
enum Beyond {
    /// What is matched is what is stored.
    Nothing,
    /// What is stored begins with it: how that goes on, from a little before.
    Rest(String),
    /// What is stored is another text.
    Stored(String),
}

impl Message {
    fn new(index: usize, row: &Row, contents: &impl Contents) -> Option<Self> {
        if !row.searchable {
            return None;
        }
        let words = contents.words(index)?;
        let stored = Stored::of(&words)?;
        let redacted = stored.redacted()?;
        let stored = stored.text();
        let text = fold(&redacted.text).into_owned();
        let folded = fold(stored);
        // Only stable texts fold piece by piece: another one is kept whole.
        let goes_on = redacted.cut && folded.starts_with(&text) && !fold_unstable(stored);
        let beyond = if *folded == text {
            Beyond::Nothing
        } else if goes_on {
            let start = floor_boundary(&folded, text.len().saturating_sub(OVERLAP));
            Beyond::Rest(folded[start..].to_owned())
        } else {
            Beyond::Stored(folded.into_owned())
        };
        Some(Self {
            row: u32::try_from(index).ok()?,
            length: u32::try_from(text.chars().count()).ok()?,
            text,
            beyond,
            cut: redacted.cut,
            tool_result: row.kind == RowKind::ToolResult,
        })
    }
}
