//! Replaces secrets in text that is about to be logged or shown.
//!
//! Five fixed patterns, applied in the contract's order. A hand-written scanner: the hook path
//! links this, and a regular expression engine would cost more than everything else there.

use std::borrow::Cow;

use serde_json::Value;

const REPLACEMENT: &str = "[REDACTED]";

struct Pattern {
    prefix: &'static str,
    /// White space that must follow the prefix (`Bearer` needs some, the rest none).
    needs_space: bool,
    is_secret: fn(char) -> bool,
}

const PATTERNS: [Pattern; 5] = [
    Pattern {
        prefix: "sk-ant-",
        needs_space: false,
        is_secret: |c| c.is_ascii_alphanumeric() || c == '_' || c == '-',
    },
    Pattern {
        prefix: "github_pat_",
        needs_space: false,
        is_secret: |c| c.is_ascii_alphanumeric() || c == '_',
    },
    Pattern {
        prefix: "Bearer",
        needs_space: true,
        is_secret: |c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'),
    },
    Pattern {
        prefix: "ghp_",
        needs_space: false,
        is_secret: |c| c.is_ascii_alphanumeric(),
    },
    Pattern {
        prefix: "ANTHROPIC_API_KEY=",
        needs_space: false,
        is_secret: |c| !c.is_whitespace(),
    },
];

/// Replaces every known secret in `text` by `[REDACTED]`.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut current = Cow::Borrowed(text);
    for pattern in &PATTERNS {
        if let Some(changed) = apply(pattern, &current) {
            current = Cow::Owned(changed);
        }
    }
    current
}

/// Redacts every string inside a JSON value; keys stay as they are.
pub fn redact_json(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(redact_json).collect()),
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, item)| (key.clone(), redact_json(item)))
                .collect(),
        ),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn apply(pattern: &Pattern, text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    let mut found = false;
    while let Some(start) = rest.find(pattern.prefix) {
        let (before, matched) = rest.split_at(start);
        let tail = &matched[pattern.prefix.len()..];
        out.push_str(before);
        if let Some(after) = after_secret(pattern, tail) {
            out.push_str(REPLACEMENT);
            rest = after;
            found = true;
        } else {
            out.push_str(pattern.prefix);
            rest = tail;
        }
    }
    found.then(|| out + rest)
}

/// Returns what follows the secret, or `None` when the prefix is not followed by one.
fn after_secret<'a>(pattern: &Pattern, tail: &'a str) -> Option<&'a str> {
    let body = if pattern.needs_space {
        let trimmed = tail.trim_start();
        if trimmed.len() == tail.len() {
            return None;
        }
        trimmed
    } else {
        tail
    };
    let end = body.find(|c| !(pattern.is_secret)(c)).unwrap_or(body.len());
    if end == 0 { None } else { body.get(end..) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn every_pattern_is_replaced() {
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
    }

    #[test]
    fn prefixes_alone_stay() {
        for text in [
            "sk-ant-",
            "Bearer",
            "Bearertoken",
            "Bearer !",
            "ANTHROPIC_API_KEY= x",
            "plain",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn json_is_redacted_inside() {
        let value = json!({"a": ["ghp_x1", 3], "ghp_key": null});
        assert_eq!(
            redact_json(&value),
            json!({"a": ["[REDACTED]", 3], "ghp_key": null})
        );
    }

    proptest! {
        #[test]
        fn no_token_survives(before in "[a-z ]{0,9}", token in "[a-zA-Z0-9]{1,20}", after in "[ ,;!]{0,3}") {
            let secret = format!("ghp_{token}");
            let redacted = redact(&format!("{before}{secret}{after}")).into_owned();
            prop_assert!(!redacted.contains(&secret));
            prop_assert!(redacted.starts_with(&before) && redacted.ends_with(&after));
        }
    }
}
