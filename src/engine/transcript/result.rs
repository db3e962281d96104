//! What a tool answered, as the transcript shows it: `host/projection.md` 6.
//!
//! The host checks exact shapes. This reader checks the kind, the members that
//! carry its meaning, and that a terminal's state is consistent; new members
//! are no reason to hide a Session.

use std::borrow::Cow;

use super::words::Document;
use crate::engine::{
    json::{Kind, RawString, RawValue, safe_integer},
    text::is_space,
};

/// Results of a tool that is gone: shown inside a `json` result.
const PLAN_KINDS: [&str; 4] = [
    "plan_submitted",
    "plan_progress_updated",
    "plan_execution_completed",
    "plan_execution_cancelled",
];

/// Kinds that are shown as they are, whatever they hold.
const PLAIN_KINDS: [&str; 9] = [
    "file_diff",
    "file_write",
    "shell_run",
    "summary",
    "web_search",
    "web_search_error",
    "subagent",
    "agent_swarm",
    "rive_workflow",
];

/// Why an archived result was archived.
const ARCHIVED_REASON: &str = "stale_tool_result_pruned_before_compact";

/// An acceptable result.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown<'a> {
    result: RawValue<'a>,
    form: Form<'a>,
    image: bool,
}

#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    AsStored,
    /// As it is stored, and an archived one, which has no text.
    StoredArchive,
    /// `{kind: 'json', value: result}`
    Plan,
    /// The placeholder of a result that was archived.
    Placeholder,
    /// The report of the retired explore tool: a stored string.
    Report(RawValue<'a>),
    /// That tool left no report: `Inspected N files`, which nothing stores.
    Caption(f64),
    /// A retired permission mode is renamed.
    RetiredMode,
}

impl<'a> Shown<'a> {
    /// How `result` is shown; `None` when the host would refuse it.
    pub(super) fn of(result: RawValue<'a>) -> Option<Self> {
        Self::with(result, &Members::read(result))
    }

    /// The same for a result whose members are known.
    pub(super) fn with(result: RawValue<'a>, members: &Members<'a>) -> Option<Self> {
        if result.kind() != Kind::Object {
            return None;
        }
        let kind = members.kind?.string()?;
        let form = match &*kind {
            "text" => members.text?.raw_string().map(|_| Form::AsStored)?,
            "json" => members.value.map(|_| Form::AsStored)?,
            "image" => {
                members.mime_type?.raw_string()?;
                (members.reference?.kind() == Kind::Object).then_some(Form::AsStored)?
            }
            "terminal" => members.is_consistent_terminal().then_some(Form::AsStored)?,
            "archived_tool_result" => Form::StoredArchive,
            "maka.archived_tool_result" => is_placeholder(result).then_some(Form::Placeholder)?,
            "explore_agent" => members.report()?,
            "subagent" if members.permission_mode.is_some_and(|mode| mode.is("execute")) => {
                Form::RetiredMode
            }
            kind if PLAIN_KINDS.contains(&kind) => Form::AsStored,
            kind if PLAN_KINDS.contains(&kind) => Form::Plan,
            _ => return None,
        };
        Some(Self { result, form, image: kind == "image" })
    }

    /// Whether it shows an image.
    pub(super) fn is_image(&self) -> bool {
        self.image
    }

    /// The stored result, where the row shows a text that it does not hold.
    pub(super) fn stored(&self) -> Option<RawValue<'a>> {
        matches!(self.form, Form::RetiredMode).then_some(self.result)
    }

    /// Whether the row shows it as it is stored.
    pub(super) fn is_as_stored(&self) -> bool {
        matches!(self.form, Form::AsStored | Form::StoredArchive)
    }

    /// Whether it has text that stands in the store.
    pub(super) fn is_searchable(&self) -> bool {
        !matches!(self.form, Form::StoredArchive | Form::Placeholder | Form::Caption(_))
    }

    /// The `content` of the row.
    pub(super) fn document(&self) -> Document<'a> {
        let result = self.result.bytes();
        let made = match self.form {
            Form::AsStored | Form::StoredArchive => return Document::Checked(self.result),
            Form::Plan => [br#"{"kind":"json","value":"#, result, b"}"].concat(),
            Form::Placeholder => placeholder(self.result),
            Form::Report(text) => [br#"{"kind":"text","text":"#, text.bytes(), b"}"].concat(),
            Form::Caption(files) => {
                format!(r#"{{"kind":"text","text":"Inspected {files} files"}}"#).into_bytes()
            }
            Form::RetiredMode => with_renamed_mode(self.result),
        };
        Document::Made(Cow::Owned(made))
    }
}

/// The members of a result that decide anything.
#[derive(Default)]
pub(super) struct Members<'a> {
    pub(super) kind: Option<RawValue<'a>>,
    text: Option<RawValue<'a>>,
    value: Option<RawValue<'a>>,
    mime_type: Option<RawValue<'a>>,
    reference: Option<RawValue<'a>>,
    cwd: Option<RawValue<'a>>,
    cmd: Option<RawValue<'a>>,
    status: Option<RawValue<'a>>,
    exit_code: Option<RawValue<'a>>,
    reports: [Option<RawValue<'a>>; 3],
    files_inspected: Option<RawValue<'a>>,
    permission_mode: Option<RawValue<'a>>,
}

impl<'a> Members<'a> {
    fn read(result: RawValue<'a>) -> Self {
        let mut members = Self::default();
        for (key, value) in result.entries() {
            members.take(key.decode().as_bytes(), value);
        }
        members
    }

    /// Takes a member of the result.
    pub(super) fn take(&mut self, name: &[u8], value: RawValue<'a>) {
        let member = match name {
            b"kind" => &mut self.kind,
            b"text" => &mut self.text,
            b"value" => &mut self.value,
            b"mimeType" => &mut self.mime_type,
            b"ref" => &mut self.reference,
            b"cwd" => &mut self.cwd,
            b"cmd" => &mut self.cmd,
            b"status" => &mut self.status,
            b"exitCode" => &mut self.exit_code,
            b"report" => &mut self.reports[0],
            b"summary" => &mut self.reports[1],
            b"message" => &mut self.reports[2],
            b"filesInspected" => &mut self.files_inspected,
            b"permissionMode" => &mut self.permission_mode,
            _ => return,
        };
        *member = Some(value);
    }

    /// A command that completed has no exit code but 0.
    fn is_consistent_terminal(&self) -> bool {
        let is_text = |value: Option<RawValue<'_>>| value.is_some_and(|v| v.kind() == Kind::String);
        let completed = self.status.is_some_and(|status| status.is("completed"));
        let failed = self.exit_code.and_then(RawValue::number).is_some_and(|code| code != 0.0);
        is_text(self.cwd) && is_text(self.cmd) && is_text(self.status) && !(completed && failed)
    }

    /// The first text of an explore result that is not blank, else its caption.
    fn report(&self) -> Option<Form<'a>> {
        let files = safe_integer(self.files_inspected?)?;
        let mut first = None;
        for report in self.reports.into_iter().flatten() {
            if !is_blank(report.raw_string()?) && first.is_none() {
                first = Some(report);
            }
        }
        Some(first.map_or(Form::Caption(files), Form::Report))
    }
}

/// Whether JavaScript's `trim` leaves nothing of a text.
fn is_blank(text: RawString<'_>) -> bool {
    text.decode().chars().all(is_space)
}

fn is_placeholder(result: RawValue<'_>) -> bool {
    let is_text = |key| {
        result.get(key).and_then(RawValue::raw_string).is_some_and(|text| !text.bytes().is_empty())
    };
    let is_count = |key| result.get(key).and_then(safe_integer).is_some_and(|count| 0.0 < count);
    let version = match result.get("rewriteVersion").and_then(RawValue::number) {
        Some(1.0) => true,
        Some(2.0) => is_text("resourceRef"),
        _ => false,
    };
    version
        && result.get("reason").is_some_and(|reason| reason.is(ARCHIVED_REASON))
        && ["runtimeEventId", "toolCallId", "toolName", "artifactId", "bodySha256"]
            .into_iter()
            .all(is_text)
        && ["originalEstimatedTokens", "originalBytes"].into_iter().all(is_count)
}

fn placeholder(result: RawValue<'_>) -> Vec<u8> {
    let mut json = br#"{"kind":"archived_tool_result","status":"not_loaded""#.to_vec();
    for key in [
        "runtimeEventId",
        "toolCallId",
        "toolName",
        "artifactId",
        "bodySha256",
        "resourceRef",
        "originalEstimatedTokens",
        "originalBytes",
        "rewriteVersion",
        "reason",
    ] {
        let Some(value) = result.get(key) else { continue };
        json.extend_from_slice(format!(",\"{key}\":").as_bytes());
        json.extend_from_slice(value.bytes());
    }
    json.push(b'}');
    json
}

fn with_renamed_mode(result: RawValue<'_>) -> Vec<u8> {
    let mut json = Vec::with_capacity(result.bytes().len());
    json.push(b'{');
    for (key, value) in result.entries() {
        if json.len() != 1 {
            json.push(b',');
        }
        json.push(b'"');
        json.extend_from_slice(key.bytes());
        json.extend_from_slice(b"\":");
        let renamed = key.is("permissionMode") && value.is("execute");
        json.extend_from_slice(if renamed { br#""ask""# } else { value.bytes() });
    }
    json.push(b'}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(json: &str) -> Option<(String, bool)> {
        let shown = Shown::of(RawValue::parse(json.as_bytes()).unwrap())?;
        let content = shown.document();
        let json = content.value().unwrap().bytes().to_vec();
        Some((String::from_utf8(json).unwrap(), shown.is_searchable()))
    }

    #[track_caller]
    fn shows(json: &str, content: &str, searchable: bool) {
        assert_eq!(show(json), Some((content.to_owned(), searchable)));
    }

    #[test]
    fn another_shape_is_refused() {
        for json in [
            "null",
            "[]",
            "\"text\"",
            "{}",
            r#"{"kind":7}"#,
            r#"{"kind":"mystery"}"#,
            r#"{"kind":"text"}"#,
            r#"{"kind":"text","text":1}"#,
            r#"{"kind":"json"}"#,
            r#"{"kind":"image","mimeType":"image/png"}"#,
            r#"{"kind":"terminal","cwd":"/","cmd":"x","status":"completed","exitCode":3}"#,
            r#"{"kind":"terminal","cwd":"/","status":"completed","exitCode":0}"#,
            r#"{"kind":"maka.archived_tool_result"}"#,
            r#"{"kind":"explore_agent","report":"r"}"#,
            r#"{"kind":"explore_agent","filesInspected":1,"summary":"s","message":7}"#,
        ] {
            assert_eq!(show(json), None, "{json}");
        }
    }

    #[test]
    fn a_known_shape_is_served_as_stored() {
        for json in [
            r#"{ "text":"x", "kind":"text", "new": 1 }"#,
            r#"{"kind":"json","value":null}"#,
            r#"{"kind":"terminal","cwd":"/","cmd":"x","status":"failed","exitCode":3}"#,
            r#"{"kind":"shell_run","status":"completed","exitCode":3}"#,
            r#"{"kind":"subagent","permissionMode":"ask"}"#,
        ] {
            shows(json, json, true);
        }
    }

    #[test]
    fn the_retired_explore_tool() {
        shows(
            r#"{"kind":"explore_agent","filesInspected":3,"report":"\ufeff\n","summary":"a\"b"}"#,
            r#"{"kind":"text","text":"a\"b"}"#,
            true,
        );
        shows(
            r#"{"kind":"explore_agent","filesInspected":3,"report":""}"#,
            r#"{"kind":"text","text":"Inspected 3 files"}"#,
            false,
        );
        // U+0085 is no white space in JavaScript.
        shows(
            r#"{"kind":"explore_agent","filesInspected":3,"report":"\u0085"}"#,
            r#"{"kind":"text","text":"\u0085"}"#,
            true,
        );
    }

    #[test]
    fn an_archived_result_has_no_text() {
        let v1 = r#""runtimeEventId":"e","toolCallId":"c","toolName":"T","artifactId":"a","bodySha256":"f","originalEstimatedTokens":1,"originalBytes":2,"rewriteVersion":1,"reason":"stale_tool_result_pruned_before_compact"}"#;
        let stored = format!(r#"{{"kind":"maka.archived_tool_result",{v1}"#);
        let shown = format!(r#"{{"kind":"archived_tool_result","status":"not_loaded",{v1}"#);
        shows(&stored, &shown, false);
        shows(&shown, &shown, false);
        assert_eq!(show(&stored.replace(":2,", ":0,")), None);
        assert_eq!(show(&stored.replace("\"c\"", "\"\"")), None);
        assert_eq!(show(&stored.replace("Version\":1", "Version\":2")), None);
    }

    #[test]
    fn only_the_retired_mode_is_renamed() {
        shows(
            r#"{"kind":"subagent", "a":{"permissionMode":"execute"}, "permissionMode" : "execute"}"#,
            r#"{"kind":"subagent","a":{"permissionMode":"execute"},"permissionMode":"ask"}"#,
            true,
        );
    }
}
