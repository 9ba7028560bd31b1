//! Whether JSON gives a field of an object twice, which its readers take differently.

use std::borrow::Cow;
use std::collections::HashSet;

/// Whether any object of a valid JSON text has two fields of one name.
pub(crate) fn has_repeated_key(json: &[u8]) -> bool {
    // The names of each object that is open; `None` for lists.
    let mut open: Vec<Option<HashSet<Cow<'_, str>>>> = Vec::new();
    let mut expects_key = false;
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'{' => {
                open.push(Some(HashSet::new()));
                expects_key = true;
            }
            b'[' => {
                open.push(None);
                expects_key = false;
            }
            b'}' | b']' => {
                open.pop();
                expects_key = false;
            }
            b',' => expects_key = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = string_end(json, at);
                if expects_key && let Some(Some(names)) = open.last_mut() {
                    let name = name_of(json.get(at..end).unwrap_or_default());
                    if !names.insert(name) {
                        return true;
                    }
                }
                expects_key = false;
                at = end + 1;
            }
            _ => {}
        }
    }
    false
}

/// Where a string that begins at `from` ends.
fn string_end(json: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// The name as its reader sees it: `"\u0061"` is `"a"`.
fn name_of(raw: &[u8]) -> Cow<'_, str> {
    let plain = String::from_utf8_lossy(raw);
    if !raw.contains(&b'\\') {
        return plain;
    }
    match serde_json::from_str::<String>(&format!("\"{plain}\"")) {
        Ok(name) => Cow::Owned(name),
        Err(_) => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::has_repeated_key;

    #[test]
    fn a_field_given_twice_is_seen_at_any_depth_and_in_any_spelling() {
        for twice in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"x":[{"a":"}","b":"{","a":""}]}"#,
            r#"{"a":{"b":1},"c":[],"a":null}"#,
        ] {
            assert!(has_repeated_key(twice.as_bytes()), "{twice}");
        }
        for once in [
            r#"{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}"#,
            r#"{"a":"a","b":"\"a\":1,\"a\":2"}"#,
            r#"["a","a",{"a":["a","b"]}]"#,
            "\"a\"",
        ] {
            assert!(!has_repeated_key(once.as_bytes()), "{once}");
        }
    }
}
