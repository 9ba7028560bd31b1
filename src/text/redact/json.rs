//! Secrets inside JSON: strings, keys and numbers are redacted, the form stays valid.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::REPLACEMENT;
use super::redactor::Redactor;

/// Shorter numbers are no secret, and hold none.
const LEAST_DIGITS: usize = 8;

/// How AWS calls a key that is known by its name alone.
const NAMED: &str = "SecretAccessKey";

/// Redacts a value inside, its keys as well. A number that holds a secret becomes a text.
pub fn redact_json(redactor: &Arc<Redactor>, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact(text).into_owned()),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| redact_json(redactor, item))
                .collect(),
        ),
        Value::Object(map) => Value::Object(redact_map(redactor, map)),
        Value::Number(number) => {
            let text = number.to_string();
            match redactor.redact(&text) {
                Cow::Owned(clean) if text.len() >= LEAST_DIGITS => Value::String(clean),
                Cow::Owned(_) | Cow::Borrowed(_) => value.clone(),
            }
        }
        Value::Null | Value::Bool(_) => value.clone(),
    }
}

fn redact_map(redactor: &Arc<Redactor>, map: &Map<String, Value>) -> Map<String, Value> {
    let mut clean = Map::with_capacity(map.len());
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for (key, item) in map {
        let item = match item {
            Value::String(text) if is_named(redactor, key, text) => REPLACEMENT.into(),
            Value::String(_)
            | Value::Array(_)
            | Value::Object(_)
            | Value::Number(_)
            | Value::Null
            | Value::Bool(_) => redact_json(redactor, item),
        };
        let name = match redactor.redact(key) {
            Cow::Borrowed(key) => key.to_owned(),
            Cow::Owned(name) => apart(name, &mut numbers, |name| map.contains_key(name)),
        };
        clean.insert(name, item);
    }
    clean
}

/// A name for a key that lost its secret. Two that are alike now get numbers behind, and none takes the name of another key.
fn apart(
    name: String,
    numbers: &mut HashMap<String, usize>,
    is_taken: impl Fn(&str) -> bool,
) -> String {
    let number = numbers.entry(name.clone()).or_insert(0);
    loop {
        *number += 1;
        let numbered = match *number {
            1 => name.clone(),
            n => format!("{name} {n}"),
        };
        if !is_taken(&numbered) {
            return numbered;
        }
    }
}

/// Whether a key says that the text behind it is a secret.
fn is_named(redactor: &Arc<Redactor>, key: &str, text: &str) -> bool {
    key.ends_with(NAMED) && {
        let together = format!("{NAMED}\":\"{text}");
        matches!(redactor.redact(&together), Cow::Owned(_))
    }
}

/// Redacts a text that is probably JSON. Without a secret in it not a byte changes; what is no
/// JSON is redacted as text.
pub fn redact_json_text<'t>(redactor: &Arc<Redactor>, text: &'t str) -> Cow<'t, str> {
    let plain = redactor.redact(text);
    if matches!(plain, Cow::Borrowed(_)) {
        // A secret with characters that JSON escapes shows only when it is read.
        if !text.contains('\\') {
            return plain;
        }
    }
    let written = without_numbers(redactor, text);
    match serde_json::from_str::<Value>(&written) {
        Ok(value) => {
            let clean = redact_json(redactor, &value);
            if clean == value {
                written
            } else {
                Cow::Owned(clean.to_string())
            }
        }
        Err(_) => plain,
    }
}

/// Takes numbers that hold a secret out of JSON as they are written there: once read, long ones have lost their last digits.
fn without_numbers<'t>(redactor: &Arc<Redactor>, text: &'t str) -> Cow<'t, str> {
    let bytes = text.as_bytes();
    let (mut out, mut kept, mut at, mut is_text) = (String::new(), 0, 0, false);
    while let Some(byte) = bytes.get(at).copied() {
        match byte {
            b'\\' if is_text => at += 2,
            b'"' => {
                is_text = !is_text;
                at += 1;
            }
            b'-' | b'0'..=b'9' if !is_text => {
                let rest = bytes.iter().skip(at);
                let length = rest.take_while(|byte| is_of_number(**byte)).count();
                let end = at + length;
                let number = text.get(at..end).unwrap_or_default();
                if length >= LEAST_DIGITS
                    && let Cow::Owned(clean) = redactor.redact(number)
                {
                    out += text.get(kept..at).unwrap_or_default();
                    out += &Value::String(clean).to_string();
                    kept = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    out += text.get(kept..).unwrap_or_default();
    Cow::Owned(out)
}

const fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::secret_values;
    use serde_json::json;

    const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ0123456";

    fn redactor() -> Arc<Redactor> {
        Arc::new(Redactor::new(&secret_values([
            ("NUM_SECRET_TOKEN", "8291746153980417"),
            ("LONG_SECRET", "829174615398041712345678901234"),
            ("PIN_PASSWORD", "73914.60528"),
        ])))
    }

    fn clean(text: &str) -> String {
        redact_json_text(&redactor(), text).into_owned()
    }

    #[test]
    fn a_key_that_is_a_secret_is_not_stored() {
        let text = format!("{{\"env\":{{\"{TOKEN}\":\"key\"}},\"b\":1}}");
        assert_eq!(clean(&text), r#"{"env":{"[REDACTED]":"key"},"b":1}"#);
    }

    #[test]
    fn keys_that_are_alike_without_their_secrets_stay_apart() {
        let text = format!(
            "{{\"{TOKEN}a\":1,\"[REDACTED] 2\":2,\"{TOKEN}b\":3,\"x {TOKEN}\":4,\"{TOKEN}c\":5}}"
        );
        assert_eq!(
            clean(&text),
            r#"{"[REDACTED]":1,"[REDACTED] 2":2,"[REDACTED] 3":3,"x [REDACTED]":4,"[REDACTED] 4":5}"#
        );
    }

    #[test]
    fn a_number_that_holds_a_secret_becomes_a_text() {
        for (number, seen) in [
            ("8291746153980417", "[REDACTED]"),
            ("-8291746153980417", "-[REDACTED]"),
            ("18291746153980417", "1[REDACTED]"),
            ("73914.60528", "[REDACTED]"),
            ("829174615398041712345678901234", "[REDACTED]"),
        ] {
            let text = format!("{{\"id\":{number},\"s\":\"1 \\\" {number}\"}}");
            let seen = format!("{{\"id\":\"{seen}\",\"s\":\"1 \\\" {seen}\"}}");
            assert_eq!(clean(&text), seen);
        }
        let value = json!({"offset": 8_291_746_153_980_417_u64, "limit": [82_917_461]});
        let seen = json!({"offset": "[REDACTED]", "limit": [82_917_461]});
        assert_eq!(redact_json(&redactor(), &value), seen);
    }

    #[test]
    fn a_long_number_is_found_after_it_has_been_read() {
        let value: Value = serde_json::from_str("[829174615398041712345678901234]").unwrap();
        assert_eq!(redact_json(&redactor(), &value), json!(["[REDACTED]"]));
        assert_eq!(clean(&value.to_string()), r#"["[REDACTED]"]"#);
    }

    #[test]
    fn what_a_key_says_is_a_secret_is_not_stored() {
        let key = "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab";
        let text = format!("{{\"SecretAccessKey\":\"{key}\",\"Secret\":\"{key}\"}}");
        let seen = format!("{{\"SecretAccessKey\":\"[REDACTED]\",\"Secret\":\"{key}\"}}");
        assert_eq!(clean(&text), seen);
    }

    #[test]
    fn numbers_and_keys_without_a_secret_keep_their_bytes() {
        for text in [
            r#"{ "a" : 82917461539804 , "ghp_":1e400, "b":"\u0041"}"#,
            r#"{"a":"829174615398041\"8291746","https://x":"a:b@c"}"#,
        ] {
            assert_eq!(clean(text), text);
        }
    }
}
