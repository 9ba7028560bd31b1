//! Private keys whose ends are out of sight.

use super::*;

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
