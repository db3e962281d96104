//! A message cut to what is left of a budget.

use super::{
    cost::{self, Fixed},
    draft::Draft,
    matches::matches,
    query::{Query, TermSet},
};
use crate::engine::{
    limits::{MARK, MESSAGE_TEXT_BYTES},
    reply::{Match, PassageMessage},
    text::{utf16_len, window},
};

/// The smallest text that is tried: a mark and one byte.
const LEAST_TEXT_BYTES: usize = 4;

/// How a message stands in its passage.
#[derive(Clone, Copy)]
pub(super) struct Role<'a> {
    /// The anchor or a neighbour.
    pub(super) place: Place,
    /// The terms that the message holds, where hits are shown at all.
    pub(super) held: Option<(&'a Query<'a>, TermSet)>,
}

/// Where a message stands, and so which part of a long text is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The message that the passage is for. `around` is the byte of its text
    /// that must be shown; without one the text keeps its beginning.
    Anchor { around: Option<usize> },
    /// A message beside it: keeps its beginning.
    Neighbour,
}

/// `draft` as it leaves, and what it costs; `None` when it has no place in `left` bytes.
pub(super) fn fit(draft: &Draft, role: Role<'_>, left: usize) -> Option<(PassageMessage, usize)> {
    let fixed = cost::fixed(&Fixed {
        message_id: &draft.message_id,
        match_kind: draft.match_kind,
        timestamp: draft.timestamp,
        materials: draft.materials.as_deref(),
    });
    if left <= fixed {
        return None;
    }
    let cut_to = |bytes| {
        let cut = cut(draft, role, bytes)?;
        let cost = fixed + cut.cost(role.place);
        (cost <= left).then_some((cut, cost))
    };
    let most = MESSAGE_TEXT_BYTES.min(draft.text.len() + MARK.len());
    let (cut, cost) = cut_to(most).or_else(|| {
        let (mut low, mut high) = (LEAST_TEXT_BYTES, most);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if cut_to(middle).is_some() { low = middle } else { high = middle - 1 }
        }
        cut_to(low)
    })?;
    let Cut { text, truncated, matches } = cut;
    let message = PassageMessage {
        message_id: draft.message_id.clone(),
        match_kind: draft.match_kind,
        text,
        timestamp: draft.timestamp,
        is_anchor: role.place != Place::Neighbour,
        truncated,
        matches,
        materials: draft.materials.clone(),
    };
    Some((message, cost))
}

/// A text with its marks.
struct Cut {
    text: String,
    truncated: bool,
    matches: Option<Vec<Match>>,
}

impl Cut {
    /// What the text, the flags and the matches cost.
    fn cost(&self, place: Place) -> usize {
        let Self { text, truncated, matches } = self;
        cost::text(text)
            + cost::flag("isAnchor", place != Place::Neighbour)
            + if *truncated { cost::flag("truncated", true) } else { 0 }
            + matches.as_deref().map_or(0, cost::matches)
    }
}

/// The text limited to `bytes`; `None` when nothing of it is left.
fn cut(draft: &Draft, role: Role<'_>, bytes: usize) -> Option<Cut> {
    let around = match role.place {
        Place::Anchor { around } => around,
        Place::Neighbour => None,
    };
    let shown = window(&draft.text, bytes, around, draft.capped);
    let body = shown.body();
    if body.is_empty() && !draft.text.is_empty() {
        return None;
    }
    let lead = utf16_len(&shown.shown[..shown.lead]);
    let matches = role.held.map(|(query, held)| matches(body, lead, query, held));
    Some(Cut { matches, truncated: shown.truncated, text: shown.shown })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{
        passage::held::random_text,
        random::Random,
        reply::MatchKind,
        text::{Needle, fold},
    };

    fn draft(id: &str, text: &str) -> Draft {
        Draft {
            row: 0,
            message_id: Arc::from(id),
            match_kind: MatchKind::Assistant,
            timestamp: 1_780_005_154_000.0,
            text: text.to_owned(),
            capped: false,
            materials: None,
        }
    }

    const NEIGHBOUR: Role<'_> = Role { place: Place::Neighbour, held: None };
    const OPENED: Role<'_> = Role { place: Place::Anchor { around: None }, held: None };

    fn fitted(draft: &Draft, left: usize) -> Option<(String, usize)> {
        fit(draft, NEIGHBOUR, left).map(|(message, cost)| (message.text, cost))
    }

    /// The longest text that fits, by trying every length from the longest down.
    fn tried(draft: &Draft, left: usize) -> Option<(String, usize)> {
        let one = Draft { text: "x".to_owned(), capped: false, ..draft.clone() };
        let (_, empty) = fit(&one, NEIGHBOUR, usize::MAX)?;
        let most = MESSAGE_TEXT_BYTES.min(draft.text.len() + MARK.len());
        (LEAST_TEXT_BYTES..=most).rev().find_map(|bytes| {
            let shown = window(&draft.text, bytes, None, draft.capped);
            let flag = if shown.truncated { ",\"truncated\":true".len() } else { 0 };
            let written = serde_json::to_string(&shown.shown).unwrap().len();
            let cost = empty - "\"x\"".len() + written + flag;
            (!shown.body().is_empty() && cost <= left).then_some((shown.shown, cost))
        })
    }

    #[test]
    fn the_search_finds_the_longest_text_that_fits() {
        let mut random = Random::new(3);
        for _ in 0..400 {
            let text = format!("{}.", random_text(&mut random, 80));
            let capped = random.below(4) == 0;
            let draft = Draft { capped, ..draft("m", &text) };
            let left = 100 + random.below(350);
            assert_eq!(fitted(&draft, left), tried(&draft, left), "{text:?} in {left}");
        }
    }

    #[test]
    fn a_message_that_fits_exactly_is_whole() {
        let draft = draft("m", &"x".repeat(50));
        let (message, cost) = fit(&draft, NEIGHBOUR, 10_000).unwrap();
        let written = r#"{"messageId":"m","role":"assistant","matchKind":"assistant_message","text":"","timestamp":1780005154000,"isAnchor":false}"#;
        assert_eq!(cost, written.len() + 50);
        assert_eq!(fit(&draft, NEIGHBOUR, cost), Some((message, cost)));
        // One byte less: the mark takes three, and the flag seventeen.
        let (message, cut) = fit(&draft, NEIGHBOUR, cost - 1).unwrap();
        assert_eq!(message.text, format!("{}…", "x".repeat(29)));
        assert!(message.truncated);
        assert_eq!(cut, cost - 1);
    }

    #[test]
    fn a_message_is_skipped_when_the_rest_of_it_uses_up_what_is_left() {
        let draft = draft("m", &"x".repeat(50));
        let whole = fit(&draft, NEIGHBOUR, 10_000).unwrap().1;
        let one_letter = whole - 50 + "x…".len() + ",\"truncated\":true".len();
        let (message, cost) = fit(&draft, NEIGHBOUR, one_letter).unwrap();
        assert_eq!((message.text.as_str(), cost), ("x…", one_letter));
        assert_eq!(fit(&draft, NEIGHBOUR, one_letter - 1), None);
    }

    #[test]
    fn a_text_of_nothing_but_marks_is_no_text() {
        let draft = draft("m", &"😀".repeat(50));
        let (whole, cost) = fit(&draft, NEIGHBOUR, 10_000).unwrap();
        assert_eq!(whole.text, "😀".repeat(50));
        let one = cost - 200 + "😀…".len() + ",\"truncated\":true".len();
        assert_eq!(fitted(&draft, one), Some(("😀…".to_owned(), one)));
        assert_eq!(fitted(&draft, one - 1), None);
    }

    #[test]
    fn an_empty_text_with_a_file_fits() {
        let materials = vec![crate::engine::reply::MessageMaterial {
            name: "a.png".to_owned(),
            kind: "image".to_owned(),
            mime_type: "image/png".to_owned(),
            bytes: 5.0,
            location: None,
        }];
        let draft = Draft { materials: Some(materials), ..draft("m", "") };
        let (message, cost) = fit(&draft, NEIGHBOUR, 10_000).unwrap();
        assert_eq!((message.text.as_str(), message.truncated), ("", false));
        assert_eq!(fit(&draft, NEIGHBOUR, cost), Some((message, cost)));
        assert_eq!(fit(&draft, NEIGHBOUR, cost - 1), None);
    }

    #[test]
    fn four_kib_of_text_at_most() {
        for (text, shown) in [
            ("z".repeat(4096), "z".repeat(4096)),
            ("z".repeat(4097), format!("{}…", "z".repeat(4093))),
            // A code point that does not fit whole is left out.
            (format!("a{}", "😀".repeat(1100)), format!("a{}…", "😀".repeat(1023))),
            ("模".repeat(1366), format!("{}…", "模".repeat(1364))),
        ] {
            assert_eq!(fitted(&draft("m", &text), 12_288).unwrap().0, shown);
        }
    }

    #[test]
    fn what_was_cut_before_ends_in_a_mark() {
        let draft = Draft { capped: true, ..draft("m", "capspace") };
        let (message, _) = fit(&draft, OPENED, 12_288).unwrap();
        assert_eq!((message.text.as_str(), message.truncated), ("capspace…", true));
    }

    #[test]
    fn control_characters_are_six_bytes_each() {
        // The golden cases of control characters: what is left beside each other.
        let word = draft("bg-ctrl", &format!("ctrlword {}\u{1}\"\\", "\u{1}\"\\\n".repeat(899)));
        let next = draft("bg-ctrl2", &format!("ctrlnext {}", "\u{2}".repeat(4000)));
        let asked = Draft { match_kind: MatchKind::User, ..draft("bg-u5", "escapes") };
        let terms = ["ctrlword".to_owned(), "ctrlnext".to_owned()];
        let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
        let query = Query { terms: &terms, needles: &needles, hits: &|_| None };
        let hit = |term| Role {
            place: Place::Anchor { around: Some(0) },
            held: Some((&query, [term].into_iter().collect())),
        };

        let mut left = 12_288;
        for (draft, role, units) in
            [(&word, hit(0), 3608), (&asked, NEIGHBOUR, 7), (&next, NEIGHBOUR, 181)]
        {
            let (message, cost) = fit(draft, role, left).unwrap();
            assert_eq!(utf16_len(&message.text), units);
            left -= cost;
        }
        let mut left = 12_288;
        for (draft, role, units) in
            [(&word, OPENED, 3608), (&asked, NEIGHBOUR, 7), (&next, NEIGHBOUR, 189)]
        {
            let (message, cost) = fit(draft, role, left).unwrap();
            assert_eq!(utf16_len(&message.text), units);
            left -= cost;
        }
        let (message, cost) = fit(&next, hit(1), 12_288).unwrap();
        assert_eq!(utf16_len(&message.text), 2023);
        assert_eq!(fit(&word, NEIGHBOUR, 12_288 - cost), None);
    }

    #[test]
    fn an_anchor_is_cut_round_its_hit() {
        let text = format!("{}needle{}", "前".repeat(3000), "后".repeat(3000));
        let terms = ["needle".to_owned()];
        let needles = [Needle::new("needle")];
        let query = Query { terms: &terms, needles: &needles, hits: &|_| None };
        let role = Role {
            place: Place::Anchor { around: Some(9000) },
            held: Some((&query, [0].into_iter().collect())),
        };
        let (message, _) = fit(&draft("u1", &text), role, 12_288).unwrap();
        assert_eq!(utf16_len(&message.text), 1369);
        assert!(message.text.starts_with("…前") && message.text.ends_with("后…"));
        let expected = Match { term: "needle".to_owned(), start: 343, end: 349 };
        assert_eq!(message.matches, Some(vec![expected]));
    }
}
