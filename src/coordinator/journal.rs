//! What the loop did, as log lines that `grove logs --agent coordinator` shows.

use super::post::SENDER;
use super::work::{Listener, Notice};
use crate::platform::{FsError, ProjectPaths, clock, fs};
use serde_json::json;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// The log of one life of the loop.
#[derive(Debug)]
pub struct Journal {
    file: Mutex<File>,
    path: PathBuf,
}

impl Journal {
    /// Opens the log of a life that begins now.
    pub fn open(paths: &ProjectPaths) -> Result<Self, FsError> {
        let dir = paths.file("logs").join(SENDER).join(clock::now().stamp());
        fs::create_dir_all(&dir)?;
        let path = dir.join("events.ndjson");
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.map_err(|source| FsError {
            op: "open",
            path: path.clone(),
            source,
        })?;
        Ok(Self {
            file: Mutex::new(file),
            path,
        })
    }

    fn write(&self, level: &str, event: &str, text: &str) {
        let line = json!({"timestamp": clock::now().iso(), "level": level, "event": event,
            "agentName": SENDER, "data": {"message": text}});
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(e) = writeln!(file, "{line}") {
            tracing::warn!("{} cannot be written: {e}", self.path.display());
        }
    }

    /// A listener that writes here and to the process's own log.
    pub fn listener(self) -> Listener {
        Arc::new(move |notice| match notice {
            Notice::Did(line) | Notice::Merge { text: line, .. } => {
                tracing::info!("{line}");
                self.write("info", "coordinator.did", &line);
            }
            Notice::Trouble(line) => {
                tracing::warn!("{line}");
                self.write("warn", "coordinator.trouble", &line);
            }
            Notice::Gate { .. } | Notice::MergeEnded { .. } => {}
        })
    }
}
