//! What a sandbox has refused, told from what a failed program printed, and how to allow it. Pure.

use std::path::{Component, Path, PathBuf};

use crate::config::Network;
use crate::sandbox::Rules;

/// What programs print when the system refuses them something.
const REFUSALS: [&str; 6] = [
    "permission denied",
    "operation not permitted",
    "eacces",
    "eperm",
    "accessdenied",
    "permissionerror",
];
/// Lines with refusals that are looked at, from the end.
const MOST_LINES: usize = 40;

const HOW: &str = "; 'gates: off' under 'sandbox' in .overstory/config.yaml runs quality gates without a sandbox, see docs/sandbox.md";

/// What a program was kept from by these rules in `folder`, going by its output; `None` when that speaks of nothing
/// that they refuse. `withheld` are variables that it did not get.
pub(super) fn explanation(
    rules: &Rules,
    folder: &Path,
    withheld: &[String],
    said: &str,
) -> Option<String> {
    let is_refusal = |line: &&str| {
        let line = line.to_lowercase();
        REFUSALS.iter().any(|refusal| line.contains(refusal))
    };
    let lines: Vec<&str> = said
        .lines()
        .rev()
        .filter(is_refusal)
        .take(MOST_LINES)
        .collect();
    let causes = lines.iter().map(|line| cause(rules, folder, line));
    let cause = causes.max().or_else(|| missing(withheld, said))?;
    let told = match cause {
        Cause::Other => return None,
        Cause::Unknown => "it may write to its checkout, $TMPDIR and the caches of gates only, reads no keys, and signals nobody outside".to_owned(),
        Cause::Connection => "'sandbox.network' lists the ports it may connect to".to_owned(),
        Cause::Write(path) => format!(
            "it may not write {}; to allow that, add the path to 'sandbox.writable'",
            path.display()
        ),
        Cause::Hidden(path) => format!(
            "it may not read {}, where keys, passwords or what belongs to other agents are kept",
            path.display()
        ),
        Cause::Withheld(name) => format!(
            "it did not get {name}; to pass it on, add the name to 'sandbox.environment'"
        ),
    };
    Some(format!("grove: this ran in a sandbox: {told}{HOW}."))
}

/// Why a line speaks of a refusal; the more is known of it, the greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// The rules allow it, so the file's own mode or the like does not.
    Other,
    Unknown,
    Connection,
    Write(PathBuf),
    Hidden(PathBuf),
    Withheld(String),
}

fn cause(rules: &Rules, folder: &Path, line: &str) -> Cause {
    let is_connection = line.to_lowercase().contains("connect");
    if is_connection && matches!(rules.network, Network::Ports(_)) {
        return Cause::Connection;
    }
    let named = paths(folder, object(line)).map(|path| refused(rules, path));
    named.max().unwrap_or(Cause::Unknown)
}

fn refused(rules: &Rules, path: PathBuf) -> Cause {
    let among = |list: &[PathBuf]| list.iter().any(|allowed| path.starts_with(allowed));
    if among(&rules.write) || among(&rules.opened) || among(&rules.read) || among(&rules.devices) {
        Cause::Other
    } else if among(&rules.hidden) {
        Cause::Hidden(path)
    } else {
        Cause::Write(path)
    }
}

/// A line without the program that says it, as `/bin/sh: 1: cannot create x: Permission denied` begins with; what is
/// right before the refusal is what was refused.
fn object(line: &str) -> &str {
    let Some((speaker, rest)) = line.split_once(": ") else {
        return line;
    };
    let is_refusal = |part: &str| {
        let part = part.to_lowercase();
        REFUSALS.iter().any(|refusal| part.starts_with(refusal))
    };
    let is_name = !speaker.trim().contains(char::is_whitespace);
    if is_name && !is_refusal(rest) {
        rest
    } else {
        line
    }
}

/// The paths that a line names: absolute ones, and relative ones that lead out of the folder.
fn paths<'a>(folder: &'a Path, line: &'a str) -> impl Iterator<Item = PathBuf> + 'a {
    let words = line.split(|c: char| c.is_whitespace() || "'\"`‘’“”()[]<>,;:=".contains(c));
    let words = words.filter(|word| word.starts_with('/') || word.starts_with("../"));
    words
        .filter(|word| word.len() > 1)
        .map(|word| straight(&folder.join(word.trim_end_matches('.'))))
}

/// The path without `..`, which is taken by its letters: what it names may not be there.
fn straight(path: &Path) -> PathBuf {
    let mut straight = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                straight.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                straight.push(part);
            }
        }
    }
    straight
}

/// A variable that the program asks for by its name.
fn missing(withheld: &[String], said: &str) -> Option<Cause> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = said.split(|c| !is_word(c));
    let name = words.find(|word| withheld.iter().any(|name| name == word))?;
    Some(Cause::Withheld(name.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &str) -> String {
        let rules = Rules {
            write: vec!["/p/scratch/1".into(), "/tmp/t".into()],
            hidden: vec!["/home/u/.ssh".into(), "/p/.overstory/hosts".into()],
            devices: vec!["/dev/null".into()],
            ..Rules::default()
        };
        let withheld = ["NPM_TOKEN".to_owned()];
        explanation(&rules, Path::new("/p/scratch/1"), &withheld, said).unwrap_or_default()
    }

    #[test]
    fn what_was_refused_is_named_with_what_allows_it() {
        for (said, expected) in [
            (
                "sh: 1: cannot create /data/out: Permission denied",
                "may not write /data/out; to allow that, add the path to 'sandbox.writable'",
            ),
            (
                "cat: /home/u/.ssh/id: Permission denied",
                "may not read /home/u/.ssh/id,",
            ),
            (
                "sh: 1: cannot create ../2/x: Permission denied",
                "write /p/scratch/2/x;",
            ),
            (
                "/bin/sh: 1: cannot create hacked.txt: Permission denied",
                "it may write to its checkout,",
            ),
            (
                "/usr/bin/bash: line 3: /data/x: Permission denied",
                "write /data/x;",
            ),
            (
                "/opt/tool: cannot open '/data/x': Permission denied",
                "write /data/x;",
            ),
            ("/data/run: Permission denied", "write /data/run;"),
            (
                "Error: EACCES: permission denied, open '/data/x'",
                "write /data/x;",
            ),
            (
                "kill: (12) - Operation not permitted",
                "signals nobody outside",
            ),
            ("error: NPM_TOKEN is not set", "did not get NPM_TOKEN;"),
            (
                "cat: /home/u/.ssh/id: Permission denied\nsh: /data: Permission denied\nbye",
                "may not read /home/u/.ssh/id,",
            ),
        ] {
            assert!(told(said).contains(expected), "{said}: {}", told(said));
        }
    }

    #[test]
    fn what_the_sandbox_allows_is_not_blamed_on_it() {
        for said in [
            "sh: 1: /p/scratch/1/run: Permission denied",
            "sh: 1: cannot create /tmp/t/x: Permission denied",
            "assertion failed",
            "MY_NPM_TOKENS is not set",
        ] {
            assert_eq!(told(said), "", "{said}");
        }
    }

    #[test]
    fn a_connection_is_the_networks_matter() {
        let rules = Rules {
            network: Network::Ports(vec![443]),
            ..Rules::default()
        };
        let said = "connect to 127.0.0.1 port 80 failed: Permission denied";
        let told = explanation(&rules, Path::new("/p"), &[], said).unwrap();
        assert!(told.contains("sandbox.network"), "{told}");
    }
}
