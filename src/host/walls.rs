//! The rules of an agent, made of the project and its configuration: for its host, which applies them, and for `doctor`,
//! which tries them. Makes no file.

use crate::config::SandboxConfig;
use crate::platform::{FsError, ProjectPaths, env, fs};
use crate::runtimes::{Runtime, cloud_logins};
use crate::sandbox::{self, GitPaths, Place, Rules};
use crate::types::agent::is_read_only;
use std::path::{Path, PathBuf};

/// Who is confined.
pub struct Wish<'a> {
    pub paths: &'a ProjectPaths,
    pub config: &'a SandboxConfig,
    pub capability: &'a str,
    pub runtime: &'a dyn Runtime,
    pub worktree: &'a Path,
    pub temp: &'a Path,
    /// What its host keeps for it.
    pub private_dir: &'a Path,
    /// What a commit on its branch writes; not looked at for a role that only reads.
    pub git: Option<&'a GitPaths>,
    /// The variables its CLI gets.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

/// The rules, and what a person should know about them.
#[derive(Debug)]
pub struct Effective {
    pub rules: Rules,
    pub notes: Vec<String>,
}

/// Whether a role writes in the folder it works in. An agent that works in the main checkout itself never does.
pub fn writes(paths: &ProjectPaths, capability: &str, worktree: &Path) -> bool {
    !is_read_only(capability) && worktree != paths.root
}

/// The folder with the caches of a role.
pub fn caches(paths: &ProjectPaths, capability: &str, worktree: &Path) -> PathBuf {
    let writes = writes(paths, capability, worktree);
    paths.file(sandbox::cache_folder(capability, writes))
}

/// The rules by this configuration.
pub fn effective(wish: &Wish<'_>) -> Result<Effective, FsError> {
    let Wish { paths, config, .. } = *wish;
    let writes = writes(paths, wish.capability, wish.worktree);
    let home = env::home();
    let home = home.as_deref();
    let state = home.map_or_else(Vec::new, |home| {
        let state = wish.runtime.state(home, Some(wish.private_dir));
        [state.folders, state.files].concat()
    });
    let logins = home.map_or_else(Vec::new, |home| cloud_logins(home, wish.variable));
    let exposed = home.and_then(|home| {
        let own = [&state[..], &logins].concat();
        sandbox::exposed_note(home, &own)
    });
    let mut notes: Vec<String> = exposed.into_iter().collect();
    let extra = config.writable_paths(home, &paths.root);
    let overstory = paths.dir();
    let mut locks = fs::list_dir(&overstory)?;
    locks.retain(|file| sandbox::is_lock(file));
    let rules = sandbox::rules(&Place {
        worktree: wish.worktree,
        writes,
        root: &paths.root,
        temp: wish.temp,
        private_dir: wish.private_dir,
        overstory: &overstory,
        locks: &locks,
        hosts: &paths.file("hosts"),
        caches: &caches(paths, wish.capability, wish.worktree),
        git: wish.git,
        state: &state,
        logins: &logins,
        extra: &extra,
        network: &config.network,
        home,
    });
    if writes {
        notes.extend(sandbox::closed_note(sandbox::Wanted {
            extra: &extra,
            hidden: &rules.hidden,
            overstory: &overstory,
            home,
        }));
    }
    Ok(Effective { rules, notes })
}
