//! What a search did not find or cover, in sentences for the model.

use crate::engine::{dates::day, reply::FactsStatus};

/// What the sentences tell.
#[derive(Clone, Debug)]
pub struct Gaps<'a> {
    /// Terms that no message holds, in the caller's spelling and order.
    pub missed: &'a [&'a str],
    /// Whether the facts were searched.
    pub facts_status: FactsStatus,
    /// How many facts matched.
    pub facts_found: usize,
    /// Sessions after the cap, the unreadable ones included.
    pub searched: usize,
    /// The oldest activity of those, as [`activity`](super::coverage::activity) gives it.
    pub oldest: Option<f64>,
    /// The cap on Sessions, where there is one.
    pub cap: Option<usize>,
    /// Sessions that cannot be read and could hold a term.
    pub unreadable: usize,
    /// Passages that did not fit.
    pub dropped: usize,
}

impl Gaps<'_> {
    /// The sentences, word for word as the contract has them.
    #[must_use]
    pub fn sentences(&self) -> String {
        let Self { missed, facts_status, facts_found, searched, oldest, cap, unreadable, dropped } =
            self;
        let mut sentences = Vec::new();
        if !missed.is_empty() {
            sentences.push(format!("No transcript match for: {}.", missed.join(", ")));
        }
        if *facts_status == FactsStatus::Unavailable {
            sentences.push("The facts store is unavailable.".to_owned());
        } else if *facts_found == 0 {
            sentences.push("No distilled facts matched.".to_owned());
        }
        sentences.push(format!("Searched {searched} Session(s)."));
        if let Some(day) = oldest.and_then(day) {
            sentences.push(format!("Oldest Session activity {day}."));
        }
        if let Some(cap) = cap.filter(|cap| cap <= searched) {
            sentences.push(format!("Session scan capped at {cap}; older Sessions were not read."));
        }
        if 0 < *unreadable {
            sentences.push(format!("{unreadable} Session(s) could not be read."));
        }
        if 0 < *dropped {
            sentences.push(format!("{dropped} passage(s) did not fit the size limit."));
        }
        sentences.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain() -> Gaps<'static> {
        Gaps {
            missed: &[],
            facts_status: FactsStatus::Ok,
            facts_found: 1,
            searched: 3,
            oldest: None,
            cap: None,
            unreadable: 0,
            dropped: 0,
        }
    }

    #[test]
    fn every_sentence_in_its_order() {
        let gaps = Gaps {
            missed: &["a", "B c"],
            facts_found: 0,
            searched: 200,
            oldest: Some(1_700_000_000_000.0),
            cap: Some(200),
            unreadable: 2,
            dropped: 4,
            ..plain()
        };
        assert_eq!(
            gaps.sentences(),
            "No transcript match for: a, B c. No distilled facts matched. Searched 200 Session(s). \
             Oldest Session activity 2023-11-14. \
             Session scan capped at 200; older Sessions were not read. \
             2 Session(s) could not be read. 4 passage(s) did not fit the size limit."
        );
    }

    #[test]
    fn what_is_not_missing_is_not_told() {
        assert_eq!(plain().sentences(), "Searched 3 Session(s).");
        let gaps = Gaps { cap: Some(4), ..plain() };
        assert_eq!(gaps.sentences(), "Searched 3 Session(s).");
    }

    #[test]
    fn facts_that_are_not_there_and_facts_that_cannot_be_read() {
        let status = |facts_status| Gaps { facts_status, facts_found: 0, ..plain() }.sentences();
        let none = "No distilled facts matched. Searched 3 Session(s).";
        assert_eq!(status(FactsStatus::Ok), none);
        assert_eq!(status(FactsStatus::None), none);
        assert_eq!(
            status(FactsStatus::Unavailable),
            "The facts store is unavailable. Searched 3 Session(s)."
        );
    }
}
