//! Bringing up to date what the repository knows of its remotes: refs of everybody, which no agent may write.
//!
//! An agent says no more than the name of a remote that the user has set up, and branches of it. Nothing is written but
//! what the remote has, below `refs/remotes/` and as new tags.

use std::os::unix::net::UnixStream;
use std::time::Duration;

use super::protocol::Answer;
use super::shared::Shared;
use super::waiting::while_waited_for;
use super::walls;
use crate::config::{self, Network};
use crate::git::{Fetch, GitError, Remote, fetch, remotes};
use crate::process::shell::Cancel;

/// The command by which the agent's git asks for it: options, the remote, if one is named, and branches follow.
pub const REFRESH_REMOTE: &str = "refresh-remote";

/// A large repository over a slow line.
const PATIENCE: Duration = Duration::from_mins(30);

/// Does it when the words ask for it, for as long as `client` waits; `None` when they are another command.
pub(super) fn answer(shared: &Shared, words: &[String], client: &UnixStream) -> Option<Answer> {
    let [verb, rest @ ..] = words else {
        return None;
    };
    (verb == REFRESH_REMOTE).then(|| {
        let _slot = shared.commands.take();
        match refresh(shared, rest, client) {
            Ok(stderr) => Answer {
                stderr,
                ..Answer::default()
            },
            Err(why) => Answer {
                code: 1,
                stderr: format!("{why}\n"),
                ..Answer::default()
            },
        }
    })
}

fn refresh(shared: &Shared, words: &[String], client: &UnixStream) -> Result<String, String> {
    let (paths, launch) = (&shared.paths, &shared.launch);
    if !walls::writes(paths, &launch.capability, &launch.cwd) {
        return Err(format!("a {} only reads", launch.capability));
    }
    let config = config::load(&paths.root).map_err(|e| e.to_string())?;
    match config.config.sandbox.network {
        Network::Allow => {}
        // It would be a way past that.
        Network::Loopback | Network::Ports(_) => {
            return Err("the sandbox does not leave the network open".to_owned());
        }
    }
    let known = remotes(&paths.root).map_err(|e| e.to_string())?;
    let cancel = Cancel::default();
    let mut said = String::new();
    for call in calls(words, &known)? {
        let done = || fetch(&paths.root, &call, PATIENCE, &cancel);
        let done = while_waited_for(client, || cancel.call(), done).map_err(|e| e.to_string())?;
        said.push_str(&done.map_err(|e: GitError| e.to_string())?);
    }
    Ok(said)
}

/// What is to be fetched, or why nothing is.
fn calls(words: &[String], known: &[Remote]) -> Result<Vec<Fetch>, String> {
    let (options, names): (Vec<&String>, Vec<&String>) =
        words.iter().partition(|word| word.starts_with("--"));
    let has = |option: &str| options.iter().any(|word| *word == option);
    let unknown = options
        .iter()
        .find(|word| !["--prune", "--tags", "--all", "--quiet"].contains(&word.as_str()));
    if let Some(option) = unknown {
        return Err(format!("{option} is not known here"));
    }
    let (name, branches) = match names.split_first() {
        Some((name, branches)) => (Some(name.as_str()), branches),
        None => (None, &[][..]),
    };
    if let Some(branch) = branches.iter().find(|branch| !is_plain(branch)) {
        return Err(format!("'{branch}' is no plain name of a branch"));
    }
    let is_meant = |remote: &&Remote| match name {
        Some(name) => remote.name == name,
        None => has("--all") || known.len() == 1 || remote.name == "origin",
    };
    let meant: Vec<&Remote> = known.iter().filter(is_meant).collect();
    if meant.is_empty() {
        return Err("there is no such remote".to_owned());
    }
    if let Some(remote) = meant.iter().find(|remote| !remote.keeps_to_itself()) {
        return Err(format!(
            "{} is fetched into other refs than its own",
            remote.name
        ));
    }
    let call = |remote: &&Remote| Fetch {
        remote: remote.name.clone(),
        branches: branches.iter().map(|branch| (*branch).clone()).collect(),
        prune: has("--prune"),
        tags: has("--tags"),
        quiet: has("--quiet"),
    };
    Ok(meant.iter().map(call).collect())
}

/// A name by which git writes nowhere but where the settings say.
fn is_plain(branch: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./#@".contains(c);
    !branch.starts_with('-') && branch != "tag" && branch.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(line: &str, known: &[(&str, &str)]) -> Result<String, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let remote = |(name, refspec): &(&str, &str)| Remote {
            name: (*name).to_owned(),
            fetch: vec![(*refspec).to_owned()],
        };
        let known: Vec<Remote> = known.iter().map(remote).collect();
        let calls = calls(&words, &known)?;
        let shown = calls.iter().map(|call| {
            let words = [vec![call.remote.clone()], call.branches.clone()].concat();
            words.join(" ")
        });
        Ok(shown.collect::<Vec<_>>().join(", "))
    }

    const ORIGIN: (&str, &str) = ("origin", "+refs/heads/*:refs/remotes/origin/*");
    const UP: (&str, &str) = ("up", "+refs/heads/*:refs/remotes/up/*");
    const MIRROR: (&str, &str) = ("mirror", "+refs/*:refs/*");

    #[test]
    fn the_users_remotes_are_meant_and_no_other_address() {
        let all = [ORIGIN, UP];
        assert_eq!(planned("", &all).unwrap(), "origin");
        assert_eq!(planned("", &[UP]).unwrap(), "up");
        assert_eq!(planned("--all --prune", &all).unwrap(), "origin, up");
        assert_eq!(planned("up main fix/a-1", &all).unwrap(), "up main fix/a-1");
        for other in ["https://x/y", "../other", "--upload-pack=x", "-c"] {
            assert!(planned(other, &all).is_err(), "{other}");
        }
        assert!(planned("", &[]).is_err());
    }

    #[test]
    fn nothing_is_written_but_what_is_known_of_the_remote() {
        let all = [ORIGIN, MIRROR];
        assert!(planned("mirror", &all).is_err());
        assert!(planned("--all", &all).is_err());
        for branch in ["main:main", "+main", "tag v1", "refs/*", "^x", "-x"] {
            assert!(
                planned(&format!("origin {branch}"), &all).is_err(),
                "{branch}"
            );
        }
    }
}
