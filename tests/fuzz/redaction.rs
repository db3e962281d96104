//! Redaction of any text.

use recall_native::engine::{
    json::RawValue,
    limits::REDACTED,
    text::redact::{may_change, redact},
};

use crate::support::{
    budget::rounds,
    prose::{PIECES, text},
    random::Random,
    results::value,
    secrets,
};

/// What the rules start, go on and end with.
const FRAGMENTS: [&str; 46] = [
    "token",
    "secret",
    "password",
    "api_key",
    "key",
    "auth",
    "Authorization",
    "foo",
    "=",
    ":",
    ": ",
    " = ",
    "\"",
    "'",
    "\\",
    "\\\n",
    "\\\r\n",
    "\n",
    " ",
    "\t",
    "&",
    "?",
    "#",
    "@",
    "/",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    "|",
    "(",
    ")",
    "https://",
    "user:pass",
    "Bearer ",
    "basic ",
    "--secret-access-key ",
    "aws configure set aws_secret_access_key ",
    "AWS_SECRET_ACCESS_KEY",
    "sk-",
    "ghp_",
    "[redacted]",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
];

fn any_text(random: &mut Random) -> String {
    match random.below(8) {
        0 => text(random, 16),
        1 => value(random, 4).to_string(),
        _ => {
            let mut made = String::new();
            for _ in 0..random.below(14) {
                match random.below(10) {
                    0 => made.push_str(&secrets::any(random).text),
                    1 => made.push_str(random.pick(&PIECES)),
                    2 => made.push_str(&secrets::letters(random, 12)),
                    _ => made.push_str(random.pick(&FRAGMENTS)),
                }
            }
            made
        }
    }
}

#[test]
fn what_is_redacted_twice_is_what_was_redacted_once() {
    let mut seen = [0; 2];
    rounds(6_000, |seed| {
        let mut random = Random::new(seed);
        let said = any_text(&mut random);
        let once = redact(&said).into_owned();
        assert!(may_change(&said) || once == said, "{said:?}");
        assert!(once == said || once.contains(REDACTED), "{said:?}");
        let twice = redact(&once);
        let excepted = has_lost_name(&once) || has_lost_hash(&once) || becomes_json(&said, &once);
        assert!(twice == once || excepted, "seed {seed}: {said:?} {once:?} {twice:?}");
        // Wherever it goes on, it comes to an end.
        let mut last = twice.into_owned();
        for _ in 0..12 {
            last = redact(&last).into_owned();
        }
        assert_eq!(redact(&last), last, "seed {seed}: {said:?}");
        seen[usize::from(once != said)] += 1;
    });
    assert!(seen.iter().all(|&count| 1_000 < count), "{seen:?}");
}

/// The rules work one after the other, once: the host's redaction finds more in
/// its own output where a later rule takes away what an earlier one minded.
#[test]
fn redaction_finds_more_in_its_output_in_these_cases_alone() {
    for (said, once, twice) in [
        // The name of an assignment is a token: its value had a secret of its own,
        // which the assignment swallowed as long as it had a name.
        (
            "ghp_0123456789abcdefghij: token=x",
            "[redacted]: token=x",
            "[redacted]: token=[redacted]",
        ),
        // A value in a URL ends at a hash, which the assignment takes with it.
        ("?key=a#'b", "?key=[redacted]'b", "?key=[redacted]"),
        // A line break inside a string is no JSON until it is gone with its secret.
        (
            "{\"token\":\"a\nb\",\"key\":7}",
            r#"{"token":"[redacted]","key":7}"#,
            r#"{"token":"[redacted]","key":"[redacted]"}"#,
        ),
    ] {
        assert_eq!(redact(said), once);
        assert_eq!(redact(once), twice);
        assert_eq!(redact(twice), twice);
        assert!(has_lost_name(once) || has_lost_hash(once) || becomes_json(said, once));
    }
}

/// Whether a token stood where the name of an assignment stands: `: ` or `=`
/// follows, after white space or a continued line.
fn has_lost_name(redacted: &str) -> bool {
    redacted.match_indices(REDACTED).any(|(at, _)| {
        let rest = &redacted[at + REDACTED.len()..];
        let rest = rest.trim_start_matches(|character: char| {
            character.is_ascii_alphanumeric() || "_- \t\\\r\n".contains(character)
        });
        rest.starts_with([':', '='])
    })
}

/// Whether a value in a URL was redacted together with the hash behind it.
fn has_lost_hash(redacted: &str) -> bool {
    redacted.match_indices(&format!("={REDACTED}")).any(|(at, _)| {
        let name = redacted[..at].rfind(['?', '&', ' ', '\n', '#']);
        name.is_some_and(|at| redacted[at..].starts_with(['?', '&']))
    })
}

/// Whether a text that was none became a document.
fn becomes_json(said: &str, redacted: &str) -> bool {
    let is_json = |text: &str| RawValue::parse(text.as_bytes()).is_some();
    !is_json(said) && is_json(redacted)
}
