//! Redaction of any text.

use recall_native::engine::{
    limits::REDACTED,
    text::redact::{may_change, redact, redact_text},
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
    "token", "secret", "password", "api_key", "key", "auth", "Authorization", "foo", "=", ":", ": ",
    " = ", "\"", "'", "\\", "\\\n", "\\\r\n", "\n", " ", "\t", "&", "?", "#", "@", "/", "{", "}",
    "[", "]", "<", ">", ";", "|", "(", ")", "https://", "user:pass", "Bearer ", "basic ",
    "--secret-access-key ", "aws configure set aws_secret_access_key ", "AWS_SECRET_ACCESS_KEY",
    "sk-", "ghp_", "[redacted]", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
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
        let once = redact(&said);
        assert!(may_change(&said) || once == said, "{said:?}");
        assert!(once == said || once.contains(REDACTED), "{said:?}");
        let twice = redact(&once);
        assert_eq!(twice, once, "seed {seed}: {said:?}");
        seen[usize::from(once != said)] += 1;
    });
    assert!(seen.iter().all(|&count| 1_000 < count), "{seen:?}");
}
