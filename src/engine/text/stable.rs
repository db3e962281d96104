//! Stable text: text whose fold is itself with only A–Z lowered.
//!
//! A code point is a *suspect* when folding can change it, or when it can
//! change what stands before it: Unicode lower case or NFC maps it, it has a
//! combining class, or it composes with a character before it. Everything else
//! is stable and a place where text may be split: what stands before a stable
//! code point, and what starts with it, fold on their own (the final sigma
//! apart, which looks further and is a suspect itself). ASCII is stable.
//!
//! The suspects are a committed table, [`SUSPECTS`]. The tests check it against
//! the standard library and `unicode-normalization`, and write it anew.

use std::{iter::successors, ops::Range};

use super::suspects::SUSPECTS;

/// Code points that [`BITS`] holds: those of the first two planes.
const IN_BITS: usize = 0x2_0000;

/// One bit a code point, set for a suspect: 64 to a word, so that all but the
/// last byte of UTF-8 name the word and the last one the bit.
static BITS: [u64; IN_BITS / 64] = bits();

/// Bytes of a block that is looked at as a whole.
const BLOCK: usize = 34;

/// Where the text that starts at `from` stops being stable UTF-8: the byte
/// where the first suspect or malformed character starts, or the length.
/// `from` is a boundary.
pub(super) fn stable_until(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while at < bytes.len() {
        at = plain_until(bytes, at);
        // What the blocks cannot tell, or what is left: one by one, as far as
        // the next block.
        let end = bytes.len().min(at + BLOCK);
        while at < end {
            let Some(length) = stable_length(&bytes[at..]) else { return at };
            at += length;
        }
    }
    at
}

/// Whether `character` is a suspect.
pub(super) fn is_suspect(character: char) -> bool {
    let code_point = character as u32;
    match BITS.get(code_point as usize / 64) {
        Some(word) => word >> (code_point % 64) & 1 == 1,
        None => SUSPECTS.partition_point(|&bound| bound <= code_point) % 2 == 1,
    }
}

/// The parts of `text` that fold as a whole, in order: each a run of suspects
/// with the character before it, which they may join. What lies between two of
/// them is stable.
pub(super) fn segments(text: &str, from: usize) -> impl Iterator<Item = Range<usize>> {
    let next = move |from: usize| {
        let suspect = stable_until(text.as_bytes(), from);
        let run = text[suspect..].find(|character| !is_suspect(character));
        let end = run.map_or(text.len(), |length| suspect + length);
        let before = text[from..suspect].chars().next_back().map_or(0, char::len_utf8);
        (suspect < end).then_some(suspect - before..end)
    };
    successors(next(from), move |segment| next(segment.end))
}

/// Skips blocks of ASCII and of the three-byte characters that make up most
/// other text: U+3000–9FFF and U+FF00–FF20, but for their suspects. No
/// branch inside a block, so that it compiles to vector instructions.
fn plain_until(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(block) = bytes[at..].first_chunk::<BLOCK>() {
        if block.iter().fold(0, |seen, &byte| seen | byte) < 0x80 {
            at += BLOCK;
            continue;
        }
        // The block starts on a boundary: nothing before it asks for more bytes.
        let (first, second) = (block[0], block[1]);
        let mut odd = is_foreign(first) | is_foreign(second);
        odd |= continues(first) | (continues(second) != leads(first));
        for third in 2..BLOCK {
            odd |= is_odd(block[third - 2], block[third - 1], block[third]);
        }
        if odd {
            break;
        }
        // A character that the block cuts waits for the next one.
        at += match (leads(block[BLOCK - 2]), leads(block[BLOCK - 1])) {
            (true, _) => BLOCK - 2,
            (false, true) => BLOCK - 1,
            (false, false) => BLOCK,
        };
    }
    at
}

fn continues(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// Whether `byte`, which is not [foreign](is_foreign), asks for two more.
fn leads(byte: u8) -> bool {
    0xe3 <= byte
}

/// Whether `byte` starts none of the characters that a block may hold.
fn is_foreign(byte: u8) -> bool {
    (0xc0 <= byte) & (6 < byte.wrapping_sub(0xe3)) & (byte != 0xef)
}

/// Whether `third` is out of place behind the other two, or the three are a
/// character that is not told here: U+302A–303F, U+3098–309B, all of U+F000–FFFF
/// but U+FF00–FF20.
fn is_odd(first: u8, second: u8, third: u8) -> bool {
    let marks = ((second == 0x80) & (0xaa <= third)) | ((second == 0x82) & (third & 0xfc == 0x98));
    let letters = (second != 0xbc) | (0xa1 <= third);
    is_foreign(third)
        | (continues(third) != (leads(first) | leads(second)))
        | ((first == 0xe3) & marks)
        | ((first == 0xef) & letters)
}

/// The length of the character that `bytes` start with, if it is well formed
/// and stable.
fn stable_length(bytes: &[u8]) -> Option<usize> {
    let bits = |byte: u8| usize::from(byte & 0x3f);
    let (word, last, length) = match *bytes {
        [first, ..] if first < 0x80 => return Some(1),
        [first @ 0xc2..=0xdf, last, ..] if continues(last) => (usize::from(first & 0x1f), last, 2),
        [first @ 0xe0..=0xef, second, last, ..] if continues(second) & continues(last) => {
            let word = usize::from(first & 0xf) << 6 | bits(second);
            // Below U+0800 two bytes are enough. Surrogates are suspects.
            (if word < 0x20 { return None } else { word }, last, 3)
        }
        [first @ 0xf0..=0xf4, second, third, last, ..]
            if continues(second) & continues(third) & continues(last) =>
        {
            let word = usize::from(first & 7) << 12 | bits(second) << 6 | bits(third);
            let code_point = (word << 6 | bits(last)) as u32;
            if word < 0x400 {
                return None;
            }
            if BITS.len() <= word {
                let stable = char::from_u32(code_point).is_some_and(|found| !is_suspect(found));
                return stable.then_some(4);
            }
            (word, last, 4)
        }
        _ => return None,
    };
    (BITS[word] >> (last & 0x3f) & 1 == 0).then_some(length)
}

const fn bits() -> [u64; IN_BITS / 64] {
    let mut bits = [0; IN_BITS / 64];
    let mut bound = 0;
    while bound < SUSPECTS.len() {
        let mut code_point = SUSPECTS[bound] as usize;
        while code_point < SUSPECTS[bound + 1] as usize && code_point < IN_BITS {
            bits[code_point / 64] |= 1 << (code_point % 64);
            code_point += 1;
        }
        bound += 2;
    }
    bits
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use unicode_normalization::{
        IsNormalized, UnicodeNormalization, char::canonical_combining_class, is_nfc_quick,
    };

    use super::*;
    use crate::engine::text::suspects::UNICODE;

    fn joins(character: char) -> bool {
        canonical_combining_class(character) != 0
            || is_nfc_quick(std::iter::once(character)) != IsNormalized::Yes
    }

    fn may_change(character: char) -> bool {
        character.to_lowercase().ne([character])
            || character.nfc().ne([character])
            || joins(character)
    }

    /// The bounds that the libraries give. Surrogates count as suspects, so that
    /// their bytes are never taken for text.
    fn bounds() -> Vec<u32> {
        let suspect = |code_point| match char::from_u32(code_point) {
            Some(character) => !character.is_ascii() && may_change(character),
            None => code_point < 0x11_0000,
        };
        (1..=0x11_0000).filter(|&at| suspect(at) != suspect(at - 1)).collect()
    }

    const LIBRARIES: [(u8, u8, u8); 2] =
        [char::UNICODE_VERSION, unicode_normalization::UNICODE_VERSION];

    #[test]
    #[ignore = "writes suspects.rs: run it, and cargo fmt, for a new version of Unicode"]
    fn write_the_table() {
        let mut source = String::from(
            "//! The suspects of `stable.rs`. Generated by its test `write_the_table`: do not edit.\n\n\
             /// The Unicode versions of the standard library and of `unicode-normalization`.\n\
             #[cfg(test)]\n",
        );
        writeln!(source, "pub(super) const UNICODE: [(u8, u8, u8); 2] = {LIBRARIES:?};\n").unwrap();
        let bounds = bounds();
        source.push_str(
            "/// Suspects from each even entry up to, and without, the odd entry behind it.\n",
        );
        writeln!(source, "pub(super) const SUSPECTS: [u32; {}] = [", bounds.len()).unwrap();
        for row in bounds.chunks(11) {
            let row: Vec<String> = row.iter().map(|bound| format!("{bound:#x}")).collect();
            writeln!(source, "    {},", row.join(", ")).unwrap();
        }
        source.push_str("];\n");
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/engine/text/suspects.rs");
        std::fs::write(path, source).unwrap();
    }

    #[test]
    fn no_stable_character_changes_or_joins() {
        for character in '\u{80}'..=char::MAX {
            assert!(
                is_suspect(character) || !may_change(character),
                "{character:?} is missing: run `write_the_table`"
            );
            // What the character decomposes to must not join either.
            if !is_suspect(character) {
                assert!(!joins(character.nfd().next().unwrap_or_default()), "{character:?}");
            }
        }
    }

    #[test]
    fn the_table_is_what_these_libraries_give() {
        // Another version has other letters; that none is missing is tested above.
        if UNICODE == LIBRARIES {
            assert_eq!(SUSPECTS.as_slice(), bounds());
        }
    }

    /// The slow twin of [`stable_until`].
    fn slow(bytes: &[u8]) -> usize {
        let valid = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap(),
        };
        valid.find(is_suspect).unwrap_or(valid.len())
    }

    #[test]
    fn every_character_is_judged_alike_wherever_it_stands() {
        let around = "字か，。".repeat(12);
        for character in '\0'..=char::MAX {
            let utf8 = &mut [0; 4];
            let utf8 = character.encode_utf8(utf8).as_bytes();
            let stable = stable_length(utf8) == Some(utf8.len());
            assert_eq!(stable, !is_suspect(character), "{character:?}");
            if (0x3000..0xa000).contains(&(character as u32)) || 0xf000 <= character as u32 {
                let place = 3 * (character as usize % 20);
                let row = format!("{}{character}{}", &around[..place], &around[..102]);
                assert_eq!(stable_until(row.as_bytes(), 0), slow(row.as_bytes()), "{row}");
            }
        }
    }

    #[test]
    fn broken_bytes_stop_the_scan_where_they_stand() {
        let text = "plain 模型，かな！x é — 😀 字".repeat(4).into_bytes();
        assert_eq!(stable_until(&text, 0), text.len());
        for at in 0..text.len() {
            for byte in 0..=255 {
                let mut broken = text.clone();
                broken[at] = byte;
                assert_eq!(stable_until(&broken, 0), slow(&broken), "{at} {byte:#x}");
                let cut = &text[..at];
                assert_eq!(stable_until(cut, 0), slow(cut), "{at}");
            }
        }
        for broken in [
            &b"\xc0\x80"[..],
            b"\xe0\x80\x80",
            b"\xed\xa0\x80",
            b"\xf0\x80\x80\x80",
            b"\xf4\x90\x80\x80",
            b"\xf5\x80\x80\x80",
        ] {
            assert_eq!(stable_until(broken, 0), 0);
        }
    }

    #[test]
    fn a_segment_is_the_suspects_and_what_they_join() {
        let parts = |text| segments(text, 0).map(|range| &text[range]).collect::<Vec<_>>();
        assert_eq!(parts("plain 模型"), Vec::<&str>::new());
        assert_eq!(parts("été ÉTÉ"), [" É", "TÉ"]);
        assert_eq!(parts("\u{301}x\u{301}\u{302}y"), ["\u{301}", "x\u{301}\u{302}"]);
        assert_eq!(parts("가\u{11a8}나"), ["가\u{11a8}"]);
    }
}
