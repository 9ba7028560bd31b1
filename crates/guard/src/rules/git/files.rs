//! Git commands whose operands are files of the worktree.

use super::super::flags::parse;
use super::command::is_own_branch;
use super::refusals::{branches, loses};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Commands whose operands are files of the worktree.
pub(super) fn files(w: &mut Walker<'_>, sub: &str, args: &[String], st: &State) -> Judged<()> {
    let (short, long): (&str, &[&str]) = match sub {
        "commit" => (
            "mFCcuSt",
            &[
                "message",
                "file",
                "reuse-message",
                "reedit-message",
                "author",
                "date",
                "template",
                "cleanup",
                "fixup",
                "squash",
                "trailer",
            ],
        ),
        "apply" | "am" => ("pCSX", &["directory", "exclude", "include", "strategy"]),
        "merge" | "cherry-pick" | "revert" => (
            "mFsX",
            &[
                "message",
                "file",
                "strategy",
                "strategy-option",
                "mainline",
                "cleanup",
            ],
        ),
        "restore" => ("s", &["source", "conflict", "pathspec-from-file"]),
        "format-patch" | "archive" => ("o", &["output", "output-directory", "format", "prefix"]),
        "stash" => ("m", &["message", "pathspec-from-file"]),
        "difftool" | "mergetool" => ("xt", &["extcmd", "tool"]),
        "checkout-index" => ("", &["prefix", "stage"]),
        "mailsplit" => ("ofd", &[]),
        _ => ("", &["chmod", "pathspec-from-file", "cacheinfo"]),
    };
    let flags = parse(args, short, long);
    match sub {
        "commit" | "merge" | "cherry-pick" | "revert" => {
            for path in flags.values(&["F", "file", "t", "template"]) {
                if sub == "commit" || path != "-" {
                    w.read_path(path, st)?;
                }
            }
            Ok(())
        }
        "rm" => {
            if flags.has(&["cached"]) {
                return Ok(());
            }
            flags
                .operands
                .iter()
                .try_for_each(|path| w.delete_path(path, true, st))
        }
        "mv" | "restore" => {
            for path in &flags.operands {
                let unstages =
                    sub == "restore" && flags.has(&["staged"]) && !flags.has(&["worktree"]);
                if path.starts_with(':') || unstages {
                    continue;
                }
                // What is restored is what the project had.
                w.edit_path(path, &[], st)?;
                w.keep_guard_files(path, st)?;
                if sub == "mv" && path != flags.operands.last().unwrap_or(path) {
                    w.delete_path(path, false, st)?;
                }
            }
            if let ("mv", Some((target, sources))) = (sub, flags.operands.split_last()) {
                w.carry_contents(sources, Some(target), st);
            }
            Ok(())
        }
        "apply" | "am" => {
            if flags.has(&["unsafe-paths"]) {
                return Err(Refusal::new(
                    rule::OUTSIDE,
                    "unsafe paths in a patch could lead anywhere; apply it without that option",
                ));
            }
            for path in flags.values(&["directory"]) {
                w.write_path(path, st)?;
            }
            flags
                .operands
                .iter()
                .try_for_each(|path| w.read_path(path, st))
        }
        "checkout-index" => flags
            .values(&["prefix"])
            .into_iter()
            .map(str::to_owned)
            .try_for_each(|path| w.write_path(&path, st)),
        "bundle" => match flags.operands.as_slice() {
            [action, file, ..] if action == "create" && file != "-" => w.write_path(file, st),
            _ => Ok(()),
        },
        "mailsplit" => flags
            .values(&["o"])
            .into_iter()
            .try_for_each(|path| w.write_path(path, st)),
        "mailinfo" => flags
            .operands
            .iter()
            .try_for_each(|path| w.write_path(path, st)),
        "merge-file" => flags
            .operands
            .first()
            .map_or(Ok(()), |file| w.write_path(file, st)),
        "interpret-trailers" => flags
            .operands
            .iter()
            .try_for_each(|file| w.write_path(file, st)),
        "difftool" | "mergetool" => {
            for code in flags.values(&["x", "extcmd"]) {
                w.script(code, &mut st.for_program())?;
            }
            Ok(())
        }
        "stash" => match flags.first() {
            "clear" => Err(loses(
                "all entries of the stash would be gone; drop the one you made last with git stash drop",
            )),
            "branch"
                if flags
                    .operands
                    .get(1)
                    .is_some_and(|name| is_own_branch(w, name)) =>
            {
                Ok(())
            }
            "branch" => Err(branches()),
            "drop" | "pop"
                if flags.operands.get(1).is_some_and(|entry| {
                    let plain = entry.replace([text::BRACKET, text::QUEST], "");
                    !matches!(plain.as_str(), "0" | "stash@{0}" | "stash")
                }) =>
            {
                Err(loses(
                    "an older entry of the stash would be gone; take it with git stash apply, and pop or drop only the one you made last",
                ))
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
