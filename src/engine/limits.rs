//! Every constant of the contract, with the rule it comes from.
//!
//! Sizes are bytes of UTF-8 unless another unit is named.

/// Terms of one request, before duplicates drop.
pub const MAX_TERMS: usize = 8;
/// Code points of a term, after the trim.
pub const MAX_TERM_CODE_POINTS: usize = 500;
/// Code points of the question, after the trim.
pub const MAX_QUESTION_CODE_POINTS: usize = 500;
/// UTF-16 units of a Session, message or material id.
pub const MAX_ID_UNITS: usize = 256;
/// Passages of an envelope when the request names no limit.
pub const DEFAULT_LIMIT: usize = 8;
/// Passages of an envelope at most.
pub const MAX_LIMIT: usize = 25;
/// The host's cap on Sessions, used by the drop-in `runRecall`.
pub const HOST_SESSION_CAP: usize = 200;

/// Text of a tool result that is matched: the redacted text is cut here.
pub const TOOL_RESULT_BYTES: usize = 10_240;
/// Text of one message in a passage.
pub const MESSAGE_TEXT_BYTES: usize = 4_096;
/// JSON of the messages of one passage.
pub const PASSAGE_BYTES: usize = 12_288;
/// JSON of the messages of all passages.
pub const ENVELOPE_BYTES: usize = 98_304;
/// Visible neighbours of an anchor in `recall`, each side.
pub const NEIGHBOURS: usize = 4;
/// Visible neighbours of an anchor in `recallMore`, each side: default and maximum.
pub const MORE_NEIGHBOURS: usize = 8;
/// Matches reported on one message.
pub const MAX_MATCHES: usize = 32;
/// Materials shown on one message: as many as a message can have.
pub const MESSAGE_MATERIALS: usize = 8;
/// Materials listed per turn.
pub const TURN_MATERIALS: usize = 8;
/// Materials listed per envelope.
pub const ENVELOPE_MATERIALS: usize = 64;
/// Facts per envelope.
pub const MAX_FACTS: usize = 10;

/// BM25 term saturation.
pub const K1: f64 = 1.2;
/// BM25 length normalisation.
pub const B: f64 = 0.75;
/// Weight of a hit in a tool result.
pub const TOOL_RESULT_WEIGHT: f64 = 0.5;

/// The largest upload that is offered as a material.
pub const MAX_ATTACHMENT_BYTES: u64 = 52_428_800;
/// The largest text material.
pub const MAX_TEXT_MATERIAL_BYTES: u64 = 10 * 1024 * 1024;
/// The largest image whose bytes are handed over.
pub const MAX_IMAGE_BYTES: u64 = 5 * 1024 * 1024;

/// Results of the tools that recall itself: they would echo every search.
pub const ECHO_TOOLS: [&str; 5] =
    ["Recall", "RecallMore", "RecallMaterial", "SearchHistory", "ReadHistory"];

/// What stands for cut text.
pub const MARK: &str = "…";
/// What stands for a secret.
pub const REDACTED: &str = "[redacted]";

/// Results of the modal's search when the request names no limit.
pub const THREAD_DEFAULT_LIMIT: usize = 5;
/// Results of the modal's search at most, unless `maxResults` says otherwise.
pub const THREAD_MAX_LIMIT: usize = 10;
/// Code points of a snippet.
pub const SNIPPET_CODE_POINTS: usize = 240;
/// UTF-16 units shown on each side of a match in a snippet.
pub const SNIPPET_CONTEXT_UNITS: usize = 80;
