//! Git commands that move branches: allowed on the agent's own, refused on any other.

use super::super::flags::parse;
use super::command::is_own_branch;
use super::refusals::{branches, is_previous, loses, own_prefix, previous};
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
        [target, ..]
            if is_revision(target) || is_file(w, target, st) || is_own_branch(w, target) =>
        {
            Ok(())
        }
        [target] if returns(w, target) => Ok(()),
        [target, ..] if is_previous(target) => Err(previous(w)),
        _ => Err(branches()),
    }
}

/// Back to the agent's own branch, which this very command left for a new one of its own; further back nobody sees.
/// The next way back leads to the new one.
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
    // A branch of one's own that is merged; git keeps one that is not, and one that is checked out.
    let deletes = flags.options.iter().all(|(name, _)| {
        matches!(
            name.as_str(),
            "d" | "q" | "quiet" | "v" | "verbose" | "delete"
        )
    }) && flags.has(&["d", "delete"]);
    if deletes && !flags.operands.is_empty() {
        return if flags.operands.iter().all(|name| is_own_branch(w, name)) {
            Ok(())
        } else {
            Err(branches())
        };
    }
    let creates = flags.options.iter().all(|(name, _)| {
        matches!(
            name.as_str(),
            "q" | "quiet" | "v" | "no-track" | "track" | "t"
        )
    });
    match flags.operands.first() {
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
