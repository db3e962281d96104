//! Random texts that put every rule to the test: secrets of all kinds, what
//! nearly is one, and what stands in the way.

use crate::engine::random::Random;

pub(super) const NAMES: &[&str] = &[
    "token",
    "Token",
    "apiKey",
    "api_key",
    "key",
    "KEY",
    "secret",
    "password",
    "passwd",
    "auth",
    "authorization",
    "Authorization",
    "proxy-authorization",
    "Proxy_Authorization",
    "credentials",
    "credential",
    "private-key",
    "ssh_key",
    "service_account_key",
    "accessToken",
    "HTTPSecret",
    "tokens",
    "monkey",
    "access_key",
    "to\u{212a}en",
    "\u{212a}ey",
    "ap\u{130}_key",
    "\u{17f}ecret",
    "to\\u006ben",
    "OAuth",
    "a-token",
    "1-token",
    "_token",
    "AWS_SECRET_ACCESS_KEY",
    "aws_secret_access_key",
    "--secret-access-key",
    "aws configure set aws_secret_access_key",
    "aws \\\nconfigure\tset\\\r\naws_\\\nsecret_access_key",
    "A\\\nWS_SECRET_\\\r\nACCESS_KEY",
    "--secret-\\\n\\\naccess-key",
    "Bearer",
    "bearer",
    "basic",
    "https://",
    "HTTP://",
    "http:\\/\\/",
    "aws",
    "configure",
    "set",
];
const SIGNS: &[&str] = &[
    "=",
    ":",
    " = ",
    ": ",
    " ",
    "\t",
    "=\\\n",
    "\\\n=",
    "=\\\r\n ",
    ":\"",
    "='",
    "\":\"",
    "\" : \"",
    "\"\n:\u{2003}\"",
    "=\u{338}",
    "\u{301}=",
    "\u{323}:",
    "==",
    ": Bearer ",
    ": basic\u{a0}",
    "':'token ",
    " \\\n",
    "\\\n",
    "\\",
    "@",
    "?",
    "&",
    "#",
    "[]=",
    "\\n:",
    "\\u2028=",
    "\\\\\\n",
];
const TOKENS: &[&str] = &[
    "sk-abcdefgh",
    "SK-ant-12345678",
    "sk-ant-",
    "sk-1234567",
    "sk-",
    "AIzaSyA-1234567890_abcdefg",
    "AIza123456789012345678",
    "ghp_A1b2C3d4E5f6G7h8I9j0",
    "ghs_A1b2C3d4E5f6G7h8I9j",
    "xoxb-1234567890",
    "xoxp-123456789",
    "xoxr-",
    "da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "da39a3ee5e6b4b0d3255bfef95601890afd8070",
    "0123456789abcdefABCDEF012345678901234",
    "u:p@h",
    "[redacted]",
    "abc",
    "x",
    "9",
    "é",
    "値",
    "😀",
    "\u{1d4}",
    "K",
];
pub(super) const GLUE: &[&str] = &[
    "",
    "",
    "",
    " ",
    "  ",
    "\n",
    "\r",
    "\r\n",
    "\t",
    "\u{b}",
    "\u{a0}",
    "\u{85}",
    "\u{feff}",
    "\u{2028}",
    "\u{2029}",
    "\u{3000}",
    "\u{200b}",
    "\"",
    "\"",
    "'",
    "\\",
    "\\\\",
    "\\\"",
    "\\\n",
    "\\\r\n",
    "\\\r",
    "\\\u{2028}",
    "\\😀",
    "_",
    "-",
    "--",
    ".",
    ",",
    ";",
    "|",
    "(",
    ")",
    "<",
    ">",
    "&",
    "?",
    "/",
    "=",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\u{301}",
    "\u{327}",
    "\u{338}",
    "\u{307}",
    "≠",
    "\u{212a}",
    "\u{130}",
    "\u{17f}",
    "İ",
    "中",
    "😀",
    "\\n",
    "\\u001b",
    "\\u0041",
];

/// What a rule looks for, in pieces.
const SHAPES: &[&[&[&str]]] = &[
    &[&["http", "HTTPS", "https"], &["://", ":\\/\\/", "://@"], TOKENS, &["@", ":@", "@@", "@h@"]],
    &[&["?", "&", "?&"], NAMES, &["=", "[]=", "=="], TOKENS, &["&", "#", " ", ""]],
    &[
        &["\"", "\\\""],
        NAMES,
        &["\"", " \""],
        &["", " ", "\n\u{feff}"],
        &[":", " : "],
        &["\"", ""],
        TOKENS,
        GLUE,
    ],
    &[
        GLUE,
        &["authorization", "Proxy-AUTHORIZATION", "proxyauthorization", "proxy_Authorization"],
        &["", "\"", "'", "\u{a0}"],
        &[":", " :\n"],
        &["", " ", "\""],
        &["bearer", "Basic", "TOKEN"],
        &[" ", "\u{2028} ", ""],
        TOKENS,
    ],
    &[GLUE, &["bearer", "BEARER"], &[" ", "\n", "\t \u{3000}"], TOKENS, &["=", "==", "/+~.-", ""]],
    &[
        GLUE,
        &[
            "aws configure set aws_secret_access_key",
            "aws\\\nconfigure \\\r\nset\taws_\\\nsecret_access_key",
            "--secret-access-key",
            "-\\\n-secret-\\\r\naccess-key",
        ],
        &[" ", "\\\n", "\t\\\r\n", " \\\n "],
        &["\"", "'", "", "\"\\\"", "'\\\\"],
        TOKENS,
        &["\"", "'", "", "\\\n", "\\"],
        GLUE,
    ],
    &[GLUE, &["AWS_SECRET_ACCESS_KEY", "aws_secret_\\\naccess_\\\r\n\\\nkey"], SIGNS, GLUE, TOKENS],
    &[GLUE, NAMES, SIGNS, GLUE, TOKENS, GLUE],
    &[GLUE, TOKENS, GLUE],
];

/// Texts that hold secrets, nearly hold them, or hold parts of them.
pub(super) fn nasty(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        if random.below(3) == 0 {
            for _ in 0..1 + random.below(6) {
                let pieces = [NAMES, NAMES, SIGNS, SIGNS, TOKENS, GLUE][random.below(6)];
                text.push_str(random.pick(pieces));
            }
        } else {
            for pieces in SHAPES[random.below(SHAPES.len())] {
                text.push_str(random.pick(pieces));
            }
        }
    }
    // Something is missing, or in the way.
    for _ in 0..random.below(3) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        if places.is_empty() {
            break;
        }
        let at = places[random.below(places.len())];
        if random.below(2) == 0 {
            text.remove(at);
        } else {
            text.insert_str(at, random.pick(GLUE));
        }
    }
    text
}

pub(super) fn nasty_json(random: &mut Random, depth: usize) -> serde_json::Value {
    use serde_json::Value;
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0 => Value::Null,
        1 => random.below(100).into(),
        2..=3 => nasty(random).into(),
        4..=5 => (0..random.below(4)).map(|_| nasty_json(random, depth - 1)).collect(),
        _ => {
            let mut members = serde_json::Map::new();
            for _ in 0..random.below(4) {
                let key = match random.below(3) {
                    0 => format!("{}{}", random.pick(GLUE), random.pick(NAMES)),
                    1 => nasty(random),
                    _ => random.pick(NAMES).to_owned(),
                };
                // Such keys change places, which the twin does not know.
                if key.parse::<u32>().is_err() {
                    members.insert(key, nasty_json(random, depth - 1));
                }
            }
            Value::Object(members)
        }
    }
}
