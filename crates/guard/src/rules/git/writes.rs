//! Git commands that change something: allowed on the agent's own branch and files, refused where they
//! publish, lose work, or reach what other worktrees share.

use super::super::flags::parse;
use super::branches::{branch, checkout, fetch, rebase, switch};
use super::command::{may_write, own_repository};
use super::files::files;
use super::options::Plan;
use super::refusals::{branches, loses, publish, shared, unknown};
use super::repositories::{clone, config, init, submodule};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::walk::Walker;

/// Judges a subcommand that is not known to only read.
pub(super) fn judge(
    w: &mut Walker<'_>,
    sub: &str,
    args: &[String],
    plan: &Plan,
    call: &Call,
) -> Judged<()> {
    let st = &plan.st;
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    let has = |names: &[&str]| {
        args.iter()
            .take_while(|arg| *arg != "--")
            .any(|arg| names.contains(&arg.as_str()))
    };
    // What is refused to everybody comes first.
    match sub {
        "push" | "send-pack" | "http-push" | "receive-pack" | "send-email" | "imap-send"
        | "cvsexportcommit" | "review" | "daemon" | "instaweb" | "http-backend" | "cvsserver"
        | "shell" | "pr" | "pull-request" | "ci-status" | "release" | "land" | "acp" | "sync" => {
            return Err(publish());
        }
        "svn"
            if matches!(
                first,
                "dcommit" | "commit-diff" | "set-tree" | "branch" | "tag"
            ) =>
        {
            return Err(publish());
        }
        "p4" if first == "submit" => return Err(publish()),
        "lfs" if matches!(first, "push" | "lock" | "unlock" | "migrate" | "prune") => {
            return Err(publish());
        }
        "subtree" if first == "push" => return Err(publish()),
        "credential"
        | "credential-store"
        | "credential-cache"
        | "credential-osxkeychain"
        | "credential-manager"
        | "credential-netrc"
        | "askpass" => {
            return Err(super::super::credentials::stored());
        }
        "clean" => {
            return Err(loses(
                "list with git clean -n and remove single files by name",
            ));
        }
        "worktree" => return Err(shared("the list of worktrees")),
        "config" => return config(w, args, st),
        "remote" if matches!(first, "update" | "prune") => {}
        "remote" => return Err(shared("the list of remotes")),
        "update-ref" | "symbolic-ref" | "replace" | "pack-refs" | "fast-import"
        | "filter-branch" | "filter-repo" | "refs" | "mktag" => {
            return Err(branches());
        }
        "gc" | "prune" | "repack" | "prune-packed" | "maintenance" | "reflog"
        | "unpack-objects" | "index-pack" | "pack-objects" | "multi-pack-index"
        | "commit-graph" | "fsck" | "for-each-repo" | "scalar" | "backfill" | "pack-redundant" => {
            return Err(shared("the object store"));
        }
        // Its options are to be written out or shortened: `--r` alone is enough for `--reset`.
        "read-tree"
            if parse(
                args,
                "",
                &["index-output", "exclude-per-directory", "prefix"],
            )
            .has(&["reset", "u", "m"]) =>
        {
            return Err(loses("use git restore for single files"));
        }
        _ => {}
    }
    // What it runs in each of them is judged by itself.
    if sub == "submodule" && first == "foreach" && !w.role.writes() {
        return submodule(w, args, st);
    }
    may_write(w, sub)?;
    match sub {
        "clone" => return clone(w, args, plan, call),
        "init" | "init-db" => return init(w, args, plan, call),
        _ => {}
    }
    own_repository(w, &plan.repository, st)?;
    if sub == "sparse-checkout" && first != "reapply" {
        return Err(shared(
            "which files are checked out is kept in the configuration, which",
        ));
    }
    match sub {
        "add" | "stage" | "commit" | "rm" | "mv" | "apply" | "am" | "cherry-pick" | "revert"
        | "merge" | "restore" | "update-index" | "checkout-index" | "write-tree"
        | "commit-tree" | "hash-object" | "mktree" | "merge-file" | "rerere" | "format-patch"
        | "archive" | "bundle" | "interpret-trailers" | "read-tree" | "merge-index"
        | "merge-recursive" | "mailinfo" | "mailsplit" | "fmt-merge-msg" | "merge-one-file"
        | "mergetool" | "difftool" | "hook" | "stash" | "quiltimport" => files(w, sub, args, st),
        // It switches settings of single worktrees on for all of them.
        "sparse-checkout" => Err(shared("git configuration")),
        "reset" => {
            let flags = parse(args, "U", &["pathspec-from-file", "unified"]);
            if flags.has(&["hard"]) || flags.has(&["merge", "keep"]) && !has(&["--keep"]) {
                return Err(loses(
                    "use git reset --soft or git restore, or commit first",
                ));
            }
            Ok(())
        }
        "checkout" => checkout(w, args, st),
        "switch" => switch(w, args),
        "branch" => branch(w, args),
        "rebase" => rebase(w, args, st),
        "fetch" | "pull" | "remote" => fetch(w, args),
        "bisect" => match first {
            "run" => {
                let at = args
                    .iter()
                    .position(|arg| arg == "run")
                    .map_or(0, |at| at + 1);
                let argv = args.get(at..).unwrap_or_default().to_vec();
                w.separate(call, argv, st).map(|_| ())
            }
            _ => Ok(()),
        },
        "submodule" => submodule(w, args, st),
        "subtree" | "lfs" | "svn" | "p4" => match (sub, first) {
            ("subtree", "add" | "pull" | "merge")
            | ("lfs", "pull" | "fetch" | "checkout" | "track" | "untrack" | "install") => {
                if first == "install" {
                    Err(shared("the configuration"))
                } else {
                    Ok(())
                }
            }
            _ => Err(unknown(sub)),
        },
        "tag" | "notes" => Err(Refusal::new(
            rule::BRANCH,
            format!("every worktree shares what git {sub} changes; leave it to the merge queue"),
        )),
        _ => Err(unknown(sub)),
    }
}
