//! Reading the log files of agents: whole, or what has been added since the last look.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::platform::ProjectPaths;
use crate::platform::fs::subfolders;
use crate::text::read_json;
use crate::types::Timestamp;

/// The log of one session, in its folder.
pub(super) const LOG_FILE: &str = "events.ndjson";

/// Which entries are wanted.
pub(super) struct Filter {
    pub(super) agent: Option<String>,
    pub(super) level: Option<String>,
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
}

/// One line of a log file, passed on as it is.
pub(super) struct Entry {
    pub(super) object: Map<String, Value>,
    at: Option<Timestamp>,
}

impl Entry {
    /// Reads a line; none when it is no object with a time and an event.
    fn parse(line: &str) -> Option<Self> {
        let Value::Object(object) = read_json(line).ok()? else {
            return None;
        };
        object.get("event")?;
        let at = object.get("timestamp")?.as_str().and_then(Timestamp::parse);
        Some(Self { object, at })
    }

    /// A field, when it is a text.
    pub(super) fn text(&self, key: &str) -> &str {
        self.object.get(key).and_then(Value::as_str).unwrap_or("")
    }
}

impl Filter {
    fn admits(&self, entry: &Entry) -> bool {
        let level = self
            .level
            .as_deref()
            .is_none_or(|level| entry.text("level") == level);
        let since = self
            .since
            .is_none_or(|since| entry.at.is_some_and(|at| at >= since));
        let until = self
            .until
            .is_none_or(|until| entry.at.is_some_and(|at| at <= until));
        level && since && until
    }
}

/// The log files of a project, and up to where each has been read.
pub(super) struct LogFiles<'a> {
    paths: &'a ProjectPaths,
    filter: &'a Filter,
    read: HashMap<PathBuf, Place>,
}

/// Up to where a file has been read.
#[derive(Debug, Clone, Default)]
struct Place {
    end: u64,
    /// The last bytes before the end: where others stand there, the file was begun anew.
    before: Vec<u8>,
}

/// As many as no two logs have in common at the same place: several times are among them.
const REMEMBERED: usize = 512;

impl<'a> LogFiles<'a> {
    pub(super) fn new(paths: &'a ProjectPaths, filter: &'a Filter) -> Self {
        Self {
            paths,
            filter,
            read: HashMap::new(),
        }
    }

    /// Every `events.ndjson`, by agent and session.
    pub(super) fn found(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for folder in subfolders(&self.paths.file("logs")) {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            if self.filter.agent.as_ref().is_some_and(|a| *a != name) {
                continue;
            }
            found.extend(
                subfolders(&folder)
                    .into_iter()
                    .map(|session| session.join(LOG_FILE))
                    .filter(|file| file.is_file()),
            );
        }
        found
    }

    /// The wanted entries that were not there at the last call, by time. A line that is still being
    /// written is left for the next call, unless this is the `last` one.
    pub(super) fn news(&mut self, last: bool) -> Vec<Entry> {
        let mut entries = Vec::new();
        for file in self.found() {
            let before = self.read.get(&file).cloned().unwrap_or_default();
            // A file that cannot be read is one without entries.
            let Ok((text, place)) = added(&file, before, last) else {
                continue;
            };
            entries.extend(text.lines().filter_map(Entry::parse));
            self.read.insert(file, place);
        }
        entries.retain(|entry| self.filter.admits(entry));
        entries.sort_by(|left, right| left.text("timestamp").cmp(right.text("timestamp")));
        entries
    }
}

/// What a file holds behind a place, and where that ends; all of a file that was begun anew.
fn added(path: &Path, place: Place, with_unfinished: bool) -> std::io::Result<(String, Place)> {
    let mut file = File::open(path)?;
    let place = if goes_on(&mut file, &place)? {
        place
    } else {
        Place::default()
    };
    file.seek(SeekFrom::Start(place.end))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    if !with_unfinished {
        let finished = bytes.iter().rposition(|byte| *byte == b'\n');
        bytes.truncate(finished.map_or(0, |last| last + 1));
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let end = place.end + bytes.len() as u64;
    let mut before = place.before;
    before.append(&mut bytes);
    before.drain(..before.len().saturating_sub(REMEMBERED));
    Ok((text, Place { end, before }))
}

/// Whether the file still holds what was read of it last.
fn goes_on(file: &mut File, place: &Place) -> std::io::Result<bool> {
    if file.metadata()?.len() < place.end {
        return Ok(false);
    }
    let mut bytes = vec![0; place.before.len()];
    file.seek(SeekFrom::Start(place.end - bytes.len() as u64))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes == place.before)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "lines that are not objects with `timestamp` and `event` are skipped" (commands §6).
    #[test]
    fn lines_without_time_or_event_are_skipped() {
        assert!(
            Entry::parse("{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"event\":\"x\"}").is_some()
        );
        assert!(Entry::parse("{\"timestamp\":1767225600000,\"event\":null}").is_some());
        assert!(Entry::parse("{\"event\":\"x\"}").is_none());
        assert!(Entry::parse("{\"timestamp\":\"2026-01-01T00:00:00.000Z\"}").is_none());
        assert!(Entry::parse("[1]").is_none() && Entry::parse("{broken").is_none());
    }

    fn append(path: &Path, text: &str) {
        use std::io::Write;
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let file = File::options().create(true).append(true).open(path);
        file.unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn line(second: u32, event: &str) -> String {
        format!("{{\"timestamp\":\"2026-01-01T00:00:{second:02}.000Z\",\"event\":\"{event}\"}}\n")
    }

    #[test]
    fn an_entry_that_arrives_late_is_printed_once_and_no_other_twice() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        let log = |agent: &str| paths.file("logs").join(agent).join("s/events.ndjson");
        let filter = Filter {
            agent: None,
            level: None,
            since: None,
            until: None,
        };
        let mut files = LogFiles::new(&paths, &filter);
        let mut news = || {
            let entries = files.news(false);
            let events = entries.iter().map(|entry| entry.text("event").to_owned());
            events.collect::<Vec<_>>()
        };
        append(&log("a"), &line(5, "first"));
        assert_eq!(news(), ["first"]);
        append(&log("b"), &line(4, "earlier"));
        append(&log("a"), &line(6, "later"));
        let half = line(7, "half");
        append(&log("a"), &half[..20]);
        assert_eq!(news(), ["earlier", "later"]);
        append(&log("a"), &half[20..]);
        assert_eq!(news(), ["half"]);
        std::fs::write(log("a"), line(8, "anew")).unwrap();
        assert_eq!(news(), ["anew"]);
        assert!(news().is_empty());
        // Longer than the file in whose place it comes.
        let aside = dir.path().join("aside");
        std::fs::write(&aside, line(9, "moved") + &line(10, "over")).unwrap();
        std::fs::rename(&aside, log("a")).unwrap();
        assert_eq!(news(), ["moved", "over"]);
        std::fs::remove_file(log("a")).unwrap();
        assert!(news().is_empty());
        append(
            &log("a"),
            &(line(11, "made") + &line(12, "again") + &line(13, "longer")),
        );
        assert_eq!(news(), ["made", "again", "longer"]);
        append(&log("a"), &line(14, "on"));
        assert_eq!(news(), ["on"]);
    }
}
