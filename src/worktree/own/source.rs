//! Objects that somebody else has written, on their way into the repository.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::git::{GitCall, git, give};
use crate::platform::{fs, random};

use super::super::error::WorktreeError;
use super::OwnStore;

/// Where objects come from: an agent's store, or a folder that git wrote into on its behalf.
#[derive(Debug)]
pub(crate) struct Source<'a> {
    store: &'a OwnStore,
    /// A folder of objects only; gone with this.
    aside: Option<PathBuf>,
}

impl OwnStore {
    /// A call of git that reads what the agent has written.
    pub(super) fn reader(&self, words: &[String]) -> GitCall {
        // A submodule's configuration leads to its checkout by a path that holds in its own folder only.
        git(&self.dir)
            .through(words)
            .global("--git-dir=.")
            .global("--work-tree=.")
    }

    /// What the agent itself has written.
    pub(super) fn source(&self) -> Source<'_> {
        Source {
            store: self,
            aside: None,
        }
    }

    /// A place for objects that git makes of what lies in the worktree: the agent's store while there is one.
    pub(crate) fn saving(&self) -> Result<Source<'_>, WorktreeError> {
        if self.exists() {
            return Ok(self.source());
        }
        let name = format!("saving-{}", random::alphanumeric(8));
        let folder = self.dir.with_file_name(name);
        fs::create_private_dir(&folder)?;
        Ok(Source {
            store: self,
            aside: Some(folder),
        })
    }
}

impl Source<'_> {
    /// The folder that git writes objects into.
    pub(crate) fn objects(&self) -> PathBuf {
        self.aside.clone().unwrap_or_else(|| self.store.objects())
    }

    /// Makes a call of git write its objects there and read the repository's.
    pub(crate) fn point(&self, call: GitCall) -> GitCall {
        let shared = self.store.common.join("objects");
        call.env("GIT_OBJECT_DIRECTORY", self.objects())
            .env("GIT_ALTERNATE_OBJECT_DIRECTORIES", listed(&shared))
    }

    fn reader(&self, words: &[String]) -> GitCall {
        match self.aside {
            None => self.store.reader(words),
            Some(_) => self.point(git(&self.store.common).through(words).global("--git-dir=.")),
        }
    }

    /// Takes commits and all they need into the repository. They count as there only when every object that
    /// can be reached from them has been found in the repository.
    pub(crate) fn bring(
        &self,
        ids: &[&str],
        shared: &[(String, String)],
    ) -> Result<(), WorktreeError> {
        let mut wanted = format!("{}\n--not\n", ids.join("\n"));
        let mut last = "";
        for (id, name) in shared {
            if id != last && !name.starts_with("refs/grove/") {
                wanted.push_str(id);
                wanted.push('\n');
            }
            last = id;
        }
        self.take(&wanted, true)?;
        git(&self.store.common)
            .global("--git-dir=.")
            .args([
                "rev-list",
                "--objects",
                "--quiet",
                "--stdin",
                "--not",
                "--all",
            ])
            .stdin(format!("{}\n", ids.join("\n")))
            .run()?;
        Ok(())
    }

    /// As `bring`, with the repository's refs as they are now.
    pub(crate) fn bring_now(&self, id: &str) -> Result<(), WorktreeError> {
        self.bring(&[id], &self.store.shared_refs()?)
    }

    /// Takes single objects, without what they refer to.
    pub(super) fn bring_single(&self, ids: &BTreeSet<String>) -> Result<(), WorktreeError> {
        if ids.is_empty() {
            return Ok(());
        }
        let wanted: String = ids.iter().map(|id| format!("{id}\n")).collect();
        self.take(&wanted, false)
    }

    fn take(&self, wanted: &str, linked: bool) -> Result<(), WorktreeError> {
        let giver = self
            .store
            .confined(|words| give(self.reader(words), wanted, linked))??;
        giver.store_in(&self.store.common, linked)?;
        Ok(())
    }
}

impl Drop for Source<'_> {
    fn drop(&mut self) {
        if let Some(aside) = &self.aside
            && let Err(e) = fs::remove_dir_all(aside)
        {
            tracing::warn!("objects that were brought over stay behind, too: {e}");
        }
    }
}

/// A path as one entry of a list: quoted, because it may hold what parts entries.
fn listed(path: &Path) -> OsString {
    let Some(text) = path.to_str() else {
        return path.as_os_str().to_owned();
    };
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{escaped}\"").into()
}
