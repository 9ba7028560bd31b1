//! Finding secrets, whole and in pieces, and leaving everything else alone.

use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::sync::Arc;

/// What a secret of the environment looks like in these tests.
const VALUE: &str = "q7#Zr!0x-Wv|9 kTp2";

fn redactor() -> Arc<Redactor> {
    Arc::new(Redactor::new(&secret_values([("DEPLOY_TOKEN", VALUE)])))
}

fn loose() -> Arc<Redactor> {
    Arc::new(Redactor::new(&[]).loose())
}

fn clean(text: &str) -> String {
    redactor().redact(text).into_owned()
}

/// The bytes in pieces of these sizes, over and over.
fn in_pieces(bytes: &[u8], sizes: &[usize]) -> Vec<u8> {
    let mut stream = RedactingStream::new(redactor());
    let (mut out, mut at, mut n) = (Vec::new(), 0, 0);
    while at < bytes.len() {
        let size = sizes[n % sizes.len()].max(1);
        let end = (at + size).min(bytes.len());
        stream.push(&bytes[at..end], &mut out);
        (at, n) = (end, n + 1);
    }
    stream.finish(&mut out);
    out
}

#[test]
fn every_pattern_of_the_contract_is_replaced() {
    let redact = |text: &str| loose().redact(text).into_owned();
    assert_eq!(redact("key sk-ant-api03_a-b!"), "key [REDACTED]!");
    assert_eq!(
        redact("github_pat_11AA_x, ghp_abc123."),
        "[REDACTED], [REDACTED]."
    );
    assert_eq!(
        redact("Authorization: Bearer  ab.c-d_e f"),
        "Authorization: [REDACTED] f"
    );
    assert_eq!(redact("ANTHROPIC_API_KEY=xyz/%$ next"), "[REDACTED] next");
    // The contract's order: the key is gone before `Bearer` is looked at.
    assert_eq!(redact("Bearer sk-ant-ab x"), "Bearer [REDACTED] x");
}

#[test]
fn prefixes_alone_and_prose_stay() {
    for text in [
        "sk-ant-",
        "Bearer",
        "Bearertoken",
        "Bearer !",
        "Bearer authentication is used",
        "ANTHROPIC_API_KEY= x",
        "plain",
        "task-0123456789abcdef0123456789abcdef",
        "GITHUB_TOKEN=${{ secrets.GITHUB_TOKEN }}",
        "https://user@example.org/a:b@c",
        "http://localhost:8080/x@y",
        "postgres://app:$PASSWORD@db/x",
        "-----BEGIN CERTIFICATE-----",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn well_known_tokens_are_replaced() {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    for prefix in [
        "gho_",
        "glpat-",
        "sk-proj-",
        "sk-",
        "AKIA",
        "AIza",
        "xoxb-",
        "sk_live_",
        "npm_",
        "pypi-",
        "hf_",
        "SG.",
        "OPENAI_API_KEY=",
    ] {
        let text = format!("a \"{prefix}{long}\" b");
        assert_eq!(clean(&text), "a \"[REDACTED]\" b", "{prefix}");
    }
    for token in [
        "nvapi-Ab0_cD1-eF2gH3iJ4kL5mN6oP7qR8sT9uV0wX1yZ2",
        "vercel_A1b2C3d4E5f6G7h8I9j0K1l2",
        "vercel_blob_rw_AbCdEf0123456789_XyZ",
        "vcp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0A1b2C3d4",
        "vck_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0A1b2C3d4",
        "pul-0123456789abcdef0123456789abcdef01234567",
        "tvly-dev-A1b2C3d4E5f6G7h8I9j0",
        "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
        "SK0123456789abcdef0123456789abcdef",
        "sb_secret_A1b2C3d4E5f6G7h8I9j0",
    ] {
        assert_eq!(clean(&format!("a={token};")), "a=[REDACTED];", "{token}");
    }
    let hook =
        "discord.com/api/webhooks/123456789012345678/A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    assert_eq!(clean(&format!("https://{hook} x")), "https://[REDACTED] x");
    for name in [
        "vercel_deployment_environment_variables",
        "key-value-store-with-a-long-name-of-its-own",
        "fc-cache, sk_buff_head_init_of_the_kernel, SKIPPED_BECAUSE_OF_A_FEED",
        "secret_manager_service_account_for_builds_of_all_kinds",
        "fw_cfg_add_file_callback and pul-lover",
        "nvapi-key",
    ] {
        assert_eq!(clean(name), name);
    }
    let taken_back = long.replace('5', "5X\x08");
    assert_eq!(clean(&format!("a ghp_{taken_back} b")), "a [REDACTED] b");
    assert_eq!(
        clean("eyJhbGciOiJIUzI1.eyJzdWIiOiIx.c2ln-X and"),
        "[REDACTED] and"
    );
    assert_eq!(
        clean("git clone https://bot:s3cr3t@example.org/x.git"),
        "git clone https://bot:[REDACTED]@example.org/x.git"
    );
    let key =
        "x\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc+/=\n-----END RSA PRIVATE KEY-----\nafter";
    assert_eq!(clean(key), "x\n[REDACTED]\nafter");
}

#[test]
fn the_value_of_a_variable_is_found_broken_by_the_terminal() {
    for broken in [
        "q7#Zr!0x-\x1b[31mWv|9 kTp2",
        "q7#Zr!0x-\r\nWv|9 kTp2",
        "q7#Zr!0x-  \r\n    Wv|9 kTp2",
        "q7#Zr!0x-W \u{2502}\r\n\u{2502} v|9 kTp2",
        "q7#Zr!0x-W\x1b[13;4Hv|9 kTp2",
        "q7#Zr!0?\x08x-Wv|9 kTp2",
        "q\x08q7\x087#\x08#Z\x08Zr\x08r!\x08!0\x080x\x08x-\x08-W\x08Wv\x08v|\x08|9\x089 \x08 k\x08kT\x08Tp\x08p2\x082",
        "q7#Zr!0x-Wv|9\x1b[0m \x1b[1mkTp2",
    ] {
        let found = clean(&format!("<{broken}>"));
        // A first character printed twice is shown once.
        let found = found.replacen("<q\x08", "<", 1);
        assert!(found.starts_with("<[REDACTED]"), "{broken:?}: {found:?}");
        assert!(!found.contains("kTp2"), "{broken:?}: {found:?}");
    }
    assert_eq!(
        clean("q7#Zr!0x-\x1b[31mWv|9 kTp2 z"),
        "[REDACTED]\x1b[31m z",
        "the colour stays"
    );
}

#[test]
fn a_value_that_json_escapes_is_found_in_json() {
    let value = "with\"quote\\and\nbreak-1";
    let redactor = Arc::new(Redactor::new(&secret_values([("A_SECRET", value)])));
    let text = json!({"a": [value, 3], "n": 1.50}).to_string();
    assert_eq!(
        redact_json_text(&redactor, &text),
        "{\"a\":[\"[REDACTED]\\n\",3],\"n\":1.5}"
    );
    let quiet = "{ \"spaced\" : 1.50, \"a\": \"x\\ny\" }";
    assert_eq!(redact_json_text(&redactor, quiet), quiet);
    assert_eq!(
        redact_json_text(&redactor, "{broken ghp_abc"),
        "{broken [REDACTED]"
    );
}

/// Every character as JSON may write it.
fn escaped(text: &str) -> String {
    text.bytes().map(|b| format!("\\u{b:04X}")).collect()
}

#[test]
fn secrets_that_json_writes_in_ascii_escapes_are_taken_out() {
    let whole = format!("a {} b", escaped("sk-ant-api03-0123456789"));
    assert_eq!(clean(&whole), "a [REDACTED] b");
    let (k, digits) = (escaped("k"), escaped("23"));
    let partly = format!(r#"{{"k":"s{k}-ant-api03-01{digits}"}}"#);
    assert_eq!(clean(&partly), r#"{"k":"[REDACTED]"}"#);
    assert_eq!(clean(&escaped(VALUE)), REPLACEMENT);
    for sizes in [[1, 1], [2, 5], [7, 3]] {
        assert_eq!(in_pieces(whole.as_bytes(), &sizes), b"a [REDACTED] b");
    }
    // An address, as PHP writes it.
    let address = clean(r"https:\/\/u:pa55word@h\/");
    assert!(!address.contains("pa55word"), "{address}");
    for text in [
        r"C:\users\u00 x",
        r"caf\u00e9 \u4e2d\u6587",
        r"\u0041\u0042",
        "\\",
        r"\u00",
    ] {
        assert_eq!(clean(text), text);
    }
}

#[test]
fn a_value_beyond_ascii_is_found_in_every_spelling_of_json() {
    let value = "p\u{e4}ssw\u{f6}rt-\u{1f511}-9";
    let redactor = Arc::new(Redactor::new(&secret_values([("DB_PASSWORD", value)])));
    for spelling in [
        value,
        r"p\u00e4ssw\u00f6rt-\ud83d\udd11-9",
        r"p\u00E4ssw\u00F6rt-\uD83D\uDD11-9",
    ] {
        let text = format!(r#"["{spelling}"]"#);
        assert_eq!(redactor.redact(&text), r#"["[REDACTED]"]"#, "{spelling}");
    }
}

#[test]
fn a_token_behind_an_escaped_line_break_begins_a_word() {
    let token = "sk-proj-0123456789abcdefghij";
    for sizes in [[1, 1], [2, 5], [100, 100]] {
        let text = format!(r"one\n{token} two\u0022{token}");
        let seen = String::from_utf8(in_pieces(text.as_bytes(), &sizes)).unwrap();
        assert_eq!(seen, r"one\n[REDACTED] two\u0022[REDACTED]");
    }
}

#[test]
fn json_is_redacted_inside_and_keeps_its_form() {
    let value = json!({"a": ["ghp_x1", 3], "ghp_": null});
    assert_eq!(
        redact_json(&loose(), &value),
        json!({"a": ["[REDACTED]", 3], "ghp_": null})
    );
}

#[test]
fn kinds_are_named_and_secrets_are_not() {
    let kinds = redactor().kinds(format!("{VALUE} ghp_abc").as_bytes());
    assert_eq!(kinds, ["value of DEPLOY_TOKEN", "GitHub token"]);
    assert!(!format!("{:?}", redactor()).contains("q7#"));
}

#[test]
fn a_doubtful_beginning_is_held_back_only_so_long() {
    let mut stream = RedactingStream::new(redactor());
    let mut out = Vec::new();
    stream.push(b"abc q7#Zr", &mut out);
    assert_eq!(out, b"abc ");
    for _ in 0..40 {
        stream.push(&b"\x1b[31m".repeat(100), &mut out);
    }
    assert!(
        !out.is_empty() && out.len() > 4,
        "never more than a bounded tail"
    );
    stream.finish(&mut out);
    assert_eq!(out.len(), 9 + 40 * 500);
}

/// Pieces of terminal output: text, colours, line breaks, things that nearly are secrets.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        "[ -~]{0,8}",
        any::<char>().prop_map(String::from),
        Just("\x1b[1;31m".to_owned()),
        Just("\x1b]0;title\x07".to_owned()),
        Just("\r\n".to_owned()),
        Just("q7#Zr".to_owned()),
        Just("sk-".to_owned()),
        Just("gh".to_owned()),
        Just("\x1b[".to_owned()),
    ]
}

proptest! {
    #[test]
    fn no_chunking_lets_a_secret_through(
        before in prop::collection::vec(piece(), 0..6),
        after in prop::collection::vec(piece(), 0..6),
        token in "[a-zA-Z0-9]{12,30}",
        which in any::<bool>(),
        sizes in prop::collection::vec(1..20usize, 1..8),
    ) {
        let token = format!("ghp_{token}");
        let secret = if which { VALUE } else { token.as_str() };
        // A control sequence that is open would belong to the secret as the terminal reads it.
        let text = format!("{} \x1b[0m {secret}\x1b[0m {}", before.concat(), after.concat());
        let out = in_pieces(text.as_bytes(), &sizes);
        let shown = String::from_utf8_lossy(&out);
        prop_assert!(!shown.contains(secret), "{shown:?}");
        prop_assert!(shown.contains(REPLACEMENT));
        // However it is cut, the result is the same as in one piece.
        prop_assert_eq!(&out, &in_pieces(text.as_bytes(), &[text.len()]));
    }

    #[test]
    fn what_is_no_secret_is_byte_identical(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        pieces in prop::collection::vec("[a-z #!|\r\n]{0,9}", 0..20),
        sizes in prop::collection::vec(1..20usize, 1..8),
    ) {
        let text = pieces.concat();
        prop_assert_eq!(in_pieces(text.as_bytes(), &sizes), text.as_bytes());
        // Any bytes: whatever is taken out is named.
        let mut stream = RedactingStream::new(redactor());
        let mut out = Vec::new();
        stream.push(&bytes, &mut out);
        stream.finish(&mut out);
        if stream.found().is_empty() {
            prop_assert_eq!(out, bytes);
        }
    }

    #[test]
    fn around_a_secret_every_byte_stays(before in "[a-f ]{0,30}", after in "[ ,;!]{0,30}", sizes in prop::collection::vec(1..9usize, 1..5)) {
        let text = format!("{before} {VALUE}{after}");
        let expected = format!("{before} {REPLACEMENT}{after}");
        prop_assert_eq!(in_pieces(text.as_bytes(), &sizes), expected.as_bytes());
    }
}

#[test]
fn values_in_json_that_is_a_string_of_other_json_are_found() {
    for value in [
        "qq7Zr\"0xWv9kTp2Lm",
        "qq7Zr\\0xWv9kTp2Lm",
        "qq7Zré0xWv9kTp2Lm",
        "qq7Zr/0xWv9kTp2Lm",
    ] {
        let redactor = Arc::new(Redactor::new(&[SecretValue {
            name: "T_QUOTE_TOKEN".to_owned(),
            value: value.to_owned(),
        }]));
        let mut text = value.to_owned();
        for level in 0..=3 {
            for spelling in [
                text.clone(),
                text.replace('é', "\\u00e9"),
                text.replace('/', "\\/"),
                text.replace('7', "\\\\u0037"),
            ] {
                let found = redact_json_text(&redactor, &spelling).into_owned();
                assert!(!found.contains("0xWv9kTp2Lm"), "level {level}: {spelling}");
            }
            text = serde_json::json!({ "c": text.replace('é', "\\u00e9") }).to_string();
        }
    }
}

#[test]
fn tokens_of_todays_services_are_replaced_in_pieces_and_broken_by_colours() {
    let long = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0U1v2W3x4Y5z6A7b8C9d0E1f2";
    let web = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl";
    for token in [
        format!("ghs_1234567_{web}"),
        format!("glpat-{long}.01.0a1b2c3"),
        format!("glrt-{long}"),
        format!("sk-admin-{long}"),
        format!("sk-ant-oat01-{long}-AA"),
        format!("github_pat_11ABCDEFG0{long}"),
        format!("ABSK{long}+/=="),
        format!("AQ.Ab8R{long}"),
        format!("1//0{long}"),
        format!("GOCSPX-{long}"),
        format!("xoxe.xoxp-1-{long}"),
        format!("hooks.slack.com/services/T0123/B4567/{long}"),
        format!("whsec_{long}"),
        format!("dckr_pat_{long}"),
        format!("gsk_{long}"),
        format!("hvs.{long}"),
        format!("AccountKey={long}=="),
        format!("aws_secret_access_key = {long}"),
        format!("x-api-key: {long}"),
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==".to_owned(),
    ] {
        let whole = format!("a {token} b");
        assert_eq!(clean(&whole), "a [REDACTED] b", "{token}");
        assert_eq!(clean(&token), REPLACEMENT);
        for sizes in [[1, 1], [3, 7], [16, 5]] {
            let cut = in_pieces(whole.as_bytes(), &sizes);
            assert_eq!(cut, b"a [REDACTED] b", "{token} in pieces");
        }
        let (start, end) = token.split_at(token.len() / 2);
        let coloured = clean(&format!("a {start}\x1b[1m{end} b"));
        assert!(!coloured.contains(end), "{coloured:?}");
    }
    let block = "x\n-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----\nafter";
    assert_eq!(clean(block), "x\n[REDACTED]\nafter");
    for text in [
        "Basic authentication is used",
        "Basic internationalization",
        "basic dW5rbm93bg==",
        "sig=short api-key: none",
        "the AQ. of it",
    ] {
        assert_eq!(clean(text), text);
    }
}

const BODY: &str = "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABFwAAAAdzc2gtcn\nNhAAAAAwEAAQAAAQEAq9Xw+/B2c7\nAAAA=";
const END: &str = "-----END OPENSSH PRIVATE KEY-----";

#[test]
fn a_key_whose_first_line_is_missing_is_replaced() {
    let key = format!("{BODY}\n{END}");
    for (text, left) in [
        (format!("{key}\nafter"), "[REDACTED]\nafter"),
        (format!("to be seen\n{key}"), "to be seen\n[REDACTED]"),
        (
            format!(
                "Proc-Type: 4,ENCRYPTED\r\n\r\n{}\r\n",
                key.replace('\n', "\r\n")
            ),
            "[REDACTED]\r\n",
        ),
        (
            format!(
                "\u{2502} {} \u{2502}",
                key.replace('\n', " \u{2502}\n\u{2502} ")
            ),
            "[REDACTED] \u{2502}",
        ),
        (
            serde_json::json!({ "lastScreen": key }).to_string(),
            "{\"lastScreen\":\"[REDACTED]\"}",
        ),
        (
            format!("-----BEGIN RSA PRIVATE KEY-----\n{key}\n-\n{key}."),
            "[REDACTED]\n-\n[REDACTED].",
        ),
    ] {
        let cleaned = clean(&text);
        assert_eq!(cleaned, left);
        let kinds = redactor().kinds(text.as_bytes());
        assert!(!kinds.is_empty() && kinds.iter().all(|k| k == "private key"));
    }
    for text in [
        format!("{BODY}\n-----END CERTIFICATE-----"),
        format!("look for\n{END}"),
        format!("word\n{END}"),
        format!("let end = \"{END}\";"),
    ] {
        assert_eq!(clean(&text), text);
    }
}

#[test]
fn a_key_that_began_above_the_screen_is_replaced() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    let begun = lines(&format!("x\n-----BEGIN OPENSSH PRIVATE KEY-----\n{BODY}"));
    let short = "AAAAB3Nza\nBBBB=";
    let below = |above: &[String], shown: &str| below_torn_key(above, shown);
    let hidden = Some("[REDACTED]\nthat was all".to_owned());
    assert_eq!(
        below(&begun, &format!("{short}\n{END}\nthat was all")),
        hidden
    );
    assert_eq!(below(&begun, &format!("{short}\nthat was all")), hidden);
    assert_eq!(below(&[], &format!("{short}\nthat was all")), None);
    assert_eq!(below(&begun, "that was all"), None);
    let ended = lines(&format!("-----BEGIN PRIVATE KEY-----\n{BODY}\n{END}\ndone"));
    assert_eq!(below(&ended, short), None);
    // Both ends are out of sight, and nothing is known of what was above.
    let full = BODY.lines().next().unwrap();
    assert_eq!(
        below(&[], &[full; 24].join("\n")).as_deref(),
        Some("[REDACTED]")
    );
    assert_eq!(below(&[], &[full; 2].join("\n")), None);
    assert_eq!(below(&[], &format!("a b\n{}", [full; 5].join("\n"))), None);
    // Sums of files.
    assert_eq!(
        below(&[], &["0a9b".repeat(16).as_str(); 9].join("\n")),
        None
    );
}

/// As often as a character is looked at; what takes longer than its length allows would hang here.
#[test]
fn text_that_nearly_is_a_secret_everywhere_is_worked_through() {
    let megabyte = |unit: &str| unit.repeat(1_000_000 / unit.len());
    for unit in [
        "s\x08",
        "q\x08",
        "eyJ-",
        "-----BEGIN A",
        "q\x1b[m",
        "://a:b",
    ] {
        let text = megabyte(unit);
        assert_eq!(in_pieces(text.as_bytes(), &[text.len()]), text.as_bytes());
    }
    let doubtful = format!("q{}", "\x1b[m".repeat(100_000));
    assert_eq!(in_pieces(doubtful.as_bytes(), &[1]), doubtful.as_bytes());
}
