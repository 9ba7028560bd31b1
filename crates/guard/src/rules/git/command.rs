//! `git`: takes the command line apart and finds out which repository it acts on.
//!
//! Options before the subcommand are judged in `options`, subcommands that change something in
//! `writes`. A subcommand that is not known could be an alias for anything and is refused.

use super::super::flags::parse;
use super::given;
use super::made;
use super::options::{self, Repository};
use super::reads::reads;
use super::writes;
use crate::commands::Call;
use crate::paths::Zone;
use crate::policy::{Judged, Refusal, Role, rule};
use crate::shell::state::State;
use crate::shell::text::{self, ANY, brief};
use crate::shell::walk::Walker;

pub(in crate::rules) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    call: &Call,
    st: &State,
) -> Option<Judged<()>> {
    match name {
        // Git written in Python, with the same commands.
        "git" | "dulwich" => Some(git(w, call, st)),
        "hub" => Some(super::super::publish::hub(call.args()).and_then(|()| git(w, call, st))),
        "gitk" | "git-gui" | "lazygit" | "tig" | "gitui" if matches!(call.args(), [only] if only == "--version" || only == "--help") => {
            Some(Ok(()))
        }
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

/// Options of one command that people and agents write; each of more takes so many steps, because every question
/// about the command looks at all of them.
const OPTIONS: usize = 64;
const MORE_OPTIONS: usize = 6;

fn git(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let options = call.args().iter().filter(|arg| arg.starts_with('-'));
    w.charge(options.count().saturating_sub(OPTIONS) * MORE_OPTIONS)?;
    let plan = options::global(w, call, st)?;
    let Some((sub, args)) = plan.rest.split_first() else {
        return Ok(());
    };
    if text::is_any(sub) || !text::is_known(sub) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "which git command would run is not known; write the subcommand out",
        ));
    }
    if let Some(result) = options::alias(w, &plan, call, st) {
        return result;
    }
    if matches!(args, [only] if only == "--help" || only == "-h") || sub == "help" {
        return Ok(());
    }
    let Repository { git_dir, work_tree } = &plan.repository;
    for folder in git_dir.iter().chain(work_tree) {
        w.read_path(folder, &plan.st)?;
    }
    let decides = matches!(sub.as_str(), "fetch" | "reset" | "clean");
    if decides && args.iter().any(|arg| arg.starts_with(ANY)) {
        return Err(unproven_arguments(sub));
    }
    outputs(w, sub, args, &plan.st)?;
    given::judge(w, sub, args, call.stdin.as_deref(), &plan.st)?;
    if reads(sub, args) {
        return Ok(());
    }
    if made::is_own_work(w, sub, args, &plan, call) {
        return may_write(w, sub);
    }
    writes::judge(w, sub, args, &plan, call)
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
        // The program that shows the difference is judged like any other.
        "difftool" => {
            let own: Vec<String> = own.cloned().collect();
            parse(&own, "xt", &["extcmd", "tool"])
                .values(&["x", "extcmd"])
                .into_iter()
                .try_for_each(|code| w.script(code, &mut st.for_program()).map(|_| ()))
        }
        "log" | "diff" | "show" | "whatchanged" | "reflog" | "diff-tree" | "diff-index"
        | "diff-files" | "format-patch" | "stash" | "range-diff" | "rev-list" | "shortlog"
        | "archive" | "blame" => {
            let flags = parse(
                &own.cloned().collect::<Vec<_>>(),
                "SGoOLnUM?C?B?l",
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
                let opens = arg.strip_prefix("--").is_some_and(|long| {
                    let name = long.split('=').next().unwrap_or(long);
                    name.starts_with("op") && "open-files-in-pager".starts_with(name)
                });
                let pager = if opens {
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
