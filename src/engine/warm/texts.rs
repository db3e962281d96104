//! Folded texts in one buffer, with signatures of its chunks.

use memchr::memmem::{Finder, FinderBuilder};

use super::signature::{Grain, Grams, Signatures};
use crate::engine::{limits::MAX_TERMS, request::Term};

/// Parts texts: no byte of UTF-8.
const SEPARATOR: u8 = 0xff;
/// Smaller chunks leave less to search, and more pieces; measured best for words
/// that stand in every tenth message.
const FINE: Grain = Grain { chunk: 512, bytes_per_bit: 1 };
/// Where the signatures stay without the texts: a sixteenth of them, so that a
/// workspace of ten times the budget fits, and a word of eight letters names one
/// Session in ten for nothing.
const COARSE: Grain = Grain { chunk: 32 * 1024, bytes_per_bit: 2 };

/// Folded texts, each followed by a separator.
#[derive(Debug, Default)]
pub(super) struct Texts {
    bytes: Box<[u8]>,
    /// Past each text: the place of its separator.
    ends: Box<[u32]>,
    signatures: Signatures,
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

    /// Bytes of the longest term.
    pub(super) fn longest(&self) -> usize {
        self.terms.iter().map(|(finder, _)| finder.needle().len()).max().unwrap_or_default()
    }

    /// Whether texts with these signatures may hold a term.
    pub(super) fn may_be_in(&self, signatures: &Signatures) -> bool {
        self.terms.iter().any(|(_, grams)| signatures.may_hold(grams))
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
        let signatures = Signatures::new(&bytes, FINE);
        Some(Self { bytes: bytes.into(), ends: ends.into(), signatures })
    }

    /// The texts that hold a term.
    pub(super) fn find(&self, search: &Search<'_>) -> Occurrences {
        self.search(search, |_, past| past)
    }

    /// The texts that hold a term, each of which is counted once.
    pub(super) fn holders(&self, search: &Search<'_>) -> Occurrences {
        self.search(search, |text, _| self.ends[text] as usize + 1)
    }

    /// The texts that hold a term; `next` says where the search goes on, of the
    /// text of an occurrence and of what is past that.
    fn search(&self, search: &Search<'_>, next: impl Fn(usize, usize) -> usize) -> Occurrences {
        let mut found = Occurrences::new();
        for (term, (finder, grams)) in search.terms.iter().enumerate() {
            let counts = self.count(finder, grams, &next);
            found = if found.is_empty() {
                counts.into_iter().map(|(text, count)| (text, only(term, count))).collect()
            } else {
                joined(found, term, &counts)
            };
        }
        found
    }

    /// What stays when the texts go: signatures that seldom name a Session for
    /// nothing.
    pub(super) fn outline(&self) -> Signatures {
        Signatures::new(&self.bytes, COARSE)
    }

    /// Bytes of text.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.len() + size_of_val(&*self.ends) + self.signatures.bytes()
    }

    /// How often a term stands in the texts that hold it, without overlaps.
    ///
    /// No term holds a separator, so that what does not overlap in the buffer is
    /// what does not overlap in each text.
    fn count(
        &self,
        finder: &Finder<'_>,
        grams: &Grams,
        next: impl Fn(usize, usize) -> usize,
    ) -> Vec<(usize, u32)> {
        let length = finder.needle().len();
        let mut counts: Vec<(usize, u32)> = Vec::new();
        // Where the search goes on, and the text of the last occurrence.
        let (mut at, mut text) = (0, 0);
        for stretch in self.signatures.stretches(grams) {
            // An occurrence that begins in the stretch may end behind it.
            let end = self.bytes.len().min(stretch.end + length - 1);
            at = at.max(stretch.start);
            while let Some(start) = self.bytes.get(at..end).and_then(|bytes| finder.find(bytes)) {
                text = self.text_at(text, at + start);
                at = next(text, at + start + length);
                match counts.last_mut() {
                    Some((last, count)) if *last == text => *count += 1,
                    _ => counts.push((text, 1)),
                }
            }
        }
        counts
    }

    /// The text that the byte `at` stands in, looked for from `text` on. Cost:
    /// the logarithm of the texts between them.
    fn text_at(&self, text: usize, at: usize) -> usize {
        let is_before = |end: &u32| *end as usize <= at;
        let ends = &self.ends[text..];
        if !is_before(&ends[0]) {
            return text;
        }
        let mut step = 1;
        while ends.get(step).is_some_and(is_before) {
            step *= 2;
        }
        let near = &ends[step / 2..ends.len().min(step)];
        text + step / 2 + near.partition_point(is_before)
    }
}

fn only(term: usize, count: u32) -> [u32; MAX_TERMS] {
    let mut counts = [0; MAX_TERMS];
    counts[term] = count;
    counts
}

/// `found` with the counts of one more term, in the order of the texts.
fn joined(found: Occurrences, term: usize, counts: &[(usize, u32)]) -> Occurrences {
    let mut all = Occurrences::with_capacity(found.len() + counts.len());
    let mut counts = counts.iter().copied().peekable();
    for (text, mut known) in found {
        while let Some((before, count)) = counts.next_if(|(other, _)| *other < text) {
            all.push((before, only(term, count)));
        }
        if let Some((_, count)) = counts.next_if(|(other, _)| *other == text) {
            known[term] = count;
        }
        all.push((text, known));
    }
    all.extend(counts.map(|(text, count)| (text, only(term, count))));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::Random;

    /// The slow twin of [`Texts::find`].
    fn counted(texts: &[String], terms: &[Term]) -> Occurrences {
        let count = |text: &String| {
            let mut counts = [0; MAX_TERMS];
            for (count, term) in counts.iter_mut().zip(terms) {
                *count = text.matches(&*term.folded).count() as u32;
            }
            counts
        };
        let all = texts.iter().map(count).enumerate();
        all.filter(|(_, counts)| counts.iter().any(|count| *count != 0)).collect()
    }

    #[track_caller]
    fn test(texts: &[String], terms: &[&str]) {
        let kept = Texts::new(texts.iter().map(String::as_str)).unwrap();
        let terms: Vec<Term> = terms.iter().map(|term| Term::new(term)).collect();
        assert_eq!(kept.find(&Search::new(&terms)), counted(texts, &terms));
        let mut once = counted(texts, &terms);
        once.iter_mut().flat_map(|(_, counts)| counts).for_each(|count| *count = 1.min(*count));
        assert_eq!(kept.holders(&Search::new(&terms)), once);
        for term in &terms {
            let one = std::slice::from_ref(term);
            assert_eq!(kept.find(&Search::new(one)), counted(texts, one), "{}", term.folded);
        }
    }

    #[test]
    fn finds_what_a_count_in_each_text_finds() {
        let words = ["模型", "context ", "window", "é", "zz", " "];
        let mut random = Random::new(7);
        // Some texts are longer than many chunks, some empty.
        let texts: Vec<String> = (0..400)
            .map(|index| {
                let count = if index % 50 == 0 { 9_000 } else { random.below(12) };
                (0..count).map(|_| random.pick(&words)).collect()
            })
            .collect();
        test(&texts, &["模型模型", "window", "zzz", "é é", "absent", "z", "context window", "型"]);
    }

    #[test]
    fn a_term_is_found_wherever_a_chunk_ends() {
        let long = "a term that is longer than what signatures look at ".repeat(2);
        let terms = ["needle", "ab", "模型", long.trim()];
        let mut random = Random::new(11);
        for size in [900, 5_000, 40_000, 300_000] {
            let mut texts = vec![String::new()];
            for at in 0..size / 60 {
                // Noise, so that few chunks may hold a term, and terms at every distance.
                let noise: String = (0..random.below(110))
                    .map(|_| (b'k' + random.below(16) as u8) as char)
                    .collect();
                let text = texts.last_mut().unwrap();
                *text += &noise;
                *text += if at % 7 == 0 { random.pick(&terms) } else { "" };
                if random.below(40) == 0 {
                    texts.push(String::new());
                }
            }
            test(&texts, &terms);
        }
    }

    #[test]
    fn occurrences_do_not_overlap_across_chunks() {
        let mut random = Random::new(13);
        let runs = |random: &mut Random| -> String {
            let piece = |_| match random.below(3) {
                0 => "a".repeat(1 + random.below(9_000)),
                1 => "ab".repeat(1 + random.below(4_000)),
                _ => (0..random.below(3_000))
                    .map(|_| (b'k' + random.below(16) as u8) as char)
                    .collect(),
            };
            (0..8).map(piece).collect()
        };
        let texts: Vec<String> = (0..12).map(|_| runs(&mut random)).collect();
        let (long, longer) = ("a".repeat(64), "ab".repeat(150));
        test(&texts, &["aaa", "aaaaa", "aba", "ababa", &long, &longer, "aa", "a"]);
    }

    #[test]
    fn no_texts_hold_nothing() {
        let terms = [Term::new("a")];
        let kept = Texts::new([].into_iter()).unwrap();
        assert_eq!(kept.find(&Search::new(&terms)), []);
        assert!(!Search::new(&terms).may_be_in(&kept.outline()));
    }
}
