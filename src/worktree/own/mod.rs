//! A git store of its own for each agent that writes: it adds nothing to the repository's, so it can damage
//! nothing there.
//!
//! Git's object store is one folder for everybody, and no sandbox can say "add, but never remove or overwrite".
//! So while an agent lives, its worktree's shared folder (git's `commondir`) is `.overstory/repositories/<agent>/`:
//! objects that borrow from the repository's, the agent's own branches, and a copy of all other refs. The
//! rest are links into the repository, which the sandbox keeps from being written. [`bring_over`] takes
//! what the agent has committed into the repository: objects first, each checked, then the branch. So whoever reads
//! a branch outside finds all of it, and reads nothing that an agent can still change. At the agent's end
//! [`OwnStore::take_back`] makes the worktree an ordinary one again.
//!
//! Every step can be repeated: what a killed host has left is brought over by whoever looks next.

mod bring;
mod brought;
mod lend;
mod rest;
mod source;
mod take_back;

use std::path::{Path, PathBuf};

use crate::git::{Repo, git};
use crate::platform::fs::AtPath;
use crate::platform::lease::{self, Lease};
use crate::platform::{ProjectPaths, env, fs};
use crate::sandbox::{self, GitPaths};

use super::error::WorktreeError;

pub use bring::{Brought, bring_over, bring_over_all};
pub(super) use source::Source;
pub use take_back::take_back;

/// The file in which git says where the folder is that a worktree shares with others.
const COMMONDIR: &str = "commondir";
/// The file in a store that says that a worktree is led to it.
const LENT: &str = "lent";
/// The folder of a store's packed refs. Git locks them when it commits, so the agent may write there: that changes
/// what it sees, and nobody else.
const PACKED: &str = "packed";
/// As git writes it.
const SHARED: &str = "../..\n";

/// The store of one agent, there or not.
#[derive(Debug, Clone)]
pub struct OwnStore {
    /// Its folder. The agent writes below `objects/` and its branches' folder only.
    dir: PathBuf,
    paths: ProjectPaths,
    /// The repository's shared folder.
    common: PathBuf,
    /// The worktree's administration in the repository.
    admin: PathBuf,
}

impl OwnStore {
    /// The store that belongs to the worktree at `path`; `None` when that is not an agent's worktree.
    pub fn of(repo: &Repo, path: &Path) -> Result<Option<Self>, WorktreeError> {
        let Some((paths, name)) = project_of(path) else {
            return Ok(None);
        };
        let common = repo.common_dir();
        let common = common.canonicalize().unwrap_or_else(|_| common.to_owned());
        let Some(admin) = sandbox::administration(&common, path)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            dir: paths.repository(&name),
            paths,
            common,
            admin,
        }))
    }

    /// Whether the agent has it.
    pub fn exists(&self) -> bool {
        self.dir.join(LENT).is_file()
    }

    /// Where the agent's objects are.
    pub fn objects(&self) -> PathBuf {
        self.dir.join("objects")
    }

    /// What the agent writes of it, and of the repository's folder.
    pub fn writable(&self, branch: &str) -> GitPaths {
        let folder = branch.rsplit_once('/').map(|(folder, _)| folder);
        folder.map_or_else(GitPaths::default, |folder| {
            self.written(&format!("refs/heads/{folder}/"))
        })
    }

    /// The same by the folder of the agent's branches.
    fn written(&self, folder: &str) -> GitPaths {
        let mut paths = self.looked_after(&self.source());
        paths.write.push(self.dir.join(PACKED));
        paths.write.push(self.dir.join(folder));
        paths.write.push(self.dir.join("logs").join(folder));
        paths
    }

    /// The agent's project.
    pub fn paths(&self) -> &ProjectPaths {
        &self.paths
    }

    /// What git writes when somebody else looks after the worktree.
    pub(super) fn looked_after(&self, source: &Source<'_>) -> GitPaths {
        let lfs = self.common.join("lfs");
        let mut write = vec![self.admin.clone(), source.objects()];
        write.extend(Some(lfs).filter(|lfs| lfs.is_dir()));
        GitPaths {
            own: vec![self.admin.clone()],
            write,
        }
    }

    /// One process at a time changes what is brought over.
    fn turn(&self) -> Result<Lease, WorktreeError> {
        let mut name = self.dir.clone().into_os_string();
        name.push(".lock");
        Ok(lease::wait_for(Path::new(&name))?)
    }

    /// Does something that reads what the agent has written, where nothing can be written.
    fn confined<T: Send>(
        &self,
        work: impl FnOnce(&[String]) -> T + Send,
    ) -> Result<T, WorktreeError> {
        self.confined_to(&GitPaths::default(), work)
    }

    /// The same where only these paths can be written.
    fn confined_to<T: Send>(
        &self,
        write: &GitPaths,
        work: impl FnOnce(&[String]) -> T + Send,
    ) -> Result<T, WorktreeError> {
        if !sandbox::support().is_some() {
            return Ok(work(&[]));
        }
        let rules = sandbox::git_rules(write, &self.paths.file("hosts"), env::home().as_deref());
        sandbox::within(&rules, work).map_err(|e| WorktreeError::Sandbox {
            path: self.dir.clone(),
            message: e.to_string(),
        })
    }

    /// Refs of the repository: target and name, in git's order.
    fn shared_refs(&self) -> Result<Vec<(String, String)>, WorktreeError> {
        let text = git(&self.common)
            .global("--git-dir=.")
            .args(["for-each-ref", "--format=%(objectname) %(refname)"])
            .text()?;
        let pairs = text.lines().filter_map(|line| line.split_once(' '));
        Ok(pairs
            .map(|(id, name)| (id.to_owned(), name.to_owned()))
            .collect())
    }

    /// Shows the agent the repository's refs as they are now, except its own.
    pub(super) fn show_refs(&self) -> Result<(), WorktreeError> {
        let own = brought::folders(&self.dir)?;
        let is_own = |name: &str| own.iter().any(|folder| name.starts_with(folder.as_str()));
        let mut text = String::from("# pack-refs with: sorted \n");
        for (id, name) in self.shared_refs()? {
            if !is_own(&name) {
                text.push_str(&id);
                text.push(' ');
                text.push_str(&name);
                text.push('\n');
            }
        }
        let packed = self.dir.join(PACKED);
        let write = GitPaths {
            own: Vec::new(),
            write: vec![packed.clone()],
        };
        self.confined_to(&write, |_| -> Result<(), WorktreeError> {
            let file = packed.join("packed-refs");
            if fs::read_optional(&file)?.as_deref() != Some(text.as_str()) {
                fs::write_atomic(&file, text)?;
            }
            Ok(())
        })?
    }

    /// Brings over what is new, and shows what is new to the agent.
    pub fn follow(&self, repo: &Repo) -> Result<Brought, WorktreeError> {
        let _turn = self.turn()?;
        if !self.exists() {
            return Ok(Brought::default());
        }
        let brought = self.bring(repo)?;
        self.adopt()?;
        self.show_refs()?;
        Ok(brought)
    }

    /// Gives the agent its own branches as somebody else has moved them, where it has not moved them itself.
    fn adopt(&self) -> Result<(), WorktreeError> {
        let folders = brought::folders(&self.dir)?;
        let mut known = brought::read(&self.dir)?;
        let present = brought::present(&self.dir)?;
        for (id, name) in self.shared_refs()? {
            let Some(folder) = folders
                .iter()
                .find(|folder| name.starts_with(folder.as_str()))
            else {
                continue;
            };
            let as_known = present.get(&name) == known.get(&name);
            if !as_known || known.get(&name) == Some(&id) {
                continue;
            }
            let file = self.dir.join(&name);
            self.confined_to(&self.written(folder), |_| -> Result<(), WorktreeError> {
                if let Some(parent) = file.parent() {
                    fs::create_dir_all(parent)?;
                }
                Ok(fs::write_atomic(&file, format!("{id}\n"))?)
            })??;
            known.insert(name, id);
            brought::write(&self.dir, &folders, &known)?;
        }
        Ok(())
    }

    /// Folders in which a change means that refs have moved or something was staged.
    pub fn watched(&self) -> [PathBuf; 3] {
        [
            self.dir.join("refs/heads"),
            self.common.join("refs"),
            self.admin.clone(),
        ]
    }
}

/// The project whose agents' worktrees `path` is among, and the agent's name.
pub(super) fn project_of(path: &Path) -> Option<(ProjectPaths, String)> {
    let paths = ProjectPaths::new(path.parent()?.parent()?.parent()?);
    let name = path.file_name()?.to_str()?;
    (paths.worktree(name) == path).then(|| (paths.clone(), name.to_owned()))
}

fn remove_file_of(path: &Path) -> Result<(), WorktreeError> {
    match std::fs::remove_file(path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e).at("remove", path)?,
        Ok(()) | Err(_) => Ok(()),
    }
}
