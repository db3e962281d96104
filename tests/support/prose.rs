//! Text that is hard to store, to fold and to cut.

use unicode_normalization::UnicodeNormalization;

use super::{random::Random, secrets};

/// Stands for half a surrogate pair, which no Rust string can hold: an encoder
/// writes it as an escape.
pub(crate) const LONE: char = '\u{e000}';

/// What a text is made of. Some of it is only there to meet its neighbours.
pub(crate) const PIECES: [&str; 78] = [
    "context window",
    "Recall",
    "needle",
    "NEEDLE",
    "src/main.rs",
    "C:\\Users\\maka\\",
    "\"quoted\"",
    "it's",
    "fn main() { }",
    "a=b&c",
    "100%",
    "ask",
    "execute",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    "\u{0}",
    "\u{1f}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{2029}",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "\u{fffd}",
    "\\u0041",
    "\\n",
    " ",
    " ",
    " ",
    "上下文窗口",
    "模型",
    "设置",
    "。",
    "İstanbul",
    "ISPARTA",
    "ısı",
    "I\u{307}",
    "i\u{307}",
    "ΟΔΟΣ",
    "ΣΑΣ",
    "Σ",
    "ς",
    "ὈΔΥΣΣΕΎΣ",
    "Đà Nẵng",
    "Nguyê\u{303}n",
    "É",
    "e\u{301}",
    "\u{301}",
    "n\u{303}",
    "J\u{30c}",
    "\u{345}",
    "\u{212a}",
    "\u{212b}",
    "ß",
    "ẞ",
    "ǅ",
    "ﬁ",
    "ＡＢＣ",
    "학점인정",
    "\u{1112}\u{1161}\u{11ab}",
    "\u{1100}",
    "\u{1161}",
    "か\u{3099}",
    "ガ",
    "שָׁלוֹם",
    "مُحَمَّد",
    "👩\u{200d}💻",
    "👍🏽",
    "🇹🇷",
    "\u{2f81a}",
    "\u{1611e}",
    "Ж",
    "ё",
    "\u{e000}",
];

/// A text of at most `pieces` pieces.
pub(crate) fn text(random: &mut Random, pieces: usize) -> String {
    let mut text = String::new();
    for _ in 0..=random.below(pieces) {
        match random.below(24) {
            0 => text.extend(char::from_u32(random.below(0x11_0000) as u32)),
            1 => {
                text.push(' ');
                text.push_str(&secrets::any(random).text);
                text.push(' ');
            }
            2..=4 => text.push(' '),
            _ => text.push_str(random.pick(&PIECES)),
        }
    }
    text
}

/// A text over the size that one message shows, or a tool result matches.
pub(crate) fn long_text(random: &mut Random, bytes: usize) -> String {
    let mut long = String::new();
    while long.len() < bytes {
        long.push_str(&text(random, 8));
        long.push_str(random.pick(&[" filler ", "填充文字", "\n", " . "]));
    }
    long
}

/// A part of `text` from one code point boundary to another, of at most `most`
/// characters.
pub(crate) fn part(random: &mut Random, text: &str, most: usize) -> String {
    let characters = text.chars().count();
    if characters == 0 {
        return String::new();
    }
    let start = random.below(characters);
    let length = 1 + random.below(most);
    text.chars().skip(start).take(length).collect()
}

/// `text` in pieces, cut at any code point boundaries, some of them empty.
pub(crate) fn cut_anywhere<'t>(random: &mut Random, text: &'t str) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = random.below(rest.len().min(12) + 1);
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, tail) = rest.split_at(at);
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

/// The same text in another spelling that may or may not fold to it.
#[expect(clippy::disallowed_methods, reason = "another spelling, not a comparison")]
pub(crate) fn respelled(random: &mut Random, text: &str) -> String {
    match random.below(6) {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => text.nfd().collect(),
        3 => text.nfc().collect(),
        4 => text
            .chars()
            .flat_map(|c| {
                if c.is_lowercase() {
                    c.to_uppercase().collect::<Vec<_>>()
                } else {
                    c.to_lowercase().collect()
                }
            })
            .collect(),
        _ => text.to_owned(),
    }
}
