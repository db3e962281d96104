//! Okapi BM25 over the verified hits of one query (`semantics.md` 7).

use crate::engine::{
    limits::{B, K1, MAX_TERMS, TOOL_RESULT_WEIGHT},
    rank::Hit,
    reply::{Explain, ExplainTerm},
    request::Term,
};

/// What the hits of a query have in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Corpus {
    /// Messages of the corpus, at least as many as hit.
    n: f64,
    /// Mean length of the hits, in code points.
    avgdl: f64,
    df: [usize; MAX_TERMS],
    idf: [f64; MAX_TERMS],
}

impl Corpus {
    /// The statistics of `hits` in a corpus of `messages`. Cost: one pass.
    pub fn new<'a>(messages: u64, hits: impl Iterator<Item = &'a Hit>) -> Self {
        let (mut count, mut length) = (0u64, 0u64);
        let mut df = [0usize; MAX_TERMS];
        for hit in hits {
            count += 1;
            length += u64::from(hit.length);
            for (df, tf) in df.iter_mut().zip(hit.tf) {
                *df += usize::from(tf != 0);
            }
        }
        let n = messages.max(count) as f64;
        let avgdl = if count == 0 { 0.0 } else { length as f64 / count as f64 };
        let idf = df.map(|df| {
            let df = df as f64;
            // `libm`, not `std`: the same bits on every platform.
            libm::log((n - df + 0.5) / (df + 0.5) + 1.0)
        });
        Self { n, avgdl, df, idf }
    }

    /// What the hit is worth.
    #[must_use]
    pub fn score(&self, hit: &Hit) -> f64 {
        let terms = (0..MAX_TERMS).filter(|term| hit.tf[*term] != 0);
        terms.map(|term| self.contribution(hit, term)).sum::<f64>() * weight(hit)
    }

    /// The term, by its place in the request, that adds most; the first of equals.
    #[must_use]
    pub fn best_term(&self, hit: &Hit) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for term in (0..MAX_TERMS).filter(|term| hit.tf[*term] != 0) {
            let contribution = self.contribution(hit, term);
            if best.1 < contribution {
                best = (term, contribution);
            }
        }
        best.0
    }

    /// Every factor of the score.
    #[must_use]
    pub fn explain(&self, hit: &Hit, terms: &[Term]) -> Explain {
        let terms = terms.iter().enumerate().filter(|(index, _)| hit.tf[*index] != 0);
        Explain {
            n: self.n,
            avgdl: self.avgdl,
            terms: terms
                .map(|(index, term)| ExplainTerm {
                    term: term.spelling.clone(),
                    tf: hit.tf[index] as usize,
                    df: self.df[index],
                    idf: self.idf[index],
                    length: hit.length as usize,
                    weight: weight(hit),
                    contribution: self.contribution(hit, index) * weight(hit),
                })
                .collect(),
        }
    }

    /// The terms, by their place in the request, that no message holds.
    pub fn missed(&self, terms: usize) -> impl Iterator<Item = usize> + '_ {
        (0..terms).filter(|term| self.df[*term] == 0)
    }

    fn contribution(&self, hit: &Hit, term: usize) -> f64 {
        let tf = f64::from(hit.tf[term]);
        let relative = f64::from(hit.length) / self.avgdl;
        self.idf[term] * (tf * (K1 + 1.0)) / (tf + K1 * (1.0 - B + B * relative))
    }
}

fn weight(hit: &Hit) -> f64 {
    if hit.tool_result { TOOL_RESULT_WEIGHT } else { 1.0 }
}

/// The score as it is reported: 4 decimals, a half rounds up.
#[must_use]
pub fn rounded(score: f64) -> f64 {
    // Formatting rounds the exact value, and only an exact half to even. An
    // exact half at the fifth decimal is an odd multiple of 1/32.
    let thirty_seconds = score * 32.0;
    if thirty_seconds.fract() == 0.0 && thirty_seconds % 2.0 != 0.0 {
        return ((score * 10_000.0).floor() + 1.0) / 10_000.0;
    }
    format!("{score:.4}").parse().unwrap_or(score)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(tf: &[u32], length: u32) -> Hit {
        let mut all = [0; MAX_TERMS];
        all[..tf.len()].copy_from_slice(tf);
        Hit { row: 0, tf: all, length, tool_result: false }
    }

    #[test]
    fn one_hit_of_mean_length_is_worth_its_idf() {
        let hits = [hit(&[1], 7)];
        let corpus = Corpus::new(1, hits.iter());
        assert_eq!(rounded(corpus.score(&hits[0])), 0.2877);
        assert_eq!(corpus.score(&hits[0]), libm::log(0.5 / 1.5 + 1.0));
    }

    #[test]
    fn a_count_below_the_hits_is_raised_to_them() {
        let hits = [hit(&[1], 1), hit(&[1], 1)];
        let corpus = Corpus::new(0, hits.iter());
        assert_eq!(rounded(corpus.score(&hits[0])), 0.1823);
    }

    #[test]
    fn a_tool_result_is_worth_half() {
        let said = hit(&[2, 1], 9);
        let told = Hit { tool_result: true, ..said };
        let hits = [said, told];
        let corpus = Corpus::new(50, hits.iter());
        assert_eq!(corpus.score(&hits[1]), corpus.score(&hits[0]) / 2.0);
    }

    #[test]
    fn the_rarer_term_adds_most_and_the_first_of_equals_wins() {
        let hits = [hit(&[1, 1, 1], 5), hit(&[1, 0, 0], 5)];
        let corpus = Corpus::new(10, hits.iter());
        assert_eq!(corpus.best_term(&hits[0]), 1);
    }

    #[test]
    fn the_contributions_add_up_to_the_score() {
        let hits = [Hit { tool_result: true, ..hit(&[3, 1], 12) }, hit(&[1, 0], 4)];
        let corpus = Corpus::new(99, hits.iter());
        let terms = [Term::new("a"), Term::new("b")];
        let explain = corpus.explain(&hits[0], &terms);
        let sum: f64 = explain.terms.iter().map(|term| term.contribution).sum();
        assert_eq!(rounded(sum), rounded(corpus.score(&hits[0])));
        assert_eq!((explain.terms[0].tf, explain.terms[0].df, explain.terms[1].df), (3, 2, 1));
    }

    #[test]
    fn an_exact_half_rounds_up() {
        assert_eq!(rounded(0.03125), 0.0313);
        assert_eq!(rounded(0.09375), 0.0938);
        assert_eq!(rounded(1.5), 1.5);
        assert_eq!(rounded(2.0), 2.0);
        assert_eq!(rounded(0.000_05), 0.0001);
        assert_eq!(rounded(5.815_14), 5.8151);
    }
}
