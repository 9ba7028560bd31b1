//! The recording of a terminal as an asciicast v2 file, capped in size.
//!
//! Plays in any asciicast player. Its folder can only be read by its owner, and secrets are taken
//! out before a byte is written: what may be the start of one waits in memory for the next output,
//! which delays nobody, because those who watch get their bytes elsewhere.

use crate::platform::{FsError, clock, fs};
use crate::text::{RedactingStream, Redactor};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

/// A recording stops at this many bytes and says so.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Writes one cast file, each event at once: what is in memory is gone with a host that is killed.
#[derive(Debug)]
pub struct Recorder {
    file: File,
    start: Instant,
    written: u64,
    redactor: RedactingStream,
    /// What may be written; its end may be a character that has not arrived whole.
    pending: Vec<u8>,
    stopped: bool,
}

impl Recorder {
    pub fn create(
        path: &Path,
        (cols, rows): (u16, u16),
        title: &str,
        secrets: Arc<Redactor>,
    ) -> Result<Self, FsError> {
        if let Some(dir) = path.parent() {
            fs::create_private_dir(dir)?;
        }
        let open = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(true)
            .open(path);
        let file = open.map_err(|source| FsError {
            op: "create",
            path: path.to_owned(),
            source,
        })?;
        let header = serde_json::json!({
            "version": 2, "width": cols, "height": rows,
            "timestamp": clock::now().0 / 1000, "title": title,
        });
        let mut recorder = Self {
            file,
            start: Instant::now(),
            written: 0,
            redactor: RedactingStream::new(secrets),
            pending: Vec::new(),
            stopped: false,
        };
        recorder.line(header.to_string());
        Ok(recorder)
    }

    pub fn output(&mut self, bytes: &[u8]) {
        if self.stopped {
            return;
        }
        self.redactor.push(bytes, &mut self.pending);
        let whole = whole_characters(&self.pending);
        let rest = self.pending.split_off(whole);
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending = rest;
        if !text.is_empty() {
            self.event("o", &text);
        }
    }

    pub fn resize(&mut self, cols: u16, rows: u16) {
        self.event("r", &format!("{cols}x{rows}"));
    }

    fn event(&mut self, kind: &str, text: &str) {
        let at = self.start.elapsed().as_secs_f64();
        let micros = (at * 1e6).round() / 1e6;
        let line = serde_json::json!([micros, kind, text]).to_string();
        self.line(line);
        if self.written > MAX_BYTES && !self.stopped {
            self.stopped = true;
            let note = serde_json::json!([micros, "m", "recording stopped: size limit"]);
            self.line(note.to_string());
        }
    }

    // A recording that cannot be written must not stop the agent: it ends here.
    fn line(&mut self, mut line: String) {
        line.push('\n');
        self.written += line.len() as u64;
        if self.file.write_all(line.as_bytes()).is_err() {
            self.stopped = true;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if !self.stopped {
            self.redactor.finish(&mut self.pending);
            let rest = String::from_utf8_lossy(&self.pending).into_owned();
            if !rest.is_empty() {
                self.event("o", &rest);
            }
        }
    }
}

/// Length of the prefix that does not end inside a character.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Ok(_) => bytes.len(),
        // `error_len` is `None` when the input ends in the middle of a character.
        Err(e) if e.error_len().is_none() => e.valid_up_to(),
        Err(_) => {
            let tail = bytes
                .iter()
                .rev()
                .take(3)
                .take_while(|b| **b >= 0x80)
                .count();
            bytes.len() - tail
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::secret_values;
    use proptest::prelude::*;

    const SECRET: &str = "q7#Zr!0x-Wv|9 kTp2";

    fn secrets() -> Arc<Redactor> {
        Arc::new(Redactor::new(&secret_values([("DEPLOY_TOKEN", SECRET)])))
    }

    /// What a player would show of a recording made of these pieces.
    fn played(pieces: &[&[u8]]) -> String {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.cast");
        let mut recorder = Recorder::create(&path, (80, 24), "t", secrets()).unwrap();
        for piece in pieces {
            recorder.output(piece);
        }
        drop(recorder);
        let text = std::fs::read_to_string(&path).unwrap();
        let shown = text.lines().skip(1).map(|line| {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            event[2].as_str().unwrap().to_owned()
        });
        shown.collect()
    }

    proptest! {
        #[test]
        fn a_recording_holds_everything_but_the_secret(before in "\\PC{0,20}", after in "[a-z é世\r\n]{0,20}", size in 1..12usize) {
            let text = format!("{before} \x1b[0m{SECRET}\x1b[0m {after}");
            let expected = format!("{before} \x1b[0m[REDACTED]\x1b[0m {after}");
            let pieces: Vec<&[u8]> = text.as_bytes().chunks(size).collect();
            prop_assume!(!before.contains(['\u{1b}', ':', '-']));
            prop_assert_eq!(played(&pieces), expected);
        }
    }

    #[test]
    fn what_was_held_back_is_written_at_the_end() {
        assert_eq!(played(&[b"abc q7#Zr"]), "abc q7#Zr");
    }

    #[test]
    fn a_recording_is_in_its_file_while_it_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.cast");
        let mut recorder = Recorder::create(&path, (80, 24), "t", secrets()).unwrap();
        let lines = || std::fs::read_to_string(&path).unwrap();
        assert!(lines().contains("\"version\":2"), "{}", lines());
        recorder.output(b"one\r\n");
        assert!(lines().contains("\"o\",\"one\\r\\n\"]\n"), "{}", lines());
        drop(recorder);
    }

    #[test]
    fn a_character_split_between_two_reads_is_recorded_whole() {
        let bytes: Vec<[u8; 1]> = "aé世".bytes().map(|b| [b]).collect();
        let pieces: Vec<&[u8]> = bytes.iter().map(<[u8; 1]>::as_slice).collect();
        assert_eq!(played(&pieces), "aé世");
    }
}
