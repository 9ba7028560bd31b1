//! What stands before the git subcommand, and the variables that do the same: which repository is meant,
//! and configuration given for one call.
//!
//! Configuration that runs programs is judged as those programs; what is not known to be harmless is refused.

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, brief};
use crate::shell::walk::Walker;

/// Where git is told to find the repository, when it is told.
#[derive(Debug, Default)]
pub(super) struct Repository {
    pub(super) git_dir: Option<String>,
    pub(super) work_tree: Option<String>,
}

/// A git command line without its global options.
pub(super) struct Plan {
    pub(super) repository: Repository,
    pub(super) aliases: Vec<(String, String)>,
    /// Subcommand and arguments.
    pub(super) rest: Vec<String>,
    /// The state git runs in, `-C` applied.
    pub(super) st: State,
}

/// Variables that move git to other storage; none of them is needed in a worktree.
const STORAGE: &[&str] = &[
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
];

/// Reads and judges the options before the subcommand.
pub(super) fn global(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<Plan> {
    let variable = |name: &str| {
        call.variable(name).map(str::to_owned).or_else(|| {
            st.vars
                .get(name)
                .filter(|var| var.exported)
                .map(|var| var.value())
        })
    };
    let mut plan = Plan {
        repository: Repository {
            git_dir: variable("GIT_DIR").filter(|dir| !dir.is_empty()),
            work_tree: variable("GIT_WORK_TREE").filter(|dir| !dir.is_empty()),
        },
        aliases: Vec::new(),
        rest: Vec::new(),
        st: st.clone(),
    };
    for name in STORAGE {
        if variable(name).is_some_and(|value| !value.is_empty()) {
            return Err(Refusal::new(
                rule::OUTSIDE,
                format!("{name} moves git to another repository; run plain git in your worktree"),
            ));
        }
    }
    if let Some(index) = variable("GIT_INDEX_FILE").filter(|path| !path.is_empty())
        && w.role.writes()
    {
        w.write_path(&index, st)?;
    }
    let args = call.args();
    let mut at = 0;
    while let Some(arg) = args.get(at) {
        at += 1;
        let next = || args.get(at).cloned().unwrap_or_default();
        let (flag, attached) = match arg.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (arg.as_str(), None),
        };
        match flag {
            "-C" => {
                let target = next();
                at += 1;
                if !target.is_empty() {
                    w.enter(&target, &mut plan.st);
                }
            }
            "-c" => {
                let setting = next();
                at += 1;
                configured(w, &setting, &mut plan)?;
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix" | "--exec-path"
            | "--config-env" | "--attr-source" | "--list-cmds" => {
                let value = match attached {
                    Some(value) => value,
                    // `--exec-path` alone only prints.
                    None if flag == "--exec-path" => continue,
                    None => {
                        at += 1;
                        args.get(at - 1).cloned().unwrap_or_default()
                    }
                };
                match flag {
                    "--git-dir" => plan.repository.git_dir = Some(value),
                    "--work-tree" => plan.repository.work_tree = Some(value),
                    "--attr-source" | "--list-cmds" => {}
                    _ => return Err(refused(flag)),
                }
            }
            "-p"
            | "--paginate"
            | "-P"
            | "--no-pager"
            | "--bare"
            | "--no-replace-objects"
            | "--literal-pathspecs"
            | "--glob-pathspecs"
            | "--noglob-pathspecs"
            | "--icase-pathspecs"
            | "--no-optional-locks"
            | "--no-lazy-fetch"
            | "--no-advice" => {}
            "--version" | "-v" | "--help" | "-h" | "--html-path" | "--man-path" | "--info-path" => {
                if flag == "--help"
                    || flag == "-h"
                    || flag.starts_with("-v")
                    || flag.starts_with("--v")
                    || args.len() == 1
                {
                    return Ok(plan);
                }
            }
            _ if arg.starts_with('-') => return Err(refused(arg)),
            _ => {
                plan.rest = args.get(at - 1..).unwrap_or_default().to_vec();
                return Ok(plan);
            }
        }
    }
    Ok(plan)
}

fn refused(what: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "git {} could run anything; use plain git commands",
            brief(what)
        ),
    )
}

/// Judges one `-c key=value`.
fn configured(w: &mut Walker<'_>, setting: &str, plan: &mut Plan) -> Judged<()> {
    let (key, value) = setting.split_once('=').unwrap_or((setting, "true"));
    let key = key.to_lowercase();
    let section = key.split('.').next().unwrap_or("");
    if text::is_any(&key) {
        return Err(refused("-c with an unknown setting"));
    }
    if let Some(alias) = key.strip_prefix("alias.") {
        plan.aliases.push((alias.to_owned(), value.to_owned()));
        return Ok(());
    }
    let program = matches!(
        key.as_str(),
        "core.editor"
            | "core.pager"
            | "core.sshcommand"
            | "core.askpass"
            | "sequence.editor"
            | "diff.external"
            | "interactive.difffilter"
            | "gpg.program"
            | "credential.helper"
    ) || section == "pager";
    if program {
        let plain = matches!(
            value,
            "" | "true"
                | "false"
                | ":"
                | "cat"
                | "less"
                | "more"
                | "vim"
                | "vi"
                | "nano"
                | "1"
                | "0"
        );
        let ssh = key == "core.sshcommand" && super::super::environment::is_plain_ssh(value);
        if !plain && !ssh {
            if super::todo_lists::edits(&key) {
                super::todo_lists::judge(w, value, &plan.st)?;
            }
            // A credential helper marks a command with `!`; without it `git credential-NAME` runs.
            let code = match value.strip_prefix('!') {
                // A program that shows differences gets the file first.
                None if key == "diff.external" => format!("{value} ./{}", text::PATH),
                Some(code) => code.to_owned(),
                None => value.to_owned(),
            };
            w.script(&code, &mut plan.st.for_program())?;
        }
        return Ok(());
    }
    let last = key.rsplit('.').next().unwrap_or("");
    if matches!(key.as_str(), "format.outputdirectory" | "http.cookiefile") && w.role.writes() {
        return w.write_path(value, &plan.st);
    }
    let harmless = match section {
        "core" => {
            matches!(
                last,
                "quotepath"
                    | "autocrlf"
                    | "abbrev"
                    | "ignorecase"
                    | "safecrlf"
                    | "commentchar"
                    | "longpaths"
                    | "precomposeunicode"
                    | "eol"
                    | "whitespace"
                    | "filemode"
                    | "compression"
                    | "symlinks"
                    | "untrackedcache"
                    | "preloadindex"
                    | "logallrefupdates"
            ) || last == "fsmonitor" && matches!(value, "false" | "0" | "")
                || last == "hookspath" && value == "/dev/null"
        }
        "diff" | "merge" => !matches!(
            last,
            "command" | "textconv" | "driver" | "tool" | "cmd" | "guitool"
        ),
        "user" | "author" | "committer" | "color" | "log" | "status" | "commit" | "advice"
        | "grep" | "column" | "fetch" | "blame" | "rerere" | "safe" | "http" | "gc"
        | "protocol" | "index" | "feature" | "pack" | "checkout" | "format" | "apply" | "push"
        | "i18n" | "help" | "versionsort" | "stash" | "tag" | "init" | "clone" | "maintenance"
        | "transfer" | "pull" | "branch" | "notes" | "am" | "showbranch" | "lfs" | "worktree" => {
            !last.ends_with("command")
                && !last.ends_with("cmd")
                && last != "template"
                && last != "templatedir"
        }
        "rebase" => last != "instructionformat" && last != "updaterefs",
        "submodule" => last == "recurse" || last == "fetchjobs",
        _ => false,
    };
    if harmless {
        // `blame.ignoreRevsFile`, `diff.orderFile`
        if last.ends_with("file") {
            w.read_path(value, &plan.st)?;
        }
        Ok(())
    } else {
        Err(refused(&format!("-c {key}")))
    }
}

/// An alias given with `-c` is judged as what it stands for.
pub(super) fn alias(
    w: &mut Walker<'_>,
    plan: &Plan,
    call: &Call,
    st: &State,
) -> Option<Judged<()>> {
    let (sub, args) = plan.rest.split_first()?;
    let (_, value) = plan
        .aliases
        .iter()
        .rev()
        .find(|(name, _)| name == &sub.to_lowercase())?;
    let rest = args
        .iter()
        .map(|arg| crate::shell::walk::quote(arg))
        .collect::<Vec<_>>()
        .join(" ");
    let code = match value.strip_prefix('!') {
        // Without arguments nothing is put behind it, which a here-document at its end would take in.
        Some(code) if rest.is_empty() => code.to_owned(),
        Some(code) => format!("{code} {rest}"),
        None => {
            // The options before the alias stay in force.
            let before = call.args().len() - plan.rest.len();
            let globals: Vec<String> = call
                .args()
                .iter()
                .take(before)
                .map(|arg| crate::shell::walk::quote(arg))
                .collect();
            format!("git {} {value} {rest}", globals.join(" "))
        }
    };
    Some(w.script(&code, &mut st.outside_shell()).map(|_| ()))
}
