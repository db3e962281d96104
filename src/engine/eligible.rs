//! Which Sessions may be searched, and in what order.
//!
//! Revisions collapse first, then the filters: an archived newest revision
//! hides its family (`semantics.md` 2, `host/storage.md` 5.3). Where the host
//! compares by locale, this compares by code point.

use std::{cmp::Ordering, collections::HashMap, sync::Arc};

use crate::engine::{Options, SessionHeader};

/// What decides eligibility beside the headers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scope<'a> {
    /// The Session that asks: it wins its revision family.
    pub active_session_id: Option<&'a str>,
    /// Whether archived Sessions are eligible.
    pub include_archived: bool,
}

impl<'a> Scope<'a> {
    /// The scope that the options of a call name.
    #[must_use]
    pub fn of(options: &'a Options) -> Self {
        let active_session_id = options.active_session_id.as_deref();
        Self { active_session_id, include_archived: options.include_archived }
    }
}

/// The eligible Sessions, newest first.
#[must_use]
pub fn eligible(headers: &[Arc<SessionHeader>], scope: Scope<'_>) -> Vec<Arc<SessionHeader>> {
    let mut sessions: Vec<Arc<SessionHeader>> =
        collapse_revisions(headers, scope.active_session_id)
            .filter(|header| header.backend.as_deref() != Some("fake"))
            .filter(|header| scope.include_archived || !header.archived)
            .cloned()
            .collect();
    sessions.sort_by(|a, b| {
        recency(b).total_cmp(&recency(a)).then_with(|| a.id.as_bytes().cmp(b.id.as_bytes()))
    });
    sessions
}

fn recency(header: &SessionHeader) -> f64 {
    header.last_message_at.unwrap_or_default()
}

/// One Session per family, in the order given.
fn collapse_revisions<'h>(
    headers: &'h [Arc<SessionHeader>],
    active: Option<&str>,
) -> impl Iterator<Item = &'h Arc<SessionHeader>> {
    let mut families: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, header) in headers.iter().enumerate() {
        families.entry(family(header)).or_default().push(index);
    }
    let mut chosen = vec![false; headers.len()];
    for members in families.values() {
        if let Some(index) = representative(headers, members, active) {
            chosen[index] = true;
        }
    }
    headers.iter().zip(chosen).filter_map(|(header, keep)| keep.then_some(header))
}

fn family(header: &SessionHeader) -> &str {
    header.revision_root.as_deref().unwrap_or(&header.id)
}

fn representative(
    headers: &[Arc<SessionHeader>],
    members: &[usize],
    active: Option<&str>,
) -> Option<usize> {
    let is_active = |index: &&usize| active == Some(&*headers[**index].id);
    if let Some(index) = members.iter().find(is_active) {
        return Some(*index);
    }
    let visible = |index: &&usize| {
        let header = &headers[**index];
        header.revision_parent.is_none() || header.revision_state.as_deref() != Some("preparing")
    };
    let any_visible = members.iter().any(|index| visible(&index));
    members
        .iter()
        .filter(|index| !any_visible || visible(index))
        .min_by(|a, b| newest_first(&headers[**a], &headers[**b]))
        .copied()
}

fn newest_first(a: &SessionHeader, b: &SessionHeader) -> Ordering {
    let freshness =
        |header: &SessionHeader| header.last_message_at.or(header.status_updated_at).unwrap_or(0.0);
    let spoken = |header: &SessionHeader| header.last_message_at.is_some();
    spoken(b)
        .cmp(&spoken(a))
        .then_with(|| freshness(b).total_cmp(&freshness(a)))
        .then_with(|| a.id.as_bytes().cmp(b.id.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::json::RawValue;

    #[track_caller]
    fn test(summaries: &[&str], scope: Scope<'_>, expected: &[&str]) {
        let header = |json: &&str| SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap());
        let headers: Vec<_> =
            summaries.iter().map(|json| Arc::new(header(json).unwrap())).collect();
        let sessions = eligible(&headers, scope);
        assert_eq!(sessions.iter().map(|session| &*session.id).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn newest_first_then_by_code_point() {
        test(
            &[
                r#"{"id":"b","lastMessageAt":5}"#,
                r#"{"id":"a","lastMessageAt":5}"#,
                r#"{"id":"none"}"#,
                r#"{"id":"c","lastMessageAt":9}"#,
                r#"{"id":"B","lastMessageAt":5}"#,
                r#"{"id":"fake","backend":"fake","lastMessageAt":99}"#,
            ],
            Scope::default(),
            &["c", "B", "a", "b", "none"],
        );
    }

    const FAMILY: [&str; 3] = [
        r#"{"id":"root","lastMessageAt":5}"#,
        r#"{"id":"second","revisionRootSessionId":"root","revisionParentSessionId":"root","lastMessageAt":9,"isArchived":true}"#,
        r#"{"id":"third","revisionRootSessionId":"root","revisionParentSessionId":"root","revisionState":"preparing","lastMessageAt":12}"#,
    ];

    #[test]
    fn an_archived_newest_revision_hides_its_family() {
        test(&FAMILY, Scope::default(), &[]);
        test(&FAMILY, Scope { include_archived: true, ..Scope::default() }, &["second"]);
    }

    #[test]
    fn the_asking_session_wins_its_family() {
        test(&FAMILY, Scope { active_session_id: Some("root"), ..Scope::default() }, &["root"]);
        test(&FAMILY, Scope { active_session_id: Some("third"), ..Scope::default() }, &["third"]);
    }
}
