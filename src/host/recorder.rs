//! The recording of a terminal as an asciicast v2 file, capped in size.
//!
//! Plays in any asciicast player. Secrets are not looked for here: a recording is as private
//! as the terminal was, and its folder can only be read by its owner.

use crate::platform::{FsError, clock, fs};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

/// A recording stops at this many bytes and says so.
const MAX_BYTES: u64 = 32 * 1024 * 1024;

/// Writes one cast file.
#[derive(Debug)]
pub struct Recorder {
    file: BufWriter<File>,
    start: Instant,
    written: u64,
    /// The start of a character whose end has not arrived yet.
    pending: Vec<u8>,
    stopped: bool,
}

impl Recorder {
    pub fn create(path: &Path, cols: u16, rows: u16, title: &str) -> Result<Self, FsError> {
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
            file: BufWriter::new(file),
            start: Instant::now(),
            written: 0,
            pending: Vec::new(),
            stopped: false,
        };
        recorder.line(&header.to_string());
        Ok(recorder)
    }

    pub fn output(&mut self, bytes: &[u8]) {
        if self.stopped {
            return;
        }
        self.pending.extend_from_slice(bytes);
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
        self.line(&line);
        if self.written > MAX_BYTES && !self.stopped {
            self.stopped = true;
            let note = serde_json::json!([micros, "m", "recording stopped: size limit"]);
            self.line(&note.to_string());
        }
    }

    // A recording that cannot be written must not stop the agent: it ends here.
    fn line(&mut self, line: &str) {
        let written = self
            .file
            .write_all(line.as_bytes())
            .and_then(|()| self.file.write_all(b"\n"));
        self.written += line.len() as u64 + 1;
        if written.is_err() {
            self.stopped = true;
        }
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nothing can be done about a full disk here; the screen itself is stored elsewhere.
        drop(self.file.flush());
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

    #[test]
    fn a_character_split_between_two_reads_is_recorded_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.cast");
        let mut recorder = Recorder::create(&path, 80, 24, "t").unwrap();
        let bytes = "aé世".as_bytes();
        for byte in bytes {
            recorder.output(&[*byte]);
        }
        drop(recorder);
        let text = std::fs::read_to_string(&path).unwrap();
        let shown: String = text
            .lines()
            .skip(1)
            .map(|l| {
                serde_json::from_str::<serde_json::Value>(l).unwrap()[2]
                    .as_str()
                    .unwrap()
                    .to_owned()
            })
            .collect();
        assert_eq!(shown, "aé世");
    }
}
