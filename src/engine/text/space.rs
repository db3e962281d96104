//! White space and lengths as JavaScript counts them.

/// Whether `String.prototype.trim` drops `character`: ECMAScript's WhiteSpace
/// and LineTerminator. Unlike [`char::is_whitespace`] this takes U+FEFF and
/// leaves U+0085.
#[must_use]
pub fn is_space(character: char) -> bool {
    matches!(
        character,
        '\t'..='\r'
            | ' '
            | '\u{a0}'
            | '\u{1680}'
            | '\u{2000}'..='\u{200a}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202f}'
            | '\u{205f}'
            | '\u{3000}'
            | '\u{feff}'
    )
}

/// `text` without the [space](is_space) around it.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// The length of `text` in UTF-16 units: JavaScript's `text.length`.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    // One unit for every first byte, one more for those of four-byte characters.
    text.bytes().map(|byte| usize::from(byte & 0xc0 != 0x80) + usize::from(0xf0 <= byte)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_what_javascript_trims() {
        assert_eq!(
            trim(
                "\u{feff}\t\n\u{b}\u{c}\r \u{a0}\u{1680}\u{2003}a b\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}"
            ),
            "a b"
        );
        assert_eq!(trim("\u{85}a\u{85}"), "\u{85}a\u{85}");
        assert_eq!(trim("\u{200b}a\u{180e}"), "\u{200b}a\u{180e}");
        assert_eq!(trim(" \u{feff} "), "");
    }

    #[test]
    fn differs_from_rust_in_two_characters() {
        let different: Vec<char> =
            ('\0'..=char::MAX).filter(|&c| is_space(c) != c.is_whitespace()).collect();
        assert_eq!(different, ['\u{85}', '\u{feff}']);
    }

    #[test]
    fn counts_utf16_units() {
        for character in '\0'..=char::MAX {
            assert_eq!(utf16_len(character.encode_utf8(&mut [0; 4])), character.len_utf16());
        }
        assert_eq!(utf16_len("a模é😀"), 5);
        assert_eq!(utf16_len(""), 0);
    }
}
