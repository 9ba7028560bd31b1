//! Task groups: named sets of tasks in `groups.json` whose progress is followed together.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;
use thiserror::Error;

use crate::platform::lock_file::{LockError, LockFile, LockRules};
use crate::platform::{FsError, ProjectPaths, clock, fs, random};
use crate::text::{is_strict_json, list_items, read_json, rewritten, to_tabbed_json};
use crate::tracker::TrackerError;

/// A group operation that did not happen.
#[derive(Debug, Error)]
pub enum GroupError {
    /// Somebody else is changing the groups.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file failed.
    #[error(transparent)]
    Fs(#[from] FsError),
    /// The file is no list of groups, so it is not written over.
    #[error("{} is not a list of groups ({reason}); repair it or move it aside", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where it stops being one.
        reason: String,
    },
    /// The groups cannot be written as JSON.
    #[error("cannot write groups.json: {0}")]
    Json(#[from] serde_json::Error),
    /// No group has this id or name.
    #[error("Group \"{group}\" not found")]
    NotFound {
        /// What was asked for.
        group: String,
    },
    /// Several groups have this name.
    #[error("Group name \"{name}\" is ambiguous (matches: {}). Use the group ID.", ids.join(", "))]
    Ambiguous {
        /// The name.
        name: String,
        /// Ids of the groups.
        ids: Vec<String>,
    },
    /// A task has no id.
    #[error("Issue IDs cannot be empty")]
    EmptyIssue,
    /// A task was named twice.
    #[error("Duplicate issue IDs provided")]
    Duplicates,
    /// A task is in the group already.
    #[error("Issue \"{issue}\" is already a member of group \"{group}\"")]
    AlreadyMember {
        /// The task.
        issue: String,
        /// Id of the group.
        group: String,
    },
    /// A task is not in the group.
    #[error("Issue \"{issue}\" is not a member of group \"{group}\"")]
    NotMember {
        /// The task.
        issue: String,
        /// Id of the group.
        group: String,
    },
    /// A group must keep a task.
    #[error("Cannot remove all issues from a group")]
    WouldBeEmpty,
    /// The tracker does not know a task.
    #[error("Issue \"{issue}\" not found in tracker")]
    UnknownIssue {
        /// The task.
        issue: String,
    },
    /// The tracker cannot be asked.
    #[error("Issue \"{issue}\" could not be looked up: {source}")]
    NotLookedUp {
        /// The task.
        issue: String,
        /// Why not.
        source: TrackerError,
    },
}

/// Whether a group is still followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupStatus {
    /// Some task is not closed.
    Active,
    /// Every task is closed.
    Completed,
}

/// A named set of tasks; the stored and the printed shape are the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskGroup {
    /// `group-` and eight hex digits.
    pub id: String,
    /// Name, not necessarily unique.
    pub name: String,
    /// Tasks in the order added.
    pub member_issue_ids: Vec<String>,
    /// Whether it is still followed.
    pub status: GroupStatus,
    /// When it was made, as ISO text.
    pub created_at: String,
    /// When its last task was closed.
    pub completed_at: Option<String>,
}

/// How far a group is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// The group.
    pub group: TaskGroup,
    /// Number of tasks.
    pub total: usize,
    /// Closed.
    pub completed: usize,
    /// In progress.
    pub in_progress: usize,
    /// Blocked.
    pub blocked: usize,
    /// Everything else.
    pub open: usize,
}

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

    /// Adds a new group and returns it.
    pub fn create(&mut self, name: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = TaskGroup {
            id: format!("group-{}", random::hex(8)),
            name: name.to_owned(),
            member_issue_ids: issues.to_vec(),
            status: GroupStatus::Active,
            created_at: clock::now().iso(),
            completed_at: None,
        };
        self.all.push(group.clone());
        Ok(group)
    }

    /// Adds tasks; a completed group is followed again.
    pub fn add(&mut self, group: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = self.find_mut(group)?;
        if let Some(issue) = issues
            .iter()
            .find(|issue| group.member_issue_ids.contains(issue))
        {
            return Err(GroupError::AlreadyMember {
                issue: issue.clone(),
                group: group.id.clone(),
            });
        }
        group.member_issue_ids.extend_from_slice(issues);
        group.status = GroupStatus::Active;
        group.completed_at = None;
        Ok(group.clone())
    }

    /// Removes tasks; at least one must stay.
    pub fn remove(&mut self, group: &str, issues: &[String]) -> Result<TaskGroup, GroupError> {
        refuse_odd_ids(issues)?;
        let group = self.find_mut(group)?;
        if let Some(issue) = issues
            .iter()
            .find(|issue| !group.member_issue_ids.contains(issue))
        {
            return Err(GroupError::NotMember {
                issue: issue.clone(),
                group: group.id.clone(),
            });
        }
        if issues.len() >= group.member_issue_ids.len() {
            return Err(GroupError::WouldBeEmpty);
        }
        group
            .member_issue_ids
            .retain(|member| !issues.contains(member));
        Ok(group.clone())
    }

    /// Finds a group by id, else by its name; among several of a name the only active one.
    pub fn find(&self, wanted: &str) -> Result<&TaskGroup, GroupError> {
        let index = self.index_of(wanted)?;
        self.all.get(index).ok_or_else(|| GroupError::NotFound {
            group: wanted.to_owned(),
        })
    }

    fn find_mut(&mut self, wanted: &str) -> Result<&mut TaskGroup, GroupError> {
        let index = self.index_of(wanted)?;
        self.all.get_mut(index).ok_or_else(|| GroupError::NotFound {
            group: wanted.to_owned(),
        })
    }

    fn index_of(&self, wanted: &str) -> Result<usize, GroupError> {
        if let Some(index) = self.all.iter().position(|group| group.id == wanted) {
            return Ok(index);
        }
        let named: Vec<(usize, &TaskGroup)> = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, group)| group.name == wanted)
            .collect();
        let active: Vec<usize> = named
            .iter()
            .filter(|(_, group)| group.status == GroupStatus::Active)
            .map(|(index, _)| *index)
            .collect();
        match (named.as_slice(), active.as_slice()) {
            ([], _) => Err(GroupError::NotFound {
                group: wanted.to_owned(),
            }),
            ([(index, _)], _) | (_, [index]) => Ok(*index),
            _ => Err(GroupError::Ambiguous {
                name: wanted.to_owned(),
                ids: named
                    .into_iter()
                    .map(|(_, group)| group.id.clone())
                    .collect(),
            }),
        }
    }

    /// Marks a group as completed; `true` when it was not before.
    pub fn complete(&mut self, id: &str) -> bool {
        let open = self
            .all
            .iter_mut()
            .find(|group| group.id == id && group.status == GroupStatus::Active);
        let Some(group) = open else { return false };
        group.status = GroupStatus::Completed;
        group.completed_at = Some(clock::now().iso());
        true
    }
}

impl Progress {
    /// Counts a group's tasks by the tracker's word; what it does not know counts as open.
    pub fn count(group: &TaskGroup, status: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut progress = Self {
            group: group.clone(),
            total: group.member_issue_ids.len(),
            completed: 0,
            in_progress: 0,
            blocked: 0,
            open: 0,
        };
        for issue in &group.member_issue_ids {
            match status(issue).as_deref() {
                Some("closed") => progress.completed += 1,
                Some("in_progress") => progress.in_progress += 1,
                Some("blocked") => progress.blocked += 1,
                Some(_) | None => progress.open += 1,
            }
        }
        progress
    }

    /// Whether nothing is left to do; a group without tasks never is.
    pub fn is_done(&self) -> bool {
        self.total > 0 && self.completed == self.total
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

fn refuse_odd_ids(issues: &[String]) -> Result<(), GroupError> {
    if issues.iter().any(|issue| issue.trim().is_empty()) {
        return Err(GroupError::EmptyIssue);
    }
    let twice = issues
        .iter()
        .enumerate()
        .any(|(index, issue)| issues.iter().skip(index + 1).any(|other| other == issue));
    if twice {
        Err(GroupError::Duplicates)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn names_resolve_to_the_only_active_group() {
        let mut groups = Groups::default();
        let first = groups.create("g", &ids(&["a"])).unwrap();
        let second = groups.create("g", &ids(&["b"])).unwrap();
        assert!(matches!(
            groups.find("g"),
            Err(GroupError::Ambiguous { .. })
        ));
        assert!(groups.complete(&first.id));
        assert_eq!(groups.find("g").unwrap().id, second.id);
        assert!(matches!(groups.find("x"), Err(GroupError::NotFound { .. })));
    }

    #[test]
    fn members_are_added_once_and_one_always_stays() {
        let mut groups = Groups::default();
        let group = groups.create("g", &ids(&["a"])).unwrap();
        assert!(matches!(
            groups.add("g", &ids(&["a"])),
            Err(GroupError::AlreadyMember { .. })
        ));
        assert!(matches!(
            groups.remove("g", &ids(&["a"])),
            Err(GroupError::WouldBeEmpty)
        ));
        assert!(matches!(
            groups.remove("g", &ids(&["z"])),
            Err(GroupError::NotMember { .. })
        ));
        groups.complete(&group.id);
        assert_eq!(
            groups.add("g", &ids(&["b"])).unwrap().status,
            GroupStatus::Active
        );
        assert_eq!(
            groups.remove("g", &ids(&["a"])).unwrap().member_issue_ids,
            ["b"]
        );
        assert!(matches!(
            groups.create("h", &ids(&["x", "x"])),
            Err(GroupError::Duplicates)
        ));
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

    #[test]
    fn unknown_tasks_count_as_open() {
        let mut groups = Groups::default();
        let group = groups.create("g", &ids(&["a", "b"])).unwrap();
        let progress = Progress::count(&group, &|id| (id == "a").then(|| "closed".to_owned()));
        assert_eq!((progress.completed, progress.open), (1, 1));
        assert!(!progress.is_done());
    }
}
