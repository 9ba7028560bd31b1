//! Looking for secrets in what has been stored already, and taking them out of files.
//!
//! Says where and of which kind, never what.

use std::sync::Arc;

use serde_json::Value;

use super::utf16;
use crate::text::{RedactingStream, Redactor};

/// A secret in a file, by its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFile {
    /// Counted from 1.
    pub line: usize,
    pub kind: String,
}

/// A file without its secrets, and what was found in it.
#[derive(Debug)]
pub struct Cleaned {
    pub bytes: Vec<u8>,
    pub found: Vec<InFile>,
}

/// Looks through a text file: by two bytes for each character where it may be of that kind, and by its bytes in any case.
pub fn clean_file(redactor: &Arc<Redactor>, bytes: &[u8]) -> Cleaned {
    let Some(wide) = utf16::clean(redactor, bytes) else {
        return clean_text(redactor, bytes);
    };
    let mut cleaned = clean_text(redactor, &wide.bytes);
    cleaned.found.extend(wide.found);
    cleaned.found.sort_by_key(|found| found.line);
    cleaned
}

/// The same for one byte or more for each character, as nearly every file has.
pub(super) fn clean_text(redactor: &Arc<Redactor>, bytes: &[u8]) -> Cleaned {
    let mut stream = RedactingStream::new(Arc::clone(redactor));
    let (mut out, mut found) = (Vec::with_capacity(bytes.len()), Vec::new());
    for (n, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        let before = stream.found().len();
        stream.push(line, &mut out);
        note(&stream, before, n + 1, &mut found);
    }
    let before = stream.found().len();
    stream.finish(&mut out);
    let last = bytes.split_inclusive(|b| *b == b'\n').count();
    note(&stream, before, last, &mut found);
    if let Some(whole) = Redactor::without_torn_keys(&out) {
        found.extend(torn_keys(bytes));
        found.sort_by_key(|f| f.line);
        out = whole;
    }
    Cleaned { bytes: out, found }
}

/// The rests of private keys, by the lines they begin in.
fn torn_keys(bytes: &[u8]) -> impl Iterator<Item = InFile> {
    Redactor::torn_keys(bytes).into_iter().map(|key| {
        let before = bytes.get(..key.start).unwrap_or_default();
        InFile {
            line: before.split(|byte| *byte == b'\n').count(),
            kind: Redactor::TORN_KEY.to_owned(),
        }
    })
}

/// Looks through a recording. Its text goes on from event to event; the events themselves, their
/// times and everything without a secret keep their bytes.
pub fn clean_cast(redactor: &Arc<Redactor>, bytes: &[u8]) -> Cleaned {
    let mut stream = RedactingStream::new(Arc::clone(redactor));
    let (mut out, mut found) = (Vec::with_capacity(bytes.len()), Vec::new());
    // Text of the last event that may go on in the next one.
    let mut waiting: Option<(usize, Event)> = None;
    for (n, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
        let Some(event) = Event::parse(line) else {
            flush(&mut waiting, &mut out);
            out.extend_from_slice(line);
            continue;
        };
        let before = stream.found().len();
        let mut text = Vec::new();
        stream.push(event.text.as_bytes(), &mut text);
        note(&stream, before, n + 1, &mut found);
        // What was held back belongs to the event before; it comes out at the start of this one.
        flush(&mut waiting, &mut out);
        waiting = Some((n, event.with(text, line)));
    }
    let before = stream.found().len();
    let mut rest = Vec::new();
    stream.finish(&mut rest);
    if let Some((n, event)) = &mut waiting {
        note(&stream, before, *n + 1, &mut found);
        event.shown.extend(rest);
    }
    flush(&mut waiting, &mut out);
    Cleaned { bytes: out, found }
}

fn note(stream: &RedactingStream, before: usize, line: usize, found: &mut Vec<InFile>) {
    let new = stream.found().iter().skip(before);
    found.extend(new.map(|kind| InFile {
        line,
        kind: kind.clone(),
    }));
}

fn flush(waiting: &mut Option<(usize, Event)>, out: &mut Vec<u8>) {
    if let Some((_, event)) = waiting.take() {
        out.extend(event.line());
    }
}

/// One event of output.
struct Event {
    time: Value,
    text: String,
    shown: Vec<u8>,
    raw: Vec<u8>,
}

impl Event {
    fn parse(line: &[u8]) -> Option<Self> {
        let Ok(Value::Array(parts)) = serde_json::from_slice(line) else {
            return None;
        };
        let [time, Value::String(kind), Value::String(text)] = parts.as_slice() else {
            return None;
        };
        (kind == "o").then(|| Self {
            time: time.clone(),
            text: text.clone(),
            shown: Vec::new(),
            raw: Vec::new(),
        })
    }

    fn with(mut self, shown: Vec<u8>, raw: &[u8]) -> Self {
        self.shown = shown;
        self.raw = raw.to_vec();
        self
    }

    fn line(&self) -> Vec<u8> {
        if self.shown == self.text.as_bytes() {
            return self.raw.clone();
        }
        let text = String::from_utf8_lossy(&self.shown);
        let mut line = serde_json::json!([self.time, "o", text]).to_string();
        line.push('\n');
        line.into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::secret_values;

    fn redactor() -> Arc<Redactor> {
        Arc::new(Redactor::new(&secret_values([("A_TOKEN", "q7#Zr!0x-Wv")])))
    }

    fn at(line: usize, kind: &str) -> InFile {
        InFile {
            line,
            kind: kind.to_owned(),
        }
    }

    #[test]
    fn lines_are_named_and_the_rest_keeps_its_bytes() {
        let cleaned = clean_text(&redactor(), b"a\r\nx ghp_abc1 y\n\xff\nq7#Zr!0x-Wv");
        assert_eq!(cleaned.bytes, b"a\r\nx [REDACTED] y\n\xff\n[REDACTED]");
        assert_eq!(
            cleaned.found,
            [at(2, "GitHub token"), at(4, "value of A_TOKEN")]
        );
    }

    #[test]
    fn a_key_without_its_first_line_is_named_by_the_line_it_begins_in() {
        let log =
            b"see ghp_abc1\nb3BlbnNzaC1rZXktdjEA\nAAAA=\n-----END OPENSSH PRIVATE KEY-----\nafter";
        let cleaned = clean_text(&redactor(), log);
        assert_eq!(cleaned.bytes, b"see [REDACTED]\n[REDACTED]\nafter");
        assert_eq!(cleaned.found, [at(1, "GitHub token"), at(2, "private key")]);
    }

    #[test]
    fn a_recording_is_read_across_its_events() {
        let cast = b"{\"version\":2,\"width\":80}\n[0.1,\"o\",\"see q7#Z\"]\n[0.2, \"r\", \"90x20\"]\n[0.5,\"o\",\"r!0x-Wv end\"]\n[ 0.6 , \"o\", \"same\" ]\n";
        let cleaned = clean_cast(&redactor(), cast);
        assert_eq!(cleaned.found, [at(4, "value of A_TOKEN")]);
        assert_eq!(
            String::from_utf8(cleaned.bytes).unwrap(),
            "{\"version\":2,\"width\":80}\n[0.1,\"o\",\"see \"]\n[0.2, \"r\", \"90x20\"]\n[0.5,\"o\",\"[REDACTED] end\"]\n[ 0.6 , \"o\", \"same\" ]\n"
        );
        let clean = b"{\"version\":2}\n[0.1, \"o\", \"q7#\"]\n";
        assert_eq!(clean_cast(&redactor(), clean).bytes, clean);
    }
}
