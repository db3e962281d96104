//! Secrets of every kind that redaction knows.

use serde_json::{Value, json};

use super::random::Random;

/// A secret and the words it is known by.
#[derive(Clone, Debug)]
pub(crate) struct Secret {
    /// Which rule removes it.
    pub(crate) kind: &'static str,
    /// How it stands in a text.
    pub(crate) text: String,
    /// What must not leave.
    pub(crate) value: String,
}

const KINDS: usize = 20;

/// One secret of each kind.
pub(crate) fn each_kind(random: &mut Random) -> Vec<Secret> {
    (0..KINDS).map(|kind| of_kind(kind, random)).collect()
}

/// A secret of any kind.
pub(crate) fn any(random: &mut Random) -> Secret {
    of_kind(random.below(KINDS), random)
}

fn of_kind(kind: usize, random: &mut Random) -> Secret {
    let word = letters(random, 18);
    let secret = |kind, before: &str, value: String, after: &str| Secret {
        kind,
        text: format!("{before}{value}{after}"),
        value,
    };
    match kind {
        0 => secret("userinfo", "https://deploy:", word, "@git.example/repo"),
        1 => secret("query", "https://a.example/cb?access_token=", word, "&page=2"),
        2 => secret("quoted", r#"{"clientSecret": ""#, word, r#"", unquoted}"#),
        3 => secret("header", "Authorization: Basic ", word + "==", ""),
        4 => secret("proxy header", "proxy-authorization: token ", word, ""),
        5 => secret("bearer", "it sent Bearer ", word, ""),
        6 => secret("aws set", "aws configure set aws_secret_access_key ", word, ""),
        7 => secret("aws option", "aws s3 ls --secret-access-key '", word, "'"),
        8 => secret("aws environment", "export AWS_SECRET_ACCESS_KEY=", word, ""),
        9 => secret("assignment", "db_password = ", word, ""),
        10 => secret("yaml", "  api_key: '", word, "'"),
        11 => secret("sk", "", format!("sk-{word}"), ""),
        12 => secret("sk-ant", "", format!("sk-ant-{word}"), ""),
        13 => secret("google", "", format!("AIza{word}{}", letters(random, 10)), ""),
        14 => secret("github", "", format!("ghp_{word}{}", letters(random, 8)), ""),
        15 => secret("github app", "", format!("ghs_{word}{}", letters(random, 8)), ""),
        16 => secret("slack", "", format!("xoxb-{word}"), ""),
        17 => secret("sha1", "commit ", hex(random, 40), ""),
        18 => secret("sha256", "sha256 ", hex(random, 64), ""),
        _ => secret("continued", "SESSION_TOKEN=\\\n", word, ""),
    }
}

/// A value of any type that hides `value` behind a sensitive key.
pub(crate) fn behind_a_key(value: &str, random: &mut Random) -> Value {
    let keys =
        ["password", "apiKey", "Authorization", "the secret", "service_account_key", "authToken"];
    let hidden = match random.below(4) {
        0 => json!(value),
        1 => json!([1, value, null]),
        2 => json!({"deep": {"inner": value}, "n": 5}),
        _ => json!({"list": [[value]]}),
    };
    json!({random.pick(&keys): hidden})
}

/// Letters and digits as no other text of a test has them.
pub(crate) fn letters(random: &mut Random, length: usize) -> String {
    const ALL: &[u8] = b"abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ23456789";
    // A digit among the first makes it no word.
    let at = |index: usize, random: &mut Random| match index % 4 {
        1 => b"23456789"[random.below(8)],
        _ => ALL[random.below(ALL.len())],
    };
    (0..length).map(|index| char::from(at(index, random))).collect()
}

fn hex(random: &mut Random, length: usize) -> String {
    (0..length).map(|_| char::from(b"0123456789abcdef"[random.below(16)])).collect()
}
