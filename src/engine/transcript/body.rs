//! The contents of a searchable row.

/// What a message says.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A user message.
    User {
        /// What was sent to the model.
        text: String,
        /// What was shown instead, when that differs; may be empty.
        display_text: Option<String>,
        /// Attachments of the declared shape, in order.
        attachments: Vec<Attachment>,
    },
    /// An assistant message, without its thinking.
    Assistant {
        /// The text.
        text: String,
    },
    /// A tool call.
    ToolCall {
        /// The tool.
        tool_name: String,
        /// What the call is for.
        intent: Option<String>,
    },
    /// A tool result.
    ToolResult {
        /// The call it answers.
        tool_use_id: String,
        /// Whether the tool failed.
        is_error: bool,
        /// The row's `content` as JSON, after the conversions of the projection.
        content: Box<[u8]>,
        /// The result as it is stored, where a conversion wrote a text that no
        /// store holds: a term has to stand in it as well.
        stored: Option<Box<[u8]>>,
    },
}

/// A file that a user message carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// `image`, `pdf`, `doc`, `code` or `other`.
    pub kind: String,
    /// The file name, not redacted.
    pub name: String,
    /// The declared type.
    pub mime_type: String,
    /// Size in bytes.
    pub bytes: f64,
    /// Where the file is.
    pub reference: FileRef,
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileRef {
    /// An artifact of a Session; `relative_path` is its artifact id.
    SessionFile {
        /// The Session that owns it.
        session_id: String,
        /// The artifact id.
        relative_path: String,
    },
    /// A file of the workspace.
    WorkspaceFile,
    /// A file elsewhere.
    ExternalFile,
}
