//! Values of the environment, as terminals and JSON write them.

use super::*;
use serde_json::json;

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
