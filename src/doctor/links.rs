//! Links that lead somewhere else than they seem to: those in a worktree's folder of git's, by which the user's own
//! git writes other files when it is run there; and those of a checkout that lead to readable files outside of it,
//! which whoever reads, serves or packs the checkout takes along.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Check, Patient, Repair, Repaired};
use crate::git::{Repo, VIEW, git, worktrees};
use crate::platform::fs as files;
use crate::platform::plain;

const IN_GIT: &str = "worktree-links";
const OUT: &str = "links-outside";

/// Where this is a link, git replaces the link and writes nowhere else.
const HEAD: &str = "HEAD";

/// Deeper and more than git makes them.
const DEEPEST: usize = 6;
const MOST: usize = 2_000;

/// The mode of a link in git's trees.
const MODE: &str = "120000";

/// Says nothing where nothing is wrong: the list of all checks is read by other programs.
pub(super) fn check(patient: &Patient) -> Vec<Check> {
    let in_git = shown(links_in_git(patient));
    let out = shown(links_outside(&patient.paths.root));
    let in_git = (!in_git.is_empty()).then(|| {
        let message = format!(
            "Found {} link(s) in git's folders of worktrees; git run there by you would write where they lead. 'grove doctor --fix' removes them, after that 'git reset' in the worktree",
            in_git.len()
        );
        let check = Check::fail(IN_GIT, message).details(in_git);
        check.repaired_by(Repair::Links)
    });
    let out = (!out.is_empty()).then(|| {
        let message = format!(
            "Found {} link(s) in checkouts that lead to readable files outside; what reads, serves or packs the checkout takes those along",
            out.len()
        );
        Check::warn(OUT, message).details(out).not_fixable()
    });
    in_git.into_iter().chain(out).collect()
}

/// Removes the links in git's folders, and nothing of what they lead to.
pub(super) fn repair(patient: &Patient) -> Vec<Repaired> {
    let found = links_in_git(patient).into_iter();
    let removed = found.map(|(link, _)| match files::remove_file(&link) {
        Ok(()) => Repaired::Done(format!("removed the link {}", link.display())),
        Err(error) => Repaired::failed(error),
    });
    removed.collect()
}

fn shown(links: Vec<(PathBuf, PathBuf)>) -> Vec<String> {
    let line =
        |(link, target): &(PathBuf, PathBuf)| format!("{} -> {}", link.display(), target.display());
    links.iter().map(line).collect()
}

fn links_in_git(patient: &Patient) -> Vec<(PathBuf, PathBuf)> {
    let Ok(repo) = Repo::discover(&patient.paths.root) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let all = files::list_dir(&repo.common_dir().join("worktrees")).unwrap_or_default();
    for folder in all {
        let mut left = MOST;
        collect(&folder, 0, &mut left, &mut found);
    }
    found
}

fn collect(folder: &Path, depth: usize, left: &mut usize, found: &mut Vec<(PathBuf, PathBuf)>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = left.checked_sub(1) else {
            return;
        };
        *left = fewer;
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        // An agent's own view of the git folder is made of links; only its own git goes there.
        let is_known = depth == 0 && (name == HEAD || name == VIEW && kind.is_dir());
        if is_known {
            continue;
        }
        if kind.is_symlink() {
            let target = fs::read_link(&path).unwrap_or_default();
            found.push((path, target));
        } else if kind.is_dir() && depth < DEEPEST {
            collect(&path, depth + 1, left, found);
        }
    }
}

/// What is committed in the checkouts: in the main one all of it, in the others what they have of their own.
fn links_outside(root: &Path) -> Vec<(PathBuf, PathBuf)> {
    let all = worktrees(root).unwrap_or_default();
    let Some((main, others)) = all.split_first() else {
        return Vec::new();
    };
    let listed = |words: &[&str]| {
        let output = git(root).args(words).run();
        output.map(|output| output.stdout).unwrap_or_default()
    };
    let mut found = Vec::new();
    if !main.bare && !main.head.is_empty() {
        let tree = listed(&["ls-tree", "-r", "-z", &main.head]);
        found.extend(leading_out(&main.path, &in_tree(&tree)));
    }
    for other in others.iter().filter(|other| !other.head.is_empty()) {
        let own = listed(&[
            "diff-tree",
            "-r",
            "-z",
            "--no-renames",
            &main.head,
            &other.head,
        ]);
        found.extend(leading_out(&other.path, &in_difference(&own)));
    }
    found
}

/// Names of links in the output of `ls-tree -z`.
fn in_tree(listed: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(listed);
    let entries = text.split('\0').filter_map(|line| line.split_once('\t'));
    let links = entries.filter(|(about, _)| about.starts_with(MODE));
    links.map(|(_, name)| name.to_owned()).collect()
}

/// Names of what has become a link, in the output of `diff-tree -z`: what changed, and behind it the name.
fn in_difference(listed: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(listed);
    let mut fields = text.split('\0');
    let mut names = Vec::new();
    while let (Some(about), Some(name)) = (fields.next(), fields.next()) {
        if about.split(' ').nth(1) == Some(MODE) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Those of the links that lead out of the checkout to what this user can read.
fn leading_out(checkout: &Path, names: &[String]) -> Vec<(PathBuf, PathBuf)> {
    let Ok(top) = checkout.canonicalize() else {
        return Vec::new();
    };
    let links = names.iter().filter_map(|name| {
        let link = checkout.join(name);
        let target = link.canonicalize().ok()?;
        let is_readable = || target.is_dir() || plain::open_linked(&target).is_ok();
        let leads_out = link.is_symlink() && !target.starts_with(&top) && is_readable();
        leads_out.then_some((link, target))
    });
    links.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_told_from_files_in_what_git_lists() {
        let tree = b"100644 blob aa\tfile\x00120000 blob bb\ta link\x00040000 tree cc\tdir\x00";
        assert_eq!(in_tree(tree), ["a link"]);
        let difference = b":000000 120000 00 bb A\x00new\x00:120000 000000 bb 00 D\x00old\x00:100644 120000 aa bb T\x00changed\x00";
        assert_eq!(in_difference(difference), ["new", "changed"]);
        assert_eq!(in_difference(b""), Vec::<String>::new());
    }
}
