//! Which calls of git may remove refs or speak of the agent's own stash, by their words alone. Pure.

use std::ffi::OsString;
use std::path::PathBuf;

/// Commands that move HEAD or end what was under way; all of them remove refs when they do.
const WRITES: &[&str] = &[
    "am",
    "bisect",
    "checkout",
    "cherry-pick",
    "commit",
    "merge",
    "pull",
    "rebase",
    "reset",
    "revert",
    "stash",
    "switch",
];

/// Commands that put changes into the stash when they are told to.
const STASH_BY_OPTION: &[&str] = &["merge", "pull", "rebase"];
const AUTOSTASH: &str = "--autostash";

/// Other commands that are called all the time. Git takes no alias by the name of a command of its own, so for these
/// none is asked for.
const PLAIN_COMMANDS: &[&str] = &[
    "add",
    "blame",
    "branch",
    "check-ignore",
    "clean",
    "clone",
    "config",
    "describe",
    "fetch",
    "for-each-ref",
    "gc",
    "hash-object",
    "help",
    "init",
    "ls-files",
    "ls-remote",
    "merge-base",
    "merge-tree",
    "mv",
    "name-rev",
    "notes",
    "push",
    "remote",
    "rm",
    "shortlog",
    "show-ref",
    "status",
    "submodule",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "version",
    "worktree",
    "write-tree",
];

/// Commands that can be asked about a stash.
const READS: &[&str] = &[
    "cat-file",
    "diff",
    "format-patch",
    "grep",
    "log",
    "ls-tree",
    "reflog",
    "restore",
    "rev-list",
    "rev-parse",
    "show",
];

/// Options of git itself that say nothing about where it works; those with a value have it behind them.
const PLAIN: &[&str] = &[
    "-p",
    "-P",
    "--paginate",
    "--no-pager",
    "--no-replace-objects",
    "--no-optional-locks",
    "--no-lazy-fetch",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
];
const WITH_VALUE: &[&str] = &["-c", "--config-env", "--attr-source"];

/// For what a call needs a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// For nothing: git itself will do.
    Nothing,
    /// It may remove refs of the worktree.
    State,
    /// It is about the stash.
    Stash,
    /// It removes branches or gives them other names.
    Branches,
}

/// A call for the repository that its folder is in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    /// Where it works, below the folder it is made in.
    pub(super) folder: PathBuf,
    /// The words in front of the command.
    pub(super) options: &'a [OsString],
    pub(super) command: &'a str,
    pub(super) arguments: &'a [OsString],
}

/// Reads the words of a call; `None` when they lead to another repository or to none.
pub(super) fn read(words: &[OsString]) -> Option<Call<'_>> {
    let mut folder = PathBuf::new();
    let mut rest = words.iter();
    loop {
        let options = words.split_at(words.len() - rest.len()).0;
        let word = rest.next()?.to_str()?;
        if word == "-C" {
            folder.push(rest.next()?);
        } else if WITH_VALUE.contains(&word) {
            rest.next()?;
        } else if word.starts_with('-') {
            let is_plain = PLAIN.contains(&word)
                || WITH_VALUE
                    .iter()
                    .any(|name| word.strip_prefix(name).is_some_and(|v| v.starts_with('=')));
            if !is_plain {
                // Another repository, or a question to git about itself.
                return None;
            }
        } else {
            return Some(Call {
                folder,
                options,
                command: word,
                arguments: rest.as_slice(),
            });
        }
    }
}

/// For what a command needs a view; `None` when it may be an alias.
pub(super) fn need(command: &str, arguments: &[OsString]) -> Option<Need> {
    let mut arguments = arguments.iter().map(|word| word.to_string_lossy());
    let by_option = STASH_BY_OPTION.contains(&command);
    if command == "stash"
        || by_option && arguments.any(|word| word == AUTOSTASH)
        || READS.contains(&command) && arguments.any(|word| names_a_stash(&word))
    {
        Some(Need::Stash)
    } else if WRITES.contains(&command) {
        Some(Need::State)
    } else if command == "branch" && arguments.any(|word| removes_or_moves(&word))
        || command == "update-ref" && arguments.any(|word| removes_by_ref(&word))
    {
        Some(Need::Branches)
    } else {
        let is_known = PLAIN_COMMANDS.contains(&command) || READS.contains(&command);
        is_known.then_some(Need::Nothing)
    }
}

fn removes_or_moves(word: &str) -> bool {
    let long = ["--delete", "--move"].contains(&word);
    let short = word.starts_with('-') && !word.starts_with("--");
    long || short && word.contains(['d', 'D', 'm', 'M'])
}

fn removes_by_ref(word: &str) -> bool {
    ["-d", "--stdin"].contains(&word)
}

fn names_a_stash(word: &str) -> bool {
    let name = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let name = name.trim_start_matches('^');
    ["stash", "refs/stash"].iter().any(|stash| {
        let rest = name.strip_prefix(stash);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['@', '^', '~', ':', '.']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(line: &str) -> Option<String> {
        let words = words(line);
        let call = read(&words)?;
        let need = need(call.command, call.arguments)?;
        (need != Need::Nothing).then(|| call.folder.display().to_string())
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn calls_that_remove_refs_need_a_view() {
        for line in [
            "commit -m x",
            "--no-pager -c a.b=c cherry-pick --continue",
            "stash",
            "rebase main",
            "bisect start",
            "branch -D overstory/a/x",
            "branch --move x",
            "show stash@{0}:file",
            "diff stash^ HEAD",
            "restore --source=stash@{1} file",
        ] {
            assert_eq!(folder(line).as_deref(), Some(""), "{line}");
        }
        assert_eq!(folder("-C a -C b commit").as_deref(), Some("a/b"));
        assert_eq!(folder("-C a -C /b commit").as_deref(), Some("/b"));
    }

    #[test]
    fn calls_about_the_stash_and_about_branches_are_told_from_others() {
        let need = |line: &str| {
            let words = words(line);
            let call = read(&words).unwrap();
            need(call.command, call.arguments).unwrap()
        };
        for line in ["stash pop", "log -g stash", "rebase --autostash main"] {
            assert_eq!(need(line), Need::Stash, "{line}");
        }
        for line in ["branch -d a", "branch -M a b", "update-ref -d a"] {
            assert_eq!(need(line), Need::Branches, "{line}");
        }
        for line in ["commit -m stash", "rebase main", "checkout stash"] {
            assert_eq!(need(line), Need::State, "{line}");
        }
        assert_eq!(need("branch --list a"), Need::Nothing);
    }

    #[test]
    fn an_alias_is_told_from_a_command() {
        for (line, options) in [("st", 0), ("-C a --no-pager co x", 3)] {
            let words = words(line);
            let call = read(&words).unwrap();
            assert_eq!(need(call.command, call.arguments), None, "{line}");
            assert_eq!(call.options.len(), options, "{line}");
        }
    }

    #[test]
    fn other_calls_go_to_git_as_they_are() {
        for line in [
            "",
            "status",
            "log --oneline",
            "log stashed.rs",
            "init commit",
            "clone stash",
            "worktree list",
            "config a.b c",
            "gc",
            "push",
            "branch new",
            "branch --list",
            "update-ref refs/heads/x HEAD",
            "--version",
            "--git-dir=x commit",
            "--git-dir x commit",
            "--work-tree=x commit",
            "--bare commit",
            "--help commit",
            "-C",
        ] {
            assert_eq!(folder(line), None, "{line}");
        }
    }
}
