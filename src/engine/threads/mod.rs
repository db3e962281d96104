//! The modal's search: what the old scan answered, in its order (`semantics.md` 13).
//!
//! A person wants grep: Sessions newest first, the title before the messages,
//! messages in order, and a stop as soon as there are enough. The predicate is
//! the one of recall, so a secret neither matches nor shows.

mod snippet;

use std::collections::HashSet;

use crate::engine::{
    Call, Cancel, RecallError, SessionHeader,
    eligible::{Scope, eligible},
    host::Host,
    reply::ThreadResult,
    request::{INCOGNITO, Term, ThreadRequest, privacy},
    source::{Loaded, Source, with_source},
    text::{Narrowing, fold, message::Stored, redact::redact},
    transcript::{Body, Words},
};

/// What a title that matches is called.
const TITLE: &str = "任务标题";

/// Answers `searchThreads`.
pub fn search_threads(
    call: &Call,
    host: &dyn Host,
    cancel: &Cancel,
) -> Result<Vec<ThreadResult>, RecallError> {
    cancel.check()?;
    let request = ThreadRequest::parse(&call.request, call.options.max_results)?;
    privacy(&host.privacy(cancel)?).admit(INCOGNITO)?;
    with_source(call, host, cancel, |source| answer(call, &request, source, cancel))
}

fn answer(
    call: &Call,
    request: &ThreadRequest,
    source: &mut dyn Source,
    cancel: &Cancel,
) -> Result<Vec<ThreadResult>, RecallError> {
    let narrowing = Narrowing::new(&[&request.query.folded]);
    let mut results = Vec::new();
    for header in eligible(&source.sessions()?.headers, Scope::of(&call.options)) {
        cancel.check()?;
        results.extend(title_result(&header, &request.query));
        if request.limit <= results.len() {
            break;
        }
        // A Session that cannot be read has no messages to show, as before.
        if let Some(loaded) = source.load(&header, narrowing.as_ref())? {
            let narrowing = narrowing.as_ref();
            let excluded_turns = call.options.excluded_turns(&header.id);
            let asked = Asked { request, header: &header, narrowing, excluded_turns, cancel };
            asked.message_results(&loaded, &mut results);
        }
        if request.limit <= results.len() {
            break;
        }
    }
    cancel.check()?;
    Ok(results)
}

/// The result for a title that holds the query.
fn title_result(header: &SessionHeader, query: &Term) -> Option<ThreadResult> {
    if !query.needle.is_in(&fold(&header.name)) {
        return None;
    }
    let title = redact(&header.name);
    let found = snippet::snippet(&title, query)?;
    Some(result(header, TITLE.to_owned(), found))
}

/// What is asked of the messages of a Session.
struct Asked<'a> {
    request: &'a ThreadRequest,
    header: &'a SessionHeader,
    narrowing: Option<&'a Narrowing>,
    excluded_turns: Option<&'a HashSet<String>>,
    cancel: &'a Cancel,
}

impl Asked<'_> {
    /// Appends the messages that hold the query, until there are enough results.
    fn message_results(
        &self,
        Loaded { transcript, contents }: &Loaded,
        results: &mut Vec<ThreadResult>,
    ) {
        let Self { request, header, narrowing, excluded_turns, cancel } = self;
        for (sequence, row) in transcript.rows.iter().enumerate() {
            if request.limit <= results.len() || cancel.is_requested() {
                return;
            }
            let may_hold = |narrowing| contents.may_hold(sequence, narrowing);
            let is_excluded = excluded_turns.is_some_and(|turns| row.is_of(turns));
            if !row.searchable || is_excluded || !narrowing.is_none_or(may_hold) {
                continue;
            }
            let words = contents.words(sequence);
            let Some(found) = words.and_then(|words| message_snippet(&words, &request.query))
            else {
                continue;
            };
            let Some(body) = contents.body(sequence) else { continue };
            results.push(ThreadResult {
                turn_id: row.turn_id.clone(),
                sequence: Some(sequence),
                ..result(header, summary(&body), found)
            });
        }
    }
}

fn message_snippet(words: &Words<'_>, query: &Term) -> Option<snippet::Snippet> {
    let stored = Stored::of(words)?;
    if !query.needle.is_in(&fold(stored.text())) {
        return None;
    }
    snippet::snippet(&stored.redacted()?.text, query)
}

fn result(header: &SessionHeader, summary: String, found: snippet::Snippet) -> ThreadResult {
    let snippet::Snippet { text, truncated, matches } = found;
    ThreadResult {
        title: redact(&header.name).into_owned(),
        summary,
        snippet: text,
        session_id: header.id.clone(),
        turn_id: None,
        sequence: None,
        truncated,
        matches,
    }
}

fn summary(body: &Body) -> String {
    match body {
        Body::User { .. } => "用户消息".to_owned(),
        Body::Assistant { .. } => "助手回复".to_owned(),
        Body::ToolCall { tool_name, .. } => format!("工具调用：{}", redact(tool_name)),
        Body::ToolResult { is_error: true, .. } => "工具结果：失败".to_owned(),
        Body::ToolResult { is_error: false, .. } => "工具结果：成功".to_owned(),
    }
}
