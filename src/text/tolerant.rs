//! Reading JSON that others have written as tolerantly as JavaScript does. Its `JSON.parse` takes half
//! a surrogate pair (what a text cut through an emoji leaves), a number of any size and any depth;
//! bytes that are no text are U+FFFD before it sees them. The strict reader refuses all of these, and
//! the whole line would be as good as gone.
//!
//! Here half a pair is read as U+FFFD, a number too large for a double as null (as JavaScript writes it
//! again), and what lies deeper than `DEPTH` as null. The source text of fields is at hand for those
//! who write such a line back.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Map, Value};

use super::json::append_compact_json;

/// How many objects and lists may lie in one another. The strict reader ends at 128, and what is read
/// here is put into further objects.
const DEPTH: usize = 120;

/// What stands for half a surrogate pair.
const REPLACEMENT: &str = "\u{fffd}";

/// Reads one JSON value.
pub fn read_json<T: DeserializeOwned>(bytes: impl AsRef<[u8]>) -> Result<T, serde_json::Error> {
    let bytes = bytes.as_ref();
    serde_json::from_slice(bytes).or_else(|strict| match mended(bytes) {
        Some(Mended { text, .. }) => serde_json::from_slice(&text),
        None => Err(strict),
    })
}

/// The text in the form that the strict reader takes, where its meaning is beyond doubt: characters that were cut
/// in half and numbers that are too large. Nothing where it can be taken in more than one way, or needs no mending.
pub fn mended_json(bytes: impl AsRef<[u8]>) -> Option<Vec<u8>> {
    let mended = mended(bytes.as_ref())?;
    (!mended.in_doubt).then_some(mended.text)
}

/// Whether this is one JSON value, in the eyes of JavaScript.
pub fn is_json(bytes: impl AsRef<[u8]>) -> bool {
    // Looks at the grammar alone: neither the depth nor halves of pairs matter to it.
    serde_json::from_slice::<IgnoredAny>(bytes.as_ref()).is_ok()
        || read_json::<IgnoredAny>(bytes).is_ok()
}

/// Whether the strict reader takes it: then writing what was read loses nothing.
pub fn is_strict_json(bytes: impl AsRef<[u8]>) -> bool {
    serde_json::from_slice::<Value>(bytes.as_ref()).is_ok()
}

/// The value that the text begins with; all of it when the value does not end.
pub fn first_value(bytes: &[u8]) -> &[u8] {
    let start = bytes.len() - bytes.trim_ascii_start().len();
    let rest = bytes.get(start..).unwrap_or_default();
    rest.get(..value_length(rest)).unwrap_or(rest)
}

/// The source text of each item of a list.
pub fn list_items(bytes: &[u8]) -> Vec<&[u8]> {
    let mut items = Vec::new();
    let mut rest = bytes.trim_ascii().strip_prefix(b"[").unwrap_or_default();
    while let Some((item, after)) = next_value(rest) {
        items.push(item);
        rest = after;
    }
    items
}

/// Writes `new` over an object whose source text is `source` and that was read as `old`: a field that
/// has not changed keeps its source text, halves of pairs and all.
pub fn rewritten(source: &[u8], old: &Map<String, Value>, new: &Map<String, Value>) -> Vec<u8> {
    let fields = fields(source);
    let mut out = vec![b'{'];
    for (index, (key, value)) in new.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let kept = fields.iter().rfind(|(name, _)| name == key);
        match kept.filter(|_| old.get(key) == Some(value)) {
            Some((_, text)) => out.extend_from_slice(text),
            None => {
                append(key, &mut out);
                out.push(b':');
                append(value, &mut out);
            }
        }
    }
    out.push(b'}');
    out
}

fn append(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // Texts and values always have JSON; writing to memory does not fail.
    append_compact_json(value, out).unwrap_or_default();
}

/// Each field of an object: its name, and its source text with the name in front.
fn fields(source: &[u8]) -> Vec<(String, &[u8])> {
    let mut found = Vec::new();
    let mut rest = source.trim_ascii().strip_prefix(b"{").unwrap_or_default();
    while let Some((name, behind_name)) = next_value(rest)
        && let Some((_, after)) = next_value(behind_name)
    {
        // From the first byte of the name to the last one of the value.
        let begun = rest.len() - behind_name.len() - name.len();
        let text = rest.get(begun..rest.len() - after.len());
        if let (Ok(name), Some(text)) = (read_json(name), text) {
            found.push((name, text));
        }
        rest = after;
    }
    found
}

/// The next value behind spaces, a comma or a colon, and what follows it; none at the end of the
/// surrounding value.
fn next_value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b':');
    let start = bytes.iter().position(|byte| !is_between(byte))?;
    let rest = bytes.get(start..)?;
    if matches!(rest.first(), None | Some(b']' | b'}')) {
        return None;
    }
    rest.split_at_checked(value_length(rest))
}

/// A text in the form that the strict reader takes.
struct Mended {
    text: Vec<u8>,
    /// Whether other readers see something else in it: what lies too deep, and what may stand for bytes.
    in_doubt: bool,
}

/// Mends a text; none when nothing has to be changed.
fn mended(bytes: &[u8]) -> Option<Mended> {
    let text = String::from_utf8_lossy(bytes);
    let mut rest = text.as_bytes();
    let mut in_doubt = rest != bytes;
    let mut out = Vec::with_capacity(rest.len());
    let mut depth = 0_usize;
    while let Some(first) = rest.first() {
        let mut token = token(rest);
        match first {
            b'{' | b'[' if depth == DEPTH => {
                token = rest.get(..value_length(rest)).unwrap_or(rest);
                // What is no JSON must not become some.
                serde_json::from_slice::<IgnoredAny>(token).ok()?;
                out.extend_from_slice(b"null");
                in_doubt = true;
            }
            b'{' | b'[' => {
                depth += 1;
                out.push(*first);
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                out.push(*first);
            }
            b'"' => in_doubt |= mend_string(token, &mut out),
            b'-' | b'0'..=b'9' if is_too_large(token) => out.extend_from_slice(b"null"),
            _ => out.extend_from_slice(token),
        }
        rest = rest.get(token.len()..).unwrap_or_default();
    }
    (out != bytes).then_some(Mended {
        text: out,
        in_doubt,
    })
}

/// The part that the text begins with: a string, a word or number, or one byte.
fn token(bytes: &[u8]) -> &[u8] {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let length = match bytes.first() {
        Some(b'"') => string_length(bytes),
        Some(byte) if is_word(byte) => {
            let end = bytes.iter().position(|byte| !is_word(byte));
            end.unwrap_or(bytes.len())
        }
        Some(_) | None => 1,
    };
    bytes.get(..length).unwrap_or(bytes)
}

/// The length of a string with its quotes.
fn string_length(bytes: &[u8]) -> usize {
    let mut escaped = false;
    for (at, byte) in bytes.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    bytes.len()
}

/// The length of the value that the text begins with.
fn value_length(bytes: &[u8]) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = bytes.get(at..)
        && let Some(first) = rest.first()
    {
        match first {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += token(rest).len();
        if depth == 0 {
            break;
        }
    }
    at.min(bytes.len())
}

fn is_too_large(number: &[u8]) -> bool {
    let text = std::str::from_utf8(number).ok();
    let value = text.and_then(|text| text.parse::<f64>().ok());
    value.is_some_and(f64::is_infinite) && serde_json::from_slice::<IgnoredAny>(number).is_ok()
}

/// Copies a string, with U+FFFD for each half of a surrogate pair. Tells of those by which Python writes bytes that
/// are no text: to it they are these bytes.
fn mend_string(string: &[u8], out: &mut Vec<u8>) -> bool {
    let mut rest = string;
    let mut may_be_bytes = false;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (plain, escape) = rest.split_at(at);
        out.extend_from_slice(plain);
        let next = || escape.get(6..).and_then(code_unit);
        let (length, is_half) = match code_unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(next(), Some(0xDC00..=0xDFFF)) => (12, false),
            Some(0xD800..=0xDFFF) => (6, true),
            Some(_) => (6, false),
            None => (2, false),
        };
        may_be_bytes |= is_half && matches!(code_unit(escape), Some(0xDC80..=0xDCFF));
        let (escape, after) = escape.split_at(length.min(escape.len()));
        out.extend_from_slice(if is_half {
            REPLACEMENT.as_bytes()
        } else {
            escape
        });
        rest = after;
    }
    out.extend_from_slice(rest);
    may_be_bytes
}

/// The UTF-16 unit of an escape `\uXXXX`.
fn code_unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(b"\\u")?.get(..4)?;
    let digits = std::str::from_utf8(digits).ok()?;
    let all = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    all.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn read(text: &str) -> Value {
        read_json(text).unwrap()
    }

    #[test]
    fn half_a_surrogate_pair_is_a_replacement_character() {
        assert_eq!(read(r#"{"a":"\ud83d cut"}"#), json!({"a": "\u{fffd} cut"}));
        assert_eq!(read(r#""\uDE00\ud83d""#), "\u{fffd}\u{fffd}");
        assert_eq!(read(r#""\ud83d\ud83d\ude00!""#), "\u{fffd}\u{1f600}!");
        assert_eq!(
            read(r#"["\\ud83d","\ud83d"]"#),
            json!(["\\ud83d", "\u{fffd}"])
        );
        assert_eq!(read(r#"{"\ud83d":1}"#), json!({"\u{fffd}": 1}));
        assert!(read_json::<Value>(r#""\ud83d\q""#).is_err());
    }

    #[test]
    fn numbers_that_are_too_large_and_what_lies_too_deep_are_null() {
        assert_eq!(
            read(r#"{"a":[1e400,-1e999],"b":"1e400"}"#),
            json!({"a": [null, null], "b": "1e400"})
        );
        assert!(read_json::<Value>("01e400").is_err());
        let deep = format!(
            "{{\"d\":{}1{},\"id\":\"x\"}}",
            "[".repeat(300),
            "]".repeat(300)
        );
        assert_eq!(read(&deep)["id"], "x");
        assert!(read(&deep)["d"][0][0][0].is_array());
        let broken = format!("{{\"d\":{}1 2{}}}", "[".repeat(300), "]".repeat(300));
        assert!(read_json::<Value>(broken).is_err());
        let deepest = "[".repeat(1_000_000);
        assert!(read_json::<Value>(deepest).is_err());
        assert!(is_json(format!(
            "{}{}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        )));
    }

    #[test]
    fn only_what_every_reader_takes_alike_is_mended_for_certain() {
        let mended = |text: &str| mended_json(text).map(|text| String::from_utf8(text).unwrap());
        assert_eq!(
            mended(r#"{"a":"\ud83d cut","n":[1e400]}"#).as_deref(),
            Some("{\"a\":\"\u{fffd} cut\",\"n\":[null]}")
        );
        assert_eq!(mended(r#"{"a":"\ud83d\ude00"}"#), None);
        assert_eq!(mended(r#"{"a":"\udcff"}"#), None);
        assert_eq!(mended_json(b"{\"a\":\"\xff\"}"), None);
        let deep = format!("{}\"\\ud83d\"{}", "[".repeat(300), "]".repeat(300));
        assert_eq!(mended(&deep), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let value: Value = read_json(b"{\"a\":\"\xff\"}").unwrap();
        assert_eq!(value, json!({"a": "\u{fffd}"}));
        assert!(is_json(b"\"\xff\""));
        assert!(read_json::<Value>(b"\xff").is_err());
    }

    #[test]
    fn a_typed_value_is_read_too() {
        let texts: Vec<String> = read_json(r#"["\udc00"]"#).unwrap();
        assert_eq!(texts, ["\u{fffd}"]);
        assert!(read_json::<Vec<String>>(r#"["\udc00", 1]"#).is_err());
    }

    #[test]
    fn fields_that_stay_keep_their_source_text() {
        let source = br#" { "t" : "\ud83d","n":1e400, "s":"open", "l":[ "}", "\ude00" ] } "#;
        let old: Map<String, Value> = read_json(source).unwrap();
        let mut new = old.clone();
        new.insert("s".into(), "closed".into());
        new.insert("x".into(), 1.into());
        assert_eq!(
            String::from_utf8(rewritten(source, &old, &new)).unwrap(),
            r#"{"t" : "\ud83d","n":1e400,"s":"closed","l":[ "}", "\ude00" ],"x":1}"#
        );
    }

    #[test]
    fn values_are_found_in_a_longer_text() {
        assert_eq!(
            first_value(b" {\"a\":[1,\"}\"]} rest"),
            b"{\"a\":[1,\"}\"]}"
        );
        assert_eq!(first_value(b"{\"a\":"), b"{\"a\":");
        assert_eq!(
            list_items(b"[ {\"a\":1} , true,\"]\" ]"),
            [b"{\"a\":1}".as_slice(), b"true", b"\"]\""]
        );
        assert!(list_items(b"{}").is_empty());
    }

    proptest! {
        #[test]
        fn nothing_makes_it_fail_and_what_is_strict_is_read_as_before(text in "[\\[\\]{}\",:0-9eE.\\\\uda-f \u{e9}-]{0,40}") {
            let strict = serde_json::from_str::<Value>(&text).ok();
            let tolerant = read_json::<Value>(&text).ok();
            if strict.is_some() {
                prop_assert_eq!(&tolerant, &strict);
            }
            if tolerant.is_some() {
                prop_assert!(is_json(&text));
            }
            first_value(text.as_bytes());
            list_items(text.as_bytes());
            rewritten(text.as_bytes(), &Map::new(), &Map::new());
        }
    }
}
