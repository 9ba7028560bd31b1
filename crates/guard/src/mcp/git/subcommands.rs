//! Which git command the name of a tool stands for.

use crate::mcp::names::has;
use crate::mcp::verbs::{PUBLISHES, READS, RUNS, WRITES};

/// What a tool of a git server does, by its name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Tool {
    /// One of these commands, with what the name says it does there.
    Commands(Vec<String>, Option<String>),
    /// Whatever command the call names.
    Any,
    /// Something is looked at.
    Reads,
    /// Later calls work in this folder.
    Moves,
    Publishes,
    Unknown,
}

/// Commands of one word.
const COMMANDS: &[&str] = &[
    "status",
    "log",
    "diff",
    "show",
    "blame",
    "annotate",
    "add",
    "commit",
    "reset",
    "checkout",
    "switch",
    "branch",
    "tag",
    "remote",
    "stash",
    "worktree",
    "notes",
    "config",
    "submodule",
    "bisect",
    "reflog",
    "bundle",
    "merge",
    "rebase",
    "revert",
    "restore",
    "rm",
    "mv",
    "clean",
    "init",
    "clone",
    "fetch",
    "pull",
    "push",
    "grep",
    "describe",
    "shortlog",
    "archive",
    "apply",
    "am",
    "gc",
    "fsck",
    "prune",
    "repack",
    "lfs",
    "whatchanged",
    "version",
    "cherry",
    "maintenance",
    "replace",
    "rerere",
    "subtree",
    "svn",
    "daemon",
    "instaweb",
];

/// Commands of several words.
const JOINED: &[&str] = &[
    "cherry-pick",
    "rev-parse",
    "rev-list",
    "ls-files",
    "ls-tree",
    "ls-remote",
    "cat-file",
    "merge-base",
    "for-each-ref",
    "show-ref",
    "show-branch",
    "update-ref",
    "symbolic-ref",
    "format-patch",
    "sparse-checkout",
    "range-diff",
    "hash-object",
    "filter-branch",
    "filter-repo",
    "merge-tree",
    "name-rev",
    "diff-tree",
    "diff-index",
    "diff-files",
    "read-tree",
    "write-tree",
    "commit-tree",
    "update-index",
    "pack-refs",
    "fast-import",
    "send-email",
    "count-objects",
    "check-ignore",
    "check-attr",
    "verify-commit",
    "verify-tag",
    "request-pull",
];

/// What the things git knows are called, and the command for each.
const NOUNS: &[(&str, &str)] = &[
    ("branch", "branch"),
    ("branches", "branch"),
    ("tag", "tag"),
    ("tags", "tag"),
    ("remote", "remote"),
    ("remotes", "remote"),
    ("stash", "stash"),
    ("stashes", "stash"),
    ("worktree", "worktree"),
    ("worktrees", "worktree"),
    ("note", "notes"),
    ("notes", "notes"),
    ("submodule", "submodule"),
    ("submodules", "submodule"),
    ("config", "config"),
];

/// Words that say nothing more about what is done.
const FILLERS: &[&str] = &[
    "git",
    "tool",
    "repo",
    "repository",
    "local",
    "the",
    "a",
    "in",
];

pub(super) fn tool(words: &[String]) -> Tool {
    let words: Vec<String> = words
        .iter()
        .filter(|word| !FILLERS.contains(&word.as_str()))
        .cloned()
        .collect();
    let Some(first) = words.first().map(String::as_str) else {
        return Tool::Any;
    };
    let rest = words.get(1..).unwrap_or_default();
    if let Some(joined) = JOINED.iter().find(|name| begins(&words, name)) {
        return Tool::Commands(vec![(*joined).to_owned()], None);
    }
    // `add_or_commit`: one of them, which another field may name.
    if has(&words, &["or", "and", "then"]) {
        let named: Vec<String> = words
            .iter()
            .filter(|word| COMMANDS.contains(&word.as_str()))
            .cloned()
            .collect();
        return if named.is_empty() {
            Tool::Unknown
        } else {
            Tool::Commands(named, None)
        };
    }
    if let Some(found) = of_verb(first, rest) {
        return found;
    }
    if COMMANDS.contains(&first) {
        if first != "stash" && has(rest, &["push", "publish", "release", "deploy"]) {
            return Tool::Publishes;
        }
        return Tool::Commands(vec![first.to_owned()], action(rest));
    }
    if words.iter().all(|word| {
        RUNS.contains(&word.as_str()) || matches!(word.as_str(), "raw" | "cmd" | "cli" | "commands")
    }) {
        return Tool::Any;
    }
    let reading = READS.contains(&first) || matches!(first, "current" | "is" | "has");
    if reading && !has(rest, WRITES) && !has(rest, PUBLISHES) && !has(rest, RUNS) {
        return Tool::Reads;
    }
    Tool::Unknown
}

/// `create_branch`, `list_tags`, `stage_files`
fn of_verb(first: &str, rest: &[String]) -> Option<Tool> {
    let one = |name: &str| Some(Tool::Commands(vec![name.to_owned()], action(rest)));
    match first {
        "set" | "change" | "clear" if has(rest, &["dir", "directory", "cwd", "folder"]) => {
            return Some(Tool::Moves);
        }
        "create" | "make" | "new" if has(rest, &["commit"]) => return one("commit"),
        // Text about how to go on.
        "changelog" | "wrapup" => return Some(Tool::Reads),
        "stage" => return one("add"),
        "unstage" => return one("reset"),
        "switch" => return one("switch"),
        "list" | "get" | "show" | "create" | "make" | "new" | "add" | "delete" | "remove"
        | "rename" | "move" | "apply" | "pop" | "drop" | "set" | "update" | "prune" | "unset"
        | "save" | "clear" => {}
        _ => return None,
    }
    let (_, command) = NOUNS.iter().find(|(noun, _)| has(rest, &[*noun]))?;
    if *command == "branch" && has(rest, &["current"]) {
        return Some(Tool::Reads);
    }
    let verb = if first == "make" { "create" } else { first };
    Some(Tool::Commands(
        vec![(*command).to_owned()],
        Some(verb.to_owned()),
    ))
}

/// What the words behind the command say is done.
fn action(rest: &[String]) -> Option<String> {
    let said: Vec<&str> = rest
        .iter()
        .map(String::as_str)
        .filter(|word| !NOUNS.iter().any(|(noun, _)| noun == word))
        .filter(|word| {
            !matches!(
                *word,
                "file"
                    | "files"
                    | "changes"
                    | "commit"
                    | "commits"
                    | "by"
                    | "to"
                    | "path"
                    | "unstaged"
                    | "details"
                    | "history"
            )
        })
        .collect();
    (!said.is_empty()).then(|| said.join("-"))
}

fn begins(words: &[String], name: &str) -> bool {
    let mut have = words.iter();
    name.split('-')
        .all(|part| have.next().is_some_and(|word| word == part))
}

#[cfg(test)]
mod tests {
    use super::{Tool, tool};
    use crate::mcp::names::words;

    fn commands(name: &str) -> Tool {
        tool(&words(name))
    }

    fn one(name: &str, action: Option<&str>) -> Tool {
        Tool::Commands(vec![name.to_owned()], action.map(str::to_owned))
    }

    #[test]
    fn a_name_stands_for_a_command() {
        assert_eq!(commands("git_branch_delete"), one("branch", Some("delete")));
        assert_eq!(commands("gitDeleteBranch"), one("branch", Some("delete")));
        assert_eq!(commands("git_cherry_pick"), one("cherry-pick", None));
        assert_eq!(commands("git_diff_unstaged"), one("diff", None));
        assert_eq!(commands("stage_files"), one("add", None));
        assert_eq!(commands("git"), Tool::Any);
        assert_eq!(commands("git_run_command"), Tool::Any);
        assert_eq!(commands("git_set_working_dir"), Tool::Moves);
        assert_eq!(commands("git_get_file_history"), Tool::Reads);
        assert_eq!(commands("git_commit_push"), Tool::Publishes);
        assert_eq!(commands("git_frobnicate"), Tool::Unknown);
    }
}
