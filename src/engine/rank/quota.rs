//! Which hits become passages (`semantics.md` 8).
//!
//! Hits of a turn collapse into their best one; a Session takes at most a third
//! of the places before the others had their turn; free places go to the rest
//! in rank order.

use std::{
    cmp::Ordering,
    collections::{HashMap, hash_map::Entry},
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

/// The hits that become passages, in rank order. `sessions` stand in Session
/// order. Cost: one pass over the hits, then a sort of one hit per turn.
#[must_use]
pub fn choose<'a>(sessions: &'a [SessionHits], corpus: &Corpus, limit: usize) -> Vec<Ranked<'a>> {
    let mut ranked: Vec<Ranked<'a>> = Vec::new();
    for (index, session) in sessions.iter().enumerate() {
        best_of_turns(index, session, corpus, &mut ranked);
    }
    ranked.sort_unstable_by(Ranked::compare);
    let quota = (limit / 3).max(1);
    let mut taken: HashMap<usize, usize> = HashMap::new();
    let mut chosen = vec![false; ranked.len()];
    let mut places = limit;
    for (chosen, ranked) in chosen.iter_mut().zip(&ranked) {
        if places == 0 {
            break;
        }
        let taken = taken.entry(ranked.session).or_default();
        if *taken < quota {
            *taken += 1;
            *chosen = true;
            places -= 1;
        }
    }
    for chosen in chosen.iter_mut().filter(|chosen| !**chosen) {
        if places == 0 {
            break;
        }
        *chosen = true;
        places -= 1;
    }
    ranked.into_iter().zip(chosen).filter_map(|(ranked, chosen)| chosen.then_some(ranked)).collect()
}

fn best_of_turns<'a>(
    index: usize,
    session: &'a SessionHits,
    corpus: &Corpus,
    out: &mut Vec<Ranked<'a>>,
) {
    let mut best: HashMap<&str, usize> = HashMap::new();
    for hit in &session.hits {
        let row = &session.transcript.rows[hit.row];
        let ranked = Ranked { session: index, hit, row, score: corpus.score(hit) };
        let Some(turn) = row.turn_id.as_deref() else {
            out.push(ranked);
            continue;
        };
        match best.entry(turn) {
            Entry::Vacant(place) => {
                place.insert(out.len());
                out.push(ranked);
            }
            Entry::Occupied(place) => {
                let known = &mut out[*place.get()];
                if ranked.compare(known) == Ordering::Less {
                    *known = ranked;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::engine::{
        SessionHeader,
        json::RawValue,
        limits::MAX_TERMS,
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

    #[test]
    fn ties_go_by_id_then_by_session() {
        let sessions = [session("b", &[(None, 1)]), session("a", &[(None, 1)])];
        test(&sessions, 2, &["a0", "b0"]);
    }
}
