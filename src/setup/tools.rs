//! The companion stores that a project can ask for: issues in the seeds format, expertise in the
//! mulch format. Both are plain files that the other tools' own programs can go on with.

use std::path::Path;

use super::files::ManagedFile;

/// Companions by name, in the order of the report.
pub const TOOLS: [&str; 3] = ["mulch", "seeds", "canopy"];

/// Git's attribute file.
pub const GITATTRIBUTES: &str = ".gitattributes";

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
    /// The line it needs in `.gitattributes`, so that branches merge without conflicts.
    pub attribute: Option<&'static str>,
}

/// Plans the companions of `wanted` for the project `name` at `root`.
pub fn plan(root: &Path, name: &str, wanted: &[&str]) -> Vec<ToolPlan> {
    TOOLS
        .iter()
        .map(|tool| {
            let (files, attribute) = match *tool {
                "seeds" => (seeds(name), Some(".seeds/issues.jsonl merge=union")),
                "mulch" => (mulch(), Some(".mulch/expertise/*.jsonl merge=union")),
                // Prompts are canopy's own business; `cn init` creates its store.
                _ => (Vec::new(), None),
            };
            let exists = match *tool {
                "seeds" => is_store(root, &[".seeds/config.yaml", ".seeds/issues.jsonl"]),
                "mulch" => is_store(root, &[".mulch/mulch.config.yaml"]),
                _ => false,
            };
            let status = match (wanted.contains(tool) && attribute.is_some(), exists) {
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
                    .filter(|file| {
                        status == ToolStatus::Initialized && !root.join(&file.path).exists()
                    })
                    .collect(),
                attribute: attribute.filter(|_| status != ToolStatus::Skipped),
            }
        })
        .collect()
}

/// Whether one of the files that make a folder a store is there.
fn is_store(root: &Path, files: &[&str]) -> bool {
    files.iter().any(|file| root.join(file).is_file())
}

/// An empty issue store.
fn seeds(name: &str) -> Vec<ManagedFile> {
    vec![
        file(
            ".seeds/config.yaml",
            &format!(
                "project: {}\nversion: \"1\"\nmax_plan_depth: 3\n",
                serde_json::Value::from(name)
            ),
        ),
        file(".seeds/issues.jsonl", ""),
        file(".seeds/templates.jsonl", ""),
        file(".seeds/plans.jsonl", ""),
        file(".seeds/.gitignore", "*.lock\n"),
    ]
}

/// An empty store of expertise.
fn mulch() -> Vec<ManagedFile> {
    vec![
        file(
            ".mulch/mulch.config.yaml",
            "# What this project has learnt, in the mulch format: one file per domain in expertise/.\n\
             version: '1'\n\
             domains: {}\n\
             governance:\n  max_entries: 100\n  warn_entries: 150\n  hard_limit: 200\n\
             classification_defaults:\n  shelf_life:\n    tactical: 14\n    observational: 30\n",
        ),
        file(".mulch/expertise/.gitkeep", ""),
    ]
}

fn file(path: &str, text: &str) -> ManagedFile {
    ManagedFile {
        path: path.to_owned(),
        text: text.to_owned(),
    }
}

/// The attribute file with the missing lines added; `None` when nothing is missing.
pub fn with_attributes(present: Option<&str>, lines: &[&str]) -> Option<ManagedFile> {
    let present = present.unwrap_or_default();
    let missing: Vec<&&str> = lines
        .iter()
        .filter(|line| !present.lines().any(|known| known.trim() == **line))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let mut text = present.to_owned();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for line in missing {
        text.push_str(line);
        text.push('\n');
    }
    Some(file(GITATTRIBUTES, &text))
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
            && tool.attribute.is_none()));
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
                    tool.attribute.is_some(),
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                ("mulch", "already_initialized", 0, true),
                ("seeds", "initialized", 5, true),
                ("canopy", "skipped", 0, false)
            ]
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

    #[test]
    fn attribute_lines_are_added_once_and_others_kept() {
        let once = with_attributes(Some("*.png binary"), &["a merge=union"]).unwrap();
        assert_eq!(once.text, "*.png binary\na merge=union\n");
        assert_eq!(with_attributes(Some(&once.text), &["a merge=union"]), None);
        assert_eq!(with_attributes(None, &[]), None);
    }
}
