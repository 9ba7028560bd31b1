//! Handing contested files to somebody who can read them (an agent CLI, usually) and judging what
//! comes back before it becomes part of a tree. Calls no runtime itself.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::git::{Entry, GitError, Repo, is_binary};
use crate::types::merge::{DisplacedHunk, DisplacedKind, MergeTier};

use super::context::MergeItem;
use super::form::joined_base::without_marks;
pub use super::form::stray_marker;
use super::form::{disabled, disturbed, marker_behind_a_sign, syntax_problem};
use super::line_ends::with_their_line_ends;
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

/// Writes the merged content of contested files.
pub trait ConflictResolver {
    /// Tells whether this tier can be asked at all.
    fn offers(&self, tier: MergeTier) -> bool {
        tier == MergeTier::AiResolve
    }

    /// Says why a tier is not worth asking for these files, if it is not.
    fn skips(&self, _tier: MergeTier, _files: &[String]) -> Option<String> {
        None
    }

    /// Tells whether there is nobody to be asked: no answer is no experience then.
    fn is_missing(&self) -> bool {
        false
    }

    /// Returns the whole merged file, or why there is none. `dir` is a scratch directory: empty for
    /// `ai-resolve`, a checkout of the target for `reimagine`.
    fn answer(
        &self,
        item: &MergeItem,
        tier: MergeTier,
        file: &ContestedFile,
        dir: &Path,
    ) -> Result<String, String>;
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
        let known = plan.versions.iter().find(|known| known.path == path);
        let version = |entry: Option<Entry>| -> Result<Option<String>, GitError> {
            entry.map_or(Ok(Some(String::new())), |entry| text_of(repo, entry))
        };
        let (base, ours, theirs) = (
            version(known.and_then(|known| known.base))?,
            version(known.and_then(|known| known.ours))?,
            version(known.and_then(|known| known.theirs))?,
        );
        let (Some(base), Some(ours), Some(theirs)) = (base, ours, theirs) else {
            return Ok(Err(format!("{path} is not UTF-8 text")));
        };
        files.push(ContestedFile {
            path: path.to_owned(),
            base: String::from_utf8_lossy(&without_marks(base.as_bytes())).into_owned(),
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
pub(super) fn accept(file: &ContestedFile, text: String) -> Result<String, String> {
    let text = with_their_line_ends(&file.ours, &file.theirs, &without_fence(file, text));
    if text.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    if talks(file, &text) {
        return Err("the answer is prose, not the file".to_owned());
    }
    let sides = [&file.base, &file.ours, &file.theirs];
    if let Some(marker) = stray_marker(&file.path, &text, &sides.map(String::as_str)) {
        return Err(format!("the answer contains a conflict marker: {marker}"));
    }
    if let Some(marker) = marker_behind_a_sign(&text, &sides.map(String::as_str)) {
        return Err(format!("the answer contains a conflict marker: {marker}"));
    }
    if let Some(reason) = syntax_problem(&file.path, &text, [&file.ours, &file.theirs]) {
        return Err(reason);
    }
    if let Some(reason) = disabled(&file.path, sides.map(String::as_str), &text) {
        return Err(reason);
    }
    if let Some(reason) = disturbed(&file.base, &file.ours, &file.theirs, &text) {
        return Err(reason);
    }
    Ok(text)
}

/// Takes off a fence around the whole answer, which the file itself does not have.
fn without_fence(file: &ContestedFile, text: String) -> String {
    let is_fenced = |text: &str| text.trim_start().starts_with("```");
    if !is_fenced(&text) || is_fenced(&file.ours) || is_fenced(&file.theirs) {
        return text;
    }
    let inner = text
        .trim()
        .split_once('\n')
        .and_then(|(_, rest)| rest.strip_suffix("```"));
    match inner {
        Some(inner) if inner.is_empty() || inner.ends_with('\n') => inner.to_owned(),
        Some(_) | None => text,
    }
}

/// Tells whether an answer talks about the file instead of being it. What the file itself says, in
/// any of its versions, is not talk: a README may begin with "The" and hold fences.
fn talks(file: &ContestedFile, text: &str) -> bool {
    let sides = [&file.base, &file.ours, &file.theirs];
    let known = |line: &str| sides.iter().any(|side| side.lines().any(|l| l == line));
    let fences = |text: &str| text.lines().filter(|line| line.starts_with("```")).count();
    let first = text.lines().find(|line| !line.trim().is_empty());
    let Some(first) = first else { return true };
    let foreign: String = text
        .lines()
        .filter(|line| !known(line) && !line.starts_with("```"))
        .map(|line| format!("{line}\n"))
        .collect();
    (!known(first) && begins_like_talk(first) && !is_reworded(first, &sides))
        || fences(text) > fences(&file.ours) + fences(&file.theirs)
        || refuses(&foreign, &sides)
}

/// Whether the first line of an answer is made of the first lines of the versions: two of three words at least.
fn is_reworded(line: &str, sides: &[&String]) -> bool {
    let first = |side: &&String| side.lines().find(|line| !line.trim().is_empty()).map(words);
    let said: HashSet<String> = sides.iter().filter_map(first).flatten().collect();
    let words = words(line);
    let known = words.iter().filter(|word| said.contains(*word)).count();
    known * 3 >= words.len() * 2
}

fn words(line: &str) -> Vec<String> {
    line.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
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
    trimmed.is_empty()
        || begins_like_talk(trimmed)
        || trimmed.lines().any(|line| line.starts_with("```"))
        || refuses(trimmed, &[])
}

fn begins_like_talk(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase();
    PROSE_STARTS.iter().any(|start| lower.starts_with(start))
}

/// What no version says.
fn refuses(text: &str, sides: &[&String]) -> bool {
    ["I need permission", "I cannot", "I don't have"]
        .iter()
        .any(|phrase| text.contains(phrase) && !sides.iter().any(|side| side.contains(phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, ours: &str, theirs: &str) -> ContestedFile {
        ContestedFile {
            path: path.to_owned(),
            base: String::new(),
            ours: ours.to_owned(),
            theirs: theirs.to_owned(),
            hunks: Vec::new(),
        }
    }

    #[test]
    fn markdown_is_not_talk() {
        let readme = file("README.md", "The tool.\n\n```sh\nrun\n```\n", "The tool!\n");
        for answer in [
            "The tool.\n\n```sh\nrun\n```\nThe tool!\n",
            "The tool!\nThe tool.\n",
        ] {
            assert_eq!(accept(&readme, answer.to_owned()).as_deref(), Ok(answer));
        }
        assert!(accept(&readme, "Here is the file:\nThe tool.\n".to_owned()).is_err());
        assert!(accept(&readme, "The tool.\nI cannot merge this.\n".to_owned()).is_err());
    }

    #[test]
    fn a_first_line_that_joins_those_of_both_sides_is_not_talk() {
        for (ours, theirs, answer) in [
            (
                "The tool is very fast now.\n",
                "The tool is good.\n",
                "The tool is very fast and good now.\n",
            ),
            (
                "Here is how it works.\n",
                "Here is how it really works, by hand.\n",
                "\nHere is how it works, by hand.\n",
            ),
            (
                "Limits\nI cannot fly.\n",
                "Limits\nI cannot swim.\n",
                "Limits\nI cannot fly or swim.\n",
            ),
        ] {
            let readme = file("README.md", ours, theirs);
            assert_eq!(accept(&readme, answer.to_owned()).as_deref(), Ok(answer));
            let talk = format!("The merged file is this:\n{answer}");
            assert!(accept(&readme, talk).is_err());
            assert!(accept(&readme, format!("Here is the result:\n{answer}")).is_err());
        }
    }

    #[test]
    fn an_indented_marker_that_no_version_has_is_refused() {
        let code = file("a.rs", "fn a() {}\n", "fn b() {}\n");
        for mark in ["<<<<<<< ours", "=======", "||||||| base", ">>>>>>>"] {
            for blanks in ["", "    ", "\t"] {
                let answer = format!("fn a() {{}}\n{blanks}{mark}\nfn b() {{}}\n");
                let refused = accept(&code, answer).unwrap_err();
                assert!(refused.contains(mark), "{refused}");
            }
        }
        // What a version has may be there, as deep as it has become.
        let shown = file("a.rs", "let s = \"\n=======\n\";\n", "fn b() {}\n");
        let answer = "let s = \"\n  =======\n\";\nfn b() {}\n";
        assert!(accept(&shown, answer.to_owned()).is_ok());
        // Only a whole line is known, and not a part of one.
        let longer = file("a.rs", "// =======\n", "fn b() {}\n");
        assert!(accept(&longer, "// =======\n=======\nfn b() {}\n".to_owned()).is_err());
    }

    #[test]
    fn a_marker_that_was_made_a_comment_or_a_quote_is_refused() {
        let code = file("a.txt", "ours ten\n", "theirs ten\n");
        for mark in [
            "# <<<<<<< HEAD",
            "// =======",
            "//=======",
            "> >>>>>>> b",
            "<!-- <<<<<<< -->",
            "/* ======= */",
            "  -- ||||||| base",
            "# # =======",
        ] {
            let answer = format!("ours ten\n{mark}\ntheirs ten\n");
            let refused = accept(&code, answer.clone()).unwrap_err();
            assert!(refused.contains(mark), "{refused}");
            let shown = file("a.txt", &format!("ours ten\n{mark}\n"), "theirs ten\n");
            assert!(accept(&shown, answer).is_ok(), "{mark}");
        }
        for line in [
            "# A title\n# =======",
            "# =========",
            "-- a <<<<<<< b",
            "# ---",
            "> quoted",
            "# a || b",
        ] {
            let answer = format!("ours ten\n{line}\ntheirs ten\n");
            assert!(accept(&code, answer).is_ok(), "{line}");
        }
    }

    #[test]
    fn a_fence_around_everything_is_taken_off() {
        let code = file("a.rs", "fn a() {}\n", "fn b() {}\n");
        let fenced = "```rust\nfn a() {}\nfn b() {}\n```\n";
        assert_eq!(
            accept(&code, fenced.to_owned()).as_deref(),
            Ok("fn a() {}\nfn b() {}\n")
        );
        assert!(accept(&code, "```\nfn a() {}\n```\nDone.\n".to_owned()).is_err());
    }

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
