//! Which names stand for a secret.

/// How much a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sensitivity {
    /// Nothing.
    None,
    /// It is of the kind of `auth`: a secret, except in an assignment.
    Auth,
    /// It is a secret.
    Secret,
}

/// Whether the value of `key` is a secret: `accessToken`, `DB_PASSWORD`,
/// `api key`, but not `tokens`, `apikey` or `access_key`.
///
/// The key is taken apart at every change from lower to upper case and at
/// everything that is no ASCII letter or digit once it is lower-cased; its last
/// parts decide.
#[must_use]
pub fn is_sensitive_key(key: &str) -> bool {
    is_sensitive(key.as_bytes())
}

/// [`is_sensitive_key`] of WTF-8.
pub(super) fn is_sensitive(key: &[u8]) -> bool {
    sensitivity(key) != Sensitivity::None
}

/// [`is_sensitive_key`] of WTF-8, in the grades that an assignment needs.
pub(super) fn sensitivity(key: &[u8]) -> Sensitivity {
    if !may_end_sensitive(key) {
        return Sensitivity::None;
    }
    let [third, second, last] = last_parts(key);
    match last.letters() {
        b"auth" | b"authorization" => Sensitivity::Auth,
        b"credential" | b"credentials" | b"passwd" | b"password" | b"secret" | b"token" => {
            Sensitivity::Secret
        }
        b"key" => match (third.letters(), second.letters()) {
            (_, b"" | b"api" | b"private" | b"secret" | b"ssh")
            | (b"service", b"account")
            | (b"secret", b"access") => Sensitivity::Secret,
            _ => Sensitivity::None,
        },
        _ => Sensitivity::None,
    }
}

/// Whether one of the words ends `key`, as far as ASCII can tell; all others
/// are not worth taking apart.
fn may_end_sensitive(key: &[u8]) -> bool {
    let Some(last) = key.iter().rposition(u8::is_ascii_alphanumeric) else { return false };
    let key = &key[..=last];
    let ends_with = |word: &[u8]| {
        key.len()
            .checked_sub(word.len())
            .is_some_and(|start| key[start..].eq_ignore_ascii_case(word))
    };
    match key[last].to_ascii_lowercase() {
        b'h' => ends_with(b"auth"),
        b'n' => ends_with(b"authorization") || ends_with(b"en"),
        b'l' => ends_with(b"credential"),
        b's' => ends_with(b"credentials"),
        b'd' => ends_with(b"passwd") || ends_with(b"password"),
        b't' => ends_with(b"secret"),
        // What stands before may be a Kelvin sign, here and in `token`.
        b'y' => ends_with(b"ey"),
        _ => false,
    }
}

/// A part of a key in lower case, as far as the words are long.
#[derive(Clone, Copy, Default)]
struct Part {
    letters: [u8; Part::LONGEST],
    len: usize,
}

impl Part {
    /// `authorization`
    const LONGEST: usize = 13;

    fn push(&mut self, letter: u8) {
        if let Some(place) = self.letters.get_mut(self.len) {
            *place = letter;
        }
        self.len += 1;
    }

    /// Nothing that equals a word when the part is longer than all.
    fn letters(&self) -> &[u8] {
        self.letters.get(..self.len).unwrap_or(b"-")
    }
}

/// The last three parts of a key; empty where there are fewer.
fn last_parts(key: &[u8]) -> [Part; 3] {
    let mut parts = [Part::default(); 3];
    let mut open = false;
    let mut at = 0;
    while let Some(&byte) = key.get(at) {
        let (letter, length) = match (byte, key.get(at + 1..)) {
            (0..0x80, _) => (byte, 1),
            // Kelvin sign and dotted capital I: their lower case begins with k and i.
            (0xe2, Some([0x84, 0xaa, ..])) => (b'k', 3),
            (0xc4, Some([0xb0, ..])) => (b'i', 2),
            _ => (b' ', 1),
        };
        if !letter.is_ascii_alphanumeric() {
            open = false;
            at += length;
            continue;
        }
        if !open || starts_part(key, at) {
            parts.rotate_left(1);
            parts[2] = Part::default();
        }
        parts[2].push(letter.to_ascii_lowercase());
        // What a dotted I leaves behind is a mark.
        open = byte != 0xc4;
        at += length;
    }
    parts
}

/// Whether the letter at `at` is upper case and starts a part: behind lower
/// case or a digit, or behind upper case and before lower case.
fn starts_part(key: &[u8], at: usize) -> bool {
    if !key[at].is_ascii_uppercase() {
        return false;
    }
    let before = at.checked_sub(1).map_or(0, |at| key[at]);
    before.is_ascii_lowercase()
        || before.is_ascii_digit()
        || (before.is_ascii_uppercase() && key.get(at + 1).is_some_and(u8::is_ascii_lowercase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensitive() {
        for key in [
            "token",
            "accessToken",
            "access-token!",
            "x.Password",
            "HTTPSecret",
            "OAuth",
            "authorization",
            "credentials",
            "key",
            "KEY",
            "the api key",
            "APIKey",
            "private.key",
            "SSHKey",
            "aws_secret_access_key",
            "ServiceAccountKey",
            "password密码",
            "to\u{212a}en",
            "ap\u{130}_key",
        ] {
            assert!(is_sensitive_key(key), "{key}");
        }
    }

    #[test]
    fn not_sensitive() {
        for key in [
            "",
            "密码",
            "tokens",
            "1token",
            "token1",
            "tokenX",
            "toKen",
            "passWord",
            "token\u{212a}",
            "token\u{130}",
            "monkey",
            "apikey",
            "sshkey",
            "ssh2_key",
            "access_key",
            "account_key",
            "public key",
            "SECRETKEY",
            "secretaccesskey",
            "authorizatio\u{131}n",
            "x_authorizations",
        ] {
            assert!(!is_sensitive_key(key), "{key}");
        }
    }
}
