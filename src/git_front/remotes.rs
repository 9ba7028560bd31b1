//! Bringing up to date what is known of a remote: those refs are everybody's, so the agent's host does it, before git
//! does the rest of the call as it is and finds nothing more to write there.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::host::REFRESH_REMOTE;
use crate::host::client::{self, Limits};
use crate::host::protocol::Command;
use crate::platform::env;

/// A large repository over a slow line; the host gives up a little earlier.
const PATIENCE: Duration = Duration::from_mins(31);

/// Options with a word of their own behind them that say nothing about which refs are written.
const WITH_VALUE: &[&str] = &[
    "-j",
    "--jobs",
    "-o",
    "--server-option",
    "--negotiation-tip",
    "-s",
    "--strategy",
    "-X",
    "--strategy-option",
];
/// With these the call is about something else, which only git can answer for.
const OTHERWISE: &[&str] = &[
    "--dry-run",
    "--multiple",
    "--stdin",
    "--depth",
    "--deepen",
    "--shallow-since",
    "--shallow-exclude",
    "--unshallow",
    "--update-shallow",
    "--filter",
    "--refmap",
    "--upload-pack",
    "--no-tags",
    "-n",
];

/// What the host is to be asked for by a call: options, the remote, if one is named, and branches of it. `None` when
/// the call needs nothing of that. Pure.
pub(super) fn wish(command: &str, arguments: &[OsString]) -> Option<Vec<String>> {
    let mut words = arguments.iter().map(|word| word.to_str());
    let mut asked = Vec::new();
    match command {
        "fetch" | "pull" => {}
        "remote" => match words.next()?? {
            "update" => asked.push("--all"),
            "prune" => asked.push("--prune"),
            _ => return None,
        },
        _ => return None,
    }
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        let word = word?;
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        if OTHERWISE.contains(&name) {
            return None;
        } else if WITH_VALUE.contains(&word) {
            words.next()?;
        } else if name.starts_with("--") {
            asked.extend(
                ["--prune", "--tags", "--all", "--quiet"]
                    .iter()
                    .filter(|known| **known == word),
            );
        } else if let Some(letters) = word.strip_prefix('-') {
            let meant = [('p', "--prune"), ('t', "--tags"), ('q', "--quiet")];
            let meant = meant
                .into_iter()
                .filter(|(letter, _)| letters.contains(*letter));
            asked.extend(meant.map(|(_, option)| option));
        } else {
            names.push(word);
        }
    }
    // A group of remotes, as the settings have it.
    if command == "remote" && asked.contains(&"--all") && !names.is_empty() {
        return None;
    }
    asked.extend(names);
    Some(asked.into_iter().map(str::to_owned).collect())
}

/// Has the host do it, and says what came of it as git would. What it does not do is left to git, which says why best.
pub(super) fn refresh(wish: Vec<String>) {
    let Some(socket) = env::var(env::HOST_SOCKET) else {
        return;
    };
    let command = Command {
        argv: [vec![REFRESH_REMOTE.to_owned()], wish].concat(),
        cwd: std::env::current_dir().unwrap_or_default(),
        stdin: Vec::new(),
    };
    let limits = Limits {
        answer: Some(Instant::now() + PATIENCE),
        sign: None,
    };
    if let Ok(answer) = client::command(Path::new(&socket), &command, limits, |_| Ok(()))
        && answer.code == 0
    {
        // A closed stderr must not change how the call ends.
        io::stderr()
            .lock()
            .write_all(answer.stderr.as_bytes())
            .unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(line: &str) -> Option<String> {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap();
        let arguments: Vec<OsString> = words.map(OsString::from).collect();
        wish(command, &arguments).map(|words| words.join(" "))
    }

    #[test]
    fn calls_that_write_what_is_known_of_a_remote_have_it_brought_up_to_date() {
        for (line, expected) in [
            ("fetch", ""),
            ("fetch origin", "origin"),
            ("fetch -qp origin", "--prune --quiet origin"),
            ("fetch --all --prune --jobs 4", "--all --prune"),
            ("fetch -t -j 2 up main", "--tags up main"),
            ("pull --rebase origin main", "origin main"),
            ("pull --no-rebase -s ours", ""),
            ("remote update", "--all"),
            ("remote update -p", "--all --prune"),
            ("remote prune origin", "--prune origin"),
        ] {
            assert_eq!(asked(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_calls_are_left_to_git() {
        for line in [
            "commit -m fetch",
            "remote",
            "remote add origin x",
            "remote update group",
            "fetch --dry-run",
            "fetch --depth=1 origin",
            "fetch --depth 1",
            "fetch --refmap= origin",
            "fetch --upload-pack=x origin",
        ] {
            assert_eq!(asked(line), None, "{line}");
        }
    }
}
