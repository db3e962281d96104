//! Small signatures of text: which byte 3-grams its chunks have.
//!
//! A text is parted into chunks of equal size, whatever stands there. Of every
//! chunk a hash table of bits says which grams it has; the tables stand side by
//! side, so that one bit of all of them is a row of words, and the chunks that
//! may hold a term are the rows of its grams, joined by "and".
//!
//! A signature may say yes of a term that a chunk does not hold, and never no of
//! one that begins in it. It skips text, it never decides.

use std::{iter, ops::Range};

use rayon::prelude::*;

/// Bytes of a gram. Three serve a single CJK character as well as a word.
const GRAM: usize = 3;
/// A chunk answers for every term that begins in it, by the grams of as many
/// bytes of the term as this part of the chunk: also where it ends behind.
const REACH: usize = 24;
/// Bytes of a term that count at least.
const LEAST_REACH: usize = 16;
/// Chunks that share a word.
const WORD: usize = u64::BITS as usize;
/// Rows of a text that is not worth any.
const LEAST_ROWS: usize = 64;

/// How fine signatures are.
#[derive(Clone, Copy, Debug)]
pub struct Grain {
    /// Bytes of a chunk, about.
    pub chunk: usize,
    /// Bytes of text for every bit.
    pub bytes_per_bit: usize,
}

/// The signatures of the chunks of one text. With a bit for every byte large
/// chunks have fewer different grams for their size: of chunks of half a KiB a half of
/// the bits is set, of 32 KiB a quarter. Small ones leave less text to search,
/// large ones say more surely that a text holds a term nowhere.
#[derive(Clone, Debug, Default)]
pub struct Signatures {
    /// Bytes of the text.
    length: usize,
    /// Bytes of a chunk; the last may be shorter.
    chunk: usize,
    /// Bits of a row, one for every chunk: a power of two below [`WORD`], else a
    /// multiple of it.
    columns: usize,
    /// Places of the hash table.
    rows: usize,
    /// Row after row.
    bits: Box<[u64]>,
}

impl Signatures {
    /// The signatures of `text`. Cost: one pass, on the pool.
    #[must_use]
    pub fn new(text: &[u8], Grain { chunk, bytes_per_bit }: Grain) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        let columns = match text.len() / chunk {
            few @ ..WORD => 1 << few.max(1).ilog2(),
            many => (many + WORD / 2) / WORD * WORD,
        };
        let rows = (text.len() / columns / bytes_per_bit).max(LEAST_ROWS);
        let chunk = text.len().div_ceil(columns);
        let bits = vec![0; (rows * columns).div_ceil(WORD)].into();
        let mut signatures = Self { length: text.len(), chunk, columns, rows, bits };
        let words: Vec<Vec<u64>> = (0..columns.div_ceil(WORD))
            .into_par_iter()
            .map(|word| signatures.words(text, word * WORD))
            .collect();
        for (index, words) in words.into_iter().enumerate() {
            for (row, word) in words.into_iter().enumerate() {
                let at = row * columns + index * WORD;
                signatures.bits[at / WORD] |= word << (at % WORD);
            }
        }
        signatures
    }

    /// Where a term with these grams may begin: runs of chunks, in order, as
    /// bytes of the text.
    pub fn stretches(&self, grams: &Grams) -> impl Iterator<Item = Range<usize>> + use<> {
        let (columns, chunk, length) = (self.joined(grams), self.chunk, self.length);
        let mut next = 0;
        iter::from_fn(move || {
            let first = run(&columns, next, 0);
            next = run(&columns, first, u64::MAX);
            let stretch = first * chunk..length.min(next * chunk);
            (stretch.start < stretch.end).then_some(stretch)
        })
    }

    /// Whether the text may hold a term with these grams.
    #[must_use]
    pub fn may_hold(&self, grams: &Grams) -> bool {
        self.joined(grams).iter().any(|word| *word != 0)
    }

    /// Whether they are those of no text.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.bits) + size_of::<Self>()
    }

    /// A word of every row: the grams of the chunks from `first` on.
    fn words(&self, text: &[u8], first: usize) -> Vec<u64> {
        let mut words = vec![0; self.rows];
        for column in 0..self.columns.min(WORD) {
            let start = (first + column) * self.chunk;
            let end = text.len().min(start + self.chunk + self.reach() - 1);
            for gram in text.get(start..end).unwrap_or_default().windows(GRAM) {
                words[self.row(hash(gram))] |= 1 << column;
            }
        }
        words
    }

    /// The chunks that have all of the grams, as bits.
    fn joined(&self, grams: &Grams) -> Vec<u64> {
        let mut joined = vec![u64::MAX; self.columns.div_ceil(WORD)];
        if self.columns < WORD {
            joined.fill((1 << self.columns) - 1);
        }
        for hash in grams.0.iter().take(self.reach() + 1 - GRAM) {
            let at = self.row(*hash) * self.columns;
            // Of rows that share a word only the first bits are looked at.
            for (joined, word) in joined.iter_mut().zip(&self.bits[at / WORD..]) {
                *joined &= word >> (at % WORD);
            }
        }
        joined
    }

    /// Bytes of a term that count.
    fn reach(&self) -> usize {
        LEAST_REACH.max(self.chunk / REACH)
    }

    /// The row of a gram: its place in the table, by the high bits of the hash.
    fn row(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.rows as u64) >> u32::BITS) as usize
    }
}

/// The first bit from `from` on that differs from those of `same`; past the last
/// one when there is none.
fn run(words: &[u64], from: usize, same: u64) -> usize {
    let mut ignored = from % WORD;
    for (index, word) in words.iter().enumerate().skip(from / WORD) {
        let others = (word ^ same) >> ignored << ignored;
        if others != 0 {
            return index * WORD + others.trailing_zeros() as usize;
        }
        ignored = 0;
    }
    words.len() * WORD
}

/// The grams of one folded term; none of a term shorter than a gram, which may
/// begin anywhere.
#[derive(Clone, Debug)]
pub struct Grams(Vec<u32>);

impl Grams {
    /// The grams of `folded`.
    #[must_use]
    pub fn new(folded: &str) -> Self {
        Self(folded.as_bytes().windows(GRAM).map(hash).collect())
    }
}

/// Spreads the three bytes over the high bits.
fn hash(gram: &[u8]) -> u32 {
    let packed = gram.iter().fold(0u32, |packed, byte| packed << 8 | u32::from(*byte));
    packed.wrapping_mul(0x9e37_79b1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fine and coarse.
    const CHUNKS: [usize; 2] = [400, 32 * 1024];

    fn signatures(text: &[u8], chunk: usize) -> Signatures {
        Signatures::new(text, Grain { chunk, bytes_per_bit: 1 })
    }

    fn stretches(text: &str, chunk: usize, term: &str) -> Vec<Range<usize>> {
        signatures(text.as_bytes(), chunk).stretches(&Grams::new(term)).collect()
    }

    fn every(mut test: impl FnMut(usize, usize)) {
        for size in SIZES {
            for chunk in CHUNKS {
                test(size, chunk);
            }
        }
    }

    /// Texts of one chunk, of a few, of so many as fill a word, and of more.
    const SIZES: [usize; 7] = [1, 70, 5_000, 30_000, 131_072, 140_000, 700_000];

    fn text(size: usize) -> String {
        let mut numbers = (0..).map(|number| format!("模型 {number:x} über "));
        let mut text = String::new();
        while text.len() < size {
            text.extend(numbers.next());
        }
        text
    }

    #[test]
    fn never_denies_a_term_where_it_begins() {
        every(|size, chunk| {
            let text = text(size);
            let signatures = signatures(text.as_bytes(), chunk);
            let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
            for (at, start) in starts.iter().enumerate().step_by(1 + starts.len() / 2_000) {
                for end in [1, 2, 3, 9, 15, 16, 17, 300] {
                    let end = starts.get(at + end).copied().unwrap_or(text.len());
                    let grams = Grams::new(&text[*start..end]);
                    let mut stretches = signatures.stretches(&grams);
                    assert!(stretches.any(|stretch| stretch.contains(start)), "{start}..{end}");
                    assert!(signatures.may_hold(&grams));
                }
            }
        });
    }

    #[test]
    fn stretches_are_apart_and_in_order() {
        every(|size, chunk| {
            let text = text(size);
            for term in ["", "l", "über", "7 ü", "f0 ü", "型 3f"] {
                let stretches = stretches(&text, chunk, term);
                assert!(stretches.iter().all(|stretch| stretch.start < stretch.end));
                assert!(stretches.windows(2).all(|pair| pair[0].end < pair[1].start));
                assert!(stretches.last().is_none_or(|last| last.end <= text.len()));
            }
        });
    }

    #[test]
    fn names_the_one_chunk_that_holds_a_term() {
        let common = "plain words of an ordinary message ";
        let text = format!("{}needle {}", common.repeat(7_001), common.repeat(9_000));
        for chunk in CHUNKS {
            let stretches = stretches(&text, chunk, "needle");
            let start = common.len() * 7_001;
            assert_eq!(stretches.len(), 1);
            assert!(stretches[0].contains(&start) && stretches[0].len() < 3 * chunk);
        }
    }

    #[test]
    fn denies_most_of_what_the_text_does_not_hold() {
        every(|size, chunk| {
            let text = text(size);
            let absent: Vec<String> = (0..200).map(|number| format!("zq{number}xv")).collect();
            let named = absent.iter().flat_map(|term| stretches(&text, chunk, term));
            let named: usize = named.map(|stretch| stretch.len()).sum();
            assert!(named < 200 * text.len() / 20, "{named} of {size} by {chunk}");
        });
    }

    #[test]
    fn a_term_shorter_than_a_gram_may_be_anywhere() {
        every(|size, chunk| {
            let text = text(size);
            assert_eq!(stretches(&text, chunk, "ab"), vec![0..text.len()]);
        });
    }

    #[test]
    fn nothing_holds_nothing() {
        assert_eq!(stretches("", 400, "ab"), []);
        assert!(!signatures(b"", 400).may_hold(&Grams::new("abc")));
    }

    #[test]
    fn a_bit_for_every_byte() {
        every(|size, chunk| {
            let text = text(size);
            let signatures = signatures(text.as_bytes(), chunk);
            let held = signatures.bytes() - size_of::<Signatures>();
            let most = text.len() / 8 + size_of::<u64>() * (LEAST_ROWS + 1);
            assert!(held <= most, "{held} of {}", text.len());
        });
    }
}
