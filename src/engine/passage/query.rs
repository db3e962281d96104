//! What was asked, and which rows hold it.

use crate::engine::text::Needle;

/// What a passage is shown for.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The terms in the caller's spelling.
    pub terms: &'a [String],
    /// The same terms, folded.
    pub needles: &'a [Needle],
    /// The terms that a row of the Session holds; `None` when it is no hit.
    pub hits: &'a dyn Fn(usize) -> Option<TermSet>,
}

/// Terms of a request, by their index in it: there are at most eight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TermSet(u8);

impl TermSet {
    /// Adds the term with `index`, which is below eight.
    pub fn insert(&mut self, index: usize) {
        debug_assert!(index < u8::BITS as usize, "a request has at most eight terms");
        self.0 |= 1u8.checked_shl(index as u32).unwrap_or_default();
    }

    /// The indices, in request order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..u8::BITS as usize).filter(move |index| self.0 & (1 << index) != 0)
    }
}

impl FromIterator<usize> for TermSet {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::default();
        for index in indices {
            set.insert(index);
        }
        set
    }
}
