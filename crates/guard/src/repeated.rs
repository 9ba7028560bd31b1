//! What is asked of the text of a call before its values: a field given twice, which its readers take differently,
//! and more values in values than are worth reading.

use std::borrow::Cow;
use std::collections::HashSet;

/// An object with more fields is asked through a table; in others each name is compared with those before it.
const FEW: usize = 16;

/// An object that is open.
struct Object<'j> {
    /// Where its names begin among those of all that are open.
    from: usize,
    /// Its names, once they are many.
    many: HashSet<Cow<'j, str>>,
}

/// Whether any object of a valid JSON text has two fields of one name.
pub(crate) fn has_repeated_key(json: &[u8]) -> bool {
    // `None` for lists.
    let mut open: Vec<Option<Object<'_>>> = Vec::new();
    let mut names: Vec<Cow<'_, str>> = Vec::new();
    let mut expects_key = false;
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'{' => {
                open.push(Some(Object {
                    from: names.len(),
                    many: HashSet::new(),
                }));
                expects_key = true;
            }
            b'[' => {
                open.push(None);
                expects_key = false;
            }
            b'}' | b']' => {
                if let Some(Some(object)) = open.pop() {
                    names.truncate(object.from);
                }
                expects_key = false;
            }
            b',' => expects_key = matches!(open.last(), Some(Some(_))),
            b'"' => {
                let end = string_end(json, at);
                if expects_key && let Some(Some(object)) = open.last_mut() {
                    let name = name_of(json.get(at..end).unwrap_or_default());
                    if object.has(name, &mut names) {
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

impl<'j> Object<'j> {
    /// Whether the object has this name already; now it has.
    fn has(&mut self, name: Cow<'j, str>, names: &mut Vec<Cow<'j, str>>) -> bool {
        let own = names.get(self.from..).unwrap_or_default();
        if own.len() < FEW {
            let known = own.contains(&name);
            names.push(name);
            return known;
        }
        if self.many.is_empty() {
            self.many.extend(own.iter().cloned());
        }
        !self.many.insert(name)
    }
}

/// Lists and objects that a call may have: reading more of them takes too long, and none needs as many.
const MOST: usize = 4_000;

/// Whether a text of JSON opens more lists and objects than a call may have.
pub(crate) fn has_too_many(json: &[u8]) -> bool {
    let mut found = 0;
    let mut at = 0;
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => found += 1,
            b'"' => at = string_end(json, at) + 1,
            _ => {}
        }
    }
    found > MOST
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
    use super::{MOST, has_repeated_key, has_too_many};

    #[test]
    fn a_field_given_twice_is_seen_at_any_depth_and_in_any_spelling() {
        for twice in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"\u0061":2}"#,
            r#"{"x":[{"a":"}","b":"{","a":""}]}"#,
            r#"{"a":{"b":1},"c":[],"a":null}"#,
            r#"{"a":{"b":{},"c":1,"b":2}}"#,
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
        let fields: Vec<String> = (0..40).map(|n| format!("\"a{n}\":{{\"a\":1}}")).collect();
        let many = fields.join(",");
        assert!(!has_repeated_key(format!("{{{many}}}").as_bytes()));
        for again in ["a0", "a15", "a16", "a39"] {
            let twice = format!("{{{many},\"{again}\":1}}");
            assert!(has_repeated_key(twice.as_bytes()), "{again}");
        }
    }

    #[test]
    fn lists_and_objects_are_counted_outside_of_texts() {
        let many = "[],".repeat(MOST);
        assert!(has_too_many(format!("[{many}{{}}]").as_bytes()));
        assert!(!has_too_many(
            format!("{{\"a\":\"{many}\\\"{many}\"}}").as_bytes()
        ));
    }
}
