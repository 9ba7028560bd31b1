//! The orchestrator's own commands and the tracker: which of them an agent of each role may use.
//!
//! Mail, status and specs are for everybody; what starts, stops, merges or cleans is not.

use super::flags::parse;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, Role, rule};
use crate::shell::state::State;
use crate::shell::text::brief;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "grove" | "ov" | "overstory" | "overstory-cli" | "./grove" => Some(own(w, call)),
        "sd" if edits(call.args()) => Some(replaces(w, call.args(), st)),
        "sd" | "bd" | "seeds" | "beads" => Some(tracker(w, call.args())),
        "mulch" | "ml" | "cn" | "canopy" => Some(Ok(())),
        _ => None,
    }
}

/// The words the tracker `sd` begins with. Another program of that name finds and replaces in files.
const TRACKER: &[&str] = &[
    "init",
    "create",
    "q",
    "list",
    "ls",
    "show",
    "view",
    "ready",
    "blocked",
    "block",
    "unblock",
    "update",
    "edit",
    "close",
    "done",
    "reopen",
    "delete",
    "dep",
    "label",
    "labels",
    "comment",
    "comments",
    "search",
    "count",
    "stats",
    "status",
    "sync",
    "doctor",
    "prime",
    "onboard",
    "upgrade",
    "tpl",
    "template",
    "plan",
    "import",
    "export",
    "migrate",
    "migrate-from-beads",
    "compact",
    "config",
    "repair",
    "reset",
    "hooks",
    "hook",
    "daemon",
    "daemons",
    "completions",
    "version",
    "help",
    "info",
    "epic",
    "stale",
    "duplicates",
    "outcome",
    "graph",
    "next",
    "claim",
];

/// Whether this is `sd find replace files…`, not the tracker.
fn edits(args: &[String]) -> bool {
    words(args)
        .first()
        .is_some_and(|first| !TRACKER.contains(first))
}

/// `sd find replace files…` writes every file; without files it passes its input on.
fn replaces(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "nf", &["max-replacements", "flags"]);
    let files = flags.operands.get(2..).unwrap_or_default();
    let shows = flags.has(&["p", "preview"]);
    for file in files {
        if shows {
            w.read_path(file, st)?;
        } else {
            w.write_path(file, st)?;
        }
    }
    Ok(())
}

/// The words of a command line without its options.
fn words(args: &[String]) -> Vec<&str> {
    let mut out = Vec::new();
    let mut skip = false;
    for arg in args {
        if std::mem::take(&mut skip) {
            continue;
        }
        if arg.starts_with('-') {
            skip = matches!(arg.as_str(), "--project" | "--root");
            continue;
        }
        out.push(arg.as_str());
    }
    out
}

fn own(w: &Walker<'_>, call: &Call) -> Judged<()> {
    let args = call.args();
    let words = words(args);
    let has = |name: &str| args.iter().any(|arg| arg == name);
    if words.is_empty()
        && args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--help" | "-h" | "--version" | "-v" | "-V"))
    {
        return Ok(());
    }
    let other = || {
        Refusal::new(
            rule::STATE,
            format!(
                "grove {} is not for your role; write to your lead with grove mail send",
                brief(&words.iter().take(2).copied().collect::<Vec<_>>().join(" "))
            ),
        )
    };
    if words.first() == Some(&"host")
        || words.first() == Some(&"sandbox-exec")
        || words.first() == Some(&"hook")
    {
        return Err(other());
    }
    if has("--help") || has("-h") && words.len() < 3 {
        return Ok(());
    }
    if words.first() == Some(&"task") {
        let after = args
            .iter()
            .position(|arg| arg == "task")
            .map_or(0, |at| at + 1);
        return tracker(w, args.get(after..).unwrap_or_default());
    }
    let everybody = match words.as_slice() {
        [
            "mail",
            "send" | "check" | "list" | "read" | "reply" | "search",
            ..,
        ]
        | [
            "status" | "prime" | "inspect" | "costs" | "metrics" | "logs" | "trace" | "errors"
            | "feed" | "replay" | "dashboard" | "help" | "completions" | "version" | "guard"
            | "expertise",
            ..,
        ]
        | ["spec", "write" | "read" | "show" | "list", ..]
        | ["agents", "discover" | "list", ..]
        | ["worktree", "list", ..]
        | ["group" | "groups", "status" | "list" | "show", ..]
        | ["run"]
        | ["run", "list" | "show", ..]
        | ["hooks", "status", ..]
        | [
            "coordinator" | "orchestrator" | "supervisor" | "monitor",
            "status" | "check-complete" | "output",
            ..,
        ] => true,
        ["merge", ..] => has("--dry-run"),
        ["doctor", ..] => !has("--fix"),
        _ => false,
    };
    if everybody {
        return Ok(());
    }
    // The monitor looks, nudges and reports; what follows from that is decided by others.
    if w.policy.capability == "monitor" {
        let reports = matches!(
            words.as_slice(),
            ["nudge", ..]
                | [
                    "coordinator" | "orchestrator" | "supervisor",
                    "send" | "ask",
                    ..
                ]
        );
        return if reports { Ok(()) } else { Err(other()) };
    }
    let lead = matches!(words.as_slice(), ["sling" | "nudge" | "group", ..]);
    let coordination = matches!(
        words.as_slice(),
        [
            "merge" | "stop" | "run" | "discover" | "watch" | "ecosystem",
            ..
        ] | ["worktree", "clean", ..]
            | [
                "coordinator" | "orchestrator" | "supervisor" | "monitor",
                "start" | "send" | "ask",
                ..
            ]
    );
    match w.role {
        Role::Lead if lead => Ok(()),
        Role::Coordination if lead || coordination => Ok(()),
        Role::Writer | Role::Lead | Role::Coordination | Role::Reader => Err(other()),
    }
}

fn tracker(w: &Walker<'_>, args: &[String]) -> Judged<()> {
    judge_tracker(w.role, w.policy.task_id.as_deref(), args)
}

/// Issues may be read, made and annotated; only the agent's own is closed or moved.
pub(crate) fn judge_tracker(role: Role, task: Option<&str>, args: &[String]) -> Judged<()> {
    let words = words(args);
    let refused = || {
        Refusal::new(
            rule::STATE,
            "only your own task is closed or moved; report on others by mail",
        )
    };
    let own = |id: &str| task == Some(id);
    match words.as_slice() {
        ["close" | "done" | "reopen", ..] => {
            let ids = positionals(args);
            let only_own = ids.len() > 1 && ids.iter().skip(1).all(|id| own(id));
            if role == Role::Coordination || only_own {
                Ok(())
            } else {
                Err(refused())
            }
        }
        ["delete", ..] if role != Role::Coordination => Err(refused()),
        ["update", ..] => {
            let moves = args
                .iter()
                .any(|arg| arg.starts_with("-s") || arg.starts_with("--status"));
            let ids = positionals(args);
            let only_own = ids.len() > 1 && ids.iter().skip(1).all(|id| own(id));
            if !moves || only_own || role == Role::Coordination {
                Ok(())
            } else {
                Err(refused())
            }
        }
        [
            "import" | "init" | "compact" | "migrate" | "daemon" | "daemons" | "hooks" | "hook"
            | "config" | "repair" | "reset" | "sync",
            ..,
        ] => {
            if matches!(words.first(), Some(&"sync"))
                && !args.iter().any(|arg| arg == "--push")
                && role.writes()
            {
                Ok(())
            } else {
                Err(refused())
            }
        }
        _ => Ok(()),
    }
}

/// The words that are neither options nor their values. Every option of these programs takes a value
/// but the ones named here.
fn positionals(args: &[String]) -> Vec<&str> {
    const ALONE: &[&str] = &[
        "--json",
        "--quiet",
        "-q",
        "--verbose",
        "-v",
        "--force",
        "-f",
        "--claim",
        "--timing",
        "--clear-extensions",
        "--continue",
        "--no-auto",
        "--suggest-next",
        "--help",
        "-h",
    ];
    let mut out = Vec::new();
    let mut value = false;
    for arg in args {
        if std::mem::take(&mut value) {
            continue;
        }
        if arg.starts_with('-') {
            value = !arg.contains('=') && !ALONE.contains(&arg.as_str());
        } else {
            out.push(arg.as_str());
        }
    }
    out
}
