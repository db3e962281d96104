//! Turn ids, each held once.

use std::{collections::HashMap, sync::Arc};

/// A turn id of one Session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Turn(usize);

/// The turn ids of one Session.
#[derive(Debug, Default)]
pub(super) struct Turns {
    known: HashMap<Arc<str>, Turn>,
    ids: Vec<Arc<str>>,
    /// The turn that was asked for last: neighbours share it.
    last: Option<Turn>,
}

impl Turns {
    /// The turn of this id.
    pub(super) fn intern(&mut self, id: &str) -> Turn {
        if let Some(last) = self.last
            && &*self.ids[last.0] == id
        {
            return last;
        }
        let turn = match self.known.get(id) {
            Some(turn) => *turn,
            None => {
                let (turn, id) = (Turn(self.ids.len()), Arc::<str>::from(id));
                self.ids.push(id.clone());
                self.known.insert(id, turn);
                turn
            }
        };
        self.last = Some(turn);
        turn
    }

    /// The id of a turn that came from here.
    pub(super) fn id(&self, turn: Turn) -> &Arc<str> {
        &self.ids[turn.0]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_ids_are_one_turn_and_share_their_text() {
        let mut turns = Turns::default();
        let one = turns.intern("one");
        let two = turns.intern("two");
        assert_eq!(
            [turns.intern("one"), turns.intern("one"), turns.intern("two")],
            [one, one, two]
        );
        assert_ne!(one, two);
        assert_eq!((&**turns.id(one), &**turns.id(two)), ("one", "two"));
    }
}
