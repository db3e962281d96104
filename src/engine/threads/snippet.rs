//! The text around a match, for a result list.

use std::ops::Range;

use crate::engine::{
    limits::{MARK, MAX_MATCHES, SNIPPET_CODE_POINTS, SNIPPET_CONTEXT_UNITS},
    reply::Match,
    request::Term,
    text::{Needle, fold, is_space, spans, utf16_len},
};

/// A cut-out of a redacted text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snippet {
    /// White space collapsed, `…` at cut ends; at most 240 code points.
    pub(super) text: String,
    /// Whether an end is cut.
    pub(super) truncated: bool,
    /// Where the query stands in `text`.
    pub(super) matches: Vec<Match>,
}

/// Cuts `text`, which is redacted, around the first match of `query`; `None`
/// when it holds none.
pub(super) fn snippet(text: &str, query: &Term) -> Option<Snippet> {
    let found = spans(text, &query.needle).into_iter().next()?;
    let start = back(text, found.start, SNIPPET_CONTEXT_UNITS);
    let end = forth(text, found.end, SNIPPET_CONTEXT_UNITS);
    let lead = if is_blank(&text[..start]) { "" } else { MARK };
    let cut_end = !is_blank(&text[end..]);
    let body = collapse(&text[start..end]);
    let room = SNIPPET_CODE_POINTS - lead.chars().count();
    let length = body.chars().count();
    let shown: String = if length + usize::from(cut_end) <= room {
        body
    } else {
        body.chars().take(room - 1).collect()
    };
    let cut_end = cut_end || shown.chars().count() < length;
    let trail = if cut_end { MARK } else { "" };
    let matches = positions(&shown, query, utf16_len(lead));
    Some(Snippet {
        text: format!("{lead}{shown}{trail}"),
        truncated: !lead.is_empty() || cut_end,
        matches,
    })
}

/// Where the query stands in a collapsed text. A query with white space of its
/// own is looked for as it reads there.
fn positions(shown: &str, query: &Term, offset: usize) -> Vec<Match> {
    let collapsed = collapse(&query.spelling);
    let needle = Needle::new(&fold(&collapsed));
    let at = |range: Range<usize>| {
        let start = offset + utf16_len(&shown[..range.start]);
        let end = start + utf16_len(&shown[range]);
        Match { term: query.spelling.clone(), start, end }
    };
    spans(shown, &needle).into_iter().take(MAX_MATCHES).map(at).collect()
}

/// At most `units` UTF-16 units before `from`, whole code points.
fn back(text: &str, from: usize, mut units: usize) -> usize {
    let mut start = from;
    for (index, character) in text[..from].char_indices().rev() {
        let Some(left) = units.checked_sub(character.len_utf16()) else { break };
        units = left;
        start = index;
    }
    start
}

/// At most `units` UTF-16 units after `from`, whole code points.
fn forth(text: &str, from: usize, mut units: usize) -> usize {
    for (index, character) in text[from..].char_indices() {
        let Some(left) = units.checked_sub(character.len_utf16()) else { return from + index };
        units = left;
    }
    text.len()
}

fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

/// Runs of white space as one space, none at the ends.
fn collapse(text: &str) -> String {
    text.split(is_space).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn test(text: &str, query: &str) -> Snippet {
        let snippet = snippet(text, &Term::new(query)).unwrap();
        assert!(snippet.text.chars().count() <= SNIPPET_CODE_POINTS);
        for Match { start, end, .. } in &snippet.matches {
            let units: Vec<u16> = snippet.text.encode_utf16().collect();
            let found = String::from_utf16(&units[*start..*end]).unwrap();
            assert_eq!(fold(&found), fold(&collapse(query)));
        }
        snippet
    }

    #[test]
    fn a_short_text_is_shown_whole() {
        let snippet = test("  Das  ist\nein É  ", "é");
        assert_eq!(snippet.text, "Das ist ein É");
        assert!(!snippet.truncated);
        assert_eq!(snippet.matches, [Match { term: "é".into(), start: 12, end: 13 }]);
    }

    #[test]
    fn eighty_units_stand_on_each_side() {
        let text = format!("{}needle{}", "a".repeat(100), "😀".repeat(50));
        let snippet = test(&text, "needle");
        assert_eq!(snippet.text, format!("…{}needle{}…", "a".repeat(80), "😀".repeat(40)));
        assert!(snippet.truncated);
        assert_eq!(snippet.matches[0].start, 81);
    }

    #[test]
    fn a_long_query_is_cut_at_its_end() {
        let query = "x".repeat(400);
        let snippet = test(&query, &query);
        assert_eq!(snippet.text, format!("{}…", "x".repeat(239)));
        assert_eq!(snippet.matches, []);
    }

    #[test]
    fn a_query_over_a_line_break_is_marked() {
        assert_eq!(test("first\n  second", "first\n  second").matches.len(), 1);
    }
}
