//! One Session's matched texts, folded, in memory.
//!
//! A digest answers the predicate of a query without the store: the matched
//! text of every searchable message stands in one buffer, blocks of it have
//! signatures, and what the first clause needs beyond that text is kept where
//! redaction or the cut made it differ. What is not kept is in doubt, and the
//! store decides. It equals [`verify`](crate::engine::rank::verify), which
//! a property test compares it with.

use std::sync::Arc;

use memchr::memmem::{Finder, FinderBuilder};
use rayon::prelude::*;

use super::signature::{Grams, Signature};
use crate::engine::{
    SessionHeader,
    limits::MAX_TERMS,
    rank::{Contents, Hit, Query, SessionHits},
    request::Term,
    text::{
        fold, fold_unstable,
        message::{redacted, stored},
    },
    transcript::{Row, RowKind, Transcript},
};

/// Text of one block, about: a signature of four KiB for each.
const BLOCK_BYTES: usize = 32 * 1024;
/// Parts messages: no byte of UTF-8.
const SEPARATOR: u8 = 0xff;
/// Rows that one rayon task folds.
const ROWS_PER_TASK: usize = 32;

/// What is kept of a Session.
#[derive(Debug)]
pub(in crate::engine) struct Digest {
    /// Its rows.
    pub(in crate::engine) transcript: Arc<Transcript>,
    /// Matched texts, folded, each followed by a separator.
    text: Box<[u8]>,
    /// One entry per message with text, in row order.
    entries: Box<[Entry]>,
    blocks: Box<[Block]>,
    /// Stored texts of the messages that redaction changed, folded.
    stored: Box<[Box<str>]>,
    /// Tool results that are longer than what is matched, and equal as far as
    /// that goes: the entry, and the signature of the whole stored text.
    longer: Box<[(u32, Signature)]>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    row: u32,
    /// Past the entry's text in the buffer: the place of its separator.
    end: u32,
    /// Code points.
    length: u32,
    clause: Clause,
    cut: bool,
}

/// How the first clause of the predicate is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Clause {
    /// What is matched is what is stored, or its beginning.
    Same,
    /// The stored text, by its place in `stored`.
    Stored(u32),
}

#[derive(Debug)]
struct Block {
    /// Past the last entry.
    entries: u32,
    signature: Signature,
}

/// The terms of a query, ready for digests.
pub(in crate::engine) struct Search<'a> {
    terms: Vec<(Finder<'a>, Grams)>,
}

impl<'a> Search<'a> {
    pub(in crate::engine) fn new(terms: &'a [Term]) -> Self {
        let search = |term: &'a Term| {
            let finder = FinderBuilder::new().build_forward(term.folded.as_bytes());
            (finder, Grams::new(&term.folded))
        };
        Self { terms: terms.iter().map(search).collect() }
    }
}

/// The signatures of a Session's texts.
#[derive(Debug)]
pub(in crate::engine) struct Outline {
    signatures: Box<[Signature]>,
}

impl Outline {
    /// Whether a message of the Session may hold a term.
    pub(in crate::engine) fn may_hold(&self, search: &Search<'_>) -> bool {
        let mut terms = search.terms.iter();
        terms.any(|(_, grams)| self.signatures.iter().any(|signature| signature.may_hold(grams)))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.signatures.iter().map(Signature::bytes).sum()
    }
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
        let bytes = messages.iter().map(|message| message.text.len() + 1).sum();
        u32::try_from(bytes).ok()?;
        let mut text = Vec::with_capacity(bytes);
        let mut entries = Vec::with_capacity(messages.len());
        let (mut differing, mut longer) = (Vec::new(), Vec::new());
        for message in messages {
            let Message { row, text: matched, length, stored, cut } = message;
            text.extend_from_slice(matched.as_bytes());
            let clause = match stored {
                Stored::Same => Clause::Same,
                Stored::Longer(signature) => {
                    longer.push((entries.len() as u32, signature));
                    Clause::Same
                }
                Stored::Other(stored) => {
                    differing.push(stored);
                    Clause::Stored(differing.len() as u32 - 1)
                }
            };
            entries.push(Entry { row, end: text.len() as u32, length, clause, cut });
            text.push(SEPARATOR);
        }
        let blocks = blocks(&text, &entries);
        Some(Self {
            transcript,
            text: text.into(),
            entries: entries.into(),
            blocks,
            stored: differing.into(),
            longer: longer.into(),
        })
    }

    /// Bytes held, rows included.
    pub(super) fn bytes(&self) -> usize {
        let signatures = self.blocks.iter().map(|block| block.signature.bytes());
        let longer = self.longer.iter().map(|(_, signature)| signature.bytes());
        let stored = self.stored.iter().map(|text| text.len() + size_of::<Box<str>>());
        // A row's id is an allocation of its own: counts, text and slack.
        let rows = self.transcript.rows.iter().map(|row| size_of::<Row>() + row.id.len() + 32);
        self.text.len()
            + size_of_val(&*self.entries)
            + signatures.sum::<usize>()
            + longer.sum::<usize>()
            + stored.sum::<usize>()
            + rows.sum::<usize>()
    }

    /// What stays when the texts go.
    pub(super) fn outline(&self) -> Outline {
        let blocks = self.blocks.iter().map(|block| block.signature.clone());
        let longer = self.longer.iter().map(|(_, signature)| signature.clone());
        // Of a changed text that is not cut, every hit is a hit of the matched one.
        let cut = self.entries.iter().filter(|entry| entry.cut);
        let stored = cut.filter_map(|entry| match entry.clause {
            Clause::Stored(place) => Some(&self.stored[place as usize]),
            Clause::Same => None,
        });
        let stored = stored.map(|text| Signature::new(text.as_bytes()));
        Outline { signatures: blocks.chain(longer).chain(stored).collect() }
    }

    /// Bytes of matched text held.
    pub(super) fn text_bytes(&self) -> usize {
        self.text.len()
    }

    /// The hits of a query, and the rows in doubt: cut tool results whose matched
    /// text holds no term, and whose stored text may.
    pub(in crate::engine) fn verify(
        &self,
        query: Query<'_>,
        search: &Search<'_>,
        header: &Arc<SessionHeader>,
    ) -> (SessionHits, Vec<usize>) {
        let mut found = SessionHits {
            header: header.clone(),
            transcript: self.transcript.clone(),
            hits: Vec::new(),
            truncated_tool_results: 0,
        };
        let mut block_start = 0;
        for block in &self.blocks {
            let entries = block_start..block.entries as usize;
            block_start = entries.end;
            self.verify_block(query, search, &block.signature, entries, &mut found);
        }
        let doubts = self.doubts(query, search, &mut found);
        (found, doubts)
    }

    fn verify_block(
        &self,
        query: Query<'_>,
        search: &Search<'_>,
        signature: &Signature,
        entries: std::ops::Range<usize>,
        found: &mut SessionHits,
    ) {
        let mut counts: Vec<(usize, [u32; MAX_TERMS])> = Vec::new();
        let start = self.start(entries.start);
        let text = &self.text[start..self.entries[entries.end - 1].end as usize];
        for (term, (finder, grams)) in search.terms.iter().enumerate() {
            if !signature.may_hold(grams) {
                continue;
            }
            let mut entry = entries.start;
            for at in finder.find_iter(text) {
                while (self.entries[entry].end as usize) <= start + at {
                    entry += 1;
                }
                let place = match counts.binary_search_by_key(&entry, |(entry, _)| *entry) {
                    Ok(place) => place,
                    Err(place) => {
                        counts.insert(place, (entry, [0; MAX_TERMS]));
                        place
                    }
                };
                counts[place].1[term] += 1;
            }
        }
        for (entry, tf) in counts {
            self.settle(query, search, entry, tf, found);
        }
    }

    /// Applies the first clause to a message whose matched text holds a term.
    fn settle(
        &self,
        query: Query<'_>,
        search: &Search<'_>,
        entry: usize,
        mut tf: [u32; MAX_TERMS],
        found: &mut SessionHits,
    ) {
        let Entry { row, length, clause, cut, .. } = self.entries[entry];
        let row = row as usize;
        if !query.admits(&self.transcript.rows[row]) {
            return;
        }
        if let Clause::Stored(place) = clause {
            let stored = self.stored[place as usize].as_bytes();
            for (tf, (finder, _)) in tf.iter_mut().zip(&search.terms) {
                if *tf != 0 && finder.find(stored).is_none() {
                    *tf = 0;
                }
            }
            // Counted with the other cut results that redaction changed.
        } else if cut {
            found.truncated_tool_results += 1;
        }
        if tf.iter().any(|tf| *tf != 0) {
            let tool_result = self.transcript.rows[row].kind == RowKind::ToolResult;
            found.hits.push(Hit { row, tf, length, tool_result });
        }
    }

    /// Counts the cut tool results whose stored text holds a term, as far as
    /// memory knows, and names the others that may.
    fn doubts(&self, query: Query<'_>, search: &Search<'_>, found: &mut SessionHits) -> Vec<usize> {
        for entry in &self.entries {
            let Entry { row, clause: Clause::Stored(place), cut: true, .. } = *entry else {
                continue;
            };
            let stored = self.stored[place as usize].as_bytes();
            let holds = search.terms.iter().any(|(finder, _)| finder.find(stored).is_some());
            if holds && query.admits(&self.transcript.rows[row as usize]) {
                found.truncated_tool_results += 1;
            }
        }
        let mut doubts = Vec::new();
        for (entry, signature) in &self.longer {
            let Entry { row, .. } = self.entries[*entry as usize];
            let row = row as usize;
            let may_hold = search.terms.iter().any(|(_, grams)| signature.may_hold(grams));
            let known = found.hits.binary_search_by_key(&row, |hit| hit.row).is_ok();
            if may_hold && !known && query.admits(&self.transcript.rows[row]) {
                doubts.push(row);
            }
        }
        doubts
    }

    fn start(&self, entry: usize) -> usize {
        entry.checked_sub(1).map_or(0, |before| self.entries[before].end as usize + 1)
    }
}

fn blocks(text: &[u8], entries: &[Entry]) -> Box<[Block]> {
    let mut bounds = Vec::new();
    let mut start = 0;
    for (index, entry) in entries.iter().enumerate() {
        let last = index + 1 == entries.len();
        if last || start + BLOCK_BYTES <= entry.end as usize {
            bounds.push((start..entry.end as usize, index as u32 + 1));
            start = entry.end as usize + 1;
        }
    }
    let block = |(range, entries): (std::ops::Range<usize>, u32)| Block {
        entries,
        signature: Signature::new(&text[range]),
    };
    bounds.into_par_iter().map(block).collect()
}

/// One message, folded.
struct Message {
    row: u32,
    text: String,
    length: u32,
    stored: Stored,
    cut: bool,
}

/// What the first clause is about.
enum Stored {
    /// The matched text.
    Same,
    /// A text that begins with the matched one.
    Longer(Signature),
    /// Another text.
    Other(Box<str>),
}

impl Message {
    fn new(index: usize, row: &Row, contents: &impl Contents) -> Option<Self> {
        if !row.searchable {
            return None;
        }
        let body = contents.body(index)?;
        let stored = stored(&body)?;
        let redacted = redacted(&body)?;
        let text = fold(&redacted.text).into_owned();
        let folded_stored = fold(&stored);
        let begins = redacted.cut && !fold_unstable(&stored) && folded_stored.starts_with(&text);
        let stored = if folded_stored == text {
            Stored::Same
        } else if begins {
            Stored::Longer(Signature::new(folded_stored.as_bytes()))
        } else {
            Stored::Other(folded_stored.into_owned().into())
        };
        Some(Self {
            row: u32::try_from(index).ok()?,
            length: u32::try_from(text.chars().count()).ok()?,
            text,
            stored,
            cut: redacted.cut,
        })
    }
}
