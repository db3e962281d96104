//! Credentials in URLs.

use memchr::{memchr2, memmem};

use super::{edit::Edit, key, scan::space_len};

/// `(https?:\/\/)[^\s\/?#]+@`, flags `gi`: user and password before a host.
pub(super) fn user_info(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut floor = 0;
    for colon in memmem::find_iter(text, b"://") {
        let scheme = &text[floor.min(colon)..colon];
        if !ends_with(scheme, b"http") && !ends_with(scheme, b"https") {
            continue;
        }
        let start = colon + 3;
        // Another `://` cannot begin in here: a slash ends it.
        let (mut at, mut sign) = (start, None);
        while let Some(&byte) = text.get(at) {
            if matches!(byte, b'/' | b'?' | b'#') || space_len(text, at) != 0 {
                break;
            }
            if byte == b'@' && start < at {
                sign = Some(at);
            }
            at += 1;
        }
        if let Some(sign) = sign {
            edit.redact(start..sign);
            floor = sign + 1;
        }
    }
    edit.finish()
}

fn ends_with(text: &[u8], word: &[u8]) -> bool {
    text.len().checked_sub(word.len()).is_some_and(|start| text[start..].eq_ignore_ascii_case(word))
}

/// `([?&])([^=\s&?#]+)=([^&\s#]*)`, flag `g`: the value goes when the key is
/// sensitive. A value that stays hides the keys in it.
pub(super) fn query(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(found) = memchr2(b'?', b'&', &text[at..]) {
        let key = at + found + 1;
        let equals = run(text, key, |byte| matches!(byte, b'=' | b'&' | b'?' | b'#'));
        at = equals;
        if key == equals || text.get(equals) != Some(&b'=') {
            continue;
        }
        let value = equals + 1;
        at = run(text, value, |byte| matches!(byte, b'&' | b'#'));
        if key::is_sensitive(&text[key..equals]) {
            edit.redact(value..at);
        }
    }
    edit.finish()
}

/// Past everything from `at` on that is neither a `stop` nor white space.
fn run(text: &[u8], mut at: usize, stop: impl Fn(u8) -> bool) -> usize {
    while let Some(&byte) = text.get(at) {
        if stop(byte) || space_len(text, at) != 0 {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::redact::edit::test;

    #[test]
    fn user_info_reaches_to_the_last_sign() {
        test(user_info, "HTTPS://a@b@c/d@e", "HTTPS://[redacted]@c/d@e");
        test(user_info, "http://@h https://@@h", "http://@h https://[redacted]@h");
        test(user_info, "http://https://u@h", "http://https://[redacted]@h");
        test(user_info, "ttp://u@h shttp://u@h", "ttp://u@h shttp://[redacted]@h");
        test(user_info, "http://u@http://v@h", "http://[redacted]@http://[redacted]@h");
        test(user_info, "http://u\u{3000}@h", "http://u\u{3000}@h");
    }

    #[test]
    fn a_query_value_ends_at_space_ampersand_or_hash() {
        test(query, "?a=?token=1&token=2?x#", "?a=?token=1&token=[redacted]#");
        test(query, "?&token=\u{2003}x", "?&token=[redacted]\u{2003}x");
        test(query, "?=token=1&?token", "?=token=1&?token");
    }
}
