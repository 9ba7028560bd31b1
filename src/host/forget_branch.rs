//! Removing a packed branch of the agent's own: the file of all packed refs is not the agent's to write.
//!
//! It asks for no more than it may do to a branch that is not packed: what is not below the name of its own branch, what
//! has moved meanwhile and what is checked out stays.

use super::protocol::Answer;
use super::shared::Shared;
use crate::git::{Oid, RefMove, Repo, update_ref, worktrees};

/// The command by which the agent's git asks for it: the ref and what it says follow.
pub const FORGET_BRANCH: &str = "forget-branch";

/// Does it when the words ask for it; `None` when they are another command.
pub(super) fn answer(shared: &Shared, words: &[String]) -> Option<Answer> {
    let [verb, rest @ ..] = words else {
        return None;
    };
    (verb == FORGET_BRANCH).then(|| match forget(shared, rest) {
        Ok(()) => Answer::default(),
        Err(why) => Answer {
            code: 1,
            stderr: format!("{why}\n"),
            ..Answer::default()
        },
    })
}

fn forget(shared: &Shared, words: &[String]) -> Result<(), String> {
    let [name, id] = words else {
        return Err("a ref and what it says are expected".to_owned());
    };
    if !is_own(&shared.launch.branch, name) {
        return Err("it is not below the name of the agent's own branch".to_owned());
    }
    let id = Oid::from_str(id).map_err(|e| e.to_string())?;
    let repo = Repo::discover(&shared.paths.root).map_err(|e| e.to_string())?;
    let all = worktrees(repo.path()).map_err(|e| e.to_string())?;
    let branch = name.strip_prefix("refs/heads/");
    if let Some(user) = all.iter().find(|w| Some(w.branch.as_str()) == branch) {
        return Err(format!("it is checked out at {}", user.path.display()));
    }
    match update_ref(&repo, name, Some(id), None, "branch: removed by its agent") {
        Ok(RefMove::Moved) => Ok(()),
        Ok(RefMove::Lost { .. }) => Err("it has moved meanwhile".to_owned()),
        Err(e) => Err(e.to_string()),
    }
}

/// Whether a ref lies in the folder of the agent's branch, the only one that its sandbox lets it write.
fn is_own(branch: &str, name: &str) -> bool {
    let own = branch.rsplit_once('/').map(|(folder, _)| folder);
    let rest = own
        .zip(name.strip_prefix("refs/heads/"))
        .and_then(|(own, name)| name.strip_prefix(own)?.strip_prefix('/'));
    rest.is_some_and(|rest| {
        let mut parts = rest.split('/');
        parts.all(|part| !part.is_empty() && !part.starts_with('.'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_branches_in_the_folder_of_the_agents_branch_are_its_own() {
        let own = |name| is_own("overstory/ann/t-1", name);
        assert!(own("refs/heads/overstory/ann/side"));
        assert!(own("refs/heads/overstory/ann/t-1"));
        assert!(own("refs/heads/overstory/ann/a/b"));
        for other in [
            "refs/heads/overstory/ann",
            "refs/heads/overstory/ann/",
            "refs/heads/overstory/anna/side",
            "refs/heads/overstory/ann/../ben/x",
            "refs/heads/overstory/ben/side",
            "refs/heads/main",
            "refs/tags/overstory/ann/side",
            "HEAD",
        ] {
            assert!(!own(other), "{other}");
        }
        assert!(!is_own("main", "refs/heads/main"));
    }
}
