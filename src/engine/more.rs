//! `recallMore`: the messages around an anchor.
//!
//! What may not be shown answers exactly as what does not exist.

use std::sync::Arc;

use crate::engine::{
    Call, Cancel, Reason, RecallError, SessionHeader,
    eligible::{Scope, eligible},
    host::Host,
    passage::{Around, PassageBuilder, SessionView, Viewer, recall_more_anchor},
    reply::Passage,
    request::{INCOGNITO, MoreRequest, privacy},
    source::{SessionBodies, Source, with_source},
};

/// Answers `recallMore`.
pub fn recall_more(call: &Call, host: &dyn Host, cancel: &Cancel) -> Result<Passage, RecallError> {
    cancel.check()?;
    let request = MoreRequest::parse(&call.request)?;
    privacy(&host.privacy(cancel)?).admit(INCOGNITO)?;
    with_source(call, host, cancel, |source| {
        let passage = answer(call, &request, source)?;
        cancel.check()?;
        Ok(passage)
    })
}

fn answer(
    call: &Call,
    request: &MoreRequest,
    source: &mut dyn Source,
) -> Result<Passage, RecallError> {
    let (header, viewer) = find_session(call, &request.session_id, source)?
        .ok_or_else(|| not_found("That Session was not found."))?;
    let Some(loaded) = source.load(&header, None)? else {
        return Err(not_found("That Session was not found."));
    };
    let view = SessionView { header: &header, rows: &loaded.transcript.rows };
    let bodies = &mut SessionBodies::new(source, &header);
    let no_anchor = || not_found("That passage anchor was not found.");
    let row = recall_more_anchor(view.rows, &request.message_id, bodies)?.ok_or_else(no_anchor)?;
    let in_flight = call.options.excluded_turns(&header.id);
    if in_flight.is_some_and(|turns| view.rows[row].is_of(turns)) {
        return Err(no_anchor());
    }
    let around = Around { before: request.before, after: request.after };
    let mut builder = PassageBuilder { session: view, viewer: &viewer, bodies };
    builder.expanded(row, around)?.ok_or_else(no_anchor)
}

/// An eligible Session, and who asks for it.
pub(super) fn find_session(
    call: &Call,
    id: &str,
    source: &mut dyn Source,
) -> Result<Option<(Arc<SessionHeader>, Viewer)>, RecallError> {
    let options = &call.options;
    let all = eligible(&source.sessions()?.headers, Scope::of(options));
    let viewer = Viewer::of(options, &all);
    let found = all.into_iter().find(|header| &*header.id == id);
    Ok(found.map(|header| (header, viewer)))
}

pub(super) fn not_found(message: &str) -> RecallError {
    RecallError::refused(Reason::NotFound, message)
}
