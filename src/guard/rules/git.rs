//! `git`: takes the command line apart and finds out which repository it acts on.
//!
//! Options before the subcommand are judged in `git_options`, subcommands that change something in
//! `git_writes`. A subcommand that is not known could be an alias for anything and is refused.

use super::flags::parse;
use super::git_options::{self, Repository};
use super::git_writes;
use crate::guard::commands::Call;
use crate::guard::paths::Zone;
use crate::guard::policy::{Judged, Refusal, Role, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text::{self, ANY, PATH, TOKEN, brief};
use crate::guard::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "git" | "hub" => Some(git(w, call, st)),
        "gitk" | "git-gui" | "lazygit" | "tig" | "gitui" => Some(Err(Refusal::new(
            rule::UNPROVEN,
            "an interactive git program cannot be guarded; use plain git commands",
        ))),
        _ => {
            // `/usr/lib/git-core/git-push` is `git push`.
            let sub = name
                .strip_prefix("git-")
                .filter(|sub| *sub != "lfs" || !call.args().is_empty())?;
            let mut argv = vec!["git".to_owned(), sub.to_owned()];
            argv.extend_from_slice(call.args());
            Some(git(w, &call.with(argv), st))
        }
    }
}

fn git(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let plan = git_options::global(w, call, st)?;
    let Some((sub, args)) = plan.rest.split_first() else {
        return Ok(());
    };
    if text::is_any(sub) || !text::is_known(sub) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "which git command would run is not known; write the subcommand out",
        ));
    }
    if let Some(result) = git_options::alias(w, &plan, call, st) {
        return result;
    }
    if matches!(args, [only] if only == "--help" || only == "-h") || sub == "help" {
        return Ok(());
    }
    let decides = matches!(sub.as_str(), "fetch" | "reset" | "clean");
    if decides && args.iter().any(|arg| arg.starts_with(ANY)) {
        return Err(unproven_arguments(sub));
    }
    outputs(w, sub, args, &plan.st)?;
    if reads(sub, args) {
        return Ok(());
    }
    git_writes::judge(w, sub, args, &plan, call)
}

pub(super) fn unproven_arguments(sub: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "the arguments of git {} are not known before it runs; write them out",
            brief(sub)
        ),
    )
}

/// Options with which a reading command writes a file or runs a program.
fn outputs(w: &mut Walker<'_>, sub: &str, args: &[String], st: &State) -> Judged<()> {
    let own = args.iter().take_while(|arg| *arg != "--");
    match sub {
        "log" | "diff" | "show" | "whatchanged" | "reflog" | "diff-tree" | "diff-index"
        | "diff-files" | "format-patch" | "stash" | "range-diff" | "rev-list" | "shortlog"
        | "archive" | "blame" => {
            let flags = parse(
                &own.cloned().collect::<Vec<_>>(),
                "SGoOLnUMCBl",
                &["output", "format", "exec", "remote", "output-directory"],
            );
            for path in flags.values(&["output"]) {
                w.write_path(path, st)?;
            }
            if matches!(sub, "archive" | "format-patch" | "shortlog") {
                for path in flags.values(&["o", "output-directory"]) {
                    w.write_path(path, st)?;
                }
            }
            if flags.has(&["exec"]) && sub == "archive" {
                return Err(unproven_arguments(sub));
            }
            for path in flags
                .operands
                .iter()
                .filter(|path| path.starts_with(['/', '~']))
            {
                w.read_path(path, st)?;
            }
            Ok(())
        }
        "grep" => {
            for arg in own {
                let pager = if arg.starts_with("--open") {
                    Some(arg.split_once('=').map_or("less", |(_, pager)| pager))
                } else {
                    arg.strip_prefix("-O")
                        .map(|pager| if pager.is_empty() { "less" } else { pager })
                };
                if let Some(pager) = pager {
                    w.need_writer("opens files in a program")?;
                    w.script(pager, &mut st.for_program())?;
                }
            }
            Ok(())
        }
        "ls-remote" | "fetch" | "pull" | "clone" | "fetch-pack" | "remote" => {
            let flags = parse(
                args,
                "uobjc",
                &["upload-pack", "exec", "config", "template"],
            );
            let program = flags
                .values(&["upload-pack", "exec", "template"])
                .into_iter()
                .chain(if sub == "clone" {
                    flags.values(&["u"])
                } else {
                    Vec::new()
                })
                .next();
            if program.is_some() {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "another program would run for the transfer; use plain git fetch",
                ));
            }
            if args
                .iter()
                .any(|arg| arg.starts_with("ext::") || arg.contains("=ext::"))
            {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "an ext:: address runs a command; use a plain address",
                ));
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Whether this call changes nothing at all.
fn reads(sub: &str, args: &[String]) -> bool {
    let has = |names: &[&str]| {
        args.iter()
            .take_while(|arg| *arg != "--")
            .any(|arg| names.contains(&arg.as_str()))
    };
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    match sub {
        "status" | "log" | "diff" | "show" | "blame" | "annotate" | "grep" | "rev-parse"
        | "rev-list" | "ls-files" | "ls-tree" | "ls-remote" | "cat-file" | "describe"
        | "name-rev" | "shortlog" | "whatchanged" | "show-ref" | "show-branch" | "for-each-ref"
        | "merge-base" | "cherry" | "range-diff" | "diff-tree" | "diff-index" | "diff-files"
        | "check-ignore" | "check-attr" | "check-mailmap" | "check-ref-format"
        | "count-objects" | "verify-commit" | "verify-tag" | "verify-pack" | "var" | "version"
        | "get-tar-commit-id" | "patch-id" | "stripspace" | "column" | "request-pull"
        | "merge-tree" | "show-index" | "help" | "for-each-repo" | "diff-pairs"
        | "last-modified" => sub != "for-each-repo",
        "fsck" => !has(&["--lost-found"]),
        "difftool" | "mergetool" => has(&["--tool-help"]),
        "config" => config_reads(args),
        "branch" => branch_reads(args),
        "tag" => {
            let changes = args.iter().any(|arg| {
                matches!(
                    arg.as_str(),
                    "-d" | "--delete"
                        | "-a"
                        | "-s"
                        | "-f"
                        | "--force"
                        | "-m"
                        | "-F"
                        | "-u"
                        | "--annotate"
                        | "--sign"
                )
            });
            let lists = args.iter().any(|arg| {
                arg == "--list"
                    || arg == "-n"
                    || arg.starts_with("-l")
                    || arg.starts_with("-n")
                    || arg.starts_with("--contains")
                    || arg.starts_with("--merged")
                    || arg.starts_with("--no-")
                    || arg.starts_with("--points-at")
                    || arg.starts_with("--sort")
            });
            !changes && (lists || first.is_empty()) || has(&["-v", "--verify"])
        }
        "remote" => matches!(first, "" | "show" | "get-url"),
        "stash" => matches!(first, "list" | "show"),
        "reflog" => !matches!(first, "expire" | "delete" | "drop" | "write"),
        "worktree" => first == "list",
        "notes" => matches!(first, "" | "list" | "show"),
        "submodule" => matches!(first, "" | "status" | "summary"),
        "bisect" => matches!(first, "log" | "view" | "visualize" | "terms"),
        "symbolic-ref" => {
            args.iter().filter(|arg| !arg.starts_with('-')).count() == 1
                && !has(&["-d", "--delete", "-m"])
        }
        "archive" => true,
        "hash-object" => !args
            .iter()
            .any(|arg| arg.starts_with("-w") || arg.starts_with("-tw")),
        "format-patch" => has(&["--stdout"]),
        "apply" => {
            has(&["--check", "--stat", "--numstat", "--summary"])
                && !has(&["--apply", "--index", "--cached"])
        }
        "add" => has(&["-n", "--dry-run"]),
        "commit" => has(&["--dry-run"]),
        "mv" | "rm" => has(&["-n", "--dry-run"]),
        "clean" => args.iter().take_while(|arg| *arg != "--").any(|arg| {
            arg == "--dry-run"
                || arg.starts_with('-')
                    && !arg.starts_with("--")
                    && arg.contains('n')
                    && !arg.contains('e')
        }),
        "prune" => has(&["-n", "--dry-run"]),
        "merge-file" => has(&["-p", "--stdout"]),
        "rerere" => matches!(first, "status" | "diff" | "remaining"),
        "sparse-checkout" => matches!(first, "list" | "check-rules"),
        "bundle" => matches!(first, "verify" | "list-heads"),
        "interpret-trailers" => !has(&["--in-place"]),
        "lfs" => matches!(
            first,
            "" | "ls-files" | "status" | "env" | "version" | "logs"
        ),
        _ => false,
    }
}

fn config_reads(args: &[String]) -> bool {
    let flags = parse(
        args,
        "f",
        &["file", "blob", "type", "default", "comment", "value", "url"],
    );
    let writes = [
        "add",
        "replace-all",
        "unset",
        "unset-all",
        "rename-section",
        "remove-section",
        "edit",
        "append",
    ];
    if flags.has(&writes) || flags.has(&["e"]) {
        return false;
    }
    let gets = flags.has(&[
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "get-color",
        "get-colorbool",
        "list",
        "l",
    ]);
    if gets {
        return true;
    }
    match flags
        .operands
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["list" | "get", ..] => true,
        [
            "set" | "unset" | "edit" | "rename-section" | "remove-section",
            ..,
        ] => false,
        [_] => true,
        [] | [_, ..] => false,
    }
}

fn branch_reads(args: &[String]) -> bool {
    let own: Vec<String> = args
        .iter()
        .take_while(|arg| *arg != "--")
        .cloned()
        .collect();
    let flags = parse(
        &own,
        "u",
        &[
            "sort",
            "format",
            "points-at",
            "set-upstream-to",
            "column",
            "abbrev",
        ],
    );
    let changes = ["d", "D", "m", "M", "c", "C", "f", "u"];
    let long = [
        "delete",
        "move",
        "copy",
        "force",
        "set-upstream-to",
        "unset-upstream",
        "edit-description",
        "create-reflog",
        "track",
    ];
    let changing = flags.options.iter().any(|(name, _)| {
        changes.contains(&name.as_str())
            || name.len() > 2 && long.iter().any(|full| full.starts_with(name.as_str()))
    });
    if changing {
        return false;
    }
    let lists = flags.options.iter().any(|(name, _)| {
        matches!(
            name.as_str(),
            "a" | "r"
                | "l"
                | "list"
                | "all"
                | "remotes"
                | "show-current"
                | "points-at"
                | "sort"
                | "format"
        ) || name.ends_with("contains")
            || name.ends_with("merged")
    });
    lists || flags.operands.is_empty() && args.len() == own.len()
}

/// Whether the branch is one this agent may create.
pub(super) fn is_own_branch(w: &Walker<'_>, branch: &str) -> bool {
    let branch = branch.trim_start_matches("refs/heads/");
    branch
        .strip_prefix("overstory/")
        .and_then(|rest| rest.strip_prefix(w.policy.agent.as_str()))
        .is_some_and(|rest| rest.starts_with('/') && !rest.contains(".."))
}

/// Whether this role may change the repository with this command.
pub(super) fn may_write(w: &Walker<'_>, sub: &str) -> Judged<()> {
    if w.role == Role::Coordination && matches!(sub, "add" | "commit") {
        return Ok(());
    }
    w.need_writer(&format!("changes the repository (git {})", brief(sub)))
}

/// A changing command must act on the agent's own repository and its own files.
pub(super) fn own_repository(w: &Walker<'_>, repository: &Repository, st: &State) -> Judged<()> {
    let foreign = |what: &str| {
        Refusal::new(
            rule::OUTSIDE,
            format!(
                "{} is not your worktree's repository; run git inside your worktree",
                brief(what)
            ),
        )
    };
    match (&repository.git_dir, &repository.work_tree) {
        (None, None) => {
            let anywhere = w.role == Role::Coordination;
            if anywhere {
                Ok(())
            } else {
                w.need_inside(st, "git")
            }
        }
        (git_dir, work_tree) => {
            for place in &st.cwd {
                if let Some(path) = git_dir {
                    let zone = w.paths.zone(path, place);
                    let below = || w.paths.below_worktree(path, place);
                    let own = zone == Zone::Inside
                        || zone == Zone::Git && below().is_some_and(|inner| inner == ".git");
                    if !own {
                        return Err(foreign(path));
                    }
                }
                let top = work_tree.as_deref().unwrap_or(".");
                if !matches!(w.paths.zone(top, place), Zone::Inside | Zone::Top) {
                    return Err(foreign(top));
                }
            }
            Ok(())
        }
    }
}

/// What a git command prints, as far as later words need it.
pub(crate) fn output(w: &mut Walker<'_>, call: &Call, st: &State) -> String {
    let Ok(plan) = git_options::global(w, call, st) else {
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
        "rev-parse" if has("--show-cdup") || has("--show-superproject-working-tree") => {
            ANY.to_string()
        }
        "rev-parse" if has("--abbrev-ref") || has("--symbolic-full-name") => format!("{PATH}\n"),
        "branch" if has("--show-current") => format!("{PATH}\n"),
        "symbolic-ref" | "describe" => format!("{PATH}\n"),
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
            format!("{PATH}\n")
        }
        "diff" | "show" if has("--name-only") && here => format!("{PATH}\n"),
        "ls-tree" if has("--name-only") && here => format!("{PATH}\n"),
        _ => ANY.to_string(),
    }
}
