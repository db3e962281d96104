//! Small signatures of text: which byte 3-grams it has.
//!
//! A signature may say yes of a term that the text does not hold, and never no
//! of one that it does. It skips text, it never decides.

/// Bytes of a gram. Three serve a single CJK character as well as a word.
const GRAM: usize = 3;

/// The grams of one text, as bits of a hash table.
#[derive(Clone, Debug)]
pub struct Signature {
    bits: Box<[u64]>,
}

impl Signature {
    /// The signature of `text`, with a bit for every one or two bytes: a quarter
    /// of them set in ordinary text. Cost: one pass.
    #[must_use]
    pub fn new(text: &[u8]) -> Self {
        // A power of two that is not above: a block is a little over 32 KiB.
        let words = 1 << (text.len() / 64).max(1).ilog2();
        let mut signature = Self { bits: vec![0; words].into() };
        for gram in text.windows(GRAM) {
            let (word, bit) = signature.place(hash(gram));
            signature.bits[word] |= bit;
        }
        signature
    }

    /// Whether the text may hold the term with these grams.
    #[must_use]
    pub fn may_hold(&self, grams: &Grams) -> bool {
        grams.0.iter().all(|hash| {
            let (word, bit) = self.place(*hash);
            self.bits[word] & bit != 0
        })
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.bits) + size_of::<Self>()
    }

    fn place(&self, hash: u32) -> (usize, u64) {
        let bits = self.bits.len() * 64;
        let index = (hash as usize) & (bits - 1);
        (index / 64, 1 << (index % 64))
    }
}

/// The grams of one folded term; none of a term shorter than a gram, which
/// every signature may hold.
#[derive(Clone, Debug)]
pub struct Grams(Vec<u32>);

impl Grams {
    /// The grams of `folded`.
    #[must_use]
    pub fn new(folded: &str) -> Self {
        Self(folded.as_bytes().windows(GRAM).map(hash).collect())
    }
}

/// Spreads the three bytes over the low bits.
fn hash(gram: &[u8]) -> u32 {
    let packed = gram.iter().fold(0u32, |packed, byte| packed << 8 | u32::from(*byte));
    let mixed = packed.wrapping_mul(0x9e37_79b1);
    mixed ^ (mixed >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_denies_what_the_text_holds() {
        let text = "the model 模型 talks about 上下文窗口 and context windows, über é".repeat(3);
        let signature = Signature::new(text.as_bytes());
        let starts: Vec<usize> = text.char_indices().map(|(start, _)| start).collect();
        for (at, start) in starts.iter().enumerate() {
            for end in starts.iter().skip(at + 1).take(12) {
                assert!(signature.may_hold(&Grams::new(&text[*start..*end])), "{start}..{end}");
            }
        }
    }

    #[test]
    fn denies_most_of_what_the_text_does_not_hold() {
        let text = "plain words of an ordinary message ".repeat(40);
        let signature = Signature::new(text.as_bytes());
        let absent: Vec<String> = (0..200).map(|number| format!("zq{number}xv")).collect();
        let wrong = absent.iter().filter(|term| signature.may_hold(&Grams::new(term))).count();
        assert!(wrong < 20, "{wrong} of 200");
    }

    #[test]
    fn a_term_shorter_than_a_gram_may_be_anywhere() {
        assert!(Signature::new(b"").may_hold(&Grams::new("ab")));
    }
}
