//! Files of one JSON object per line. A line that nobody changes keeps its bytes, and a line that
//! cannot be read is kept where it is.

use serde_json::{Map, Value};

use super::json::to_compact_json;
use super::tolerant::{is_strict_json, read_json, rewritten};

/// One line that is not blank.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonLine {
    /// Its bytes, which need not be text where others have written them.
    bytes: Vec<u8>,
    object: Option<Map<String, Value>>,
}

impl JsonLine {
    /// A line with this object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self {
            bytes: print(&object).into_bytes(),
            object: Some(object),
        }
    }

    /// The object; `None` for a line that holds something else.
    pub fn object(&self) -> Option<&Map<String, Value>> {
        self.object.as_ref()
    }

    /// The text field of that name.
    pub fn text_of(&self, field: &str) -> Option<&str> {
        self.object.as_ref()?.get(field)?.as_str()
    }

    /// Puts another object in this place. Where not all of the line could be understood, the fields
    /// that stay the same keep their bytes.
    pub fn replace(&mut self, object: Map<String, Value>) {
        match &self.object {
            Some(old) if !is_strict_json(&self.bytes) => {
                self.bytes = rewritten(&self.bytes, old, &object);
                self.object = Some(object);
            }
            Some(_) | None => *self = Self::new(object),
        }
    }
}

/// Reads all lines that are not blank.
pub fn parse_jsonl(content: impl AsRef<[u8]>) -> Vec<JsonLine> {
    without_marks(content.as_ref())
        .split(|byte| *byte == b'\n')
        .map(|line| std::str::from_utf8(line).map_or(line, |text| text.trim().as_bytes()))
        .filter(|line| !line.trim_ascii().is_empty())
        .map(|line| JsonLine {
            bytes: line.to_owned(),
            object: read_json(line).ok(),
        })
        .collect()
}

/// Without the byte order marks that some editors begin a file with.
fn without_marks(mut content: &[u8]) -> &[u8] {
    while let Some(rest) = content.strip_prefix("\u{feff}".as_bytes()) {
        content = rest;
    }
    content
}

/// Writes the lines, each with its newline.
pub fn print_jsonl(lines: &[JsonLine]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines {
        out.extend_from_slice(&line.bytes);
        out.push(b'\n');
    }
    out
}

fn print(object: &Map<String, Value>) -> String {
    // The standard writer is only another spelling of numbers; an object always has one.
    to_compact_json(object).unwrap_or_else(|_| Value::Object(object.clone()).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn untouched_and_unreadable_lines_keep_their_bytes() {
        let text = "{ \"id\": 1.50, \"x\":\"\\u00e9\" }\nnot json\n[1]\n\n  {\"a\":1}\r\n";
        let lines = parse_jsonl(text);
        assert_eq!(lines.len(), 4);
        assert_eq!(lines.iter().filter(|l| l.object().is_some()).count(), 2);
        assert_eq!(
            print_jsonl(&lines),
            b"{ \"id\": 1.50, \"x\":\"\\u00e9\" }\nnot json\n[1]\n{\"a\":1}\n"
        );
    }

    #[test]
    fn a_line_that_is_no_text_keeps_its_bytes_and_hides_no_other() {
        let content = b"{\"a\":1}\n{\"b\":\"\xff\"} \r\n{\"c\":3}\n";
        let lines = parse_jsonl(content);
        let readable: Vec<bool> = lines.iter().map(|l| l.object().is_some()).collect();
        assert_eq!(readable, [true, true, true]);
        assert_eq!(lines[1].text_of("b"), Some("\u{fffd}"));
        assert_eq!(print_jsonl(&lines), content);
    }

    #[test]
    fn a_line_that_only_javascript_reads_keeps_the_fields_that_nobody_changes() {
        let mut lines = parse_jsonl(r#"{"id":"s-1","title":"\ud83d cut","status":"open"}"#);
        assert_eq!(lines[0].text_of("title"), Some("\u{fffd} cut"));
        let mut object = lines[0].object().unwrap().clone();
        object.insert("status".into(), "closed".into());
        lines[0].replace(object);
        assert_eq!(lines[0].text_of("status"), Some("closed"));
        assert_eq!(
            print_jsonl(&lines),
            b"{\"id\":\"s-1\",\"title\":\"\\ud83d cut\",\"status\":\"closed\"}\n"
        );
    }

    #[test]
    fn fields_keep_their_order() {
        let mut lines = parse_jsonl("{\"z\":1,\"a\":2}");
        let mut object = lines[0].object().unwrap().clone();
        object.insert("z".into(), 3.into());
        object.insert("b".into(), "x".into());
        lines[0].replace(object);
        assert_eq!(print_jsonl(&lines), b"{\"z\":3,\"a\":2,\"b\":\"x\"}\n");
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::from),
            any::<String>().prop_map(Value::String),
        ];
        leaf.prop_recursive(3, 16, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
                prop::collection::vec((any::<String>(), inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_object_survives(objects in prop::collection::vec(
            prop::collection::vec((any::<String>(), value()), 0..5), 0..5)) {
            let lines: Vec<JsonLine> = objects
                .into_iter()
                .map(|fields| JsonLine::new(fields.into_iter().collect()))
                .collect();
            let read = parse_jsonl(print_jsonl(&lines));
            prop_assert_eq!(read, lines);
        }

        #[test]
        fn anything_can_be_read_and_then_stays_the_same(bytes in any::<Vec<u8>>()) {
            let once = print_jsonl(&parse_jsonl(&bytes));
            prop_assert_eq!(print_jsonl(&parse_jsonl(&once)), once);
        }
    }
}
