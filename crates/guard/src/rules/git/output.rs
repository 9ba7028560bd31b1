//! What git prints, as far as later words need it.

use super::options;
use crate::commands::Call;
use crate::paths::Zone;
use crate::shell::state::State;
use crate::shell::text::{ANY, PATH, SOLID, TOKEN, TRACKED};
use crate::shell::walk::Walker;

/// What a git command prints, as far as later words need it.
pub(crate) fn output(w: &mut Walker<'_>, call: &Call, st: &State) -> String {
    let Ok(plan) = options::global(w, call, st) else {
        return ANY.to_string();
    };
    let Some((sub, args)) = plan.rest.split_first() else {
        return ANY.to_string();
    };
    let has = |name: &str| args.iter().any(|arg| arg == name);
    let here = plan.repository.git_dir.is_none()
        && plan
            .st
            .cwd
            .iter()
            .all(|place| w.paths.is_inside(".", place));
    let root = w.policy.root.to_string_lossy().into_owned();
    match sub.as_str() {
        "rev-parse" if has("--show-toplevel") => {
            if here && args.len() == 1 {
                format!("{}\n", w.paths.worktree().display())
            } else {
                ANY.to_string()
            }
        }
        "rev-parse"
            if has("--git-dir")
                || has("--absolute-git-dir")
                || has("--git-common-dir")
                || has("--git-path") =>
        {
            format!("{root}/.git/{PATH}\n")
        }
        "rev-parse"
            if args.iter().any(|arg| {
                ["--show-", "--prefix", "--sq", "--local-env", "--resolve-"]
                    .iter()
                    .any(|start| arg.starts_with(start))
            }) =>
        {
            ANY.to_string()
        }
        "rev-parse" if has("--abbrev-ref") || has("--symbolic-full-name") => {
            format!("{SOLID}{PATH}\n")
        }
        "branch" if has("--show-current") => format!("{SOLID}{PATH}\n"),
        "symbolic-ref" | "describe" => format!("{SOLID}{PATH}\n"),
        "rev-parse" | "merge-base" | "rev-list" | "stash" | "hash-object" | "commit-tree"
        | "write-tree" => format!("{TOKEN}\n"),
        "log" | "show"
            if args.iter().any(|arg| {
                matches!(
                    arg.as_str(),
                    "--format=%H"
                        | "--format=%h"
                        | "--pretty=%H"
                        | "--pretty=%h"
                        | "--format=%ct"
                        | "--pretty=format:%H"
                        | "--pretty=format:%h"
                )
            }) && !has("-p")
                && (sub == "log" || has("-s")) =>
        {
            format!("{TOKEN}\n")
        }
        "ls-files" if !has("-s") && !has("--stage") && !has("--full-name") && here => {
            let others = args.iter().any(|arg| {
                arg.starts_with("--o")
                    || arg.starts_with('-') && !arg.starts_with("--") && arg.contains('o')
            });
            // What git does not look after may be links as well.
            if others {
                format!("{PATH}\n")
            } else {
                tracked(args)
            }
        }
        "grep"
            if here
                && !has("--no-index")
                && args.iter().any(|arg| {
                    matches!(
                        arg.as_str(),
                        "--files-with-matches" | "--name-only" | "--files-without-match"
                    ) || arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['l', 'L'])
                }) =>
        {
            format!("{SOLID}{PATH}\n")
        }
        "status" if here => status(w, &plan.st, args),
        "diff" | "show" if has("--name-only") && here => format!("{TRACKED}{PATH}\n"),
        "ls-tree" if has("--name-only") && here => format!("{TRACKED}{PATH}\n"),
        _ => ANY.to_string(),
    }
}

/// What `git ls-files` prints: where it is asked for endings only, each path has one of them.
fn tracked(args: &[String]) -> String {
    let asked: Vec<&String> = args.iter().filter(|arg| !arg.starts_with('-')).collect();
    let endings: Option<Vec<String>> = asked
        .iter()
        .map(|arg| {
            let ending = arg.strip_prefix("*.")?;
            let plain = !ending.is_empty() && ending.bytes().all(|c| c.is_ascii_alphanumeric());
            plain.then(|| format!("{TRACKED}{PATH}.{ending}\n"))
        })
        .collect();
    match endings {
        Some(lines) if !lines.is_empty() => lines.concat(),
        Some(_) | None => format!("{TRACKED}{PATH}\n"),
    }
}

/// What `git status` prints for scripts: two signs and a path. What git does not look after yet may be a link.
fn status(w: &Walker<'_>, st: &State, args: &[String]) -> String {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let plain = words.iter().all(|word| {
        matches!(
            *word,
            "--porcelain"
                | "--porcelain=v1"
                | "-s"
                | "--short"
                | "--ignored"
                | "-uall"
                | "-unormal"
                | "-uno"
                | "-u"
        ) || word.starts_with("--untracked-files")
            || !word.starts_with('-')
    });
    // The short form names its paths from the folder it is asked in, the other one from the worktree.
    let from_top = words.iter().any(|word| word.starts_with("--porcelain"))
        || words.iter().any(|word| matches!(*word, "-s" | "--short"))
            && st
                .cwd
                .iter()
                .all(|place| w.paths.zone(".", place) == Zone::Top);
    if plain && from_top {
        format!("?? {PATH}\n")
    } else {
        ANY.to_string()
    }
}
