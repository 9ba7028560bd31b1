//! The file of the groups: read as far as it is understood, written without losing what is not.

use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

use super::{GroupError, TaskGroup};
use crate::platform::lock_file::{LockFile, LockRules};
use crate::platform::{FsError, ProjectPaths, fs};
use crate::text::{is_strict_json, list_items, read_json, rewritten, to_tabbed_json};

const FILE: &str = "groups.json";

/// A change takes milliseconds; nobody else knows this lock.
const LOCK: LockRules = LockRules {
    stale: Duration::from_secs(30),
    patience: Duration::from_secs(10),
    pause: Duration::from_millis(20),
};

/// All groups of a project, in memory.
#[derive(Debug, Clone, Default)]
pub struct Groups {
    /// The groups in the order of the file.
    pub all: Vec<TaskGroup>,
    /// The file's entries as they were read: other versions may keep more in them.
    entries: Vec<Value>,
    /// Their source texts, where writing what was read would lose some of it; else empty.
    sources: Vec<Vec<u8>>,
    /// Why the file is no list of groups, if it is none.
    damage: Option<String>,
}

impl Groups {
    /// Reads the groups; a missing or damaged file means none, and an entry that is no group is
    /// passed over. `problems` names both.
    pub fn load(paths: &ProjectPaths) -> Result<Self, FsError> {
        let bytes = fs::read_bytes_optional(&paths.file(FILE))?.unwrap_or_default();
        if bytes.trim_ascii().is_empty() {
            return Ok(Self::default());
        }
        Ok(match read_json::<Vec<Value>>(&bytes) {
            Ok(entries) => Self {
                all: entries.iter().filter_map(|e| group(e).ok()).collect(),
                entries,
                sources: sources(&bytes),
                damage: None,
            },
            Err(error) => Self {
                damage: Some(error.to_string()),
                ..Self::default()
            },
        })
    }

    /// What of the file could not be understood, one line each.
    pub fn problems(&self) -> Vec<String> {
        let damage = self
            .damage
            .iter()
            .map(|reason| format!("{FILE} is not a list of groups ({reason})"));
        let odd = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                let error = group(entry).err()?;
                let named = ["id", "name"]
                    .iter()
                    .find_map(|key| entry.get(key)?.as_str())
                    .map_or_else(String::new, |name| format!(" \"{name}\""));
                Some(format!(
                    "{FILE}: entry {}{named} is not understood ({error}); it is kept as it is",
                    index + 1
                ))
            });
        damage.chain(odd).collect()
    }

    /// Refuses to go on where writing would lose what is in the file.
    pub fn refuse_damaged(&self, paths: &ProjectPaths) -> Result<(), GroupError> {
        self.damage.as_ref().map_or(Ok(()), |reason| {
            Err(GroupError::Damaged {
                path: paths.file(FILE),
                reason: reason.clone(),
            })
        })
    }

    /// Changes the stored groups; two who do so at once do not undo each other's change.
    pub fn update<T>(
        paths: &ProjectPaths,
        change: impl FnOnce(&mut Self) -> Result<T, GroupError>,
    ) -> Result<T, GroupError> {
        let _lock = LockFile::acquire(&paths.file(FILE), &LOCK)?;
        let mut groups = Self::load(paths)?;
        groups.refuse_damaged(paths)?;
        let result = change(&mut groups)?;
        groups.save(paths)?;
        Ok(result)
    }

    /// Writes what has changed into the entries that were read; everything else stays as it was.
    fn save(mut self, paths: &ProjectPaths) -> Result<(), GroupError> {
        let mut groups = self.all.iter();
        for (place, entry) in self.entries.iter_mut().enumerate() {
            // Groups are never taken away or moved: those understood come in the same order.
            let Ok(before) = group(entry) else { continue };
            if let Some(now) = groups.next().filter(|now| **now != before)
                && let (Value::Object(fields), Value::Object(new)) =
                    (&mut *entry, serde_json::to_value(now)?)
            {
                let old = fields.clone();
                fields.extend(new);
                if let Some(source) = self.sources.get_mut(place) {
                    *source = rewritten(source, &old, fields);
                }
            }
        }
        for new in groups {
            self.entries.push(serde_json::to_value(new)?);
        }
        Ok(fs::write_shared(&paths.file(FILE), self.print()?)?)
    }

    fn print(&self) -> Result<Vec<u8>, GroupError> {
        if self.sources.is_empty() {
            return Ok(to_tabbed_json(&self.entries)?.into_bytes());
        }
        let mut out = b"[".to_vec();
        for (place, entry) in self.entries.iter().enumerate() {
            let between = if place == 0 { "\n\t" } else { ",\n\t" };
            out.extend_from_slice(between.as_bytes());
            match self.sources.get(place) {
                Some(source) => out.extend_from_slice(source),
                None => {
                    let text = to_tabbed_json(entry)?;
                    out.extend_from_slice(text.trim_end().replace('\n', "\n\t").as_bytes());
                }
            }
        }
        out.extend_from_slice(b"\n]\n");
        Ok(out)
    }
}

/// An entry of the file as a group.
fn group(entry: &Value) -> serde_json::Result<TaskGroup> {
    TaskGroup::deserialize(entry)
}

/// The source texts of the entries of a file that would not be the same when written again.
fn sources(bytes: &[u8]) -> Vec<Vec<u8>> {
    if is_strict_json(bytes) {
        return Vec::new();
    }
    list_items(bytes)
        .into_iter()
        .map(<[u8]>::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_file_that_is_no_list_is_not_written_over() {
        for damage in [&b"[{"[..], b"[\xff\xfe]", b"{}"] {
            let dir = tempfile::tempdir().unwrap();
            let paths = ProjectPaths::new(dir.path());
            std::fs::create_dir_all(paths.dir()).unwrap();
            std::fs::write(paths.file(FILE), damage).unwrap();
            let groups = Groups::load(&paths).unwrap();
            assert!(groups.all.is_empty());
            assert_eq!(groups.problems().len(), 1);
            let refused = Groups::update(&paths, |groups| groups.create("g", &ids(&["a"])));
            assert!(matches!(refused, Err(GroupError::Damaged { .. })));
            assert_eq!(std::fs::read(paths.file(FILE)).unwrap(), damage);
        }
    }

    #[test]
    fn a_group_that_only_javascript_reads_is_there_and_keeps_its_text() {
        let dir = tempfile::tempdir().unwrap();
        let paths = ProjectPaths::new(dir.path());
        std::fs::create_dir_all(paths.dir()).unwrap();
        let entry = |id: &str, tail: &str| {
            format!(
                r#"{{"id":"{id}","name":"\ud83d cut","memberIssueIds":["a"],"status":"active","createdAt":"t","completedAt":null{tail}}}"#
            )
        };
        let kept = entry("group-2", r#","more":[1e400]"#);
        let text = format!("[{},{kept}]", entry("group-1", ""));
        std::fs::write(paths.file(FILE), text).unwrap();
        let groups = Groups::load(&paths).unwrap();
        assert_eq!(groups.problems(), [""; 0]);
        assert_eq!(groups.all[0].name, "\u{fffd} cut");
        Groups::update(&paths, |groups| groups.add("group-1", &ids(&["b"]))).unwrap();
        Groups::update(&paths, |groups| groups.create("new", &ids(&["c"]))).unwrap();
        let text = std::fs::read_to_string(paths.file(FILE)).unwrap();
        assert!(text.contains(&kept), "{text}");
        let first = r#""name":"\ud83d cut","memberIssueIds":["a","b"]"#;
        assert!(text.contains(first), "{text}");
        assert_eq!(Groups::load(&paths).unwrap().all.len(), 3, "{text}");
    }
}
