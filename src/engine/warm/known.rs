//! What one state of the database showed: it holds until something is committed.

use std::{collections::HashMap, sync::Arc};

use crate::engine::{
    RecallError, SessionHeader,
    store::{Marker, Numbering, Sessions, Snapshot},
};

/// What one state of the database showed.
#[derive(Default)]
pub(in crate::engine) struct Known {
    state: Option<i64>,
    sessions: Option<Arc<Sessions>>,
    markers: HashMap<Arc<str>, Marker>,
    numbering: Option<Numbering>,
    /// What the state before showed, which this one is mostly like.
    earlier: Earlier,
    counts: HashMap<Arc<str>, u64>,
}

/// What an earlier state showed.
#[derive(Default)]
struct Earlier {
    sessions: Option<Arc<Sessions>>,
    /// Of rows that still have their numbers.
    markers: HashMap<Arc<str>, Marker>,
}

impl Known {
    /// Knows from now on what `snapshot` shows.
    pub(in crate::engine) fn at(&mut self, snapshot: &Snapshot<'_>) -> Result<(), RecallError> {
        let state = snapshot.state()?;
        if self.state == Some(state) {
            return Ok(());
        }
        let Self { sessions, markers, numbering, .. } = std::mem::take(self);
        let proven = match &numbering {
            Some(numbering) => snapshot.is_numbered_as(numbering)?,
            None => false,
        };
        let markers = if proven { markers } else { HashMap::new() };
        self.earlier = Earlier { sessions, markers };
        self.state = Some(state);
        Ok(())
    }

    /// The Sessions of the workspace.
    pub(in crate::engine) fn sessions(
        &mut self,
        snapshot: &Snapshot<'_>,
    ) -> Result<Arc<Sessions>, RecallError> {
        if let Some(sessions) = &self.sessions {
            return Ok(sessions.clone());
        }
        let earlier = self.earlier.sessions.take();
        let sessions = Arc::new(snapshot.sessions_since(earlier.as_deref())?);
        Ok(self.sessions.insert(sessions).clone())
    }

    /// How many messages of the searchable kinds the Sessions hold.
    pub(in crate::engine) fn corpus_count(
        &mut self,
        session_ids: &[Arc<str>],
        snapshot: &Snapshot<'_>,
    ) -> Result<u64, RecallError> {
        let mut count = 0;
        for id in session_ids {
            count += match self.counts.get(id) {
                Some(count) => *count,
                None => {
                    let counted = snapshot.corpus_count(&[id])?;
                    self.counts.insert(id.clone(), counted);
                    counted
                }
            };
        }
        Ok(count)
    }

    pub(super) fn marker(
        &mut self,
        header: &SessionHeader,
        snapshot: &Snapshot<'_>,
    ) -> Result<&Marker, RecallError> {
        if !self.markers.contains_key(&header.id) {
            if self.numbering.is_none() {
                self.numbering = snapshot.numbering()?;
            }
            let marker = match self.earlier.markers.get(&header.id) {
                Some(earlier) => snapshot.marker_since(earlier, &header.id)?,
                None => snapshot.marker(&header.id)?,
            };
            self.markers.insert(header.id.clone(), marker);
        }
        Ok(&self.markers[&header.id])
    }
}
