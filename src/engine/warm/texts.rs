//! Folded texts in one buffer, with signatures of its blocks.

use std::ops::Range;

use memchr::memmem::{Finder, FinderBuilder};
use rayon::prelude::*;

use super::signature::{Grams, Signature};
use crate::engine::{limits::MAX_TERMS, request::Term};

/// Text of one block, about: a signature of four KiB for each.
const BLOCK_BYTES: usize = 32 * 1024;
/// Parts texts: no byte of UTF-8.
const SEPARATOR: u8 = 0xff;

/// Folded texts, each followed by a separator.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Box<[u8]>,
    /// Past each text: the place of its separator.
    ends: Box<[u32]>,
    blocks: Box<[Block]>,
}

/// Consecutive texts.
#[derive(Debug)]
struct Block {
    /// Past the last text.
    texts: u32,
    signature: Signature,
}

/// The terms of a query, ready for [`Texts`].
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

    /// Sets the occurrences of the terms that `text` does not hold to none.
    pub(super) fn keep_held(&self, tf: &mut [u32; MAX_TERMS], text: &[u8]) {
        for (tf, (finder, _)) in tf.iter_mut().zip(&self.terms) {
            if *tf != 0 && finder.find(text).is_none() {
                *tf = 0;
            }
        }
    }

    /// Bytes of the longest term.
    pub(super) fn longest(&self) -> usize {
        self.terms.iter().map(|(finder, _)| finder.needle().len()).max().unwrap_or_default()
    }
}

/// The texts that hold a term, in order, with the occurrences of each term.
pub(super) type Occurrences = Vec<(usize, [u32; MAX_TERMS])>;

impl Texts {
    /// Keeps `texts`; `None` when they are too large for that.
    pub(super) fn new<'t>(texts: impl ExactSizeIterator<Item = &'t str> + Clone) -> Option<Self> {
        let total = texts.clone().map(|text| text.len() + 1).sum();
        u32::try_from(total).ok()?;
        let mut bytes = Vec::with_capacity(total);
        let mut ends = Vec::with_capacity(texts.len());
        for text in texts {
            bytes.extend_from_slice(text.as_bytes());
            ends.push(bytes.len() as u32);
            bytes.push(SEPARATOR);
        }
        let blocks = blocks(&bytes, &ends);
        Some(Self { bytes: bytes.into(), ends: ends.into(), blocks })
    }

    /// The texts that hold a term.
    pub(super) fn find(&self, search: &Search<'_>) -> Occurrences {
        let mut found = Vec::new();
        let mut first = 0;
        for block in &self.blocks {
            let texts = first..block.texts as usize;
            first = texts.end;
            self.find_in_block(search, &block.signature, texts, &mut found);
        }
        found
    }

    /// The signatures of the blocks.
    pub(super) fn signatures(&self) -> impl Iterator<Item = &Signature> {
        self.blocks.iter().map(|block| &block.signature)
    }

    /// The text with this place.
    pub(super) fn text(&self, index: usize) -> &[u8] {
        &self.bytes[self.start(index)..self.ends[index] as usize]
    }

    /// Bytes of text.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.len()
            + size_of_val(&*self.ends)
            + self.signatures().map(Signature::bytes).sum::<usize>()
    }

    fn find_in_block(
        &self,
        search: &Search<'_>,
        signature: &Signature,
        texts: Range<usize>,
        found: &mut Occurrences,
    ) {
        let start = self.start(texts.start);
        let bytes = &self.bytes[start..self.ends[texts.end - 1] as usize];
        let before = found.len();
        for (term, (finder, grams)) in search.terms.iter().enumerate() {
            if !signature.may_hold(grams) {
                continue;
            }
            let mut text = texts.start;
            for at in finder.find_iter(bytes) {
                let at = start + at;
                text += self.ends[text..].partition_point(|end| (*end as usize) <= at);
                let place = found[before..].binary_search_by_key(&text, |(text, _)| *text);
                let place = before
                    + place.unwrap_or_else(|place| {
                        found.insert(before + place, (text, [0; MAX_TERMS]));
                        place
                    });
                found[place].1[term] += 1;
            }
        }
    }

    fn start(&self, index: usize) -> usize {
        index.checked_sub(1).map_or(0, |before| self.ends[before] as usize + 1)
    }
}

/// Whether a text with one of `signatures` may hold a term.
pub(super) fn may_hold(search: &Search<'_>, signatures: &[Signature]) -> bool {
    let mut terms = search.terms.iter();
    terms.any(|(_, grams)| signatures.iter().any(|signature| signature.may_hold(grams)))
}

fn blocks(bytes: &[u8], ends: &[u32]) -> Box<[Block]> {
    let mut bounds = Vec::new();
    let mut start = 0;
    for (index, end) in ends.iter().enumerate() {
        let end = *end as usize;
        if index + 1 == ends.len() || start + BLOCK_BYTES <= end {
            bounds.push((start..end, index as u32 + 1));
            start = end + 1;
        }
    }
    let block = |(range, texts): (Range<usize>, u32)| Block {
        texts,
        signature: Signature::new(&bytes[range]),
    };
    bounds.into_par_iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_a_count_in_each_text_finds() {
        let words = ["模型", "context ", "window", "é", "zz", " "];
        let mut random = 7u64;
        let mut below = |bound: usize| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (random >> 33) as usize % bound
        };
        // Some texts are larger than a block, some empty.
        let texts: Vec<String> = (0..400)
            .map(|index| {
                let count = if index % 50 == 0 { 9_000 } else { below(12) };
                (0..count).map(|_| words[below(words.len())]).collect()
            })
            .collect();
        let kept = Texts::new(texts.iter().map(String::as_str)).unwrap();
        let terms = ["模型模型", "window", "zzz", "é é", "absent", "z"].map(Term::new);
        let found = kept.find(&Search::new(&terms));
        let expected: Occurrences = texts
            .iter()
            .enumerate()
            .map(|(index, text)| {
                let mut counts = [0; MAX_TERMS];
                for (count, term) in counts.iter_mut().zip(&terms) {
                    *count = text.matches(&*term.folded).count() as u32;
                }
                (index, counts)
            })
            .filter(|(_, counts)| counts.iter().any(|count| *count != 0))
            .collect();
        assert_eq!(found, expected);
        for (index, text) in texts.iter().enumerate() {
            assert_eq!(kept.text(index), text.as_bytes());
        }
    }

    #[test]
    fn no_texts_hold_nothing() {
        let terms = [Term::new("a")];
        let kept = Texts::new([].into_iter()).unwrap();
        assert_eq!(kept.find(&Search::new(&terms)), []);
    }
}
