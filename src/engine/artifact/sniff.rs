//! What a file is by its first bytes.

/// How far into a text the root element of an SVG is looked for.
const SVG_PROLOGUE: usize = 1_024;

/// The type of an image that can be handed over in bytes: PNG, JPEG, GIF, WebP
/// or SVG (`host/storage.md` 9.2). `None` for anything else, a PDF among it.
#[must_use]
pub fn sniffed_image(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => is_svg(bytes).then_some("image/svg+xml"),
    }
}

/// Whether the first element, past declaration, comments and doctype, is `svg`.
fn is_svg(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(SVG_PROLOGUE)];
    let mut rest = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    loop {
        rest = rest.trim_ascii_start();
        let close: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!") {
            b">"
        } else {
            let name = rest.strip_prefix(b"<svg");
            return name.is_some_and(|after| {
                after.first().is_some_and(|byte| byte.is_ascii_whitespace() || b">/".contains(byte))
            });
        };
        let Some(end) = memchr::memmem::find(rest, close) else { return false };
        rest = &rest[end + close.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magic_numbers() {
        for (bytes, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("image/png")),
            (b"\xff\xd8\xff\xe0", Some("image/jpeg")),
            (b"GIF87a", Some("image/gif")),
            (b"GIF89a;", Some("image/gif")),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", Some("image/webp")),
            (b"%PDF-1.7", None),
            (b"RIFF\x01\x02\x03\x04WAVE", None),
            (b"\x89PNG\n\x1a\n", None),
            (b"GIF88a", None),
            (b"text", None),
            (b"", None),
        ] {
            assert_eq!(sniffed_image(bytes), expected, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn an_svg_is_known_by_its_root() {
        for (text, is) in [
            ("<svg xmlns='http://www.w3.org/2000/svg'/>", true),
            ("\u{feff} \n<?xml version=\"1.0\"?><!DOCTYPE svg><!-- <a> --><svg>", true),
            ("<svg/>", true),
            ("<svgx>", false),
            ("<svg", false),
            ("<html><svg></svg></html>", false),
            ("<!-- <svg> ", false),
            ("<?xml version=\"1.0\"?><html/>", false),
        ] {
            assert_eq!(sniffed_image(text.as_bytes()).is_some(), is, "{text}");
        }
    }
}
