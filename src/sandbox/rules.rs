//! The rules of one agent: where it may write, what it may not read.
//!
//! The lists are the same for every operating system. Disk is looked at only to see where names lead.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

use super::caches::GATE_CACHES;
use super::credentials::credential_stores;
use super::git_paths::GitPaths;
use super::writable::{Wanted, opened};
use crate::config::Network;

/// Devices every program may open for writing.
const DEVICES: &[&str] = &[
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
    "/dev/shm",
];

/// The files by which agents are coordinated, in `.overstory/`. Agents ask their host for what is in them, and who can read a
/// file can lock it: everybody else would wait.
const COORDINATION: &[&str] = &[
    "mail.db",
    "sessions.db",
    "events.db",
    "metrics.db",
    "merge-queue.db",
    "turn-locks.db",
    "grove.db",
    "mail-claims",
    "start.lock",
    "coordinator.lease",
    GATE_CACHES,
    "scratch",
];
/// Ends of the names of others, which come and go.
const LOCKS: &[&str] = &["lock", "lease"];
/// What SQLite keeps beside a store.
const BESIDE: &[&str] = &["", "-wal", "-shm", "-journal"];

/// What the operating system lets an agent do. Reading is allowed except for `hidden`; writing
/// is refused except for `write` and `devices`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// Files and whole folders that may be written, created in and removed from.
    pub write: Vec<PathBuf>,
    /// What the configuration opens for writing besides, by names that lead through no link: one that has come since is
    /// not followed.
    #[serde(default)]
    pub opened: Vec<PathBuf>,
    /// Those of `write` in which named pipes may be made: who opens one outside of the sandbox waits for ever.
    #[serde(default)]
    pub pipes: Vec<PathBuf>,
    /// Those of `write` that belong to a repository: plain files and folders only, whatever they are made by.
    #[serde(default)]
    pub git: Vec<PathBuf>,
    /// Those of `git` that are a worktree's own, with the agent's view of the repository in them.
    #[serde(default)]
    pub git_own: Vec<PathBuf>,
    /// Files and whole folders that may not be read, unless they are below one of `read` or `write`.
    pub hidden: Vec<PathBuf>,
    /// What may be read although it is inside of `hidden`.
    pub read: Vec<PathBuf>,
    /// Devices that may be written.
    pub devices: Vec<PathBuf>,
    /// Where programs may connect to.
    #[serde(default)]
    pub network: Network,
}

impl Rules {
    /// Where modes, owners and times may be changed, by the names that links lead to now: devices are everybody's, but for
    /// the memory that programs share.
    pub fn attributes(&self) -> Vec<PathBuf> {
        let shared = self.devices.iter().filter(|path| path.ends_with("shm"));
        let named = self.write.iter().chain(shared);
        let resolved = named.map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
        resolved.chain(self.opened.iter().cloned()).collect()
    }
}

/// Where an agent lives; everything its rules are made of.
#[derive(Debug)]
pub struct Place<'a> {
    /// The agent's worktree.
    pub worktree: &'a Path,
    /// Whether its role writes there.
    pub writes: bool,
    /// The main checkout.
    pub root: &'a Path,
    /// The agent's own temporary folder.
    pub temp: &'a Path,
    /// The private folder of its host: settings the CLI reads and the agent must not change.
    pub private_dir: &'a Path,
    /// The project's `.overstory/`.
    pub overstory: &'a Path,
    /// The locks that are in there, as [`is_lock`] knows them; those that come later cannot be read in any case.
    pub locks: &'a [PathBuf],
    /// Folder of all hosts.
    pub hosts: &'a Path,
    /// Caches shared by the agents of this project that have the same rights.
    pub caches: &'a Path,
    /// What its own branch needs of the repository's git folder.
    pub git: Option<&'a GitPaths>,
    /// What its CLI keeps, in the home folder or in the private folder.
    pub state: &'a [PathBuf],
    /// What its CLI logs in with besides, and only reads.
    pub logins: &'a [PathBuf],
    /// What the project's configuration adds.
    pub extra: &'a [PathBuf],
    /// Where the project's configuration lets agents connect to.
    pub network: &'a Network,
    /// The user's home folder.
    pub home: Option<&'a Path>,
}

/// Whether a file of `.overstory/` is one by which merges and the like wait for one another.
pub fn is_lock(file: &Path) -> bool {
    let end = file.extension().and_then(|end| end.to_str());
    end.is_some_and(|end| LOCKS.contains(&end))
}

/// The rules of an agent at that place.
pub fn rules(place: &Place<'_>) -> Rules {
    let mut write = vec![place.temp.to_owned(), place.caches.to_owned()];
    write.extend(place.state.iter().cloned());
    let git = place.git.filter(|_| place.writes);
    if place.writes {
        write.push(place.worktree.to_owned());
        write.extend(git.iter().flat_map(|git| git.write.iter().cloned()));
    }
    // What is typed and shown at other agents' terminals, and what lets a program write over HTTP.
    let mut hidden = vec![
        place.hosts.to_owned(),
        place.overstory.join("casts"),
        place.overstory.join("serve-token"),
    ];
    hidden.extend(place.locks.iter().cloned());
    hidden.extend(COORDINATION.iter().flat_map(|name| {
        let file = move |end| place.overstory.join(format!("{name}{end}"));
        BESIDE.iter().map(file)
    }));
    if let Some(home) = place.home {
        hidden.extend(credential_stores(
            home,
            &[place.state, place.logins].concat(),
        ));
    }
    let opened = if place.writes {
        opened(Wanted {
            extra: place.extra,
            hidden: &hidden,
            overstory: place.overstory,
            home: place.home,
        })
    } else {
        Vec::new()
    };
    Rules {
        write,
        opened,
        pipes: vec![place.temp.to_owned()],
        git: git.map_or_else(Vec::new, |git| git.write.clone()),
        git_own: git.map_or_else(Vec::new, |git| git.own.clone()),
        hidden,
        read: [&[place.private_dir.to_owned()][..], place.logins].concat(),
        devices: devices(),
        network: place.network.clone(),
    }
}

pub(super) fn devices() -> Vec<PathBuf> {
    DEVICES.iter().map(PathBuf::from).collect()
}

/// The rules for git when it looks after an agent's worktree from outside of it. What is in there may make git
/// run programs of the agent's choice; these then can do no more than the agent.
pub fn git_rules(git: &GitPaths, hosts: &Path, home: Option<&Path>) -> Rules {
    let mut hidden = vec![hosts.to_owned()];
    if let Some(home) = home {
        hidden.extend(credential_stores(home, &[]));
    }
    Rules {
        write: git.write.clone(),
        git: git.write.clone(),
        git_own: git.own.clone(),
        hidden,
        devices: devices(),
        ..Rules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(writes: bool) -> Rules {
        let git = GitPaths {
            own: vec![PathBuf::from("/p/.git/worktrees/a")],
            write: vec![
                PathBuf::from("/p/.git/worktrees/a"),
                PathBuf::from("/p/.git/objects"),
            ],
        };
        rules(&Place {
            worktree: Path::new("/p/.overstory/worktrees/a"),
            writes,
            root: Path::new("/p"),
            temp: Path::new("/tmp/t"),
            private_dir: Path::new("/p/.overstory/hosts/a"),
            overstory: Path::new("/p/.overstory"),
            locks: &[],
            hosts: Path::new("/p/.overstory/hosts"),
            caches: Path::new("/p/.overstory/caches"),
            git: Some(&git),
            state: &[],
            logins: &[],
            extra: &[PathBuf::from("/data")],
            network: &Network::Allow,
            home: Some(Path::new("/home/u")),
        })
    }

    #[test]
    fn a_reader_cannot_write_in_its_worktree_nor_store_objects() {
        let rules = place(false);
        assert!(
            !rules
                .write
                .contains(&PathBuf::from("/p/.overstory/worktrees/a"))
        );
        assert!(!rules.write.contains(&PathBuf::from("/p/.git/objects")));
        assert_eq!(rules.opened, Vec::<PathBuf>::new());
        assert_eq!(place(true).opened, [PathBuf::from("/data")]);
    }

    #[test]
    fn nobody_can_write_in_the_main_checkout_or_in_the_settings_of_a_host() {
        for rules in [place(true), place(false)] {
            for forbidden in ["/p", "/p/.git", "/p/.overstory", "/p/.overstory/hosts/a"] {
                let path = Path::new(forbidden);
                assert!(
                    !rules.write.iter().any(|w| path.starts_with(w)),
                    "{forbidden}"
                );
            }
        }
    }
}
