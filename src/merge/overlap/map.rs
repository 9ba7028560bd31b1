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
    /// What it is called now, where that is not as in the base; of that name is an entry of its own. Without regions
    /// nothing else has changed.
    pub renamed: Option<String>,
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
    let diff = diff(worktree.git_asking_within(), "--find-renames");
    let mut files = Vec::new();
    for file in parse_diff(&diff.arg(&base).run()?.stdout) {
        files.extend(file.renamed.as_deref().map(whole));
        files.push(FileChanges {
            // A new file's only region is nowhere in the base.
            regions: if file.is_new {
                Vec::new()
            } else {
                file.hunks.iter().map(|hunk| hunk.old()).collect()
            },
            // Of what is no text, nobody can tell where it has changed.
            renamed: file
                .renamed
                .filter(|_| file.is_same || !file.hunks.is_empty()),
            path: file.path,
        });
    }
    let unknown = worktree
        .git_asking_within()
        .args(["ls-files", "-z", "--others", "--exclude-standard"])
        .run()?;
    for path in unknown.stdout.split(|byte| *byte == 0) {
        if !path.is_empty() {
            files.push(whole(&path_name(path)));
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    files.dedup_by(|a, b| a.path == b.path);
    Ok(files)
}

/// A file that is new, or changed anywhere.
fn whole(path: &str) -> FileChanges {
    FileChanges {
        path: path.to_owned(),
        regions: Vec::new(),
        renamed: None,
    }
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
    let mut diff = diff(git(repo.path()), "--no-renames")
        .arg(old.to_string())
        .arg(new.to_string())
        .arg("--");
    if paths.len() <= NAMED {
        diff = diff.args(paths.iter().map(|path| os_path(&path_bytes(path))));
    }
    let files = parse_diff(&diff.run()?.stdout).into_iter();
    Ok(files.map(|file| (file.path, file.hunks)).collect())
}

fn diff(git: GitCall, renames: &str) -> GitCall {
    git.args(["diff", "--no-color", "--no-ext-diff", "--no-textconv"])
        .args([renames, "-U0", "--ignore-submodules=dirty"])
        .args(["--src-prefix=a/", "--dst-prefix=b/"])
}

/// A file of a diff.
#[derive(Debug, PartialEq, Eq)]
struct FileDiff {
    /// What the old version calls it.
    path: String,
    is_new: bool,
    renamed: Option<String>,
    /// It has got another name and nothing else.
    is_same: bool,
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
            // Of a renamed file, the names are in lines of their own.
            files.push(FileDiff {
                path: header_path(rest).unwrap_or_default(),
                is_new: false,
                renamed: None,
                is_same: false,
                hunks: Vec::new(),
            });
        } else if let (Some(name), Some(file)) =
            (line.strip_prefix(b"rename from "), files.last_mut())
        {
            file.path = named(name);
        } else if let (Some(name), Some(file)) =
            (line.strip_prefix(b"rename to "), files.last_mut())
        {
            file.renamed = Some(named(name));
        } else if line == b"similarity index 100%" {
            if let Some(file) = files.last_mut() {
                file.is_same = true;
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
    files.retain(|file| !file.path.is_empty());
    files
}

/// Reads a name as git prints it, quoted or not.
fn named(name: &[u8]) -> String {
    match std::str::from_utf8(name) {
        Ok(name) => path_name(&path_bytes(name)),
        Err(_) => path_name(name),
    }
}

/// Reads `a/PATH b/PATH`, quoted or not, both the same unless the file is renamed.
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

/// Whether it is not known where a file has been changed.
fn is_whole(file: &FileChanges) -> bool {
    file.regions.is_empty() && file.renamed.is_none()
}

/// Whether two agents have given a file this name, and it is the same file.
fn is_new_name_of_same(agents: &[AgentChanges], both: [usize; 2], name: &str) -> bool {
    let [one, two] = both.map(|at| {
        let mut files = agents.get(at).into_iter().flat_map(|agent| &agent.files);
        files.find(|file| file.renamed.as_deref() == Some(name))
    });
    matches!((one, two), (Some(one), Some(two)) if one.path == two.path)
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
                if is_new_name_of_same(agents, [*one, *two], path) {
                    continue;
                }
                let whole = match (&one_file.renamed, &two_file.renamed) {
                    (Some(one), Some(two)) if one != two => true,
                    (Some(_) | None, Some(_) | None) => is_whole(one_file) || is_whole(two_file),
                };
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
        let regions = regions.iter();
        FileChanges {
            regions: regions.map(|(start, end)| changed(*start, *end)).collect(),
            ..whole(path)
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
    fn a_renamed_file_is_not_the_same_lines_as_a_change_elsewhere_in_it() {
        let renamed = |new: &str, regions: &[(u64, u64)]| FileChanges {
            renamed: Some(new.to_owned()),
            ..file("f", regions)
        };
        let kind = |one: Vec<FileChanges>, two: Vec<FileChanges>| -> Vec<(String, &str)> {
            let found = overlaps(&[agent("ann", one, &[]), agent("ben", two, &[])]).into_iter();
            found.map(|o| (o.file, o.kind.as_str())).collect()
        };
        let is = |kind: &'static str| vec![("f".to_owned(), kind)];
        let new = || whole("new");
        let edited = || vec![file("f", &[(5, 5)])];
        assert_eq!(kind(edited(), vec![renamed("new", &[]), new()]), is("file"));
        let too = |at| vec![renamed("new", &[(at, at)]), new()];
        assert_eq!(kind(edited(), too(20)), is("file"));
        assert_eq!(kind(edited(), too(5)), is("region"));
        assert_eq!(kind(too(5), too(20)), is("file"));
        let other = vec![renamed("other", &[]), whole("other")];
        assert_eq!(kind(too(5), other), is("region"), "two names");
        let taken = vec![("new".to_owned(), "region")];
        assert_eq!(kind(vec![new()], too(5)), taken, "somebody else's");
    }

    #[test]
    fn a_diff_tells_what_a_file_was_called() {
        let diff = b"diff --git a/f b/d/new\nsimilarity index 97%\nrename from f\nrename to d/new\nindex 1..2 100644\n--- a/f\n+++ b/d/new\n@@ -20 +20 @@ x\n-a\n+b\ndiff --git a/g \"b/two\\nlines\"\nsimilarity index 100%\nrename from g\nrename to \"two\\nlines\"\n";
        let [edited, same] = &parse_diff(diff)[..] else {
            panic!("two files")
        };
        assert_eq!(
            (&*edited.path, edited.renamed.as_deref()),
            ("f", Some("d/new"))
        );
        assert_eq!((edited.is_same, edited.hunks.len()), (false, 1));
        assert_eq!((&*same.path, same.is_same), ("g", true));
        assert_eq!(same.renamed.as_deref(), Some(r#""two\nlines""#));
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
