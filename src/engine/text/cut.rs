//! Cutting text to a size.

use crate::engine::limits::MARK;

/// The part of the bytes that stands before the match: `1 / BEFORE`.
const BEFORE: usize = 4;

/// The nearest code point boundary of `text` at or before byte `at`.
#[must_use]
pub fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The longest run of whole code points at the start of `text` that fits in
/// `max_bytes`.
#[must_use]
pub fn cut(text: &str, max_bytes: usize) -> &str {
    &text[..floor_boundary(text, max_bytes)]
}

/// What is shown of a text: a body, with a mark on each side where text is
/// missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The body and its marks.
    pub shown: String,
    /// Where the body starts in the text, in bytes.
    pub start: usize,
    /// Bytes of the mark in front of the body: 0 or 3.
    pub lead: usize,
    /// Bytes of the mark behind the body: 0 or 3.
    pub tail: usize,
    /// Whether there is a mark.
    pub truncated: bool,
}

impl Window {
    /// What is shown, without the marks.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.shown[self.lead..self.shown.len() - self.tail]
    }
}

/// At most `max_bytes` of `text`, marks included, a quarter of them before the
/// byte `match_start` (the start of the text without one): the window of the
/// golden rules. `capped` says that the text was cut before, so that text is
/// missing behind it whatever fits. Where not even the marks fit, they are all
/// that is shown.
#[must_use]
pub fn window(text: &str, max_bytes: usize, match_start: Option<usize>, capped: bool) -> Window {
    let fits = text.len() <= max_bytes;
    let start = match match_start {
        Some(at) if !fits => floor_boundary(text, at.saturating_sub(max_bytes / BEFORE)),
        _ => 0,
    };
    let lead = if start == 0 { 0 } else { MARK.len() };
    let rest = &text[start..];
    let (body, tail) = if !capped && lead + rest.len() <= max_bytes {
        (rest, 0)
    } else {
        (cut(rest, max_bytes.saturating_sub(lead + MARK.len())), MARK.len())
    };
    let mut shown = String::with_capacity(lead + body.len() + tail);
    if lead != 0 {
        shown.push_str(MARK);
    }
    shown.push_str(body);
    if tail != 0 {
        shown.push_str(MARK);
    }
    Window { shown, start, lead, tail, truncated: lead + tail != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_falls_inside_a_code_point() {
        for text in ["a—b", "─x", "🙏!", "中文", "é", ""] {
            for at in 0..text.len() + 2 {
                let kept = cut(text, at);
                assert!(kept.len() <= at && text.starts_with(kept));
                let longer = text[kept.len()..].chars().next().map_or(0, char::len_utf8);
                assert!(longer == 0 || at < kept.len() + longer, "{text} at {at}");
            }
        }
    }

    #[test]
    fn a_window_stands_round_its_match() {
        let text = "0123456789".repeat(10);
        let window = window(&text, 26, Some(50), false);
        assert_eq!(
            window,
            Window {
                shown: "…45678901234567890123…".into(),
                start: 44,
                lead: 3,
                tail: 3,
                truncated: true
            }
        );
        assert_eq!(window.body(), &text[44..64]);
    }

    #[test]
    fn a_text_that_fits_is_shown_from_its_start() {
        let whole = window("中文 text…", 14, Some(7), false);
        assert_eq!((whole.body(), whole.truncated), ("中文 text…", false));
        let capped = window("中文 text", 20, Some(7), true);
        assert_eq!((capped.shown.as_str(), capped.truncated), ("中文 text…", true));
        assert_eq!(capped.body(), "中文 text");
    }

    #[test]
    fn any_match_and_any_size_give_whole_code_points() {
        let text = "a—─🙏中é".repeat(4);
        for max_bytes in 0..text.len() + 4 {
            for match_start in 0..text.len() + 4 {
                let window = window(&text, max_bytes, Some(match_start), false);
                assert!(text[window.start..].starts_with(window.body()));
                assert!(window.shown.len() <= max_bytes.max(2 * MARK.len()));
            }
        }
    }
}
