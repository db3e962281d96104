//! Which hits become passages (`semantics.md` 8).
//!
//! Hits of a turn collapse into their best one; a Session takes at most a third
//! of the places before the others had their turn; free places go to the rest
//! in rank order.

use std::{
    cmp::Ordering,
    collections::{BinaryHeap, HashSet},
};

use crate::engine::{
    rank::{Corpus, Hit, SessionHits},
    transcript::Row,
};

/// A hit with its rank.
#[derive(Clone, Copy, Debug)]
pub struct Ranked<'a> {
    /// The Session, by its place in the order of Sessions.
    pub session: usize,
    /// The hit.
    pub hit: &'a Hit,
    /// Its row.
    pub row: &'a Row,
    /// Its score, not rounded.
    pub score: f64,
}

impl Ranked<'_> {
    /// Rank order: the score, then the newer, then the message id by code
    /// point, then the order of Sessions, then the row. Total: no two hits are
    /// equal.
    fn compare(&self, other: &Self) -> Ordering {
        other
            .score
            .total_cmp(&self.score)
            .then_with(|| other.row.ts.total_cmp(&self.row.ts))
            .then_with(|| self.row.id.as_bytes().cmp(other.row.id.as_bytes()))
            .then_with(|| self.session.cmp(&other.session))
            .then_with(|| self.hit.row.cmp(&other.hit.row))
    }
}

/// The one that comes first is the greatest.
impl Ord for Ranked<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.compare(self)
    }
}

impl PartialOrd for Ranked<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Ranked<'_> {}

/// What a Session has yet to give.
#[derive(Clone, Copy)]
struct Share {
    /// Hits that were not looked at.
    hits: usize,
    /// Places that it may take before the others had their turn.
    places: usize,
}

/// The hits that become passages, in rank order. `sessions` stand in Session
/// order.
///
/// Cost: one pass over the hits, which are then taken in rank order until the
/// places are full: the order of all the others, and their rows, nobody needs.
#[must_use]
pub fn choose<'a>(sessions: &'a [SessionHits], corpus: &Corpus, limit: usize) -> Vec<Ranked<'a>> {
    let mut ranked = ranked(sessions, corpus);
    let quota = (limit / 3).max(1);
    let share = |session: &SessionHits| Share { hits: session.hits.len(), places: quota };
    let mut shares: Vec<Share> = sessions.iter().map(share).collect();
    // Sessions that may still take a place of their own.
    let mut open = shares.iter().filter(|share| share.hits != 0).count();
    let mut turns: HashSet<(usize, &str)> = HashSet::new();
    let (mut chosen, mut spare) = (Vec::with_capacity(limit), Vec::with_capacity(limit));
    while chosen.len() < limit && (open != 0 || chosen.len() + spare.len() < limit) {
        let Some(best) = ranked.pop() else { break };
        let share = &mut shares[best.session];
        let was_open = share.hits != 0 && share.places != 0;
        share.hits -= 1;
        let turn = best.row.turn_id.as_deref();
        // The best hit of a turn comes first, and stands for it.
        if turn.is_none_or(|turn| turns.insert((best.session, turn))) {
            if share.places != 0 {
                share.places -= 1;
                chosen.push(best);
            } else if spare.len() < limit {
                spare.push(best);
            }
        }
        open -= usize::from(was_open && (share.hits == 0 || share.places == 0));
    }
    let free = limit - chosen.len();
    chosen.extend(spare.into_iter().take(free));
    chosen.sort_unstable_by(Ranked::compare);
    chosen
}

/// All hits, the best one on top.
fn ranked<'a>(sessions: &'a [SessionHits], corpus: &Corpus) -> BinaryHeap<Ranked<'a>> {
    let mut ranked = Vec::with_capacity(sessions.iter().map(|session| session.hits.len()).sum());
    for (session, found) in sessions.iter().enumerate() {
        let rows = &found.transcript.rows;
        ranked.extend(found.hits.iter().map(|hit| {
            let (row, score) = (&rows[hit.row], corpus.score(hit));
            Ranked { session, hit, row, score }
        }));
    }
    ranked.into()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{
        SessionHeader,
        json::RawValue,
        limits::MAX_TERMS,
        random::Random,
        transcript::{RowKind, RowSource, Transcript},
    };

    /// A Session whose hits are `(turn, tf)`; the id is the Session's letter and the row.
    fn session(name: &str, hits: &[(Option<&str>, u32)]) -> SessionHits {
        let header = format!(r#"{{"id":"{name}"}}"#);
        let header = SessionHeader::read(RawValue::parse(header.as_bytes()).unwrap()).unwrap();
        let rows = hits.iter().enumerate().map(|(index, (turn, _))| Row {
            kind: RowKind::User,
            id: format!("{name}{index}").into(),
            turn_id: turn.map(Into::into),
            ts: 1.0,
            searchable: true,
            may_carry_files: false,
            source: RowSource::Nothing,
        });
        let transcript = Arc::new(Transcript { rows: rows.collect() });
        let hits = hits.iter().enumerate().map(|(row, (_, count))| {
            let mut tf = [0; MAX_TERMS];
            tf[0] = *count;
            Hit { row, tf, length: 10, tool_result: false }
        });
        SessionHits {
            header: Arc::new(header),
            transcript,
            hits: hits.collect(),
            truncated_tool_results: 0,
        }
    }

    #[track_caller]
    fn test(sessions: &[SessionHits], limit: usize, expected: &[&str]) {
        let corpus = Corpus::new(100, sessions.iter().flat_map(|session| &session.hits));
        let chosen = choose(sessions, &corpus, limit);
        assert_eq!(chosen.iter().map(|ranked| &*ranked.row.id).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_turn_shows_once_and_a_message_without_turn_alone() {
        let hits = [(Some("t"), 1), (Some("t"), 3), (None, 2), (None, 1)];
        test(&[session("a", &hits)], 9, &["a1", "a2", "a3"]);
    }

    #[test]
    fn a_session_takes_a_third_before_the_others_had_theirs() {
        let many = [(Some("1"), 9), (Some("2"), 8), (Some("3"), 7), (Some("4"), 6)];
        let sessions = [session("a", &many), session("b", &[(Some("1"), 1)])];
        test(&sessions, 3, &["a0", "a1", "b0"]);
        test(&sessions, 2, &["a0", "b0"]);
        test(&sessions, 1, &["a0"]);
        test(&sessions, 6, &["a0", "a1", "a2", "a3", "b0"]);
    }

    /// The slow twin of [`choose`]: every hit in rank order, then the rule.
    fn chosen_slowly<'a>(
        sessions: &'a [SessionHits],
        corpus: &Corpus,
        limit: usize,
    ) -> Vec<Ranked<'a>> {
        let mut all = ranked(sessions, corpus).into_vec();
        all.sort_by(Ranked::compare);
        let mut best: Vec<Ranked<'a>> = Vec::new();
        for hit in all {
            let is_again = |other: &Ranked<'_>| {
                other.session == hit.session && other.row.turn_id == hit.row.turn_id
            };
            if hit.row.turn_id.is_none() || !best.iter().any(is_again) {
                best.push(hit);
            }
        }
        let mut places = vec![false; best.len()];
        for (at, hit) in best.iter().enumerate() {
            let of_session =
                |(place, other): (&bool, &Ranked<'_>)| *place && other.session == hit.session;
            let taken = places.iter().zip(&best).filter(|pair| of_session(*pair)).count();
            places[at] =
                taken < (limit / 3).max(1) && places.iter().filter(|place| **place).count() < limit;
        }
        for at in 0..best.len() {
            places[at] |= places.iter().filter(|place| **place).count() < limit;
        }
        best.into_iter().zip(places).filter_map(|(hit, place)| place.then_some(hit)).collect()
    }

    #[test]
    fn the_first_of_the_rank_are_those_of_a_full_sort() {
        let mut random = Random::new(5);
        for _ in 0..600 {
            let turns = ["t", "u", "v", "w"];
            let mut sessions = Vec::new();
            for name in 0..random.below(6) {
                let most = 1 + 9 * random.below(3);
                let mut hit = |_| (turns.get(random.below(7)).copied(), 1 + random.below(4) as u32);
                let hits: Vec<_> = (0..most).map(&mut hit).collect();
                sessions.push(session(&name.to_string(), &hits));
            }
            let corpus = Corpus::new(100, sessions.iter().flat_map(|session| &session.hits));
            for limit in [1, 2, 3, 8, 25] {
                let ids = |chosen: Vec<Ranked<'_>>| -> Vec<(usize, usize)> {
                    chosen.iter().map(|ranked| (ranked.session, ranked.hit.row)).collect()
                };
                let expected = ids(chosen_slowly(&sessions, &corpus, limit));
                assert_eq!(ids(choose(&sessions, &corpus, limit)), expected);
            }
        }
    }

    #[test]
    fn ties_go_by_id_then_by_session() {
        let sessions = [session("b", &[(None, 1)]), session("a", &[(None, 1)])];
        test(&sessions, 2, &["a0", "b0"]);
    }
}
