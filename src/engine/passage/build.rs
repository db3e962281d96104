//! A passage: the anchor, then its neighbours outward, while they fit.

use std::iter;

use super::{
    Bodies, Query, SessionView, Viewer,
    draft::{self, Draft},
    fit::{Place, Role, fit},
    neighbours::side,
};
use crate::engine::{
    RecallError,
    limits::{NEIGHBOURS, PASSAGE_BYTES},
    reply::{Explain, Passage, PassageMessage},
    text::{redact::redact, spans},
    transcript::Row,
};

/// The row that a passage of `recall` is for.
#[derive(Clone, Debug)]
pub struct Anchor {
    /// Its index in the transcript.
    pub row: usize,
    /// The index of the term that added most to its score, the first of equals.
    pub best_term: usize,
    /// The score as it is reported.
    pub score: f64,
    /// How it came about, when asked for.
    pub explain: Option<Explain>,
}

/// How many visible neighbours a passage of `recallMore` has at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Around {
    /// Before the anchor.
    pub before: usize,
    /// After it.
    pub after: usize,
}

/// A passage and what it takes from the budget of the envelope.
#[derive(Clone, Debug, PartialEq)]
pub struct Built {
    /// The passage.
    pub passage: Passage,
    /// UTF-8 bytes of the JSON of its messages.
    pub cost: usize,
}

/// Makes passages of one Session.
pub struct PassageBuilder<'a> {
    /// The Session.
    pub session: SessionView<'a>,
    /// Who asks.
    pub viewer: &'a Viewer,
    /// Reads the contents of rows.
    pub bodies: &'a mut dyn Bodies,
}

impl PassageBuilder<'_> {
    /// The passage of `recall` for `anchor`, in at most `left` bytes of the
    /// envelope; `None` when the anchor does not fit, and the passage is dropped.
    ///
    /// # Errors
    /// The contents of a row cannot be read, or the work was cancelled.
    pub fn recalled(
        &mut self,
        query: Query<'_>,
        anchor: Anchor,
        left: usize,
    ) -> Result<Option<Built>, RecallError> {
        let Anchor { row, best_term, score, explain } = anchor;
        let showing = Showing {
            row,
            around: Around { before: NEIGHBOURS, after: NEIGHBOURS },
            hits: Some((&query, best_term)),
        };
        let Some(mut built) = self.build(showing, left)? else { return Ok(None) };
        let held = (query.hits)(row).unwrap_or_default();
        let spelled = held.iter().filter_map(|index| query.terms.get(index));
        built.passage.matched_terms = spelled.cloned().collect();
        built.passage.score = score;
        built.passage.explain = explain;
        Ok(Some(built))
    }

    /// The passage of `recallMore` for the row with index `row`: no matches, and
    /// texts that keep their beginning. `None` when the row shows nothing or has
    /// no place in a passage.
    ///
    /// # Errors
    /// The contents of a row cannot be read, or the work was cancelled.
    pub fn expanded(&mut self, row: usize, around: Around) -> Result<Option<Passage>, RecallError> {
        let built = self.build(Showing { row, around, hits: None }, PASSAGE_BYTES)?;
        Ok(built.map(|built| built.passage))
    }

    fn build(&mut self, showing: Showing<'_>, left: usize) -> Result<Option<Built>, RecallError> {
        let Showing { row, around, .. } = showing;
        let (session, viewer) = (self.session, self.viewer);
        let Some(draft) = Draft::of(session, row, viewer, self.bodies)? else { return Ok(None) };
        let left = left.min(PASSAGE_BYTES);
        let Some((message, mut cost)) = fit(&draft, showing.role(&draft), left) else {
            return Ok(None);
        };
        let mut truncated = message.truncated;
        let before = side(session, row, (0..row).rev(), around.before, viewer, self.bodies)?;
        let after =
            side(session, row, row + 1..session.rows.len(), around.after, viewer, self.bodies)?;

        let mut sides = [Shown::default(), Shown::default()];
        for (step, which) in outward(before.drafts.len(), after.drafts.len()) {
            let draft = &[&before, &after][which].drafts[step];
            match fit(draft, showing.role(draft), left - cost) {
                Some((message, bytes)) => {
                    cost += bytes;
                    truncated |= message.truncated;
                    sides[which].reach = step + 1;
                    sides[which].messages.push(message);
                }
                None => truncated = true,
            }
        }
        let [shown_before, shown_after] = sides;
        let has_more_before = before.more || shown_before.reach < before.drafts.len();
        let has_more_after = after.more || shown_after.reach < after.drafts.len();
        let messages = shown_before.messages.into_iter().rev();
        let messages = messages.chain(iter::once(message)).chain(shown_after.messages).collect();

        let header = session.header;
        let anchor = &session.rows[row];
        let passage = Passage {
            session_id: header.id.clone(),
            session_title: redact(&header.name).into_owned(),
            turn_id: anchor.turn_id.clone(),
            anchor: format!("{}/{}", header.id, anchor.id),
            anchor_message_id: anchor.id.clone(),
            sequence: row,
            messages,
            matched_terms: Vec::new(),
            score: 0.0,
            last_message_at: header.last_message_at,
            has_more_before,
            has_more_after,
            truncated,
            explain: None,
        };
        Ok(Some(Built { passage, cost }))
    }
}

/// The first row with the id `id` that shows a text or a file: what
/// `recallMore` opens. `None` when there is none.
///
/// # Errors
/// The contents of a row cannot be read, or the work was cancelled.
pub fn recall_more_anchor(
    rows: &[Row],
    id: &str,
    bodies: &mut dyn Bodies,
) -> Result<Option<usize>, RecallError> {
    for (index, row) in rows.iter().enumerate() {
        if &*row.id == id && draft::match_kind(row.kind).is_some() {
            let body = bodies.body(row)?;
            if body.is_some_and(|body| draft::shows_anything(&body)) {
                return Ok(Some(index));
            }
        }
    }
    Ok(None)
}

/// What is shown around which row.
#[derive(Clone, Copy)]
struct Showing<'a> {
    row: usize,
    around: Around,
    /// What was asked, and the term that the anchor's text is cut round.
    hits: Option<(&'a Query<'a>, usize)>,
}

impl<'a> Showing<'a> {
    fn role(&self, draft: &Draft) -> Role<'a> {
        let held = self.hits.and_then(|(query, _)| Some((query, (query.hits)(draft.row)?)));
        if draft.row != self.row {
            return Role { place: Place::Neighbour, held };
        }
        let needle = self.hits.and_then(|(query, best)| query.needles.get(best));
        let first = needle.and_then(|needle| spans(&draft.text, needle).into_iter().next());
        Role { place: Place::Anchor { around: first.map(|span| span.start) }, held }
    }
}

/// The messages that fit on one side, the nearest first.
#[derive(Default)]
struct Shown {
    messages: Vec<PassageMessage>,
    /// How many neighbours stand up to the outermost one that is shown.
    reach: usize,
}

/// The order in which neighbours are served, as (step, side): one before, one
/// after, and so on; when a side has no more, the other goes on.
fn outward(before: usize, after: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..before.max(after))
        .flat_map(|step| [(step, 0), (step, 1)])
        .filter(move |&(step, side)| step < [before, after][side])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        passage::{
            TermSet,
            held::{Held, artifact, assistant, tool_call, tool_result, user, viewer},
        },
        text::{Needle, fold},
        transcript::RowKind,
    };

    fn recalled(held: &mut Held, row: usize, terms: &[&str], left: usize) -> Option<Built> {
        let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
        let terms: Vec<_> = terms.iter().map(|term| (*term).to_owned()).collect();
        let all: TermSet = (0..terms.len()).collect();
        let hits = |at: usize| (at == row).then_some(all);
        let query = Query { terms: &terms, needles: &needles, hits: &hits };
        let anchor = Anchor { row, best_term: terms.len() - 1, score: 1.5, explain: None };
        let (session, bodies) = held.parts();
        let viewer = viewer(None, &[]);
        PassageBuilder { session, viewer: &viewer, bodies }.recalled(query, anchor, left).unwrap()
    }

    fn texts(passage: &Passage) -> Vec<&str> {
        passage.messages.iter().map(|message| message.text.as_str()).collect()
    }

    #[test]
    fn neighbours_are_served_in_turns() {
        let order = |before, after| outward(before, after).collect::<Vec<_>>();
        assert_eq!(order(2, 2), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(order(0, 2), [(0, 1), (1, 1)]);
        assert_eq!(order(3, 1), [(0, 0), (0, 1), (1, 0), (2, 0)]);
    }

    #[test]
    fn a_passage_in_full() {
        let mut held = Held::new("s");
        held.header.name = "title token=abc".to_owned();
        held.push("u", Some("t"), user("question", vec![]))
            .push("c", Some("t"), tool_call(Some("look")))
            .push("r", Some("t"), tool_result(r#"{"kind":"text","text":"result"}"#))
            .push("a", Some("t"), assistant(" the B answer "))
            .push("u", Some("t2"), user("next turn", vec![]));
        let passage = recalled(&mut held, 3, &["answer", "b"], 98_304).unwrap().passage;
        assert_eq!(texts(&passage), ["question", "look", "the B answer"]);
        assert_eq!(passage.session_title, "title token=[redacted]");
        assert_eq!(passage.anchor, "s/a");
        assert_eq!(passage.sequence, 3);
        assert_eq!(passage.matched_terms, ["answer", "b"]);
        assert_eq!(passage.score, 1.5);
        assert_eq!(passage.last_message_at, Some(5.0));
        let flags = (passage.has_more_before, passage.has_more_after, passage.truncated);
        assert_eq!(flags, (false, false, false));
        let starts: Vec<_> =
            passage.messages[2].matches.iter().flatten().map(|m| m.start).collect();
        assert_eq!(starts, [4, 6]);
        assert_eq!(passage.messages[0].matches, None);
    }

    #[test]
    fn two_rows_of_one_id_are_two_messages() {
        let mut held = Held::new("s");
        for text in ["first", "second", "third"] {
            held.push("x", Some("t"), assistant(text));
        }
        let passage = recalled(&mut held, 1, &["second"], 98_304).unwrap().passage;
        assert_eq!(texts(&passage), ["first", "second", "third"]);
        let anchors: Vec<_> = passage.messages.iter().map(|message| message.is_anchor).collect();
        assert_eq!(anchors, [false, true, false]);
    }

    #[test]
    fn a_message_that_is_skipped_makes_room_for_a_smaller_one() {
        let mut held = Held::new("s");
        let heavy = vec![artifact("image", &"n".repeat(1_600), "s", "art"); 8];
        held.push("far", Some("t"), assistant("far"))
            .push("near", Some("t"), user("near", heavy))
            .push("anchor", Some("t"), assistant("word"));
        let built = recalled(&mut held, 2, &["word"], 98_304).unwrap();
        assert_eq!(texts(&built.passage), ["far", "word"]);
        assert!(built.passage.truncated && !built.passage.has_more_before);

        // Skipped at the edge, it is one of those that precede the first shown.
        let passage = recalled(&mut held, 2, &["word"], 500).unwrap().passage;
        assert_eq!(texts(&passage), ["far", "word"]);
        held.rows.remove(0);
        let passage = recalled(&mut held, 1, &["word"], 500).unwrap().passage;
        assert_eq!(texts(&passage), ["word"]);
        assert!(passage.truncated && passage.has_more_before && !passage.has_more_after);
    }

    #[test]
    fn a_passage_takes_what_is_left_and_no_more() {
        let mut held = Held::new("s");
        held.push("before", Some("t"), assistant(&"b".repeat(600)))
            .push("anchor", Some("t"), assistant(&format!("{}word", "a".repeat(600))))
            .push("after", Some("t"), assistant(&"c".repeat(600)));
        let whole = recalled(&mut held, 1, &["word"], 98_304).unwrap();
        assert!(!whole.passage.truncated);
        for left in (0..whole.cost).rev() {
            let Some(built) = recalled(&mut held, 1, &["word"], left) else {
                assert_eq!(recalled(&mut held, 1, &["word"], left / 2), None);
                break;
            };
            assert!(built.cost <= left);
            assert!(built.passage.truncated);
            assert!(built.passage.messages.iter().any(|message| message.is_anchor));
        }
        assert_eq!(recalled(&mut held, 1, &["word"], whole.cost), Some(whole));
        assert_eq!(recalled(&mut held, 1, &["word"], 0), None);
    }

    #[test]
    fn a_hit_in_a_file_name_keeps_the_beginning() {
        let mut held = Held::new("s");
        let text = format!("start{}", "x".repeat(9_000));
        held.push("u", Some("t"), user(&text, vec![artifact("image", "word.png", "s", "art")]));
        let passage = recalled(&mut held, 0, &["word"], 98_304).unwrap().passage;
        assert!(texts(&passage)[0].starts_with("start"));
        assert_eq!(passage.messages[0].matches, Some(vec![]));
    }

    #[test]
    fn the_anchor_of_recall_more_shows_something() {
        let mut held = Held::new("s");
        held.row(RowKind::Other("turn_state"), "x", Some("t"), None)
            .push("x", Some("t"), tool_call(None))
            .push("x", Some("t"), assistant(" "))
            .push("y", Some("t"), user("", vec![artifact("pdf", "a.pdf", "s", "art")]))
            .push("x", Some("t"), tool_result(r#"{"kind":"text","text":"found"}"#));
        let (session, bodies) = held.parts();
        let mut find = |id| recall_more_anchor(session.rows, id, bodies).unwrap();
        assert_eq!((find("x"), find("y"), find("z")), (Some(4), Some(3), None));

        let (session, bodies) = held.parts();
        let viewer = viewer(None, &[]);
        let mut builder = PassageBuilder { session, viewer: &viewer, bodies };
        let around = Around { before: 0, after: 8 };
        let passage = builder.expanded(4, around).unwrap().unwrap();
        assert_eq!(texts(&passage), ["found"]);
        assert_eq!((passage.score, passage.matched_terms.len()), (0.0, 0));
        assert_eq!(passage.messages[0].matches, None);
        assert!(passage.has_more_before);
        assert_eq!(builder.expanded(2, around).unwrap(), None);
        assert_eq!(builder.expanded(99, around).unwrap(), None);
    }
}
