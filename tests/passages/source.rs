//! Where the rows of a test come from: a workspace, or the host.

use recall_native::engine::{
    Cancel, RecallError, SessionHeader,
    host::HostMessage,
    passage::{Bodies, SessionView},
    store::Snapshot,
    transcript::{
        Body, Row, RowSource, event_body, host_transcript, message_body, project, stream_body,
    },
};

/// A Session that can be read.
pub(crate) struct Session<'a> {
    pub(crate) header: SessionHeader,
    pub(crate) rows: Vec<Row>,
    pub(crate) bodies: Source<'a>,
}

/// Where the contents of rows stand.
pub(crate) enum Source<'a> {
    /// In a workspace.
    Workspace {
        /// Its state.
        snapshot: &'a Snapshot<'a>,
        /// The Session.
        session_id: String,
    },
    /// In messages that were handed over.
    Host(Vec<HostMessage>),
}

impl<'a> Session<'a> {
    /// `None` when the Session is unreadable.
    pub(crate) fn of_workspace(snapshot: &'a Snapshot<'a>, header: &SessionHeader) -> Option<Self> {
        let records = snapshot.read(header).unwrap();
        let rows =
            project(header, &records, &Cancel::default()).unwrap().ok()?.transcript.rows.clone();
        let bodies = Source::Workspace { snapshot, session_id: header.id.to_string() };
        Some(Self { header: header.clone(), rows, bodies })
    }

    pub(crate) fn of_host(header: &SessionHeader, messages: Vec<HostMessage>) -> Self {
        let rows = host_transcript(&messages, &Cancel::default()).unwrap().unwrap().rows;
        Self { header: header.clone(), rows, bodies: Source::Host(messages) }
    }
}

pub(crate) fn view<'v>(header: &'v SessionHeader, rows: &'v [Row]) -> SessionView<'v> {
    SessionView { header, rows }
}

impl Bodies for Source<'_> {
    fn body(&mut self, row: &Row) -> Result<Option<Body>, RecallError> {
        let (snapshot, session_id) = match self {
            Self::Workspace { snapshot, session_id } => (snapshot, session_id),
            Self::Host(messages) => {
                let RowSource::Message(index) = row.source else { return Ok(None) };
                return Ok(message_body(&messages[index as usize].json));
            }
        };
        Ok(match &row.source {
            RowSource::Event(rowid) => {
                snapshot.event_payload(*rowid)?.and_then(|payload| event_body(&payload))
            }
            RowSource::Stream(key) => {
                let text = snapshot.stream_text(key)?;
                text.map(|text| stream_body(&String::from_utf8_lossy(&text)))
            }
            RowSource::Message(sequence) => {
                snapshot.message(session_id, *sequence)?.and_then(|record| message_body(&record))
            }
            RowSource::Nothing => None,
        })
    }
}
