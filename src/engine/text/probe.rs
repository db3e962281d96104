//! Searching stored bytes for a folded term, A–Z being equal to a–z.

use memchr::{memchr2, memmem::Finder};

/// Bytes that are compared together: plain code over a fixed block, which
/// compiles to vector instructions.
const LANES: usize = 32;

/// Bytes of a run that is worth searching for alone.
const LONG_RUN: usize = 3;

/// Compared bytes that a search may waste, for each byte it covers.
const PATIENCE: usize = 8;

/// Bytes of JSON and prose from the most frequent one down; those that are not
/// named are rarer.
const FREQUENT: &[u8] = b" etaonirs\"lcdupmhfg-_.,:/bywvk\\()0123456789";

/// A folded term, ready to be searched in text that is not folded. A hit is a
/// place where the text with A–Z lowered holds the term.
#[derive(Clone, Debug)]
pub(super) struct Probe {
    term: Box<[u8]>,
    way: Way,
}

/// How to come to the places that are worth a comparison.
#[derive(Clone, Debug)]
enum Way {
    /// No letter in it: the bytes themselves.
    Bytes(Finder<'static>),
    /// One letter.
    Letter(u8),
    /// By a run without letters, which starts at that byte of the term.
    Run(Finder<'static>, usize),
    /// By the two rarest bytes.
    Pair([Lane; 2]),
}

/// One byte of a term: `text[start + at] | mask == byte` where the term stands.
#[derive(Clone, Copy, Debug)]
struct Lane {
    at: usize,
    mask: u8,
    byte: u8,
}

impl Lane {
    fn of(term: &[u8], at: usize) -> Self {
        Self { at, mask: case_mask(term[at]), byte: term[at] }
    }

    fn matches(self, byte: u8) -> bool {
        byte | self.mask == self.byte
    }
}

impl Probe {
    /// Prepares `folded`, which is not empty and holds no A–Z.
    pub(super) fn new(folded: &str) -> Self {
        let term: Box<[u8]> = folded.as_bytes().into();
        let way = match *term {
            [letter] if case_mask(letter) != 0 => Way::Letter(letter),
            _ => way(&term),
        };
        Self { term, way }
    }

    /// Whether the term stands in `text`. Linear in the text, and without
    /// allocation unless the text was made to be slow.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        match &self.way {
            Way::Bytes(finder) => finder.find(text).is_some(),
            Way::Letter(letter) => memchr2(*letter, letter ^ 0x20, text).is_some(),
            Way::Run(finder, at) => self.by_run(text, finder, *at),
            Way::Pair(lanes) => self.by_pair(text, *lanes),
        }
    }

    fn by_run(&self, text: &[u8], finder: &Finder<'_>, at: usize) -> bool {
        let mut wasted = 0;
        let mut from = at;
        while let Some(found) = text.get(from..).and_then(|rest| finder.find(rest)) {
            let start = from + found - at;
            if self.stands_at(text, start, &mut wasted) {
                return true;
            }
            if PATIENCE * text.len() < wasted {
                return self.is_in_lowered(&text[start..]);
            }
            from = start + at + 1;
        }
        false
    }

    fn by_pair(&self, text: &[u8], [one, two]: [Lane; 2]) -> bool {
        let Some(last) = text.len().checked_sub(self.term.len()) else { return false };
        // The bytes that the two lanes meet at every start.
        let ones = &text[one.at..=one.at + last];
        let twos = &text[two.at..=two.at + last];
        let mut wasted = 0;
        let mut start = 0;
        for (ones, twos) in ones.chunks(LANES).zip(twos.chunks(LANES)) {
            let any = match (ones.first_chunk::<LANES>(), twos.first_chunk::<LANES>()) {
                (Some(ones), Some(twos)) => ones
                    .iter()
                    .zip(twos)
                    .fold(false, |any, (&a, &b)| any | (one.matches(a) & two.matches(b))),
                _ => true,
            };
            if any {
                for (lane, (&a, &b)) in ones.iter().zip(twos).enumerate() {
                    let worth = one.matches(a) & two.matches(b);
                    if worth && self.stands_at(text, start + lane, &mut wasted) {
                        return true;
                    }
                }
                if PATIENCE * text.len() < wasted {
                    return self.is_in_lowered(&text[start..]);
                }
            }
            start += LANES;
        }
        false
    }

    /// Whether the term stands at `start`; counts the bytes that were equal for
    /// nothing.
    fn stands_at(&self, text: &[u8], start: usize, wasted: &mut usize) -> bool {
        let Some(there) = text.get(start..start + self.term.len()) else { return false };
        let equal = self.term.iter().zip(there);
        let equal = equal.take_while(|(term, byte)| byte.to_ascii_lowercase() == **term).count();
        *wasted += equal;
        equal == self.term.len()
    }

    /// The slow way of a text that repeats itself and the term nearly: linear in
    /// every case.
    fn is_in_lowered(&self, text: &[u8]) -> bool {
        Finder::new(&*self.term).find(&text.to_ascii_lowercase()).is_some()
    }
}

fn way(term: &[u8]) -> Way {
    let (run_at, run_length) = longest_run(term);
    if run_length == term.len() {
        return Way::Bytes(Finder::new(term).into_owned());
    }
    if LONG_RUN <= run_length {
        let run = &term[run_at..run_at + run_length];
        return Way::Run(Finder::new(run).into_owned(), run_at);
    }
    let rarest = |but: Option<usize>| {
        (0..term.len()).filter(|&at| Some(at) != but).max_by_key(|&at| rarity(term[at]))
    };
    let one = rarest(None).unwrap_or_default();
    let two = rarest(Some(one)).unwrap_or(one);
    Way::Pair([Lane::of(term, one), Lane::of(term, two)])
}

/// The first of the longest runs of bytes without case: its start and length.
fn longest_run(term: &[u8]) -> (usize, usize) {
    let (mut best, mut start) = ((0, 0), 0);
    for run in term.split(|&byte| case_mask(byte) != 0) {
        if best.1 < run.len() {
            best = (start, run.len());
        }
        start += run.len() + 1;
    }
    best
}

/// The bit that lowers an ASCII letter, if `byte` is one.
fn case_mask(byte: u8) -> u8 {
    if byte.is_ascii_lowercase() { 0x20 } else { 0 }
}

/// Higher for bytes that stored text holds less often.
fn rarity(byte: u8) -> usize {
    FREQUENT.iter().position(|&frequent| frequent == byte).unwrap_or(FREQUENT.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::random::Random;

    fn slow(text: &[u8], term: &str) -> bool {
        text.to_ascii_lowercase().windows(term.len()).any(|window| window == term.as_bytes())
    }

    #[track_caller]
    fn test(text: &[u8], term: &str) -> bool {
        let found = Probe::new(term).is_in(text);
        assert_eq!(found, slow(text, term), "{term:?} in {text:?}");
        found
    }

    #[test]
    fn a_term_is_found_wherever_it_stands() {
        for term in [
            "k",
            "kq",
            "recall",
            "0",
            "42",
            "模型",
            "模型api",
            "api-模型-v2",
            "a b",
            "é",
            "x\u{e9}",
        ] {
            for before in 0..70 {
                let upper = term.to_ascii_uppercase();
                let text = format!("{}{upper}{}", "-".repeat(before), "=".repeat(before % 7));
                assert!(test(text.as_bytes(), term));
                assert!(!test(&text.as_bytes()[..before + term.len() - 1], term));
            }
        }
    }

    #[test]
    fn only_letters_have_a_case() {
        // Each pair differs in the bit that tells a from A.
        assert!(!test(b"A[ A@ A^", "a{"));
        assert!(!test(b"A[ A@ A^", "a`"));
        assert!(!test(b"A[ A@ A^", "a~"));
        assert!(!test("\u{212a}".as_bytes(), "k"));
        assert!(test(b"A{", "a{"));
    }

    #[test]
    fn agrees_with_a_plain_search() {
        let mut random = Random::new(31);
        let mut found = 0;
        for _ in 0..30_000 {
            let text = random.text(40);
            let source = if random.below(3) == 0 { random.text(6) } else { text.clone() };
            let Some(term) = random.part(&source) else { continue };
            found += usize::from(test(text.as_bytes(), &term.to_ascii_lowercase()));
        }
        assert!(10_000 < found);
    }

    #[test]
    fn text_that_repeats_the_term_nearly_takes_the_linear_way() {
        let term = "ab".repeat(200) + "c";
        let near = "ab".repeat(40_000);
        assert!(!test(near.as_bytes(), &term));
        assert!(test((near + "C").as_bytes(), &term));
        let term = "中文字".to_owned() + &"a".repeat(300) + "b";
        let near = ("中文字".to_owned() + &"A".repeat(300)).repeat(200);
        assert!(!test(near.as_bytes(), &term));
        assert!(test((near + "b").as_bytes(), &term));
    }
}
