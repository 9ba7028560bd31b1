//! Branches of agents that are only another name of a ref (`git symbolic-ref`, or its words in the ref's file): a commit on
//! such a branch moves the other one. An agent may write its own refs as files, so nothing keeps it from making one.

use std::path::Path;

use git2::{ErrorCode, Oid};

use super::error::GitError;
use super::repo::Repo;
use crate::platform::plain;

/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;
/// Deeper names are not made by anybody.
const DEEPEST: usize = 64;
/// More than people make them.
const MOST: usize = 100_000;
/// What such a file begins with.
const MARK: &str = "ref:";

/// A branch that is another's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolicRef {
    /// Its whole name.
    pub name: String,
    /// The name of what it leads to.
    pub target: String,
}

/// Those in the folder of this name, `refs/heads/overstory` say. Packed refs are none.
pub fn symbolic_refs(repo: &Repo, folder: &str) -> Vec<SymbolicRef> {
    let mut found = Vec::new();
    let mut folders = vec![(repo.common_dir().join(folder), folder.to_owned(), 0)];
    let mut left = MOST;
    while let Some((folder, name, depth)) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let Some(fewer) = left.checked_sub(1) else {
                return found;
            };
            left = fewer;
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() && depth < DEEPEST => {
                    folders.push((entry.path(), name, depth + 1));
                }
                Ok(kind) if kind.is_file() => found.extend(symbolic(&entry.path(), name)),
                Ok(_) | Err(_) => {}
            }
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// What a branch leads to, if it is only another's name.
pub fn symbolic_target(repo: &Repo, branch: &str) -> Option<String> {
    let name = format!("refs/heads/{branch}");
    let file = repo.common_dir().join(&name);
    symbolic(&file, name).map(|found| found.target)
}

fn symbolic(file: &Path, name: String) -> Option<SymbolicRef> {
    let is_lock = file.extension().is_some_and(|end| end == "lock");
    let bytes = plain::read(file, LARGEST).filter(|_| !is_lock)?;
    let text = String::from_utf8_lossy(&bytes);
    let target = text.strip_prefix(MARK)?.trim().to_owned();
    Some(SymbolicRef { name, target })
}

/// Makes it a branch of its own again: where it stood by its log, or else where the other one stands. What it leads to
/// stays as it is. `None` when there is no such commit and it was removed.
pub fn stand_alone(repo: &Repo, symbolic: &SymbolicRef) -> Result<Option<Oid>, GitError> {
    let SymbolicRef { name, target } = symbolic;
    let raw = repo.raw();
    let there = repo.ref_target(target);
    match stood_at(repo, name, there).or(there) {
        Some(id) => {
            let why = format!("no name of {target} any more");
            raw.reference(name, id, true, &why)
                .map_err(repo.failed("write a ref"))?;
            Ok(Some(id))
        }
        None => match raw
            .find_reference(name)
            .and_then(|mut found| found.delete())
        {
            Ok(()) => Ok(None),
            Err(e) if e.code() == ErrorCode::NotFound => Ok(None),
            Err(e) => Err(repo.failed("remove a ref")(e)),
        },
    }
}

/// Where a branch stood before it was given away, by its log. Git notes there that it leads to `there` from now on, without
/// a word why.
fn stood_at(repo: &Repo, name: &str, there: Option<Oid>) -> Option<Oid> {
    let raw = repo.raw();
    let log = raw.reflog(name).ok()?;
    let is_of_the_other = |id: Oid| {
        there.is_some_and(|tip| tip == id || raw.graph_descendant_of(tip, id).unwrap_or(false))
    };
    log.iter().find_map(|entry| {
        let id = raw.find_commit(entry.id_new()).ok()?.id();
        let is_silent = entry.message_bytes().is_none_or(<[u8]>::is_empty);
        (!is_silent || !is_of_the_other(id)).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_branch_that_is_another_s_name_becomes_its_own_and_the_other_stays() {
        let dir = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| {
            let mut call = Command::new("git");
            call.args(["-c", "user.name=a", "-c", "user.email=a@b", "-C"]);
            let done = call.arg(dir.path()).args(args).output().unwrap();
            assert!(done.status.success(), "{args:?}: {done:?}");
            String::from_utf8(done.stdout).unwrap().trim().to_owned()
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["commit", "-q", "--allow-empty", "-m", "one"]);
        git(&["branch", "overstory/x/y"]);
        git(&["commit", "-q", "--allow-empty", "-m", "two"]);
        let (one, two) = (git(&["rev-parse", "main~"]), git(&["rev-parse", "main"]));
        let link = |name: &str, target: &str| git(&["symbolic-ref", name, target]);
        link("refs/heads/overstory/x/y", "refs/heads/main");
        link("refs/heads/overstory/x/new", "refs/heads/main");
        link("refs/heads/overstory/x/none", "refs/heads/absent");
        link("refs/heads/mine", "refs/heads/main");
        let repo = Repo::discover(dir.path()).unwrap();
        let found = symbolic_refs(&repo, "refs/heads/overstory");
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        let expected = ["new", "none", "y"].map(|n| format!("refs/heads/overstory/x/{n}"));
        assert_eq!(names, expected);
        let target = symbolic_target(&repo, "overstory/x/y");
        assert_eq!(target.as_deref(), Some("refs/heads/main"));
        let stand = |at: usize| {
            stand_alone(&repo, &found[at])
                .unwrap()
                .map(|id| id.to_string())
        };
        assert_eq!(stand(0), Some(two.clone()));
        assert_eq!(stand(1), None);
        assert_eq!(stand(2), Some(one.clone()));
        assert_eq!(git(&["rev-parse", "overstory/x/y"]), one);
        assert_eq!(git(&["rev-parse", "main"]), two);
        assert!(symbolic_refs(&repo, "refs/heads/overstory").is_empty());
        assert_eq!(symbolic_target(&repo, "overstory/x/y"), None);
        assert_eq!(git(&["symbolic-ref", "refs/heads/mine"]), "refs/heads/main");
    }
}
