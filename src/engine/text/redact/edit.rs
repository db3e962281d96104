//! What a rule does to a text.

use std::ops::Range;

use crate::engine::limits::REDACTED;

/// A text in which spans, from the front to the back, become [`REDACTED`].
pub(super) struct Edit<'t> {
    text: &'t [u8],
    kept: usize,
    out: Vec<u8>,
}

impl<'t> Edit<'t> {
    pub(super) fn new(text: &'t [u8]) -> Self {
        Self { text, kept: 0, out: Vec::new() }
    }

    /// Takes out `secret`, which lies behind all that was taken out before.
    pub(super) fn redact(&mut self, secret: Range<usize>) {
        self.replace(secret, REDACTED);
    }

    /// Puts `mark` in the place of `secret`.
    pub(super) fn replace(&mut self, secret: Range<usize>, mark: &str) {
        if &self.text[secret.clone()] == mark.as_bytes() {
            return;
        }
        self.out.extend_from_slice(&self.text[self.kept..secret.start]);
        self.out.extend_from_slice(mark.as_bytes());
        self.kept = secret.end;
    }

    /// The text that came out; `None` when it is the one that went in.
    pub(super) fn finish(mut self) -> Option<Vec<u8>> {
        if self.kept == 0 {
            return None;
        }
        self.out.extend_from_slice(&self.text[self.kept..]);
        Some(self.out)
    }
}

/// Checks what one rule makes of a text; a rule that changes nothing gives `None`.
#[cfg(test)]
#[track_caller]
pub(super) fn test(rule: fn(&[u8]) -> Option<Vec<u8>>, text: &str, redacted: &str) {
    let out = rule(text.as_bytes()).unwrap_or_else(|| text.into());
    assert_eq!(String::from_utf8(out).unwrap(), redacted);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_replaced_and_the_rest_is_kept() {
        let mut edit = Edit::new(b"a secret and 'another' one");
        edit.redact(2..8);
        edit.replace(13..22, "'#'");
        assert_eq!(edit.finish().unwrap(), b"a [redacted] and '#' one");
    }

    #[test]
    fn what_was_redacted_before_is_no_change() {
        let mut edit = Edit::new(b"a [redacted]");
        edit.redact(2..12);
        assert_eq!(edit.finish(), None);
    }
}
