//! Which messages stand beside an anchor.

use super::{Bodies, SessionView, Viewer, draft::Draft};
use crate::engine::{RecallError, transcript::RowKind};

/// The neighbours on one side.
#[derive(Debug, Default)]
pub(super) struct Side {
    /// The nearest first.
    pub(super) drafts: Vec<Draft>,
    /// Whether visible messages of the turn stand beyond them.
    pub(super) more: bool,
}

/// Up to `most` visible messages of the anchor's turn among `rows`, which lead
/// away from it, up to the first row of another turn: where the runs of two
/// turns interleave, a passage is one stretch of the transcript. Rows that show
/// nothing take no place; results of tools never do.
pub(super) fn side(
    session: SessionView<'_>,
    anchor: usize,
    rows: impl Iterator<Item = usize>,
    most: usize,
    viewer: &Viewer,
    bodies: &mut dyn Bodies,
) -> Result<Side, RecallError> {
    let mut side = Side::default();
    for row in rows {
        if !session.same_turn(anchor, row) {
            break;
        }
        if !may_stand_beside(session.rows[row].kind) {
            continue;
        }
        let Some(draft) = Draft::of(session, row, viewer, bodies)? else { continue };
        if side.drafts.len() == most {
            side.more = true;
            break;
        }
        side.drafts.push(draft);
    }
    Ok(side)
}

fn may_stand_beside(kind: RowKind) -> bool {
    match kind {
        RowKind::User | RowKind::Assistant | RowKind::ToolCall => true,
        RowKind::ToolResult | RowKind::Other(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        passage::held::{Held, artifact, assistant, tool_call, tool_result, user, viewer},
        random::Random,
        transcript::Body,
    };

    /// Rows of a few turns, blank ones among them, with ids that repeat.
    fn transcript(random: &mut Random) -> Held {
        let mut held = Held::new("s");
        let mut turn = None;
        for _ in 0..random.below(40) {
            let id = format!("m{}", random.below(4));
            if random.below(5) == 0 {
                turn = [None, Some("t1"), Some("t2")][random.below(3)];
            }
            let text = ["", " \u{feff}", "word"][random.below(3)];
            let files = vec![artifact("image", "a.png", "s", "art"); random.below(2)];
            match random.below(6) {
                0 => held.push(&id, turn, user(text, files)),
                1 => held.push(&id, turn, assistant(text)),
                2 => held.push(&id, turn, tool_call([None, Some(text)][random.below(2)])),
                3 => held.push(&id, turn, tool_result(r#"{"kind":"text","text":"word"}"#)),
                4 => held.row(RowKind::Other("turn_state"), &id, turn, None),
                _ => held.row(RowKind::Assistant, &id, turn, None),
            };
        }
        held
    }

    /// Every visible row of the stretch on one side, the nearest first.
    fn all(held: &mut Held, anchor: usize, rows: Vec<usize>) -> Vec<usize> {
        let (session, bodies) = held.parts();
        let turn = session.rows[anchor].turn_id.as_deref();
        rows.into_iter()
            .take_while(|&row| session.rows[row].turn_id.as_deref() == turn)
            .filter(|&row| match bodies.body(&session.rows[row]).unwrap() {
                Some(Body::User { text, attachments, .. }) => {
                    text == "word" || !attachments.is_empty()
                }
                Some(Body::Assistant { text }) => text == "word",
                Some(Body::ToolCall { intent, .. }) => intent.as_deref() == Some("word"),
                _ => false,
            })
            .collect()
    }

    #[test]
    fn walking_outward_finds_what_a_list_of_the_stretch_says() {
        let mut random = Random::new(5);
        let viewer = viewer(None, &[]);
        for _ in 0..300 {
            let mut held = transcript(&mut random);
            let count = held.rows.len();
            for anchor in 0..count {
                let most = random.below(6);
                let (back, ahead): (Vec<_>, Vec<_>) =
                    ((0..anchor).rev().collect(), (anchor + 1..count).collect());
                for rows in [back, ahead] {
                    let expected = all(&mut held, anchor, rows.clone());
                    let (session, bodies) = held.parts();
                    let side =
                        side(session, anchor, rows.into_iter(), most, &viewer, bodies).unwrap();
                    let found: Vec<_> = side.drafts.iter().map(|draft| draft.row).collect();
                    assert_eq!(found, expected[..expected.len().min(most)]);
                    assert_eq!(side.more, most < expected.len());
                }
            }
        }
    }
}
