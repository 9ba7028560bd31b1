//! What of a project no agent may write, whatever its role: the checkout, git's own files, the orchestrator's, and the
//! worktrees of others. Looked up, never touched.

use crate::config::{OF_GIT, SandboxConfig};
use crate::git::{Repo, hooks_folder};
use crate::platform::{ProjectPaths, env, fs};
use std::path::{Path, PathBuf};

/// Agents add objects of their own.
const OPEN: &str = "objects";

/// Inside of what git has in its folder, by which an agent would run programs as the user or move what is not its own.
const INSIDE: &[&str] = &[
    "info/attributes",
    "info/exclude",
    "logs/HEAD",
    "refs/heads",
    "refs/heads/overstory",
    "refs/tags",
];

/// Those that are there. `caches` are the role's own.
pub(super) fn real_places(
    paths: &ProjectPaths,
    config: &SandboxConfig,
    caches: &Path,
) -> Vec<PathBuf> {
    let mut places = vec![paths.root.clone(), paths.dir()];
    if let Ok(repo) = Repo::discover(&paths.root) {
        let common = repo.common_dir();
        let closed = OF_GIT.iter().filter(|name| **name != OPEN).chain(INSIDE);
        places.push(common.to_owned());
        places.extend(closed.map(|name| common.join(name)));
        places.extend(fs::list_dir(&common.join("worktrees")).unwrap_or_default());
        // The user's git runs these, wherever they are.
        places.extend(hooks_folder(&repo).ok());
    }
    // What the configuration opens of the checkout is open; nothing opens the rest.
    let open = config.writable_paths(env::home().as_deref(), &paths.root);
    let mut checkout = fs::list_dir(&paths.root).unwrap_or_default();
    checkout.retain(|entry| !open.iter().any(|open| entry.starts_with(open)));
    places.extend(checkout);
    let mut own = fs::list_dir(&paths.dir()).unwrap_or_default();
    own.retain(|entry| entry != caches);
    places.extend(own);
    places.extend(fs::list_dir(&paths.file("worktrees")).unwrap_or_default());
    // Where a link leads is somebody else's place.
    let is_plain = |place: &PathBuf| {
        let found = place.symlink_metadata();
        found.is_ok_and(|found| found.is_dir() || found.is_file())
    };
    places.retain(is_plain);
    places.sort();
    places.dedup();
    places
}
