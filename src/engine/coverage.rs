//! What was searched, and what was not, as data.

use std::sync::Arc;

use crate::engine::{
    Options, SessionHeader,
    dates::valid_date,
    reply::{Coverage, FactsStatus},
    source::Scan,
};

/// What an answer covers.
pub(super) struct Searched<'a> {
    /// The options of the call.
    pub(super) options: &'a Options,
    /// The Sessions that the request asks for.
    pub(super) asked: &'a [Arc<SessionHeader>],
    /// Those of them that the cap leaves.
    pub(super) sessions: &'a [Arc<SessionHeader>],
    /// What was found in those.
    pub(super) scan: &'a Scan,
    /// Listed Sessions that are none of the eligible ones: nobody knows what
    /// they are.
    pub(super) undecodable: &'a [Arc<str>],
    /// Passages that did not fit.
    pub(super) dropped_passages: usize,
    /// Whether the facts were searched.
    pub(super) facts_status: FactsStatus,
}

impl Searched<'_> {
    /// The same as it is answered.
    pub(super) fn coverage(&self) -> Coverage {
        let Self { options, asked, sessions, scan, undecodable, dropped_passages, facts_status } =
            *self;
        let (oldest_activity_at, newest_activity_at) =
            activity(sessions.iter().map(|header| &**header));
        let found = &scan.sessions;
        Coverage {
            sessions_eligible: asked.len(),
            sessions_searched: sessions.len().saturating_sub(scan.unreadable.len()),
            sessions_unreadable: scan.unreadable.iter().chain(undecodable).cloned().collect(),
            session_cap: options.max_sessions,
            corpus_messages: scan.corpus,
            matched_messages: found.iter().map(|session| session.hits.len()).sum(),
            dropped_passages,
            truncated_tool_results: found
                .iter()
                .map(|session| session.truncated_tool_results)
                .sum(),
            facts_status,
            narrowed: scan.narrowed,
            oldest_activity_at,
            newest_activity_at,
        }
    }
}

/// The oldest and the newest last message of Sessions, over the dates that a
/// `Date` can hold; `None` when there is none.
pub fn activity<'a>(
    headers: impl IntoIterator<Item = &'a SessionHeader>,
) -> (Option<f64>, Option<f64>) {
    let dates = headers.into_iter().filter_map(|header| header.last_message_at);
    dates.filter(|&at| valid_date(at)).fold((None, None), |(oldest, newest), at| {
        let oldest = oldest.map_or(at, |oldest: f64| oldest.min(at));
        let newest = newest.map_or(at, |newest: f64| newest.max(at));
        (Some(oldest), Some(newest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::RawValue;

    #[test]
    fn activity_is_of_dates_that_a_date_can_hold() {
        let header = |last: &str| {
            let json = format!(r#"{{"id":"s","createdAt":5{last}}}"#);
            SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap()
        };
        let headers = [
            header(r#","lastMessageAt":1700000000000"#),
            header(""),
            header(r#","lastMessageAt":9000000000000000"#),
            header(r#","lastMessageAt":1600000000000"#),
        ];
        assert_eq!(activity(&headers), (Some(1_600_000_000_000.0), Some(1_700_000_000_000.0)));
        assert_eq!(activity(&headers[1..3]), (None, None));
    }
}
