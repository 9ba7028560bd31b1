//! Handing contested files to somebody who can read them (an agent CLI, usually) and judging what
//! comes back before it becomes part of a tree. Calls no runtime itself.

use std::collections::BTreeMap;

use crate::git::{Entry, GitError, Oid, Repo, is_binary};
use crate::types::merge::{DisplacedHunk, DisplacedKind};

use super::outcome::MergePlan;

/// One contested file in its three versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContestedFile {
    pub path: String,
    /// Empty when both sides added the file.
    pub base: String,
    pub ours: String,
    pub theirs: String,
    pub hunks: Vec<DisplacedHunk>,
}

/// Writes the merged content of a contested file.
pub trait ConflictResolver {
    /// Returns the whole merged file, or why there is none.
    fn resolve(&self, file: &ContestedFile) -> Result<String, String>;
}

/// Asks for every contested file. The outer error is git's; the inner one says which file could not be
/// resolved and why.
pub(crate) fn ask(
    repo: &Repo,
    plan: &MergePlan,
    resolver: &dyn ConflictResolver,
) -> Result<Result<BTreeMap<String, String>, String>, GitError> {
    let mut answers = BTreeMap::new();
    for file in match contested_files(repo, plan)? {
        Ok(files) => files,
        Err(reason) => return Ok(Err(reason)),
    } {
        match resolver.resolve(&file).and_then(|text| accept(&file, text)) {
            Ok(text) => answers.insert(file.path, text),
            Err(reason) => {
                return Ok(Err(format!(
                    "ai-resolve failed for {}: {reason}",
                    file.path
                )));
            }
        };
    }
    Ok(Ok(answers))
}

/// Collects the contested files of a plan; those that are not text cannot be handed to anybody.
pub(crate) fn contested_files(
    repo: &Repo,
    plan: &MergePlan,
) -> Result<Result<Vec<ContestedFile>, String>, GitError> {
    let mut by_file: BTreeMap<&str, Vec<DisplacedHunk>> = BTreeMap::new();
    for hunk in &plan.displaced {
        if hunk.kind != DisplacedKind::Text {
            return Ok(Err(format!("{} is not a contest between texts", hunk.file)));
        }
        by_file.entry(&hunk.file).or_default().push(hunk.clone());
    }
    let mut files = Vec::new();
    for (path, hunks) in by_file {
        let version = |tree: Oid| -> Result<Option<String>, GitError> {
            let Some(entry) = repo.entry_at(tree, path.as_bytes())? else {
                return Ok(Some(String::new()));
            };
            text_of(repo, entry)
        };
        let (base, ours, theirs) = (
            version(plan.base_tree)?,
            version(repo.tree_of(plan.target)?)?,
            version(repo.tree_of(plan.branch)?)?,
        );
        let (Some(base), Some(ours), Some(theirs)) = (base, ours, theirs) else {
            return Ok(Err(format!("{path} is not UTF-8 text")));
        };
        files.push(ContestedFile {
            path: path.to_owned(),
            base,
            ours,
            theirs,
            hunks,
        });
    }
    Ok(Ok(files))
}

fn text_of(repo: &Repo, entry: Entry) -> Result<Option<String>, GitError> {
    let bytes = repo.blob(entry.id)?;
    Ok(if is_binary(&bytes) {
        None
    } else {
        String::from_utf8(bytes).ok()
    })
}

/// Judges an answer by its form. Whether it lost anything is for the account.
fn accept(file: &ContestedFile, text: String) -> Result<String, String> {
    if is_prose(&text) && !is_prose(&file.ours) && !is_prose(&file.theirs) {
        return Err("the answer is prose, not the file".to_owned());
    }
    let marker = text.lines().find(|line| {
        is_marker(line)
            && ![&file.ours, &file.theirs]
                .iter()
                .any(|side| side.contains(line))
    });
    if let Some(marker) = marker {
        return Err(format!("the answer contains a conflict marker: {marker}"));
    }
    Ok(if text.ends_with('\n') || !file.theirs.ends_with('\n') {
        text
    } else {
        text + "\n"
    })
}

fn is_marker(line: &str) -> bool {
    ["<<<<<<<", "|||||||", ">>>>>>>"]
        .iter()
        .any(|marker| line.starts_with(marker))
        || line.trim_end() == "======="
}

/// How answers begin that talk about the file instead of being it.
const PROSE_STARTS: [&str; 16] = [
    "i ",
    "i'",
    "i\u{2019}",
    "here ",
    "here's ",
    "the ",
    "this ",
    "let me ",
    "sure",
    "unfortunately",
    "apologies",
    "sorry",
    "to resolve",
    "looking at",
    "based on",
    "after reviewing",
];

/// Tells whether an answer is talk: empty, beginning like a sentence to the reader, or fenced.
pub fn is_prose(answer: &str) -> bool {
    let trimmed = answer.trim();
    let lower = trimmed.to_lowercase();
    trimmed.is_empty()
        || PROSE_STARTS.iter().any(|start| lower.starts_with(start))
        || lower.starts_with("the conflict")
        || trimmed.lines().any(|line| line.starts_with("```"))
        || ["I need permission", "I cannot", "I don't have"]
            .iter()
            .any(|phrase| trimmed.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_is_told_from_files() {
        for prose in [
            "",
            "  \n",
            "Here is the merged file:",
            "I've merged it",
            "x\n```rust\ny",
            "a\nI cannot do b",
        ] {
            assert!(is_prose(prose), "{prose:?}");
        }
        for file in ["fn main() {}\n", "import os\n", "# Title\n", "`x`"] {
            assert!(!is_prose(file), "{file:?}");
        }
    }
}
