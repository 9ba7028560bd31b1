//! The rules for programs that look at agents' work on the user's behalf: quality gates, and agent CLIs
//! that are asked a question. What they run was written by agents, so they can do no more than these.
//!
//! Pure. Unlike an agent they commit nothing: nothing of the repository's git folder can be written.

use std::path::{Path, PathBuf};

use super::credentials::credential_stores;
use super::rules::{Rules, devices};
use super::writable::{Wanted, opened};
use crate::config::Network;

/// The user's terminal. Checks have no business there.
const TERMINAL: &str = "/dev/tty";

/// Where a check runs; everything its rules are made of.
#[derive(Debug)]
pub struct CheckPlace<'a> {
    /// The checkout that is looked at.
    pub folder: &'a Path,
    /// A temporary folder of its own.
    pub temp: &'a Path,
    /// The project's `.overstory/`.
    pub overstory: &'a Path,
    /// Where the hosts of agents keep their settings and sockets.
    pub hosts: &'a Path,
    /// Caches of such programs, which no agent writes.
    pub caches: &'a Path,
    /// What the program itself keeps in the home folder and logs in with.
    pub state: &'a [PathBuf],
    /// What it logs in with besides, and only reads.
    pub logins: &'a [PathBuf],
    /// What the project's configuration adds.
    pub extra: &'a [PathBuf],
    /// Where the project's configuration lets programs connect to.
    pub network: &'a Network,
    /// The user's home folder.
    pub home: Option<&'a Path>,
}

/// The rules of a check at that place.
pub fn check_rules(place: &CheckPlace<'_>) -> Rules {
    let own = [place.folder, place.temp, place.caches].map(Path::to_owned);
    let mut hidden = vec![
        place.hosts.to_owned(),
        place.overstory.join("casts"),
        place.overstory.join("serve-token"),
    ];
    if let Some(home) = place.home {
        hidden.extend(credential_stores(
            home,
            &[place.state, place.logins].concat(),
        ));
    }
    let opened = opened(Wanted {
        extra: place.extra,
        hidden: &hidden,
        overstory: place.overstory,
        home: place.home,
    });
    let mut devices = devices();
    devices.retain(|device| device != Path::new(TERMINAL));
    Rules {
        write: own.into_iter().chain(place.state.iter().cloned()).collect(),
        opened,
        pipes: vec![place.temp.to_owned()],
        hidden,
        read: place.logins.to_vec(),
        devices,
        network: place.network.clone(),
        ..Rules::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_repository_and_of_the_stores_can_be_written() {
        let rules = check_rules(&CheckPlace {
            folder: Path::new("/p/.overstory/scratch/7-abc"),
            temp: Path::new("/tmp/t"),
            overstory: Path::new("/p/.overstory"),
            hosts: Path::new("/p/.overstory/hosts"),
            caches: Path::new("/p/.overstory/caches"),
            state: &[],
            logins: &[],
            extra: &[PathBuf::from("/data")],
            network: &Network::Allow,
            home: Some(Path::new("/home/u")),
        });
        for forbidden in [
            "/p",
            "/p/.git/objects",
            "/p/.git/worktrees/7-abc",
            "/p/.overstory/mail.db",
            "/p/.overstory/scratch",
            "/tmp",
        ] {
            let path = Path::new(forbidden);
            assert!(
                !rules.write.iter().any(|w| path.starts_with(w)),
                "{forbidden}"
            );
        }
        assert!(rules.opened.contains(&PathBuf::from("/data")));
        assert!(rules.hidden.contains(&PathBuf::from("/home/u/.ssh")));
        assert!(!rules.devices.contains(&PathBuf::from(TERMINAL)));
    }
}
