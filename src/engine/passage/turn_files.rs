//! The files of the turns that passages come from: `materials` of the envelope.

use std::{collections::HashSet, sync::Arc};

use super::{Bodies, SessionView, Viewer, material};
use crate::engine::{
    RecallError,
    limits::{ENVELOPE_MATERIALS, TURN_MATERIALS},
    reply::Material,
    text::redact::redact,
    transcript::{Body, FileRef, Row},
};

/// Collects the files of turns, in the order of the passages. A file that can be
/// fetched is listed once.
#[derive(Clone, Debug, Default)]
pub struct TurnFiles {
    listed: Vec<Material>,
    ids: HashSet<String>,
}

impl TurnFiles {
    /// Adds the files of the turn that row `anchor` belongs to, or of the row
    /// alone when it has no turn.
    ///
    /// # Errors
    /// The contents of a row cannot be read, or the work was cancelled.
    pub fn add(
        &mut self,
        session: SessionView<'_>,
        anchor: usize,
        viewer: &Viewer,
        bodies: &mut dyn Bodies,
    ) -> Result<(), RecallError> {
        let Some(turn_id) = session.rows.get(anchor).map(|row| &row.turn_id) else { return Ok(()) };
        let rows = if turn_id.is_some() { 0..session.rows.len() } else { anchor..anchor + 1 };
        let most = ENVELOPE_MATERIALS.min(self.listed.len() + TURN_MATERIALS);
        // Few rows carry files: whether one does is asked first.
        let carries = |&row: &usize| session.rows[row].may_carry_files;
        for row in rows.filter(carries).filter(|&row| session.same_turn(anchor, row)) {
            if self.listed.len() == most {
                break;
            }
            let row = &session.rows[row];
            let Some(body) = bodies.body(row)? else { continue };
            for material in of_row(session, row, &body, viewer) {
                if self.listed.len() < most {
                    self.list(material);
                }
            }
        }
        Ok(())
    }

    /// What was collected.
    #[must_use]
    pub fn into_materials(self) -> Vec<Material> {
        self.listed
    }

    fn list(&mut self, material: Material) {
        let again = material.id.as_ref().is_some_and(|id| !self.ids.insert(id.clone()));
        if !again {
            self.listed.push(material);
        }
    }
}

fn of_row(session: SessionView<'_>, row: &Row, body: &Body, viewer: &Viewer) -> Vec<Material> {
    let found = |kind: &str, name: &str, mime_type: &str, bytes, place: Option<(&str, &str)>| {
        let id = place
            .filter(|&(owner, artifact)| material::may_locate(kind, owner, artifact, viewer))
            .map(|(owner, artifact)| format!("{owner}/{artifact}"));
        Material {
            id,
            kind: kind.to_owned(),
            name: redact(name).into_owned(),
            mime_type: redact(mime_type).into_owned(),
            bytes,
            session_id: session.header.id.clone(),
            turn_id: row.turn_id.clone(),
            message_id: Arc::clone(&row.id),
        }
    };
    if let Some(image) = material::tool_image(body) {
        let place = Some((image.session_id.as_str(), image.artifact_id.as_str()));
        return vec![found("image", &image.artifact_id, &image.mime_type, None, place)];
    }
    let attached = material::attachments(body).iter().map(|file| {
        let place = match &file.reference {
            FileRef::SessionFile { session_id, relative_path } => {
                Some((session_id.as_str(), relative_path.as_str()))
            }
            FileRef::WorkspaceFile | FileRef::ExternalFile => None,
        };
        found(&file.kind, &file.name, &file.mime_type, Some(file.bytes), place)
    });
    attached.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{
        passage::held::{Held, artifact, assistant, tool_result, user, viewer},
        transcript::Attachment,
    };

    fn collected(held: &mut Held, anchors: &[usize], eligible: &[&str]) -> Vec<Material> {
        let (session, bodies) = held.parts();
        let viewer = viewer(None, eligible);
        let mut files = TurnFiles::default();
        for &anchor in anchors {
            files.add(session, anchor, &viewer, bodies).unwrap();
        }
        files.into_materials()
    }

    fn ids(materials: &[Material]) -> Vec<Option<&str>> {
        materials.iter().map(|material| material.id.as_deref()).collect()
    }

    fn files(range: std::ops::Range<usize>) -> Vec<Attachment> {
        range.map(|at| artifact("image", &format!("{at}.png"), "s", &format!("art_{at}"))).collect()
    }

    #[test]
    fn the_whole_turn_is_listed_wherever_the_anchor_stands() {
        let image = r#"{"kind":"image","mimeType":"image/webp",
            "ref":{"kind":"session_file","sessionId":"s","relativePath":"shot"}}"#;
        let mut held = Held::new("s");
        held.push("u1", Some("t"), user("", vec![artifact("code", "a.rs", "s", "art_1")]))
            .push("u2", Some("other"), user("", files(7..8)))
            .push("a1", Some("t"), assistant("answer"))
            .push("r1", Some("t"), tool_result(image));
        let base = Material {
            id: Some("s/art_1".to_owned()),
            kind: "code".to_owned(),
            name: "a.rs".to_owned(),
            mime_type: "image/png".to_owned(),
            bytes: Some(2048.0),
            session_id: "s".into(),
            turn_id: Some("t".into()),
            message_id: "u1".into(),
        };
        let shot = Material {
            id: Some("s/shot".to_owned()),
            kind: "image".to_owned(),
            name: "shot".to_owned(),
            mime_type: "image/webp".to_owned(),
            bytes: None,
            message_id: "r1".into(),
            ..base.clone()
        };
        assert_eq!(collected(&mut held, &[2], &["s"]), [base, shot]);
    }

    #[test]
    fn eight_for_a_turn_and_an_id_once() {
        let mut held = Held::new("s");
        held.push("u1", Some("t1"), user("", files(0..5)))
            .push("u2", Some("t1"), user("", files(3..12)))
            .push("u3", Some("t2"), user("", files(6..10)));
        let all = collected(&mut held, &[0, 2], &["s"]);
        let numbers = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
        let expected: Vec<_> = numbers.iter().map(|at| Some(format!("s/art_{at}"))).collect();
        let expected: Vec<_> = expected.iter().map(Option::as_deref).collect();
        assert_eq!(ids(&all), expected);
    }

    #[test]
    fn files_without_an_id_are_listed_each_time() {
        let mut held = Held::new("s");
        held.push("u1", Some("t"), user("", [files(0..1), files(0..1)].concat()));
        assert_eq!(ids(&collected(&mut held, &[0], &[])), [None, None]);
    }

    #[test]
    fn sixty_four_in_all() {
        let mut held = Held::new("s");
        for turn in 0..10 {
            let first = turn * 7;
            held.push("u", Some(&format!("t{turn}")), user("", files(first..first + 7)));
        }
        let anchors: Vec<_> = (0..10).collect();
        let all = collected(&mut held, &anchors, &["s"]);
        assert_eq!(all.len(), 64);
        assert_eq!(all[63].id.as_deref(), Some("s/art_63"));
    }

    #[test]
    fn a_row_without_a_turn_stands_for_itself() {
        let mut held = Held::new("s");
        held.push("u1", None, user("", files(0..1))).push("u2", None, user("", files(1..2)));
        assert_eq!(ids(&collected(&mut held, &[1], &["s"])), [Some("s/art_1")]);
    }
}
