//! The live overlap map: what the agents of this moment change, from their worktrees and from what
//! they were given for themselves.

use super::CoordinatorError;
use super::landing::repository_of;
use crate::db::SessionStore;
use crate::git::{Oid, Repo};
use crate::merge;
use crate::merge::overlap::{
    AgentChanges, FileChanges, Overlap, changes_between, changes_of, overlaps, shifted,
};
use crate::platform::ProjectPaths;
use crate::worktree::{is_own_file, read_file_scope};
use std::path::Path;

/// The map with what it was made from. Lines are counted in the branch merges go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapMap {
    pub agents: Vec<AgentChanges>,
    pub overlaps: Vec<Overlap>,
    /// Worktrees that could not be read, each with the reason.
    pub unread: Vec<String>,
}

/// Counts regions of one commit in the lines of another: agents have begun at different times.
fn in_lines_of(
    repo: &Repo,
    base: Oid,
    tip: Oid,
    files: &mut [FileChanges],
) -> Result<(), CoordinatorError> {
    let paths = files.iter().filter(|file| !file.regions.is_empty());
    let paths = paths.map(|file| file.path.as_str()).collect();
    let between = changes_between(repo, (base, tip), &paths)?;
    for file in files {
        if let Some(hunks) = between.get(&file.path) {
            for region in &mut file.regions {
                *region = shifted(*region, hunks);
            }
        }
    }
    Ok(())
}

/// Looks at the worktrees of all agents that have not ended, against the branch merges go to.
pub fn overlap_map(paths: &ProjectPaths, target: &str) -> Result<OverlapMap, CoordinatorError> {
    let repo = repository_of(paths)?;
    let tip = repo.branch_tip(target)?;
    let (mut agents, mut unread) = (Vec::new(), Vec::new());
    if paths.sessions_db().exists() {
        for session in SessionStore::look(&paths.sessions_db())?.all()? {
            let worktree = Path::new(&session.worktree_path);
            if !worktree.is_dir() || worktree == paths.root {
                continue;
            }
            let Some(branch_tip) = repo.ref_target(&format!("refs/heads/{}", session.branch_name))
            else {
                continue;
            };
            let Some(base) = merge::base_of_work(&repo, tip, branch_tip)? else {
                continue;
            };
            // A finished agent's branch counts until it is merged.
            if session.state.is_terminal() && base == branch_tip {
                continue;
            }
            match changes_of(&repo, worktree, base) {
                Ok(mut files) => {
                    files.retain(|file| !is_own_file(&file.path));
                    in_lines_of(&repo, base, tip, &mut files)?;
                    agents.push(AgentChanges {
                        agent: session.agent_name.clone(),
                        branch: session.branch_name.clone(),
                        files,
                        scope: read_file_scope(paths, &session, ""),
                    });
                }
                Err(error) => unread.push(format!("{}: {error}", session.agent_name)),
            }
        }
    }
    let overlaps = overlaps(&agents);
    Ok(OverlapMap {
        agents,
        overlaps,
        unread,
    })
}
