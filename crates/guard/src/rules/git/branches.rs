//! Git commands that move branches: allowed on the agent's own, refused on any other.

use super::super::flags::parse;
use super::command::is_own_branch;
use super::refusals::{branches, is_previous, landed, loses, own_prefix, previous};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::Walker;

pub(super) fn checkout(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "bB", &["orphan", "conflict", "pathspec-from-file"]);
    for name in flags.values(&["b", "B", "orphan"]) {
        if !is_own_branch(w, name) {
            return Err(own_prefix(w));
        }
    }
    if flags.has(&["b", "orphan"]) {
        w.begun.insert("branch".to_owned());
        return Ok(());
    }
    if flags.has(&["B", "track", "t"]) {
        return Err(branches());
    }
    let files = match flags.dashes {
        Some(at) => flags.operands.get(at..).unwrap_or_default(),
        None if flags.operands.len() > 1 => flags.operands.get(1..).unwrap_or_default(),
        None => &[],
    };
    for path in files.iter().filter(|path| !path.starts_with(':')) {
        w.edit_path(path, &[], st)?;
        w.keep_guard_files(path, st)?;
    }
    if flags.has(&["f", "force"]) && files.is_empty() {
        return Err(loses("use git restore for single files, or commit first"));
    }
    if !files.is_empty() || flags.has(&["p", "patch", "ours", "theirs", "merge", "detach", "d"]) {
        return Ok(());
    }
    match flags.operands.as_slice() {
        [] => Ok(()),
        [target, ..] if is_revision(target) || is_own_branch(w, target) => {
            if target != "HEAD" {
                w.begun.insert("branch".to_owned());
            }
            Ok(())
        }
        [target, ..] if is_file(w, target, st) => Ok(()),
        [target] if returns(w, target) => Ok(()),
        [target, ..] if is_previous(target) => Err(previous(w)),
        _ => Err(branches()),
    }
}

/// Back to the agent's own branch, which this very command left for another one of its own or for a commit; further
/// back nobody sees. The next way back leads to where it went.
fn returns(w: &Walker<'_>, name: &str) -> bool {
    matches!(name, "-" | "@{-1}") && w.begun.contains("branch")
}

/// A name that can only detach: a hash, or a path through history.
fn is_revision(name: &str) -> bool {
    let hash = name.len() >= 7
        && name.bytes().all(|c| c.is_ascii_hexdigit())
        && name.bytes().any(|c| c.is_ascii_digit());
    hash || name == text::TOKEN.to_string()
        || name == "HEAD"
        || name.starts_with("HEAD") && name.contains(['~', '^', '@'])
        || !name.starts_with('-') && name.contains(['~', '^'])
}

fn is_file(w: &Walker<'_>, name: &str, st: &State) -> bool {
    let exists = st
        .cwd
        .iter()
        .all(|place| crate::paths::absolute(name, place).is_some_and(|path| w.paths.exists(&path)));
    let extension = name
        .rsplit('/')
        .next()
        .and_then(|last| last.rsplit_once('.'))
        .is_some_and(|(_, end)| {
            (1..=5).contains(&end.len()) && end.bytes().all(|c| c.is_ascii_alphabetic())
        });
    let inside = st.cwd.iter().all(|place| w.paths.is_inside(name, place));
    inside
        && !name.contains(ANY)
        && (exists || extension || name.ends_with('/') || text::has_glob(name))
}

pub(super) fn switch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
    let flags = parse(
        args,
        "cC",
        &["create", "force-create", "orphan", "conflict"],
    );
    if flags.has(&["f", "force", "discard-changes"]) {
        return Err(loses("use git restore for single files, or commit first"));
    }
    let created = flags.values(&["c", "create", "orphan"]);
    if !created.is_empty() {
        return if created.iter().all(|name| is_own_branch(w, name)) {
            w.begun.insert("branch".to_owned());
            Ok(())
        } else {
            Err(own_prefix(w))
        };
    }
    if flags.has(&["d", "detach"])
        || is_own_branch(w, flags.first()) && !flags.has(&["C", "force-create"])
    {
        w.begun.insert("branch".to_owned());
        return Ok(());
    }
    if flags.operands.len() == 1 && flags.options.is_empty() && returns(w, flags.first()) {
        return Ok(());
    }
    if is_previous(flags.first()) {
        return Err(previous(w));
    }
    Err(branches())
}

pub(super) fn branch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
    let flags = parse(args, "u", &["set-upstream-to"]);
    let only = |words: &[&str]| {
        flags.options.iter().all(|(name, _)| {
            words.contains(&name.as_str())
                || matches!(name.as_str(), "q" | "quiet" | "v" | "verbose")
        })
    };
    let own = |name: &String| is_own_branch(w, name);
    let all_own = !flags.operands.is_empty() && flags.operands.iter().all(own);
    // The merge queue looks for it by its name.
    let lands = |name: &String| {
        let task = w.policy.task_id.as_deref();
        name.trim_start_matches("refs/heads/")
            .strip_prefix("overstory/")
            .and_then(|rest| rest.split_once('/'))
            .is_some_and(|(_, rest)| task == Some(rest))
    };
    // One's own that is merged; git keeps one that is not, and one that is checked out.
    if only(&["d", "delete"]) && flags.has(&["d", "delete"]) {
        return if all_own { Ok(()) } else { Err(branches()) };
    }
    let moves = only(&["m", "M", "move", "c", "C", "copy", "f", "force"])
        && flags.has(&["m", "M", "move", "c", "C", "copy"])
        && flags.operands.len() == 2;
    let removes = only(&["D", "d", "delete", "f", "force"]) && flags.has(&["D", "delete"]);
    let points = only(&["f", "force"]) && flags.has(&["f", "force"]);
    if moves || removes {
        return if !all_own {
            Err(branches())
        } else if flags.operands.iter().any(lands) {
            Err(landed())
        } else {
            Ok(())
        };
    }
    let creates = points || only(&["no-track", "track", "t"]);
    match flags.operands.first() {
        Some(name) if points && lands(name) => Err(landed()),
        Some(name) if creates && is_own_branch(w, name) => Ok(()),
        Some(_) if creates => Err(own_prefix(w)),
        _ => Err(branches()),
    }
}

pub(super) fn rebase(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "xsXC",
        &["exec", "onto", "strategy", "strategy-option", "empty"],
    );
    for code in flags.values(&["x", "exec"]) {
        w.script(code, &mut st.for_program())?;
    }
    let other = flags
        .operands
        .get(usize::from(!flags.has(&["root"])))
        .is_some_and(|name| !is_own_branch(w, name) && name != "HEAD");
    if flags.has(&["update-refs"]) || other {
        return Err(branches());
    }
    Ok(())
}

/// A refspec with a target on this side moves that branch.
pub(super) fn fetch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
    let flags = parse(
        args,
        "josX",
        &[
            "depth",
            "deepen",
            "refmap",
            "server-option",
            "negotiation-tip",
            "recurse-submodules",
            "strategy",
            "shallow-since",
            "shallow-exclude",
        ],
    );
    if flags.has(&["u", "update-head-ok", "refmap", "set-upstream", "mirror"])
        || flags.has(&["stdin"])
    {
        return Err(branches());
    }
    for spec in flags.operands.iter().skip(1) {
        let spec = spec.trim_start_matches('+');
        if text::is_any(spec) {
            return Err(super::command::unproven_arguments("fetch"));
        }
        if let Some((_, target)) = spec.split_once(':')
            && !target.is_empty()
            && !target.starts_with("refs/remotes/")
            && !is_own_branch(w, target)
        {
            return Err(branches());
        }
    }
    Ok(())
}
