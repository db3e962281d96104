//! Passages, materials, facts and gaps of the golden cases.
//!
//! Which rows hit is found by the predicate said plainly, and the score is the
//! case's own: what is tested is what a passage is made of.

#![expect(clippy::disallowed_methods, reason = "what is read here is no database in use")]

#[path = "passages/source.rs"]
mod source;
mod support;
#[path = "passages/write.rs"]
mod write;

use std::{fs, path::Path, sync::Arc};

use recall_native::engine::{
    Cancel, SessionHeader,
    coverage::activity,
    facts::match_facts,
    gaps::Gaps,
    host::HostMessage,
    json::RawValue,
    limits::ENVELOPE_BYTES,
    passage::{
        Anchor, Around, Bodies, Carried, PassageBuilder, Query, TermSet, TurnFiles, Viewer,
        carried, recall_more_anchor,
    },
    reply::FactsStatus,
    store::{FactsRead, FactsStore, Store},
    text::{
        Needle, fold,
        message::{redacted, stored},
        trim,
    },
    transcript::Row,
};
use serde_json::Value;

use crate::{
    source::Session,
    support::golden::{copy, folder},
};

#[test]
fn of_workspaces() {
    for generation in ["headers", "openings"] {
        for name in ["edge2", "tiny", "badfacts", "badchunk"] {
            let name = format!("{name}-{generation}");
            let root = copy(&name);
            let mut store = Store::open(root.path(), &Cancel::default()).unwrap();
            let snapshot = store.snapshot().unwrap();
            let headers: Vec<SessionHeader> = snapshot
                .sessions()
                .unwrap()
                .headers
                .into_iter()
                .map(Arc::unwrap_or_clone)
                .collect();
            let mut sessions: Vec<_> = headers
                .iter()
                .filter_map(|header| Session::of_workspace(&snapshot, header))
                .collect();
            for case in cases(&name) {
                check(&case, &headers, &mut sessions);
                check_facts(&case, root.path(), &headers);
            }
        }
    }
}

#[test]
fn of_messages_that_the_host_hands_over() {
    for case in cases("deps") {
        let list = case["sessions"].as_array().unwrap();
        let headers: Vec<_> = list
            .iter()
            .map(|session| {
                let json = session.to_string();
                SessionHeader::read(RawValue::parse(json.as_bytes()).unwrap()).unwrap()
            })
            .collect();
        let mut sessions: Vec<_> = headers
            .iter()
            .filter_map(|header| {
                let messages = case["messages"][&*header.id].as_array()?.iter();
                let messages = messages.map(|message| HostMessage {
                    json: message.to_string().into_bytes(),
                    matched: None,
                });
                Some(Session::of_host(header, messages.collect()))
            })
            .collect();
        check(&case, &headers, &mut sessions);
    }
}

/// Compares what the case answers with what is made of the same rows.
fn check(case: &Value, headers: &[SessionHeader], sessions: &mut [Session<'_>]) {
    let (name, options, expected) = (&case["name"], &case["options"], &case["expected"]);
    if expected["ok"] != true {
        return;
    }
    let archived_too = options["includeArchived"] == true;
    let eligible = headers.iter().filter(|header| {
        let fake = header.backend.as_deref() == Some("fake");
        header.listed && !fake && (archived_too || !header.archived)
    });
    let viewer = Viewer {
        active_session_id: options["activeSessionId"].as_str().map(str::to_owned),
        eligible: eligible.map(|header| header.id.clone()).collect(),
    };
    match case["op"].as_str().unwrap() {
        "recall" => {
            check_recall(case, &viewer, sessions);
            check_gaps(case, headers);
        }
        "recallMore" => {
            let request = &case["request"];
            let (session, id) = ids(request, "anchor", "anchorMessageId");
            let Session { header, rows, bodies } = find(sessions, session);
            let row = recall_more_anchor(rows, id, bodies).unwrap().unwrap();
            let most = |key: &str| request[key].as_u64().map_or(8, |most| most as usize);
            let around = Around { before: most("before"), after: most("after") };
            let session = source::view(header, rows);
            let mut builder = PassageBuilder { session, viewer: &viewer, bodies };
            let passage = builder.expanded(row, around).unwrap().unwrap();
            assert_eq!(write::passage(&passage), write::plain(&expected["passage"]), "{name}");
        }
        _ => {
            let (session_id, id) = ids(&case["request"], "id", "materialId");
            let Session { rows, bodies, .. } = find(sessions, session_id);
            let carried = carried(rows, bodies, session_id, id).unwrap();
            let mime_type = match carried.unwrap() {
                Carried::Attachment(file) => file.mime_type,
                Carried::Image { mime_type } => mime_type,
            };
            let content = &expected["content"];
            assert!(content["kind"] == "text" || content["mimeType"] == *mime_type, "{name}");
        }
    }
}

/// The Session and the id of a request that has them in one string or in two.
fn ids<'c>(request: &'c Value, both: &str, id: &str) -> (&'c str, &'c str) {
    let one = request[both].as_str().and_then(|both| both.split_once('/'));
    let (session, id) = one
        .unwrap_or_else(|| (request["sessionId"].as_str().unwrap(), request[id].as_str().unwrap()));
    (trim(session), trim(id))
}

fn check_recall(case: &Value, viewer: &Viewer, sessions: &mut [Session<'_>]) {
    let (name, expected) = (&case["name"], &case["expected"]);
    let terms = terms(case);
    let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
    let (mut left, mut files) = (ENVELOPE_BYTES, TurnFiles::default());
    for expected in expected["passages"].as_array().unwrap() {
        let session = find(sessions, expected["sessionId"].as_str().unwrap());
        let hits = hits(case, session, &needles);
        let Session { header, rows, bodies } = session;
        let session = source::view(header, rows);
        let row = expected["sequence"].as_u64().unwrap() as usize;
        let held = hits[row].unwrap();
        // Which of several terms added most is the score's to say: here one of
        // those that are held must give the answer.
        let score = expected["score"].as_f64().unwrap();
        let mut build = |best_term| {
            let query = Query { terms: &terms, needles: &needles, hits: &|row| hits[row] };
            let anchor = Anchor { row, best_term, score, explain: None };
            let mut builder = PassageBuilder { session, viewer, bodies: &mut *bodies };
            builder.recalled(query, anchor, left).unwrap().unwrap()
        };
        let expected = write::plain(expected);
        let best = held.iter().find(|&term| write::passage(&build(term).passage) == expected);
        let built = build(best.unwrap_or_else(|| held.iter().next().unwrap()));
        let written = write::passage(&built.passage);
        assert_eq!(written, expected, "{name}");
        let messages = written["messages"].as_array().unwrap().iter();
        assert_eq!(built.cost, messages.map(|one| one.to_string().len()).sum::<usize>(), "{name}");
        left -= built.cost;
        files.add(session, row, viewer, bodies).unwrap();
    }
    let materials: Value = files.into_materials().iter().map(write::material).collect();
    assert_eq!(materials, write::plain(&expected["materials"]), "{name}");
}

/// The terms that each row holds, as it is stored and redacted.
fn hits(case: &Value, session: &mut Session<'_>, needles: &[Needle]) -> Vec<Option<TermSet>> {
    let (request, options) = (&case["request"], &case["options"]);
    let excluded = options["excludeTurnIds"].as_array().into_iter().flatten();
    let excluded: Vec<_> = excluded.filter_map(Value::as_str).collect();
    let asks = options["activeSessionId"].as_str() == Some(&*session.header.id);
    let since = request["since"].as_f64().unwrap_or(f64::NEG_INFINITY);
    let until = request["until"].as_f64().unwrap_or(f64::INFINITY);
    let Session { rows, bodies, .. } = session;
    let held = |row: &Row| {
        let Row { turn_id, ts, searchable, .. } = row;
        let in_flight = asks && turn_id.as_deref().is_some_and(|id| excluded.contains(&id));
        if !searchable || in_flight || !(since..=until).contains(ts) {
            return None;
        }
        let body = bodies.body(row).unwrap()?;
        let (stored, shown) = (stored(&body)?, redacted(&body)?.text);
        let (stored, shown) = (fold(&stored), fold(&shown));
        let both = |needle: &Needle| needle.is_in(&stored) && needle.is_in(&shown);
        let held: TermSet = (0..needles.len()).filter(|&at| both(&needles[at])).collect();
        (held != TermSet::default()).then_some(held)
    };
    rows.iter().map(held).collect()
}

fn check_facts(case: &Value, root: &Path, headers: &[SessionHeader]) {
    let expected = &case["expected"];
    if case["op"] != "recall" || expected["ok"] != true {
        return;
    }
    let active = case["options"]["activeSessionId"].as_str();
    let active = headers.iter().find(|header| Some(&*header.id) == active);
    let scope = active.and_then(|header| header.workspace_root.as_deref());
    let FactsRead::Items(items) = FactsStore::default().read(root, scope, &Cancel::default())
    else {
        return;
    };
    let terms = terms(case);
    let needles: Vec<_> = terms.iter().map(|term| Needle::new(&fold(term))).collect();
    let facts: Value = match_facts(&items, &terms, &needles).iter().map(write::fact).collect();
    assert_eq!(facts, write::plain(&expected["facts"]), "{}", case["name"]);
}

/// Of requests with one term: whether that is missed is in the case.
fn check_gaps(case: &Value, headers: &[SessionHeader]) {
    let (expected, terms) = (&case["expected"], terms(case));
    let coverage = &expected["coverage"];
    let [term] = &terms[..] else { return };
    let number = |key: &str| coverage[key].as_u64().unwrap() as usize;
    let cap = coverage["sessionCap"].as_u64().map(|cap| cap as usize);
    let gaps = Gaps {
        missed: if number("matchedMessages") == 0 { &[term] } else { &[] },
        facts_status: match coverage["factsStatus"].as_str().unwrap() {
            "ok" => FactsStatus::Ok,
            "none" => FactsStatus::None,
            _ => FactsStatus::Unavailable,
        },
        facts_found: expected["facts"].as_array().unwrap().len(),
        searched: number("sessionsEligible").min(cap.unwrap_or(usize::MAX)),
        oldest: coverage["oldestActivityAt"].as_f64(),
        cap,
        unreadable: coverage["sessionsUnreadable"].as_array().unwrap().len(),
        dropped: number("droppedPassages"),
    };
    assert_eq!(gaps.sentences(), expected["gaps"].as_str().unwrap(), "{}", case["name"]);
    // Where nothing is left out, the activity is that of all.
    if number("sessionsEligible") == headers.len() && cap.is_none_or(|cap| headers.len() <= cap) {
        let dates = ["oldestActivityAt", "newestActivityAt"].map(|key| coverage[key].as_f64());
        assert_eq!(activity(headers), dates.into(), "{}", case["name"]);
    }
}

/// The terms as admission leaves them.
fn terms(case: &Value) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for term in case["request"]["terms"].as_array().unwrap() {
        let term = trim(term.as_str().unwrap());
        if !terms.iter().any(|earlier| fold(earlier) == fold(term)) {
            terms.push(term.to_owned());
        }
    }
    terms
}

fn find<'s, 'a>(sessions: &'s mut [Session<'a>], id: &str) -> &'s mut Session<'a> {
    sessions.iter_mut().find(|session| &*session.header.id == id).unwrap()
}

/// The cases of a workspace. Lone surrogates become what they become on their
/// way to the engine.
fn cases(name: &str) -> Vec<Value> {
    let json = fs::read_to_string(folder(name).join("cases.json")).unwrap();
    let json = json.replace(r"\ud83d ", r"\ufffd ").replace("\\ud83d\"", "\\ufffd\"");
    serde_json::from_str(&json).unwrap()
}
