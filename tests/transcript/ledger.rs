//! Small Sessions, row by row.

use recall_native::engine::{
    Cancel, SessionHeader,
    json::RawValue,
    transcript::{
        Projection, Unreadable, ordered_events, project,
        records::{
            EventRecord, InvocationForm, InvocationRecord, MessageRecord, SessionRecords,
            StreamRecord,
        },
    },
};

/// The Session `s`. A run `r` has the invocation `inv-r` and the turn
/// `turn-of-r`; ordinals and times count up from 1.
pub(crate) struct Ledger {
    pub(crate) header: SessionHeader,
    pub(crate) records: SessionRecords,
}

/// A run header of the headers generation.
pub(crate) fn run_header(run: &str, more: &str) -> String {
    format!(
        r#"{{"runId":"{run}","invocationId":"inv-{run}","turnId":"turn-of-{run}","modelId":"m"{more}}}"#
    )
}

impl Ledger {
    pub(crate) fn new(version: u8) -> Self {
        Self::with(&format!(r#"{{"id":"s","transcriptLedgerVersion":{version}}}"#))
    }

    /// A Session that was never converted.
    pub(crate) fn unconverted() -> Self {
        Self::unconverted_since(1000.0)
    }

    pub(crate) fn unconverted_since(created_at: f64) -> Self {
        Self::with(&format!(r#"{{"id":"s","createdAt":{created_at},"model":"m"}}"#))
    }

    fn with(header: &str) -> Self {
        let header = SessionHeader::read(RawValue::parse(header.as_bytes()).unwrap()).unwrap();
        Self { header, records: SessionRecords::default() }
    }

    /// An opening in the ledger.
    pub(crate) fn opened(&mut self, run: &str, at: f64, opening: &str) {
        self.opened_as(run, &format!("turn-of-{run}"), at, opening);
    }

    pub(crate) fn opened_as(&mut self, run: &str, turn: &str, at: f64, opening: &str) {
        let content = opening.replacen('{', r#"{"kind":"invocation_opened","#, 1);
        let id = format!("{run}-opened-{at}");
        self.event_as(run, turn, &id, &format!(r#""role":"system","content":{content}"#));
        if let Some(event) = self.records.events.last_mut() {
            event.opening = true;
            event.committed_at = at;
        }
    }

    /// An opening beside the ledger.
    pub(crate) fn shelf(&mut self, run: &str, at: f64, opening: &str) {
        self.record(InvocationForm::Opening, run, at, opening);
    }

    pub(crate) fn header(&mut self, run: &str, header: &str) {
        let at = self.records.invocations.len() as f64;
        self.record(InvocationForm::RunHeader, run, at, header);
    }

    fn record(&mut self, form: InvocationForm, run: &str, opened_at: f64, json: &str) {
        let records = &mut self.records;
        let invocation = InvocationRecord {
            form,
            invocation_id: records.push(format!("inv-{run}").as_bytes()),
            run_id: records.push(run.as_bytes()),
            turn_id: records.push(format!("turn-of-{run}").as_bytes()),
            opened_at,
            json: records.push(json.as_bytes()),
        };
        records.invocations.push(invocation);
    }

    pub(crate) fn event(&mut self, run: &str, id: &str, rest: &str) {
        self.event_as(run, &format!("turn-of-{run}"), id, rest);
    }

    pub(crate) fn event_as(&mut self, run: &str, turn: &str, id: &str, rest: &str) {
        let ts = self.records.events.len() + 1;
        let payload = payload(run, turn, id, &format!(r#""ts":{ts},"partial":false,{rest}"#));
        self.raw_event_as(run, turn, id, &payload);
    }

    pub(crate) fn raw_event(&mut self, run: &str, id: &str, payload: &str) {
        self.raw_event_as(run, &format!("turn-of-{run}"), id, payload);
    }

    fn raw_event_as(&mut self, run: &str, turn: &str, id: &str, payload: &str) {
        let records = &mut self.records;
        let number = records.events.len() as i64 + 1;
        let event = EventRecord {
            rowid: number,
            event_id: records.push(id.as_bytes()),
            invocation_id: records.push(format!("inv-{run}").as_bytes()),
            run_id: records.push(run.as_bytes()),
            turn_id: records.push(turn.as_bytes()),
            event_seq: number,
            opening: false,
            committed_at: number as f64,
            ordinal: Some(number),
            payload: records.push(payload.as_bytes()),
        };
        records.events.push(event);
    }

    pub(crate) fn end(&mut self, run: &str) {
        let end = r#""role":"system","status":"completed","actions":{"endInvocation":true}"#;
        self.event(run, &format!("{run}-end"), end);
    }

    /// A stream whose key is its event's id.
    pub(crate) fn stream(&mut self, run: &str, id: &str, rest: &str) {
        self.stream_after(run, id, None, &format!(r#""ts":1,{rest}"#));
    }

    pub(crate) fn stream_after(
        &mut self,
        run: &str,
        id: &str,
        after_event_id: Option<&str>,
        rest: &str,
    ) {
        let turn = format!("turn-of-{run}");
        let records = &mut self.records;
        let stream = StreamRecord {
            key: records.push(id.as_bytes()),
            invocation_id: records.push(format!("inv-{run}").as_bytes()),
            run_id: records.push(run.as_bytes()),
            turn_id: records.push(turn.as_bytes()),
            after_event_id: after_event_id.map(|id| records.push(id.as_bytes())),
            payload: records.push(payload(run, &turn, id, rest).as_bytes()),
            text: records.push(format!("text of {id}").as_bytes()),
        };
        records.streams.push(stream);
    }

    pub(crate) fn message(&mut self, json: &str) {
        let sequence = self.records.messages.len() as i64;
        let json = Some(self.records.push(json.as_bytes()));
        self.records.messages.push(MessageRecord { sequence, json });
    }

    pub(crate) fn project(&self) -> Result<Projection, Unreadable> {
        project(&self.header, &self.records, &Cancel::default()).unwrap()
    }

    pub(crate) fn row_ids(&self) -> Vec<String> {
        let transcript = self.project().unwrap().transcript;
        transcript.rows.iter().map(|row| (*row.id).to_owned()).collect()
    }

    pub(crate) fn ordered_ids(&self) -> Vec<String> {
        let events = ordered_events(&self.header, &self.records).unwrap();
        events.into_iter().map(|(id, _)| id).collect()
    }

    pub(crate) fn refusal(&self) -> String {
        self.project().map(|_| ()).unwrap_err().why
    }
}

fn payload(run: &str, turn: &str, id: &str, rest: &str) -> String {
    format!(
        r#"{{"id":"{id}","sessionId":"s","invocationId":"inv-{run}","runId":"{run}","turnId":"{turn}",{rest}}}"#
    )
}
