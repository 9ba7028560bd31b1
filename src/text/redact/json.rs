//! Secrets inside JSON: strings are redacted, the form stays valid.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::redactor::Redactor;

/// Redacts every string inside a value; keys stay as they are.
pub fn redact_json(redactor: &Arc<Redactor>, value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redactor.redact(text).into_owned()),
        Value::Array(items) => Value::Array(
            items
                .iter()
                .map(|item| redact_json(redactor, item))
                .collect(),
        ),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, item)| (key.clone(), redact_json(redactor, item)))
                .collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
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
    match serde_json::from_str::<Value>(text) {
        Ok(value) => {
            let clean = redact_json(redactor, &value);
            if clean == value {
                Cow::Borrowed(text)
            } else {
                Cow::Owned(clean.to_string())
            }
        }
        Err(_) => plain,
    }
}
