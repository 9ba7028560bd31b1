//! The companion stores that a project can ask for: issues in the seeds format, expertise in the
//! mulch format. Both are plain files that the other tools' own programs can go on with.

use std::path::Path;

use super::files::ManagedFile;
use crate::mulch::{self, Mulch};
use crate::tracker::{GITATTRIBUTES, Seeds, seeds, with_merge_union};

/// Companions by name, in the order of the report.
pub const TOOLS: [&str; 3] = ["mulch", "seeds", CANOPY];

/// Those whose store grove can create itself.
pub fn built_in() -> impl Iterator<Item = &'static str> {
    TOOLS.into_iter().filter(|tool| *tool != CANOPY)
}

/// Prompts are its own business; `cn init` creates its store.
const CANOPY: &str = "canopy";

/// What became of a companion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolStatus {
    /// Its store is new.
    Initialized,
    /// Its store was there.
    AlreadyInitialized,
    /// Not asked for, or not something grove can create.
    Skipped,
}

impl ToolStatus {
    /// The word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initialized => "initialized",
            Self::AlreadyInitialized => "already_initialized",
            Self::Skipped => "skipped",
        }
    }
}

/// What one companion needs in the project.
#[derive(Debug, Clone)]
pub struct ToolPlan {
    /// Its name.
    pub name: &'static str,
    /// Whether the user named it.
    pub asked: bool,
    /// What will have become of it.
    pub status: ToolStatus,
    /// Files to write; empty unless it is new.
    pub files: Vec<ManagedFile>,
    /// Its files that need a line in `.gitattributes`, so that branches merge without conflicts.
    pub merged_by_line: Vec<&'static str>,
}

/// Plans the companions of `wanted` for the project `name` at `root`.
pub fn plan(root: &Path, name: &str, wanted: &[&str]) -> Vec<ToolPlan> {
    TOOLS
        .iter()
        .map(|tool| {
            let (files, merged_by_line, exists) = match *tool {
                "seeds" => (
                    seeds::initial_files(name),
                    Seeds::MERGED_BY_LINE.to_vec(),
                    Seeds::open(root).is_some(),
                ),
                "mulch" => (
                    mulch::initial_files()
                        .map(|(path, text)| (path, text.to_owned()))
                        .into(),
                    vec![Mulch::MERGED_BY_LINE],
                    Mulch::open(root).is_some(),
                ),
                _ => (Vec::new(), Vec::new(), false),
            };
            let status = match (wanted.contains(tool) && !files.is_empty(), exists) {
                (false, _) => ToolStatus::Skipped,
                (true, true) => ToolStatus::AlreadyInitialized,
                (true, false) => ToolStatus::Initialized,
            };
            ToolPlan {
                name: tool,
                asked: wanted.contains(tool),
                status,
                // What is there is left alone, even in a folder that is no store yet.
                files: files
                    .into_iter()
                    .filter(|(path, _)| {
                        status == ToolStatus::Initialized && !root.join(path).exists()
                    })
                    .map(|(path, text)| ManagedFile { path, text })
                    .collect(),
                merged_by_line: if status == ToolStatus::Skipped {
                    Vec::new()
                } else {
                    merged_by_line
                },
            }
        })
        .collect()
}

/// The attribute file as the companions need it; `None` when nothing is missing.
pub fn attributes(present: Option<&str>, tools: &[ToolPlan]) -> Option<ManagedFile> {
    let patterns: Vec<&str> = tools
        .iter()
        .flat_map(|tool| tool.merged_by_line.iter().copied())
        .collect();
    let text = with_merge_union(present.unwrap_or_default(), &patterns)?;
    Some(ManagedFile {
        path: GITATTRIBUTES.to_owned(),
        text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_asked_for_is_planned() {
        let dir = tempfile::tempdir().unwrap();
        let none = plan(dir.path(), "p", &[]);
        assert!(none.iter().all(|tool| tool.status == ToolStatus::Skipped
            && tool.files.is_empty()
            && tool.merged_by_line.is_empty()));
        std::fs::create_dir(dir.path().join(".mulch")).unwrap();
        std::fs::write(dir.path().join(".mulch/mulch.config.yaml"), "").unwrap();
        let both = plan(dir.path(), "p", &["seeds", "mulch", "canopy"]);
        let found: Vec<_> = both
            .iter()
            .map(|tool| {
                (
                    tool.name,
                    tool.status.as_str(),
                    tool.files.len(),
                    tool.merged_by_line.len(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("mulch", "already_initialized", 0, 1),
                ("seeds", "initialized", 5, 3),
                ("canopy", "skipped", 0, 0)
            ]
        );
        let attributes = attributes(None, &both).unwrap();
        assert_eq!(
            attributes.text,
            ".mulch/expertise/*.jsonl merge=union\n.seeds/issues.jsonl merge=union\n\
             .seeds/templates.jsonl merge=union\n.seeds/plans.jsonl merge=union\n"
        );
    }

    #[test]
    fn what_is_there_is_never_written_over() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join(".seeds")).unwrap();
        std::fs::write(dir.path().join(".seeds/templates.jsonl"), "{}").unwrap();
        let seeds = plan(dir.path(), "p", &["seeds"]).remove(1);
        assert_eq!(seeds.status, ToolStatus::Initialized);
        assert!(
            seeds
                .files
                .iter()
                .all(|file| file.path != ".seeds/templates.jsonl")
        );
    }
}
