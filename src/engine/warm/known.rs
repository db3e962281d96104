//! What one state of the database showed: it holds until something is committed.

use std::{collections::HashMap, sync::Arc};

use crate::engine::{
    RecallError, SessionHeader,
    store::{Appended, Extent, Marker, Sessions, Snapshot},
};

/// What one state of the database showed.
#[derive(Default)]
pub(in crate::engine) struct Known {
    state: Option<i64>,
    sessions: Option<Arc<Sessions>>,
    markers: HashMap<Arc<str>, Marker>,
    /// How far its events reach; not looked at before a marker is asked for.
    extent: Option<Extent>,
    /// What the state before showed, which this one is mostly like.
    earlier: Earlier,
    counts: HashMap<Arc<str>, u64>,
}

/// What an earlier state showed.
#[derive(Default)]
struct Earlier {
    sessions: Option<Arc<Sessions>>,
    extent: Option<Extent>,
    markers: HashMap<Arc<str>, Marker>,
    /// What was appended since; `None` when no marker can be relied on.
    appended: Option<Appended>,
}

impl Earlier {
    /// The state that came next, as far as it was looked at: what was known
    /// before still holds where nothing was appended.
    fn followed_by(
        self,
        sessions: Option<Arc<Sessions>>,
        extent: Option<Extent>,
        mut markers: HashMap<Arc<str>, Marker>,
    ) -> Self {
        let sessions = sessions.or(self.sessions);
        if extent.is_none() {
            return Self { sessions, appended: None, ..self };
        }
        if let Some(appended) = self.appended {
            for (id, marker) in self.markers {
                if !appended.holds(&id) {
                    markers.entry(id).or_insert(marker);
                }
            }
        }
        Self { sessions, extent, markers, appended: None }
    }
}

impl Known {
    /// Knows from now on what `snapshot` shows.
    pub(in crate::engine) fn at(&mut self, snapshot: &Snapshot<'_>) -> Result<(), RecallError> {
        let state = snapshot.state()?;
        if self.state == Some(state) {
            return Ok(());
        }
        let Self { sessions, extent, markers, earlier, .. } = std::mem::take(self);
        self.earlier = earlier.followed_by(sessions, extent, markers);
        self.state = Some(state);
        Ok(())
    }

    /// The same, for another connection: it numbers its states in its own way.
    pub(super) fn moved(self) -> Self {
        Self { state: None, ..self }
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

    /// Whether these are the Sessions of this state.
    pub(super) fn lists(&self, sessions: &Arc<Sessions>) -> bool {
        self.sessions.as_ref().is_some_and(|known| Arc::ptr_eq(known, sessions))
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
            self.look_back(snapshot)?;
            let Earlier { markers, appended, .. } = &self.earlier;
            let is_as_it_was = appended.as_ref().is_some_and(|them| !them.holds(&header.id));
            let marker = match markers.get(&header.id).filter(|_| is_as_it_was) {
                Some(earlier) => snapshot.marker_since(earlier, &header.id)?,
                None => snapshot.marker(&header.id)?,
            };
            self.markers.insert(header.id.clone(), marker);
        }
        Ok(&self.markers[&header.id])
    }

    /// Compares the events with those of the state before, once.
    fn look_back(&mut self, snapshot: &Snapshot<'_>) -> Result<(), RecallError> {
        if self.extent.is_some() {
            return Ok(());
        }
        self.extent = snapshot.extent()?;
        if let Some((earlier, now)) = self.earlier.extent.as_ref().zip(self.extent.as_ref()) {
            self.earlier.appended = snapshot.appended_since(earlier, now)?;
        }
        Ok(())
    }
}
