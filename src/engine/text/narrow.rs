//! Narrowing: which stored rows can hold a term.
//!
//! A row is stored as JSON and searched as it is stored. What is looked for is
//! `instr(lower(row), term) > 0 OR fold_unstable(row)` for any of the terms,
//! `lower` being SQLite's, which knows A–Z alone. A row for which that is false
//! holds no term: it is stable, so that its fold is itself with A–Z lowered, and
//! the terms are such that JSON stores them as they are. That is how the host
//! writes JSON; a row that another writer [escaped](Escapes) further is unstable.

use super::{escape::Escapes, fold::fold_unstable_bytes, probe::Probe};

/// What narrowing says of a stored row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It holds no term.
    No,
    /// It holds a term as it is stored, A–Z lowered.
    Holds,
    /// It does not, but folding changes it, or escapes hide what it says: only
    /// the fold of its texts can tell.
    Unstable,
}

/// The terms of a request, ready to be looked for in stored rows.
#[derive(Clone, Debug)]
pub struct Narrowing {
    probes: Vec<Probe>,
    escapes: Escapes,
}

impl Narrowing {
    /// Prepares [folded](super::fold()) terms. `None` when one of them takes a
    /// full scan, because JSON may store it in another form: a term with `"`,
    /// `\`, a control character or U+FFFD, or an empty one.
    #[must_use]
    pub fn new(folded_terms: &[&str]) -> Option<Self> {
        let stored_as_it_is = |term: &&str| {
            !term.is_empty()
                && !term.contains(|character: char| {
                    character.is_control() || matches!(character, '"' | '\\' | '\u{fffd}')
                })
        };
        folded_terms.iter().all(stored_as_it_is).then(|| Self {
            probes: folded_terms.iter().map(|term| Probe::new(term)).collect(),
            escapes: Escapes::hiding(folded_terms),
        })
    }

    /// Whether a row can hold a term, by its stored bytes. Bytes that are not
    /// UTF-8 are unstable.
    #[must_use]
    pub fn verdict(&self, stored: &[u8]) -> Verdict {
        if self.probes.iter().any(|probe| probe.is_in(stored)) {
            Verdict::Holds
        } else if fold_unstable_bytes(stored) || self.escapes.are_in(stored) {
            Verdict::Unstable
        } else {
            Verdict::No
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{random::Random, text::samples::naive_fold};

    /// The slow twin of [`Narrowing::verdict`].
    fn slow(stored: &[u8], terms: &[&str]) -> Verdict {
        let lower = stored.to_ascii_lowercase();
        let holds = |term: &&str| lower.windows(term.len()).any(|part| part == term.as_bytes());
        let unstable = match std::str::from_utf8(stored) {
            Ok(text) => naive_fold(text) != text.to_ascii_lowercase(),
            Err(_) => true,
        };
        match (terms.iter().any(holds), unstable) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::Unstable,
            (false, false) => Verdict::No,
        }
    }

    #[test]
    fn one_term_or_several_agree_with_the_plain_predicate() {
        let mut random = Random::new(47);
        let mut seen = [0; 3];
        for round in 0..40_000 {
            let text = if round % 4 == 0 {
                random.text(30)
            } else {
                random.text(30).replace(is_unstable_alone, "")
            };
            let mut row = text.clone().into_bytes();
            if random.below(20) == 0 && !row.is_empty() {
                let at = random.below(row.len());
                row[at] = random.below(256) as u8;
            }
            let mut terms = Vec::new();
            for _ in 0..=random.below(5) {
                let source = if random.below(4) == 0 { text.clone() } else { random.text(5) };
                terms.extend(random.part(&naive_fold(&source)));
            }
            let terms: Vec<&str> = terms.iter().map(String::as_str).collect();
            let Some(narrowing) = Narrowing::new(&terms) else { continue };
            let verdict = narrowing.verdict(&row);
            assert_eq!(verdict, slow(&row, &terms), "{terms:?} in {row:?}");
            seen[verdict as usize] += 1;
        }
        assert!(seen.iter().all(|&count| 2_000 < count), "{seen:?}");
    }

    fn is_unstable_alone(character: char) -> bool {
        let text = character.to_string();
        naive_fold(&text) != text.to_ascii_lowercase()
    }

    #[test]
    fn terms_that_json_stores_otherwise_take_a_full_scan() {
        for term in ["say \"x\"", "c:\\users", "a\nb", "\t", "\u{1f}", "\u{7f}", "\u{fffd}", ""] {
            assert!(Narrowing::new(&["fine", term]).is_none(), "{term:?}");
        }
        assert!(Narrowing::new(&["100%", "a_b", "中", "'", "/", "\u{2028}", "😀"]).is_some());
    }

    #[test]
    fn a_row_without_the_term_says_why_it_may_hold_it() {
        let narrowing = Narrowing::new(&["été", "模型"]).unwrap();
        assert_eq!(narrowing.verdict("un été".as_bytes()), Verdict::Holds);
        assert_eq!(narrowing.verdict("ÉTÉ".as_bytes()), Verdict::Unstable);
        assert_eq!(narrowing.verdict("e\u{301}te\u{301}".as_bytes()), Verdict::Unstable);
        assert_eq!(narrowing.verdict("ÉTÉ 模型".as_bytes()), Verdict::Holds);
        assert_eq!(narrowing.verdict("HIVER, 模 型".as_bytes()), Verdict::No);
        assert_eq!(narrowing.verdict(b"hiver \xff"), Verdict::Unstable);
        assert_eq!(narrowing.verdict(b""), Verdict::No);
        assert_eq!(narrowing.verdict(br#"{"a":"\u00e9t\u00c9"}"#), Verdict::Unstable);
        assert_eq!(narrowing.verdict(br#"{"a":"\u0000 hiver \ud83d"}"#), Verdict::No);
    }

    #[test]
    fn no_terms_hold_nowhere() {
        let narrowing = Narrowing::new(&[]).unwrap();
        assert_eq!(narrowing.verdict(b"anything"), Verdict::No);
    }
}
