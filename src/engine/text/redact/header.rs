//! Credentials in HTTP headers.

use super::{
    edit::Edit,
    scan::{Word, is_word, skip_space, space_len, starts_word},
};

const AUTHORIZATION: Word = Word { letters: b"authorization", rare: 7 };
const PROXY: Word = Word { letters: b"proxy", rare: 3 };
const BEARER: Word = Word { letters: b"bearer", rare: 0 };
const SCHEMES: [Word; 3] =
    [BEARER, Word { letters: b"basic", rare: 0 }, Word { letters: b"token", rare: 2 }];

/// `(^|[^A-Za-z0-9_])(['"]?(?:proxy[-_]?authorization|authorization)['"]?\s*:\s*['"]?(?:bearer|basic|token)\s+)[^\s"'<>]+`,
/// flags `gim`.
///
/// What stands before the name is kept, so the quote and the boundary come down
/// to this: no word character before it.
pub(super) fn authorization(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(name) = AUTHORIZATION.find(text, at) {
        at = name + AUTHORIZATION.letters.len();
        if !starts_word(text, name) && !follows_proxy(text, name) {
            continue;
        }
        let Some(value) = scheme_end(text, at) else { continue };
        let mut end = value;
        while let Some(&byte) = text.get(end) {
            if matches!(byte, b'"' | b'\'' | b'<' | b'>') || space_len(text, end) != 0 {
                break;
            }
            end += 1;
        }
        if value < end {
            edit.redact(value..end);
            at = end;
        }
    }
    edit.finish()
}

/// Whether `proxy[-_]?` stands before `name`, and no word character before that.
fn follows_proxy(text: &[u8], name: usize) -> bool {
    let mark = name.checked_sub(1).filter(|&at| matches!(text[at], b'-' | b'_'));
    mark.unwrap_or(name)
        .checked_sub(PROXY.letters.len())
        .is_some_and(|start| PROXY.stands_at(text, start) && starts_word(text, start))
}

/// Past `['"]?\s*:\s*['"]?(?:bearer|basic|token)\s+`.
fn scheme_end(text: &[u8], at: usize) -> Option<usize> {
    let colon = skip_space(text, skip_quote(text, at));
    if text.get(colon) != Some(&b':') {
        return None;
    }
    let start = skip_quote(text, skip_space(text, colon + 1));
    let scheme = SCHEMES.iter().find(|scheme| scheme.stands_at(text, start))?;
    let end = start + scheme.letters.len();
    let value = skip_space(text, end);
    (end < value).then_some(value)
}

fn skip_quote(text: &[u8], at: usize) -> usize {
    at + usize::from(matches!(text.get(at), Some(b'"' | b'\'')))
}

/// `\b(Bearer\s+)[A-Za-z0-9._~+/-]+=*`, flags `gi`.
pub(super) fn bearer(text: &[u8]) -> Option<Vec<u8>> {
    let mut edit = Edit::new(text);
    let mut at = 0;
    while let Some(word) = BEARER.find(text, at) {
        at = word + BEARER.letters.len();
        if !starts_word(text, word) {
            continue;
        }
        let value = skip_space(text, at);
        let is_value = |&&byte: &&u8| is_word(byte) || b".~+/-".contains(&byte);
        let end = value + text[value..].iter().take_while(is_value).count();
        if at == value || value == end {
            continue;
        }
        at = end + text[end..].iter().take_while(|&&byte| byte == b'=').count();
        edit.redact(value..at);
    }
    edit.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::text::redact::edit::test;

    #[test]
    fn the_name_starts_a_word_or_follows_proxy() {
        test(authorization, "PROXY_Authorization:basic a", "PROXY_Authorization:basic [redacted]");
        test(authorization, "ProxyAuthorization:basic a", "ProxyAuthorization:basic [redacted]");
        test(authorization, "xProxyAuthorization:basic a", "xProxyAuthorization:basic a");
        test(
            authorization,
            "xProxy-Authorization:basic a",
            "xProxy-Authorization:basic [redacted]",
        );
        test(
            authorization,
            "x\"authorization' : 'token\u{feff}a'",
            "x\"authorization' : 'token\u{feff}[redacted]'",
        );
        test(authorization, "authorization: token <a>", "authorization: token <a>");
        test(authorization, "authorizatıon: token a", "authorizatıon: token a");
    }

    #[test]
    fn bearer_takes_a_run_and_its_padding() {
        test(
            bearer,
            "Bearer a=b bearer \u{3000}c==",
            "Bearer [redacted]b bearer \u{3000}[redacted]",
        );
        test(bearer, "abearer b bearer: c", "abearer b bearer: c");
        test(bearer, "bearer bearer bearer x", "bearer [redacted] bearer [redacted]");
    }
}
