//! A checkout that others than the user may write to, an agent's worktree above all: where its
//! repository is comes from the repository and never from files in or behind the checkout, and
//! nothing that its writer can reach decides which programs git starts.
//! The main checkout is the user's own and is taken as it is.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use git2::Config;

use super::cli::{GitCall, git};
use super::error::GitError;
use super::hooks::hooks_dir;
use super::repo::Repo;
use crate::platform::plain;

/// Larger ones are none of git's, in bytes.
const LARGEST: u64 = 16 * 1024;

/// Sections of a checkout's own settings that can start a program or name another file of settings.
const STARTS_PROGRAMS: [&str; 10] = [
    "filter.",
    "merge.",
    "diff.",
    "gpg.",
    "include.",
    "includeif.",
    "credential.",
    "core.sshcommand",
    "core.gitproxy",
    "core.alternaterefscommand",
];

/// More of them, which grove sets itself in every call; whoever runs git there by hand does not.
const BY_HAND: [&str; 8] = [
    "alias.",
    "core.askpass",
    "core.editor",
    "core.fsmonitor",
    "core.hookspath",
    "core.pager",
    "pager.",
    "sequence.editor",
];

/// A checkout with its place in the repository.
#[derive(Debug, Clone)]
pub struct Pinned {
    path: PathBuf,
    git_dir: PathBuf,
    /// `None` for the main checkout.
    pins: Option<Pins>,
    /// How long hooks and filters may take.
    limit: Duration,
}

#[derive(Debug, Clone)]
struct Pins {
    common_dir: PathBuf,
    settings: Vec<OsString>,
}

impl Pinned {
    /// Finds the checkout at `path` among those of the repository.
    pub fn of(repo: &Repo, path: &Path) -> Result<Self, GitError> {
        let common = canonical(repo.common_dir());
        let wanted = canonical(path);
        let main = repo.main_root();
        if main.as_deref().map(canonical).as_ref() == Some(&wanted) {
            let is_own = canonical(repo.path()) == wanted;
            return Ok(Self {
                path: path.to_path_buf(),
                git_dir: if is_own {
                    canonical(repo.git_dir())
                } else {
                    common
                },
                pins: None,
                limit: repo.driver_limit(),
            });
        }
        let not_listed = || GitError::NotListed {
            path: path.to_path_buf(),
        };
        let git_dir = folder_of(&common, &wanted).ok_or_else(not_listed)?;
        // A pointer that was bent towards somebody's project ends at a directory or at nothing.
        if !is_file(&wanted.join(".git")) || !is_real_dir(&git_dir) {
            return Err(not_listed());
        }
        own_settings(&common, &git_dir)?;
        let settings = settings(repo, &common, main.as_deref(), &wanted)?;
        Ok(Self {
            path: path.to_path_buf(),
            git_dir,
            pins: Some(Pins {
                common_dir: common,
                settings,
            }),
            limit: repo.driver_limit(),
        })
    }

    /// The same, with how long hooks and filters may take.
    pub fn with_limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder with this checkout's HEAD and index.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Starts a call of git in this checkout.
    pub fn git(&self) -> GitCall {
        let mut call = git(&self.path);
        let Some(pins) = &self.pins else {
            return call;
        };
        for setting in &pins.settings {
            call = call.global("-c").global(setting);
        }
        call.env("GIT_DIR", &self.git_dir)
            .env("GIT_COMMON_DIR", &pins.common_dir)
            .env("GIT_WORK_TREE", &self.path)
    }

    /// Starts a call that runs the user's hooks or filters for this checkout: it is ended when they hang.
    pub fn git_within(&self) -> GitCall {
        self.git().changing_within(self.limit)
    }

    /// The same for a call that only reads.
    pub fn git_asking_within(&self) -> GitCall {
        self.git().within(self.limit)
    }

    /// Opens the checkout for questions about its HEAD and what is under way in it.
    pub fn open(&self) -> Result<Repo, GitError> {
        let Some(pins) = &self.pins else {
            return Repo::open(&self.path);
        };
        let opened = Repo::open(&self.git_dir)?;
        if canonical(opened.common_dir()) == pins.common_dir {
            Ok(opened)
        } else {
            Err(GitError::NotListed {
                path: self.path.clone(),
            })
        }
    }

    /// Makes the checkout's own pointer lead to the repository again, so that git will remove it.
    pub fn restore_pointer(&self) -> Result<(), crate::platform::FsError> {
        let pointer = self.path.join(".git");
        let wanted = format!("gitdir: {}\n", self.git_dir.display());
        let leads_here = plain::text(&pointer, LARGEST)
            .and_then(|text| Some(PathBuf::from(text.trim_end().strip_prefix("gitdir: ")?)))
            .is_some_and(|dir| canonical(self.path.join(dir)) == self.git_dir);
        if self.pins.is_none() || leads_here {
            return Ok(());
        }
        crate::platform::fs::write_atomic(&pointer, wanted)
    }
}

pub(super) fn canonical(path: impl AsRef<Path>) -> PathBuf {
    let path = path.as_ref();
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn is_file(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_file())
}

pub(super) fn is_real_dir(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// The folder of git's list that belongs to this checkout.
pub(super) fn folder_of(common: &Path, checkout: &Path) -> Option<PathBuf> {
    let leads_here = |folder: &PathBuf| leads_to(folder).as_deref() == Some(checkout);
    let all = common.join("worktrees");
    // An entry can be bent by whoever works in its checkout: the one of this name comes first.
    let named = checkout.file_name().map(|name| all.join(name));
    if let Some(folder) = named.filter(leads_here) {
        return Some(folder);
    }
    let entries = fs::read_dir(&all).into_iter().flatten().flatten();
    let mut folders = entries.map(|entry| entry.path()).filter(leads_here);
    match (folders.next(), folders.next()) {
        (Some(folder), None) => Some(folder),
        (Some(_) | None, _) => None,
    }
}

/// The folders of git's list that say they belong to this checkout, which need not be there.
pub fn folders_listing(repo: &Repo, checkout: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(repo.common_dir().join("worktrees"));
    let folders = entries.into_iter().flatten().flatten();
    let wanted = canonical(checkout);
    folders
        .map(|entry| entry.path())
        .filter(|folder| leads_to(folder).as_ref() == Some(&wanted))
        .collect()
}

/// The checkout that a folder of git's list belongs to.
pub(super) fn leads_to(folder: &Path) -> Option<PathBuf> {
    let text = plain::text(&folder.join("gitdir"), LARGEST)?;
    let dot_git = folder.join(text.trim_end());
    Some(canonical(
        dot_git.parent().filter(|_| dot_git.ends_with(".git"))?,
    ))
}

/// A checkout may have settings of its own (`extensions.worktreeConfig`), in a file that whoever
/// works there can write: one that names programs, and is not a copy of the user's, is refused.
fn own_settings(common: &Path, git_dir: &Path) -> Result<(), GitError> {
    match foreign(common, git_dir, &STARTS_PROGRAMS)? {
        Some(key) => Err(GitError::ForeignSetting {
            file: git_dir.join("config.worktree"),
            key,
        }),
        None => Ok(()),
    }
}

/// Whether a checkout's own settings start nothing for people who run git there either.
pub(super) fn are_harmless(common: &Path, git_dir: &Path) -> bool {
    let mut lists = [&STARTS_PROGRAMS[..], &BY_HAND].into_iter();
    lists.all(|list| matches!(foreign(common, git_dir, list), Ok(None)))
}

/// The first setting of these that is the checkout's own.
fn foreign(common: &Path, git_dir: &Path, keys: &[&str]) -> Result<Option<String>, GitError> {
    let own = entries(&git_dir.join("config.worktree"))?;
    let users = entries(&common.join("config.worktree"))?;
    let mut foreign = own.into_iter().filter(|(key, value)| {
        keys.iter().any(|start| key.starts_with(start))
            && !users.contains(&(key.clone(), value.clone()))
    });
    Ok(foreign.next().map(|(key, _)| key))
}

fn entries(file: &Path) -> Result<Vec<(String, String)>, GitError> {
    if !file.exists() {
        return Ok(Vec::new());
    }
    let failed = |source| GitError::Library {
        action: "read settings",
        path: file.to_path_buf(),
        source,
    };
    let config = Config::open(file).map_err(failed)?;
    collected(&config, None).map_err(failed)
}

fn collected(config: &Config, glob: Option<&str>) -> Result<Vec<(String, String)>, git2::Error> {
    let mut found = Vec::new();
    let mut entries = config.entries(glob)?;
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let value = if entry.has_value() {
            lossy(entry.value_bytes())
        } else {
            String::new()
        };
        found.push((lossy(entry.name_bytes()), value));
    }
    Ok(found)
}

/// What git is told on the command line, which outranks every file: hooks from where the user has
/// them, and no filter whose program lies inside the checkout.
fn settings(
    repo: &Repo,
    common: &Path,
    main: Option<&Path>,
    checkout: &Path,
) -> Result<Vec<OsString>, GitError> {
    let failed = || repo.failed("read the configuration");
    let config = match main {
        Some(main) => Repo::open(main)?.raw().config(),
        None => repo.raw().config(),
    }
    .map_err(failed())?;
    // A relative path would lead into the checkout.
    let hooks = hooks_dir(&config, main, common);
    let mut hooks_setting = OsString::from("core.hooksPath=");
    hooks_setting.push(hooks);
    let mut settings = vec![hooks_setting];
    let filters = collected(&config, Some("^filter\\..*\\.(clean|smudge|process)$"));
    for (key, command) in filters.map_err(failed())? {
        if !names_file_in(&command, checkout) {
            continue;
        }
        settings.push(format!("{key}=").into());
        if let Some((driver, _)) = key.rsplit_once('.') {
            settings.push(format!("{driver}.required=false").into());
        }
    }
    Ok(settings)
}

/// Tells whether a command line mentions a file of the checkout, by any of its words.
fn names_file_in(command: &str, checkout: &Path) -> bool {
    command
        .split(|c: char| c.is_whitespace() || "'\"=;&|()<>`$".contains(c))
        .filter(|word| !word.is_empty())
        .any(|word| {
            let file = checkout.join(word);
            canonical(&file).starts_with(checkout) && file.symlink_metadata().is_ok()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_name_a_file_of_the_checkout_are_told_from_others() {
        let dir = tempfile::tempdir().unwrap();
        let checkout = dir.path().canonicalize().unwrap();
        fs::create_dir(checkout.join("tools")).unwrap();
        fs::write(checkout.join("tools/clean.sh"), "").unwrap();
        for command in [
            "tools/clean.sh",
            "sh ./tools/clean.sh %f",
            "env X=tools/clean.sh sh",
            "sh -c 'tools/clean.sh'",
        ] {
            assert!(names_file_in(command, &checkout), "{command}");
        }
        for command in ["git-lfs clean -- %f", "/usr/bin/sed s/a/b/", "cat"] {
            assert!(!names_file_in(command, &checkout), "{command}");
        }
    }
}
