//! Which agents are changing the same files, or the same lines of them, at this moment: a forecast of
//! conflicts before anybody asks for a merge. Observes worktrees and compares; changes nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::iter;
use std::path::Path;

use super::region::{Region, common_regions};
use super::shifted::Hunk;
use crate::git::{GitCall, GitError, Oid, Pinned, Repo, git, os_path, path_bytes, path_name};
use crate::worktree::covers;

/// What one agent has done to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChanges {
    /// The name of the path, as `path_name` gives it.
    pub path: String,
    /// All regions that are compared with each other must be of the same version.
    /// Empty for files that are new or not text.
    pub regions: Vec<Region>,
}

/// What one agent works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentChanges {
    pub agent: String,
    pub branch: String,
    pub files: Vec<FileChanges>,
    /// Files or directories the agent was given for itself.
    pub scope: Vec<String>,
}

/// How close two agents are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OverlapKind {
    /// One works on what was given to the other.
    Scope,
    /// The same file in different places.
    File,
    /// The same lines.
    Region,
}

impl OverlapKind {
    /// The name used in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scope => "scope",
            Self::File => "file",
            Self::Region => "region",
        }
    }
}

/// A file that two agents have to do with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    pub file: String,
    pub kind: OverlapKind,
    pub agents: [String; 2],
    /// Where both changed it.
    pub regions: Vec<Region>,
}

/// Reads what a worktree has changed since `base`: committed, uncommitted and unknown files.
pub fn changes_of(repo: &Repo, worktree: &Path, base: Oid) -> Result<Vec<FileChanges>, GitError> {
    let base = base.to_string();
    let worktree = Pinned::of(repo, worktree)?;
    let diff = diff(worktree.git_asking_within()).arg(&base).run()?;
    let mut files: Vec<FileChanges> = parse_diff(&diff.stdout)
        .into_iter()
        .map(|file| FileChanges {
            // A new file's only region is nowhere in the base.
            regions: if file.is_new {
                Vec::new()
            } else {
                file.hunks.iter().map(|hunk| hunk.old()).collect()
            },
            path: file.path,
        })
        .collect();
    let unknown = worktree
        .git_asking_within()
        .args(["ls-files", "-z", "--others", "--exclude-standard"])
        .run()?;
    for path in unknown.stdout.split(|byte| *byte == 0) {
        if !path.is_empty() {
            files.push(FileChanges {
                path: path_name(path),
                regions: Vec::new(),
            });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}

/// More files than these are not named to git: all are compared.
const NAMED: usize = 500;

/// Reads what lies between two commits in some files, by their paths.
pub fn changes_between(
    repo: &Repo,
    (old, new): (Oid, Oid),
    paths: &BTreeSet<&str>,
) -> Result<HashMap<String, Vec<Hunk>>, GitError> {
    if old == new || paths.is_empty() {
        return Ok(HashMap::new());
    }
    let mut diff = diff(git(repo.path()))
        .arg(old.to_string())
        .arg(new.to_string())
        .arg("--");
    if paths.len() <= NAMED {
        diff = diff.args(paths.iter().map(|path| os_path(&path_bytes(path))));
    }
    let files = parse_diff(&diff.run()?.stdout).into_iter();
    Ok(files.map(|file| (file.path, file.hunks)).collect())
}

fn diff(git: GitCall) -> GitCall {
    git.args(["diff", "--no-color", "--no-ext-diff", "--no-textconv"])
        .args(["--no-renames", "-U0", "--ignore-submodules=dirty"])
        .args(["--src-prefix=a/", "--dst-prefix=b/"])
}

/// A file of a diff.
#[derive(Debug, PartialEq, Eq)]
struct FileDiff {
    path: String,
    is_new: bool,
    hunks: Vec<Hunk>,
}

/// Reads the files and line ranges of a diff without context.
fn parse_diff(bytes: &[u8]) -> Vec<FileDiff> {
    let mut files: Vec<FileDiff> = Vec::new();
    let mut lines_left = 0_u64;
    for line in bytes.split(|byte| *byte == b'\n') {
        // Content may look like a header: it is skipped by its count.
        if lines_left > 0 && matches!(line.first(), Some(b'+' | b'-')) {
            lines_left -= 1;
        } else if let Some(rest) = line.strip_prefix(b"diff --git ") {
            if let Some(path) = header_path(rest) {
                files.push(FileDiff {
                    path,
                    is_new: false,
                    hunks: Vec::new(),
                });
            }
        } else if line.starts_with(b"new file mode ") {
            if let Some(file) = files.last_mut() {
                file.is_new = true;
            }
        } else if let Some(rest) = line.strip_prefix(b"@@ -") {
            // What follows the numbers is content.
            let mut sides = rest.split(|byte| *byte == b' ');
            let mut sides = iter::from_fn(|| std::str::from_utf8(sides.next()?).ok());
            let old = sides.next().and_then(range);
            let new = sides
                .next()
                .and_then(|side| side.strip_prefix('+'))
                .and_then(range);
            let (Some((old_start, old_count)), Some((new_start, new_count))) = (old, new) else {
                continue;
            };
            lines_left = old_count + new_count;
            if let Some(file) = files.last_mut() {
                file.hunks.push(Hunk {
                    old_start,
                    old_count,
                    new_start,
                    new_count,
                });
            }
        }
    }
    files
}

/// Reads `a/PATH b/PATH`, quoted or not, both the same as renames are not looked for.
fn header_path(rest: &[u8]) -> Option<String> {
    let half = rest.get(..rest.len().checked_sub(1)? / 2)?;
    let path = match std::str::from_utf8(half) {
        Ok(name) => path_bytes(name),
        // What git quotes is text.
        Err(_) => Cow::Borrowed(half),
    };
    path.strip_prefix(b"a/").map(path_name)
}

fn range(text: &str) -> Option<(u64, u64)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

/// Compares all agents with each other, closest first.
pub fn overlaps(agents: &[AgentChanges]) -> Vec<Overlap> {
    let mut found = Vec::new();
    let mut by_file: BTreeMap<&str, Vec<(usize, &FileChanges)>> = BTreeMap::new();
    for (at, agent) in agents.iter().enumerate() {
        for file in &agent.files {
            by_file.entry(&file.path).or_default().push((at, file));
        }
    }
    for (path, changes) in by_file {
        for (n, (one, one_file)) in changes.iter().enumerate() {
            for (two, two_file) in changes.iter().skip(n + 1) {
                let regions = common_regions(&one_file.regions, &two_file.regions);
                let whole = one_file.regions.is_empty() || two_file.regions.is_empty();
                if let (Some(one), Some(two)) = (agents.get(*one), agents.get(*two)) {
                    found.push(Overlap {
                        file: path.to_owned(),
                        kind: if whole || !regions.is_empty() {
                            OverlapKind::Region
                        } else {
                            OverlapKind::File
                        },
                        agents: [one.agent.clone(), two.agent.clone()],
                        regions,
                    });
                }
            }
            let (Some(owner_of_change), file) = (agents.get(*one), one_file) else {
                continue;
            };
            for other in agents {
                let is_theirs = other.agent != owner_of_change.agent
                    && other.scope.iter().any(|scope| covers(scope, &file.path))
                    && !owner_of_change
                        .scope
                        .iter()
                        .any(|scope| covers(scope, &file.path))
                    && !other.files.iter().any(|f| f.path == file.path);
                if is_theirs {
                    found.push(Overlap {
                        file: path.to_owned(),
                        kind: OverlapKind::Scope,
                        agents: [owner_of_change.agent.clone(), other.agent.clone()],
                        regions: file.regions.clone(),
                    });
                }
            }
        }
    }
    found.sort_by(|a, b| b.kind.cmp(&a.kind).then_with(|| a.file.cmp(&b.file)));
    found
}

#[cfg(test)]
mod tests {
    use super::super::region::{changed, inserted};
    use super::*;

    const DIFF: &str = "diff --git a/src/a.rs b/src/a.rs\nindex 1..2 100644\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3,2 +3 @@ fn x\n-one\n-diff --git a/no b/no\n+two\n@@ -10,0 +10,2 @@\n+a\n+b\ndiff --git a/new b/new\nnew file mode 100644\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n";

    fn agent(name: &str, files: Vec<FileChanges>, scope: &[&str]) -> AgentChanges {
        AgentChanges {
            agent: name.to_owned(),
            branch: format!("overstory/{name}/t"),
            files,
            scope: scope.iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    fn file(path: &str, regions: &[(u64, u64)]) -> FileChanges {
        FileChanges {
            path: path.to_owned(),
            regions: regions
                .iter()
                .map(|(start, end)| changed(*start, *end))
                .collect(),
        }
    }

    #[test]
    fn a_diff_is_read_by_its_counts() {
        let hunk = |(old_start, old_count), (new_start, new_count)| Hunk {
            old_start,
            old_count,
            new_start,
            new_count,
        };
        let [edited, new] = &parse_diff(DIFF.as_bytes())[..] else {
            panic!("two files")
        };
        assert_eq!((edited.path.as_str(), edited.is_new), ("src/a.rs", false));
        assert_eq!(edited.hunks, [hunk((3, 2), (3, 1)), hunk((10, 0), (10, 2))]);
        let old: Vec<Region> = edited.hunks.iter().map(|hunk| hunk.old()).collect();
        assert_eq!(old, [changed(3, 4), inserted(10)]);
        assert_eq!((new.path.as_str(), new.is_new), ("new", true));
    }

    #[test]
    fn names_of_a_diff_are_read_quoted_or_not() {
        for (header, name) in [
            (&b"a/x y b/x y"[..], "x y"),
            (b"a/caf\xe9 b/caf\xe9", r#""caf\351""#),
            (br#""a/caf\303\251" "b/caf\303\251""#, "caf\u{e9}"),
            (br#""a/\"q\\" "b/\"q\\""#, r#""\"q\\""#),
            (br#""a/two\nlines" "b/two\nlines""#, r#""two\nlines""#),
        ] {
            let diff = [b"diff --git ", header, b"\n@@ -1 +1 @@ \xe9\n-a\n+b\n"].concat();
            let [file] = &parse_diff(&diff)[..] else {
                panic!("one file")
            };
            assert_eq!((&*file.path, file.hunks.len()), (name, 1));
        }
    }

    #[test]
    fn the_same_lines_come_before_the_same_file_and_others_scopes() {
        let ann = agent(
            "ann",
            vec![
                file("a", &[(1, 4)]),
                file("b", &[(1, 1)]),
                file("lib/c", &[(1, 1)]),
            ],
            &["a", "b"],
        );
        let ben = agent(
            "ben",
            vec![file("a", &[(4, 9)]), file("b", &[(7, 8)])],
            &["lib/"],
        );
        let found: Vec<(String, &str)> = overlaps(&[ann, ben])
            .into_iter()
            .map(|o| (o.file, o.kind.as_str()))
            .collect();
        let expected = [("a", "region"), ("b", "file"), ("lib/c", "scope")];
        assert_eq!(found, expected.map(|(f, k)| (f.to_owned(), k)));
    }
}
