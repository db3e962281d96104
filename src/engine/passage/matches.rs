//! Where the terms of a row stand in the part of its text that is shown.

use std::ops::Range;

use super::query::{Query, TermSet};
use crate::engine::{
    limits::MAX_MATCHES,
    reply::Match,
    text::{spans, utf16_spans},
};

/// The hits of the terms `held` in `body`, which stands behind `lead` UTF-16
/// units of marks: by start, then in request order; the first 32.
pub(super) fn matches(body: &str, lead: usize, query: &Query<'_>, held: TermSet) -> Vec<Match> {
    let mut found: Vec<(Range<usize>, usize)> = Vec::new();
    for index in held.iter() {
        let of_term = spans(body, &query.needles[index]).into_iter().take(MAX_MATCHES);
        found.extend(of_term.map(|span| (span, index)));
    }
    found.sort_by_key(|(span, index)| (span.start, *index));
    found.truncate(MAX_MATCHES);
    let (spans, indices): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let units = utf16_spans(body, &spans);
    let terms = indices.into_iter().map(|index| &query.terms[index]);
    terms
        .zip(units)
        .map(|(term, (start, end))| Match {
            term: term.clone(),
            start: lead + start,
            end: lead + end,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::{Needle, fold};

    fn found(body: &str, lead: usize, terms: &[&str]) -> Vec<(String, usize, usize)> {
        let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
        let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
        let held = (0..terms.len()).collect();
        let query = Query { terms: &terms, needles: &needles, hits: &|_| None };
        let list = matches(body, lead, &query, held);
        list.into_iter().map(|Match { term, start, end }| (term, start, end)).collect()
    }

    #[track_caller]
    fn test(body: &str, lead: usize, terms: &[&str], expected: &[(&str, usize, usize)]) {
        let expected: Vec<_> =
            expected.iter().map(|&(term, start, end)| (term.to_owned(), start, end)).collect();
        assert_eq!(found(body, lead, terms), expected);
    }

    #[test]
    fn by_start_then_request_order() {
        test("b ab", 0, &["b", "ab", "a"], &[("b", 0, 1), ("ab", 2, 4), ("a", 2, 3), ("b", 3, 4)]);
    }

    #[test]
    fn units_of_utf16_behind_the_mark() {
        test("😀模W w", 1, &["w"], &[("w", 4, 5), ("w", 6, 7)]);
    }

    #[test]
    fn composed_text_is_covered_whole() {
        let body = "e\u{301} \u{130} \u{1112}\u{1161}\u{11ab} \u{e9}";
        let terms = ["\u{e9}", "i\u{307}", "\u{d55c}"];
        let expected = [(terms[0], 0, 2), (terms[1], 3, 4), (terms[2], 5, 8), (terms[0], 9, 10)];
        test(body, 0, &terms, &expected);
    }

    #[test]
    fn the_first_thirty_two() {
        let list = found(&"ab ".repeat(40), 0, &["ab", "b"]);
        let expected: Vec<_> = (0..16)
            .flat_map(|at| {
                [("ab".to_owned(), at * 3, at * 3 + 2), ("b".to_owned(), at * 3 + 1, at * 3 + 2)]
            })
            .collect();
        assert_eq!(list, expected);
    }
}
