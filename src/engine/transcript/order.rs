//! The order of all events: `host/projection.md` 3.

use std::cmp::Ordering;

use super::event::Event;

/// What decides where an event stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Key {
    /// Of an ended run, with the Session ordinal.
    Ended {
        /// The run when a conversion renumbers the Session run by run, else 0.
        run: usize,
        ordinal: i64,
        /// Index in the run.
        index: usize,
    },
    /// Of an open run, or of an ended one that the ledger numbers nowhere:
    /// after all others.
    Open { ts: f64, run: usize, index: usize },
}

impl Key {
    /// Earlier first.
    pub(super) fn compare(&self, other: &Self) -> Ordering {
        match (self, other) {
            (
                Self::Ended { run, ordinal, index },
                Self::Ended { run: other_run, ordinal: other_ordinal, index: other_index },
            ) => (run, ordinal, index).cmp(&(other_run, other_ordinal, other_index)),
            (
                Self::Open { ts, run, index },
                Self::Open { ts: other_ts, run: other_run, index: other_index },
            ) => ts
                .partial_cmp(other_ts)
                .unwrap_or(Ordering::Equal)
                .then_with(|| (run, index).cmp(&(other_run, other_index))),
            (Self::Ended { .. }, Self::Open { .. }) => Ordering::Less,
            (Self::Open { .. }, Self::Ended { .. }) => Ordering::Greater,
        }
    }
}

/// The ordinals of a run's events, where one without its own takes that of the
/// nearest earlier event that has one, else of the nearest later one.
pub(super) fn inherit(mut ordinals: Vec<Option<i64>>) -> Vec<Option<i64>> {
    let mut nearest = ordinals.iter().copied().flatten().next();
    for ordinal in &mut ordinals {
        nearest = ordinal.or(nearest);
        *ordinal = nearest;
    }
    ordinals
}

/// Sorts events by their keys; equal keys keep their order.
pub(super) fn sort<'a>(mut events: Vec<(Key, Event<'a>)>) -> Vec<Event<'a>> {
    events.sort_by(|(a, _), (b, _)| a.compare(b));
    events.into_iter().map(|(_, event)| event).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_without_an_ordinal_stands_by_its_neighbour() {
        assert_eq!(
            inherit(vec![None, None, Some(4), None, Some(9), None]),
            [Some(4), Some(4), Some(4), Some(4), Some(9), Some(9)]
        );
        assert_eq!(inherit(vec![None, None]), [None, None]);
        assert_eq!(inherit(vec![]), []);
    }

    #[test]
    fn open_runs_stand_last_and_follow_the_clock() {
        let ended = |ordinal, index| Key::Ended { run: 0, ordinal, index };
        let open = |ts, run, index| Key::Open { ts, run, index };
        let sorted = [
            ended(1, 7),
            ended(2, 0),
            ended(2, 1),
            open(-0.5, 3, 9),
            open(1.0, 0, 4),
            open(1.0, 1, 2),
            open(1.0, 1, 3),
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(a.compare(b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn a_renumbered_session_goes_run_by_run() {
        let first = Key::Ended { run: 0, ordinal: 8, index: 2 };
        let second = Key::Ended { run: 1, ordinal: 3, index: 0 };
        assert_eq!(first.compare(&second), Ordering::Less);
    }
}
