//! Random text for the property tests, rich in what folding minds;
//! and the fold that all others must agree with.

use unicode_normalization::UnicodeNormalization;

use crate::engine::random::Random;

/// Characters and clusters that fold in their own way, beside plain ones.
const PIECES: [&str; 72] = [
    "a",
    "b",
    "e",
    "i",
    "s",
    "x",
    "A",
    "E",
    "I",
    "J",
    "K",
    "S",
    "Z",
    "0",
    "7",
    " ",
    " ",
    "\n",
    ".",
    "'",
    ":",
    "_",
    "-",
    "中",
    "模型",
    "字",
    "，",
    "。",
    "か",
    "ガ",
    "Ａ",
    "ｚ",
    "é",
    "É",
    "ß",
    "ẞ",
    "ı",
    "İ",
    "Σ",
    "σ",
    "ς",
    "ΑΣ",
    "Ω",
    "\u{212a}",
    "\u{212b}",
    "\u{2126}",
    "ǆ",
    "ǅ",
    "ﬁ",
    "Ж",
    "ж",
    "한",
    "가",
    "\u{1100}",
    "\u{1161}",
    "\u{11a8}",
    "\u{301}",
    "\u{302}",
    "\u{307}",
    "\u{323}",
    "\u{30c}",
    "\u{331}",
    "\u{344}",
    "\u{345}",
    "\u{3099}",
    "\u{ad}",
    "\u{200d}",
    "😀",
    "\u{f900}",
    "\u{2f81a}",
    "\u{1611e}",
    "\u{113c2}",
];

impl Random {
    /// Text of at most `pieces` pieces; now and then any character at all, or a
    /// long plain run that shifts the rest across blocks.
    pub(super) fn text(&mut self, pieces: usize) -> String {
        let mut text = String::new();
        for _ in 0..self.below(pieces + 1) {
            match self.below(40) {
                0 => text.extend(char::from_u32(self.below(0x11_0000) as u32)),
                1 => text.extend(std::iter::repeat_n('t', self.below(40))),
                2 => text.extend(std::iter::repeat_n('文', self.below(20))),
                _ => text.push_str(self.pick(&PIECES)),
            }
        }
        text
    }

    /// A part of `text` of one to four characters, if it has any.
    pub(super) fn part(&mut self, text: &str) -> Option<String> {
        let characters: Vec<char> = text.chars().collect();
        let start = self.below(characters.len().max(1));
        let length = 1 + self.below(4);
        let part: String = characters.iter().skip(start).take(length).collect();
        (!part.is_empty()).then_some(part)
    }
}

/// The slow twin of every fold: the rule, word for word.
#[expect(clippy::disallowed_methods, reason = "the rule is made of it")]
pub(super) fn naive_fold(text: &str) -> String {
    let composed: String = text.nfc().collect();
    composed.to_lowercase().nfc().collect()
}
