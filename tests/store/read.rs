//! Everything of one Session.

use recall_native::engine::{
    store::Snapshot,
    transcript::records::{InvocationForm, SessionRecords, Span},
};
use rusqlite::types::Value as Cell;
use serde_json::{Value, json};

use super::{header, open};
use crate::support::{
    random::Random,
    workspace::{GENERATIONS, Generation, Run, Workspace, opening},
};

const RUN: Run<'_> = Run { session: "s", run: "r", turn: "t" };
const OTHER: Run<'_> = Run { session: "other", run: "ro", turn: "to" };

fn text(records: &SessionRecords, span: &Span) -> String {
    String::from_utf8_lossy(records.bytes(span)).into_owned()
}

fn parsed(records: &SessionRecords, span: &Span) -> Value {
    serde_json::from_slice(records.bytes(span)).unwrap()
}

/// `(rowid, id, invocation, run, turn, seq, opening, committed, ordinal, payload)`
type Event = (i64, String, String, String, String, i64, bool, f64, Option<i64>, String);

fn events(records: &SessionRecords) -> Vec<Event> {
    let mut events: Vec<Event> = records
        .events
        .iter()
        .map(|event| {
            let [id, invocation, run, turn, payload] = [
                &event.event_id,
                &event.invocation_id,
                &event.run_id,
                &event.turn_id,
                &event.payload,
            ]
            .map(|span| text(records, span));
            (
                event.rowid,
                id,
                invocation,
                run,
                turn,
                event.event_seq,
                event.opening,
                event.committed_at,
                event.ordinal,
                payload,
            )
        })
        .collect();
    events.sort_by_key(|event| event.0);
    events
}

/// The slow twin: by the Session index, with a join for every ordinal.
fn events_by_index(workspace: &Workspace, session: &str) -> Vec<Event> {
    let sql = "SELECT e.rowid, e.event_id, e.invocation_id, e.run_id, e.turn_id, e.event_seq, \
        e.event_kind = 'invocation_opened', e.committed_at, o.ordinal, e.payload_json \
        FROM runtime_events AS e LEFT JOIN runtime_session_event_ordinals AS o USING (event_id) \
        WHERE e.session_id = ?1 ORDER BY e.rowid";
    let mut statement = workspace.connection().prepare(sql).unwrap();
    let rows = statement.query_map([session], |row| {
        Ok((
            row.get(0)?,
            row.get(1)?,
            row.get(2)?,
            row.get(3)?,
            row.get(4)?,
            row.get(5)?,
            row.get(6)?,
            row.get(7)?,
            row.get(8)?,
            row.get(9)?,
        ))
    });
    rows.unwrap().map(Result::unwrap).collect()
}

fn read(snapshot: &Snapshot<'_>, id: &str) -> SessionRecords {
    snapshot.read(&header(snapshot, id)).unwrap()
}

#[test]
fn events_are_the_same_however_a_session_lies_in_the_table() {
    let mut random = Random::new(11);
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        let sessions = ["dense", "woven", "rare", "empty"];
        for session in sessions {
            workspace.session(session, json!({}));
        }
        let runs: Vec<(String, String)> =
            (0..6).map(|at| (format!("r{at}"), format!("t{}", at / 2))).collect();
        workspace.connection().execute_batch("BEGIN").unwrap();
        for round in 0..600 {
            let session = match round {
                0..200 => "dense",
                200 | 599 => "rare",
                _ => random.pick(&["woven", "woven", "other"]),
            };
            // A run belongs to one Session.
            let (run, turn) = &runs[random.below(runs.len())];
            let run = format!("{session}-{run}");
            let run = Run { session, run: &run, turn };
            let id = workspace.said(run, &"text ".repeat(1 + random.below(1_500)));
            if random.below(20) == 0 {
                let delete = "DELETE FROM runtime_session_event_ordinals WHERE event_id = ?1";
                workspace.execute(delete, &[&id]);
            }
        }
        workspace.connection().execute_batch("COMMIT").unwrap();
        // As a conversion leaves them: another order than that of the rows.
        workspace
            .connection()
            .execute_batch(
                "UPDATE runtime_session_event_ordinals SET ordinal = ordinal + 10000;
                 UPDATE runtime_session_event_ordinals SET ordinal = 20000 - ordinal
                    WHERE session_id = 'woven';",
            )
            .unwrap();
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        for session in sessions {
            let expected = events_by_index(&workspace, session);
            assert_eq!(expected.is_empty(), session == "empty");
            assert_eq!(events(&read(&snapshot, session)), expected, "{session}");
        }
    }
}

#[test]
fn run_headers_stand_for_openings_in_the_older_generation() {
    let workspace = Workspace::new(Generation::Headers);
    workspace.session("s", json!({}));
    workspace.header(Run { run: "r2", ..RUN }, json!({"status": "running"}));
    workspace.open(RUN);
    workspace.open(OTHER);
    let mut store = open(workspace.root()).unwrap();
    let records = read(&store.snapshot().unwrap(), "s");
    let seen: Vec<_> = records
        .invocations
        .iter()
        .map(|invocation| {
            assert_eq!(invocation.form, InvocationForm::RunHeader);
            assert_eq!((invocation.invocation_id.len(), invocation.turn_id.len()), (0, 0));
            let status = parsed(&records, &invocation.json)["status"].clone();
            (text(&records, &invocation.run_id), invocation.opened_at, status)
        })
        .collect();
    assert_eq!(seen, [("r2".into(), 2.0, json!("running")), ("r".into(), 3.0, json!("completed"))]);
}

#[test]
fn openings_stand_in_events_or_on_the_shelf_in_the_newer_generation() {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("s", json!({}));
    workspace.session("other", json!({}));
    workspace.open(RUN);
    let shelved = Run { run: "old", turn: "t-old", ..RUN };
    let anchor = workspace.said(shelved, "before openings");
    workspace.shelve(shelved, &anchor);
    let anchor = workspace.said(OTHER, "elsewhere");
    workspace.shelve(OTHER, &anchor);
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let records = read(&snapshot, "s");
    assert_eq!(records.events.iter().map(|event| event.opening).collect::<Vec<_>>(), [true, false]);
    let [invocation] = &records.invocations[..] else { panic!("{:?}", records.invocations) };
    assert_eq!(invocation.form, InvocationForm::Opening);
    assert_eq!(text(&records, &invocation.invocation_id), "inv-old");
    assert_eq!(text(&records, &invocation.run_id), "old");
    assert_eq!(text(&records, &invocation.turn_id), "t-old");
    assert_eq!(parsed(&records, &invocation.json), opening());
    let other = read(&snapshot, "other");
    assert_eq!(text(&other, &other.invocations[0].invocation_id), "inv-ro");
}

#[test]
fn arriving_text_is_put_together_in_order() {
    for generation in GENERATIONS {
        let workspace = Workspace::new(generation);
        workspace.session("s", json!({}));
        let payload = json!({"id": "p"});
        workspace.partial(RUN, "k2", None, &payload, &["ne", "edle 模", "型"]);
        workspace.partial(RUN, "k1", Some("ev-9"), &payload, &[]);
        workspace.partial(OTHER, "k3", None, &payload, &["other"]);
        workspace.execute(
            "UPDATE runtime_partial_snapshots SET text_content = 'older: ' WHERE stream_key = ?1",
            &[&"k2"],
        );
        workspace.execute(
            "UPDATE runtime_partial_segments SET segment_seq = 10 WHERE text_content = ?1",
            &[&"型"],
        );
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let records = read(&snapshot, "s");
        let seen: Vec<_> = records
            .streams
            .iter()
            .map(|stream| {
                (
                    text(&records, &stream.key),
                    text(&records, &stream.invocation_id),
                    text(&records, &stream.run_id),
                    text(&records, &stream.turn_id),
                    stream.after_event_id.as_ref().map(|span| text(&records, span)),
                    parsed(&records, &stream.payload),
                    text(&records, &stream.text),
                )
            })
            .collect();
        let [key, run, turn] = ["inv-r", "r", "t"].map(String::from);
        assert_eq!(
            seen,
            [
                (
                    "k2".into(),
                    key.clone(),
                    run.clone(),
                    turn.clone(),
                    None,
                    payload.clone(),
                    "older: needle 模型".into()
                ),
                ("k1".into(), key, run, turn, Some("ev-9".into()), payload, String::new()),
            ]
        );
        let again = snapshot.stream_text("k2").unwrap().unwrap();
        assert_eq!(again, "older: needle 模型".as_bytes());
        assert_eq!(snapshot.stream_text("k1").unwrap(), Some(Vec::new()));
        assert_eq!(snapshot.stream_text("none").unwrap(), None);
    }
}

/// A record of about `bytes`, cut inside a character when it is chunked.
fn large(bytes: usize) -> Value {
    json!({"type": "user", "id": "m", "turnId": "t", "ts": 1, "text": "模型".repeat(bytes / 6)})
}

#[test]
fn old_messages_are_put_together_from_their_chunks() {
    let workspace = Workspace::new(Generation::Openings);
    workspace.session("s", json!({"transcriptLedgerVersion": null}));
    let small = json!({"type": "user", "id": "a", "text": "small"});
    let record = large(200_000);
    workspace.message("s", &small);
    workspace.message("s", &record);
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let records = read(&snapshot, "s");
    let seen: Vec<_> = records
        .messages
        .iter()
        .map(|message| (message.sequence, parsed(&records, message.json.as_ref().unwrap())))
        .collect();
    assert_eq!(seen, [(0, small.clone()), (1, record.clone())]);
    assert_eq!(snapshot.message("s", 0).unwrap().unwrap(), small.to_string().as_bytes());
    assert_eq!(snapshot.message("s", 1).unwrap().unwrap(), record.to_string().as_bytes());
    assert_eq!(snapshot.message("s", 2).unwrap(), None);
    assert_eq!(snapshot.message("other", 0).unwrap(), None);
}

#[test]
fn old_messages_of_a_converted_session_are_never_read() {
    let workspace = Workspace::new(Generation::Openings);
    for (id, version) in [("converted", json!(1)), ("staging", json!(0)), ("odd", json!("1"))] {
        workspace.session(id, json!({"transcriptLedgerVersion": version}));
        workspace.message(id, &json!({"type": "user", "text": "old"}));
    }
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let counts = ["converted", "staging", "odd"].map(|id| read(&snapshot, id).messages.len());
    assert_eq!(counts, [0, 1, 1]);
}

#[test]
fn a_chunked_message_that_does_not_come_to_its_sum_is_broken() {
    for damage in [
        "DELETE FROM session_message_chunks WHERE chunk_index = 1",
        "DELETE FROM session_message_chunks WHERE chunk_index = 2",
        "DELETE FROM session_message_chunks",
        "UPDATE session_message_chunks SET chunk_index = 7 WHERE chunk_index = 2",
        "UPDATE session_message_chunks SET sha256 = upper(sha256) WHERE chunk_index = 0",
        "UPDATE session_message_chunks SET data = zeroblob(10) WHERE chunk_index = 0",
        "UPDATE session_message_payloads SET record_bytes = record_bytes + 1",
        "UPDATE session_message_payloads SET sha256 = replace(sha256, substr(sha256, 1, 1), 'x')",
        "UPDATE session_message_payloads SET sha256 = NULL_TEXT",
    ] {
        let workspace = Workspace::new(Generation::Headers);
        workspace.session("s", json!({"transcriptLedgerVersion": null}));
        workspace.message("s", &large(150_000));
        workspace.message("s", &json!({"type": "user", "text": "whole"}));
        let damage = damage.replace("NULL_TEXT", "''");
        workspace.execute(&damage, &[]);
        let mut store = open(workspace.root()).unwrap();
        let snapshot = store.snapshot().unwrap();
        let records = read(&snapshot, "s");
        let whole: Vec<_> = records.messages.iter().map(|message| message.json.is_some()).collect();
        assert_eq!(whole, [false, true], "{damage}");
        assert_eq!(snapshot.message("s", 0).unwrap(), None, "{damage}");
        assert!(snapshot.message("s", 1).unwrap().is_some());
    }
}

#[test]
fn cells_of_another_type_are_bytes_or_nothing() {
    let workspace = Workspace::new(Generation::Openings);
    // Columns of the newer host may take anything; so that these do, the old checks go.
    workspace
        .connection()
        .execute_batch(
            "PRAGMA writable_schema = 1;
             UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '');
             PRAGMA writable_schema = RESET;",
        )
        .unwrap();
    workspace.session("s", json!({}));
    workspace.session("old", json!({"transcriptLedgerVersion": null}));
    workspace.raw_event(RUN, "e1", "text", &Cell::Blob(b"{\"a\":\"\xff\"}".to_vec()));
    workspace.raw_event(RUN, "e2", "text", &Cell::Null);
    workspace.raw_event(RUN, "e3", "text", &Cell::Text("plain".into()));
    workspace.execute(
        "UPDATE runtime_events SET payload_json = CAST(x'ff61' AS TEXT) WHERE event_id = ?1",
        &[&"e3"],
    );
    workspace.execute("UPDATE runtime_events SET committed_at = 'soon', run_id = NULL", &[]);
    workspace.raw_message("old", "user", &Cell::Null);
    workspace.raw_message("old", "user", &Cell::Blob(vec![0xff]));
    let mut store = open(workspace.root()).unwrap();
    let snapshot = store.snapshot().unwrap();
    let records = read(&snapshot, "s");
    let payloads: Vec<_> =
        records.events.iter().map(|event| records.bytes(&event.payload)).collect();
    assert_eq!(payloads, [&b"{\"a\":\"\xff\"}"[..], b"", b"\xffa"]);
    assert!(
        records.events.iter().all(|event| event.committed_at == 0.0 && event.run_id.is_empty())
    );
    let old = read(&snapshot, "old");
    let bodies: Vec<_> =
        old.messages.iter().map(|message| old.bytes(message.json.as_ref().unwrap())).collect();
    assert_eq!(bodies, [&b""[..], b"\xff"]);
    assert_eq!(snapshot.event_payload(records.events[2].rowid).unwrap().unwrap(), b"\xffa");
    assert_eq!(snapshot.event_payload(1_000).unwrap(), None);
}

#[test]
fn permission_outcomes_come_with_their_requests() {
    let workspace = Workspace::new(Generation::Headers);
    workspace.session("s", json!({}));
    for (id, session) in [("q2", "s"), ("q1", "s"), ("q3", "other"), ("q4", "s")] {
        workspace.execute(
            "INSERT INTO core_interaction_requests VALUES (?1, ?2, 't', 'r', 'permission', 1, ?1)",
            &[&id, &session],
        );
        if id != "q4" {
            let answer = "INSERT INTO core_interaction_outcomes VALUES (?1, 'answer ' || ?1)";
            workspace.execute(answer, &[&id]);
        }
    }
    let mut store = open(workspace.root()).unwrap();
    let records = read(&store.snapshot().unwrap(), "s");
    let seen: Vec<_> = records
        .outcomes
        .iter()
        .map(|outcome| {
            [
                &outcome.request_id,
                &outcome.turn_id,
                &outcome.run_id,
                &outcome.request_kind,
                &outcome.request,
                &outcome.outcome,
            ]
            .map(|span| text(&records, span))
        })
        .collect();
    assert_eq!(
        seen,
        [
            ["q1", "t", "r", "permission", "q1", "answer q1"],
            ["q2", "t", "r", "permission", "q2", "answer q2"],
        ]
    );
}
