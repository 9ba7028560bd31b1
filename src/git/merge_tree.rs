//! The three-way merge of two commits as git's own engine does it, on objects only: no checkout, no
//! index, no conflict markers to parse. Reports what conflicts; resolving is `crate::merge`.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use git2::Oid;

use super::cli::git;
use super::driver_place::DriverPlace;
use super::drivers::merge_drivers;
use super::entries::{Entry, EntryKind};
use super::error::GitError;
use super::path_name::{os_path, path_name};
use super::repo::{DRIVERS_MAY_TAKE, Repo};
use super::version::{GitVersion, has_shown, is_at_least, known_to_be, require_git};
use crate::process::shell::Cancel;

/// A path for which git found no single answer, with the versions that stand against each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedPath {
    pub path: Vec<u8>,
    pub base: Option<Entry>,
    pub ours: Option<Entry>,
    pub theirs: Option<Entry>,
}

impl ConflictedPath {
    /// Returns the path's name: for messages, and as a key.
    pub fn name(&self) -> String {
        path_name(&self.path)
    }
}

/// Something git said about one or more paths while merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeMessage {
    pub paths: Vec<String>,
    /// git's short type, such as `CONFLICT (contents)`.
    pub kind: String,
    pub text: String,
}

/// The outcome of a merge in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedTree {
    /// The merged tree. Conflicted paths hold provisional content and have to be replaced.
    pub tree: Oid,
    /// git has nothing to ask: what it says of conflicts on its way to the tree is over.
    pub is_clean: bool,
    pub conflicts: Vec<ConflictedPath>,
    pub messages: Vec<MergeMessage>,
}

/// Merges two commits in memory. With `base`, that commit is the ancestor instead of the computed one.
pub fn merge_trees(
    repo: &Repo,
    ours: Oid,
    theirs: Oid,
    base: Option<Oid>,
) -> Result<MergedTree, GitError> {
    merge_trees_unless(None, repo, (ours, theirs), base)
}

/// The same, until somebody calls it off: git ends then, and the merge drivers with it.
pub fn merge_trees_unless(
    cancel: Option<&Cancel>,
    repo: &Repo,
    (ours, theirs): (Oid, Oid),
    base: Option<Oid>,
) -> Result<MergedTree, GitError> {
    let newest = GitVersion::READS_ATTRIBUTES_FROM_TREES;
    if base.is_none() && known_to_be(newest).is_none() {
        // Trying costs less than asking for the version first: nearly every git is new enough.
        match by_program(repo, (ours, theirs), true, (own_limit(repo), cancel)) {
            Err(GitError::Failed {
                code: Some(USAGE), ..
            }) => {}
            answer => {
                if answer.is_ok() {
                    has_shown(newest);
                }
                return answer;
            }
        }
    }
    require_git()?;
    if base.is_none() && is_at_least(GitVersion::WRITES_MERGED_TREES)? {
        let newest = is_at_least(newest)?;
        by_program(repo, (ours, theirs), newest, (own_limit(repo), cancel))
    } else {
        by_library(repo, ours, theirs, base)
    }
}

/// How git ends when it does not know an option.
const USAGE: i32 = 129;

/// How long git may take for a merge without drivers: nothing of its own hangs, but what it reads may be on a disk that
/// does, and names of thousands of files may be looked for.
fn own_limit(repo: &Repo) -> Duration {
    repo.driver_limit().max(DRIVERS_MAY_TAKE)
}

fn by_program(
    repo: &Repo,
    (ours, theirs): (Oid, Oid),
    reads_attributes_from_trees: bool,
    (own_limit, cancel): (Duration, Option<&Cancel>),
) -> Result<MergedTree, GitError> {
    let drivers = merge_drivers(repo)?;
    // Git puts nothing down where it stands but for drivers.
    let place = (!drivers.is_empty()).then(|| DriverPlace::make(repo));
    let place = place.transpose().map_err(|source| GitError::Spawn {
        command: "merge-tree --write-tree".to_owned(),
        source,
    })?;
    let mut call = git(place.as_ref().map_or(repo.path(), DriverPlace::path));
    if reads_attributes_from_trees {
        // The target's committed attributes count, whatever is checked out here.
        call = call.global(format!("--attr-source={ours}"));
    }
    call = if drivers.is_empty() {
        // It leaves nothing behind that would have to be looked for, which costs.
        call.changing_within(own_limit)
    } else {
        call.within(repo.driver_limit())
    };
    let output = call
        .args(["merge-tree", "--write-tree", "-z", "--messages"])
        .args([ours.to_string(), theirs.to_string()])
        .also(1)
        .run_unless(cancel);
    let output = match output {
        Err(GitError::TookTooLong {
            limit, waited_for, ..
        }) if !drivers.is_empty() => {
            return Err(GitError::DriverHangs {
                drivers: drivers.into_iter().collect(),
                files: Vec::new(),
                limit,
                waited_for,
            });
        }
        other => other?,
    };
    let merged = parse(&output.stdout).map(|merged| MergedTree {
        is_clean: output.code == 0 && merged.conflicts.is_empty(),
        ..merged
    });
    merged.ok_or_else(|| GitError::Unexpected {
        command: "merge-tree --write-tree".to_owned(),
        detail: String::from_utf8_lossy(&output.stdout)
            .chars()
            .take(200)
            .collect(),
    })
}

/// Reads all but how git ended: `tree NUL (mode oid stage TAB path NUL)* NUL (count NUL path… kind NUL text NUL)*`.
fn parse(bytes: &[u8]) -> Option<MergedTree> {
    let mut fields = bytes.split(|byte| *byte == 0);
    let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
    let tree = Oid::from_str(text(fields.next()?).trim()).ok()?;
    let mut staged: Vec<(Vec<u8>, u8, Entry)> = Vec::new();
    for field in fields.by_ref() {
        if field.is_empty() {
            break;
        }
        let tab = field.iter().position(|byte| *byte == b'\t')?;
        let (head, path) = field.split_at(tab);
        let head = text(head);
        let mut parts = head.split(' ');
        let mode = u32::from_str_radix(parts.next()?, 8).ok()?;
        let id = Oid::from_str(parts.next()?).ok()?;
        let stage = parts.next()?.parse().ok()?;
        let kind = EntryKind::from_mode(mode)?;
        staged.push((path.get(1..)?.to_vec(), stage, Entry { kind, id }));
    }
    let mut messages = Vec::new();
    while let Some(count) = fields.next() {
        let Ok(count) = text(count).parse::<usize>() else {
            break;
        };
        let paths = fields.by_ref().take(count).map(path_name).collect();
        let kind = text(fields.next()?);
        let said = text(fields.next()?).trim().to_owned();
        messages.push(MergeMessage {
            paths,
            kind,
            text: said,
        });
    }
    Some(MergedTree {
        tree,
        is_clean: false,
        conflicts: by_path(staged),
        messages,
    })
}

fn by_path(staged: Vec<(Vec<u8>, u8, Entry)>) -> Vec<ConflictedPath> {
    let mut paths: BTreeMap<Vec<u8>, [Option<Entry>; 3]> = BTreeMap::new();
    for (path, stage, entry) in staged {
        let stages = paths.entry(path).or_default();
        if let Some(slot) = stages.get_mut(usize::from(stage).wrapping_sub(1)) {
            *slot = Some(entry);
        }
    }
    paths
        .into_iter()
        .map(|(path, [base, ours, theirs])| ConflictedPath {
            path,
            base,
            ours,
            theirs,
        })
        .collect()
}

/// The same by libgit2, for a git without `merge-tree --write-tree` and for a chosen ancestor.
fn by_library(
    repo: &Repo,
    ours: Oid,
    theirs: Oid,
    base: Option<Oid>,
) -> Result<MergedTree, GitError> {
    let failed = || repo.failed("merge in memory");
    let raw = repo.raw();
    let our_commit = raw.find_commit(ours).map_err(failed())?;
    let their_commit = raw.find_commit(theirs).map_err(failed())?;
    let mut options = git2::MergeOptions::new();
    options.find_renames(true);
    let mut index = match base {
        None => raw
            .merge_commits(&our_commit, &their_commit, Some(&options))
            .map_err(failed())?,
        Some(base) => {
            let base = raw
                .find_commit(base)
                .and_then(|commit| commit.tree())
                .map_err(failed())?;
            let our_tree = our_commit.tree().map_err(failed())?;
            let their_tree = their_commit.tree().map_err(failed())?;
            raw.merge_trees(&base, &our_tree, &their_tree, Some(&options))
                .map_err(failed())?
        }
    };
    let mut staged = Vec::new();
    for entry in index.iter() {
        let stage = (entry.flags >> 12 & 3) as u8;
        if stage == 0 {
            continue;
        }
        if let Some(kind) = EntryKind::from_mode(entry.mode) {
            staged.push((entry.path.clone(), stage, Entry { kind, id: entry.id }));
        }
    }
    for (path, stage, _) in &staged {
        index
            .remove(Path::new(&os_path(path)), i32::from(*stage))
            .map_err(failed())?;
    }
    let tree = index.write_tree_to(raw).map_err(failed())?;
    Ok(MergedTree {
        tree,
        is_clean: staged.is_empty(),
        conflicts: by_path(staged),
        messages: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_merge_without_drivers_that_does_not_end_is_ended() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path()).args(["init", "-q"]).run().unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        let blob = |text: &str| Entry {
            kind: EntryKind::File,
            id: repo.write_blob(text.as_bytes()).unwrap(),
        };
        let commit = |text: &str, parents: &[Oid]| {
            let changes = [(b"a".to_vec(), Some(blob(text)))];
            let empty = repo.raw().treebuilder(None).unwrap().write().unwrap();
            let tree = repo.tree_with(empty, &changes).unwrap();
            repo.commit_unreferenced(tree, parents).unwrap()
        };
        let base = commit("1\n", &[]);
        let [ours, theirs] = ["2\n", "3\n"].map(|text| commit(text, &[base]));
        // Nobody ever writes into it.
        let made = std::process::Command::new("mkfifo")
            .arg(dir.path().join(".git/info/attributes"))
            .status();
        assert!(made.unwrap().success());
        let limit = Duration::from_millis(300);
        let ended = by_program(&repo, (ours, theirs), false, (limit, None));
        let Err(GitError::TookTooLong { command, .. }) = ended else {
            panic!("{ended:?}");
        };
        assert!(command.starts_with("merge-tree"), "{command}");

        let cancel = Cancel::default();
        let pipe = dir.path().join(".git/info/attributes");
        let ended = std::thread::scope(|scope| {
            let calls_off = scope.spawn(|| {
                // Opened as soon as git reads it; nothing ever comes.
                let held = std::fs::File::options().write(true).open(pipe).unwrap();
                cancel.call();
                held
            });
            let ended = merge_trees_unless(Some(&cancel), &repo, (ours, theirs), None);
            drop(calls_off.join().unwrap());
            ended
        });
        assert!(
            matches!(ended, Err(GitError::Interrupted { .. })),
            "{ended:?}"
        );
    }

    /// Builds base, ours and theirs, and compares what the two engines say.
    #[test]
    fn the_library_finds_the_same_conflicts_as_the_program() {
        let dir = tempfile::tempdir().unwrap();
        git(dir.path()).args(["init", "-q"]).run().unwrap();
        let repo = Repo::open(dir.path()).unwrap();
        let raw = repo.raw();
        let who = git2::Signature::new("t", "t@example.org", &git2::Time::new(1, 0)).unwrap();
        let commit = |files: &[(&str, &str)], parents: &[Oid]| {
            let mut tree = raw.treebuilder(None).unwrap();
            for (name, content) in files {
                let blob = raw.blob(content.as_bytes()).unwrap();
                tree.insert(name, blob, 0o100_644).unwrap();
            }
            let tree = raw.find_tree(tree.write().unwrap()).unwrap();
            let parents: Vec<_> = parents
                .iter()
                .map(|p| raw.find_commit(*p).unwrap())
                .collect();
            let parents: Vec<_> = parents.iter().collect();
            raw.commit(None, &who, &who, "c", &tree, &parents).unwrap()
        };
        let base = commit(&[("a", "1\n"), ("b", "1\n2\n3\n4\n5\n"), ("c", "x\n")], &[]);
        let ours = commit(
            &[
                ("a", "2\n"),
                ("b", "one\n2\n3\n4\n5\n"),
                ("c", "y\n"),
                ("n", "o\n"),
            ],
            &[base],
        );
        let theirs = commit(
            &[("a", "3\n"), ("b", "1\n2\n3\n4\nfive\n"), ("n", "t\n")],
            &[base],
        );
        let program = by_program(&repo, (ours, theirs), false, (DRIVERS_MAY_TAKE, None)).unwrap();
        let library = by_library(&repo, ours, theirs, None).unwrap();
        assert_eq!(library.conflicts, program.conflicts);
        let names: Vec<String> = library.conflicts.iter().map(ConflictedPath::name).collect();
        assert_eq!(names, ["a", "c", "n"]);
        let b = |merged: &MergedTree| repo.entry_at(merged.tree, b"b").unwrap();
        assert_eq!(b(&library), b(&program));
        let clean = by_library(&repo, ours, base, None).unwrap();
        assert_eq!(
            (clean.tree, clean.conflicts.len()),
            (repo.tree_of(ours).unwrap(), 0)
        );
    }

    const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

    #[test]
    fn stages_and_messages_are_read() {
        let text = format!(
            "{A}\0100644 {A} 1\tdir/f\tx\0100644 {B} 2\tdir/f\tx\0100755 {A} 3\tdir/f\tx\0\0\
             1\0dir/f\tx\0CONFLICT (contents)\0CONFLICT (content): in f\n\0"
        );
        let merged = parse(text.as_bytes()).unwrap();
        assert_eq!(merged.tree, Oid::from_str(A).unwrap());
        let [conflict] = merged.conflicts.as_slice() else {
            panic!("{merged:?}");
        };
        assert_eq!(conflict.name(), r#""dir/f\tx""#);
        assert_eq!(conflict.ours.unwrap().id, Oid::from_str(B).unwrap());
        assert_eq!(conflict.theirs.unwrap().kind, EntryKind::Executable);
        assert_eq!(merged.messages[0].kind, "CONFLICT (contents)");
        assert_eq!(merged.messages[0].paths, [r#""dir/f\tx""#]);
    }

    #[test]
    fn a_clean_answer_has_no_conflicts() {
        let merged = parse(format!("{A}\0\0").as_bytes()).unwrap();
        assert!(merged.conflicts.is_empty() && merged.messages.is_empty());
        assert_eq!(parse(b"warning: nonsense"), None);
    }
}
