//! How fast redaction reads: text without secrets, where only the verdict runs,
//! and text in which every rule has something to do.

use divan::{Bencher, black_box, counter::BytesCount};
use recall_native::engine::text::redact::{may_change, redact};

const SIZE: usize = 1 << 20;

const CHAT: &str = "The build fails because the lock file is stale: run `npm ci` again, \
then look at src/engine/score.rs (line 120) - the mean length is off by one.\n\
我们先检查配置，再重新运行测试；如果还是失败，就看日志 https://ci.example/run/42?step=3 。\n\
Most of the work of the last days went into the projection; keep the rows small, and \
ask whether the order of the events, which is that of the ordinals, is still right.\n";

const OUTPUT: &str = r#"{"path":"src/engine/store/rows.rs","lines":[120,184],"kind":"match","text":"    let rows = statement.query_map(params![session], read_row)?;"},
{"path":"package.json","size":2048,"modified":1780000326000,"entries":["name","version","scripts"],"ok":true,"exitCode":0,"stderr":""},
"#;

const SECRETS: &str = "export OPENAI_API_KEY=sk-abcdefgh12345678 DEBUG=1\n\
curl -H \"Authorization: Bearer abc.def\" 'https://me:pw@api.example/?token=1&x=2'\n\
{\"password\":\"hunter2\",\"user\":\"alice\"} commit da39a3ee5e6b4b0d3255bfef95601890afd80709\n\
aws configure set aws_secret_access_key abc \\\n  --profile x; xoxb-1234567890 ghp_A1b2C3d4E5f6G7h8I9j0\n";

fn main() {
    divan::main();
}

fn filled(sample: &str) -> String {
    sample.repeat(SIZE / sample.len() + 1)
}

fn document(sample: &str) -> String {
    format!("[{}]", filled(sample).trim_end_matches([',', '\n']))
}

#[divan::bench(args = ["chat", "output"])]
fn verdict(bencher: Bencher<'_, '_>, text: &str) {
    let text = filled(if text == "chat" { CHAT } else { OUTPUT });
    assert!(!may_change(&text));
    bencher.counter(BytesCount::of_str(&text)).bench(|| may_change(black_box(&text)));
}

#[divan::bench(args = ["chat", "output", "secrets"])]
fn text(bencher: Bencher<'_, '_>, text: &str) {
    let text = match text {
        "chat" => filled(CHAT),
        "output" => filled(OUTPUT),
        _ => filled(SECRETS),
    };
    bencher.counter(BytesCount::of_str(&text)).bench(|| redact(black_box(&text)).len());
}

/// One secret in a megabyte: the rules run, over text that has little for them.
#[divan::bench]
fn one_secret(bencher: Bencher<'_, '_>) {
    let text = filled(CHAT) + "token=abc";
    bencher.counter(BytesCount::of_str(&text)).bench(|| redact(black_box(&text)).len());
}

/// The same in a document, which is parsed and spelled again.
#[divan::bench]
fn one_secret_in_a_document(bencher: Bencher<'_, '_>) {
    let text = format!("[{},{{\"token\":1}}]", document(OUTPUT));
    assert_ne!(redact(&text), text);
    bencher.counter(BytesCount::of_str(&text)).bench(|| redact(black_box(&text)).len());
}
