//! Git commands that change something: allowed on the agent's own branch and files, refused where they
//! publish, lose work, or reach what other worktrees share.

use super::flags::parse;
use super::git::{is_own_branch, may_write, own_repository};
use super::git_options::Plan;
use crate::guard::commands::Call;
use crate::guard::policy::{Judged, Refusal, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text::{self, ANY, brief};
use crate::guard::shell::walk::Walker;

fn publish() -> Refusal {
    Refusal::new(
        rule::PUBLISH,
        "agents do not push; commit on your branch and send worker_done mail, the merge queue takes it from there",
    )
}

fn shared(what: &str) -> Refusal {
    Refusal::new(
        rule::PROTECTED,
        format!("{what} is shared by all worktrees of this repository; leave it as it is"),
    )
}

fn branches() -> Refusal {
    Refusal::new(
        rule::BRANCH,
        "stay on your own branch and leave other branches alone; merge or rebase onto them instead",
    )
}

fn loses(instead: &str) -> Refusal {
    Refusal::new(
        rule::DESTROY,
        format!("this throws away work for good; {instead}"),
    )
}

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
            return Err(Refusal::new(
                rule::CREDENTIALS,
                "stored credentials are not for agents; fetching works without them",
            ));
        }
        "clean" => {
            return Err(loses(
                "list with git clean -n and remove single files by name",
            ));
        }
        "worktree" => return Err(shared("the list of worktrees")),
        "config" => return config(w, args, st),
        "remote" if first == "update" => {}
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
        "read-tree"
            if args
                .iter()
                .any(|arg| arg == "--reset" || arg.starts_with("-u") || arg == "-m") =>
        {
            return Err(loses("use git restore for single files"));
        }
        _ => {}
    }
    may_write(w, sub)?;
    match sub {
        "clone" => return clone(w, args, st),
        "init" | "init-db" => return init(w, args, plan),
        _ => {}
    }
    own_repository(w, &plan.repository, st)?;
    match sub {
        "add" | "stage" | "commit" | "rm" | "mv" | "apply" | "am" | "cherry-pick" | "revert"
        | "merge" | "restore" | "update-index" | "checkout-index" | "write-tree"
        | "commit-tree" | "hash-object" | "mktree" | "merge-file" | "rerere"
        | "sparse-checkout" | "format-patch" | "archive" | "bundle" | "interpret-trailers"
        | "read-tree" | "merge-index" | "merge-recursive" | "mailinfo" | "mailsplit"
        | "fmt-merge-msg" | "merge-one-file" | "mergetool" | "difftool" | "hook" | "stash"
        | "quiltimport" => files(w, sub, args, st),
        "reset" => {
            let flags = parse(args, "U", &["pathspec-from-file", "unified"]);
            if flags.has(&["hard"]) || flags.has(&["merge", "keep"]) && !has(&["--keep"]) {
                return Err(loses("use git reset --soft, git restore or git stash"));
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

fn unknown(sub: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "git {} is not a command the guard knows and may be an alias; write the plain git command",
            brief(sub)
        ),
    )
}

/// Commands whose operands are files of the worktree.
fn files(w: &mut Walker<'_>, sub: &str, args: &[String], st: &State) -> Judged<()> {
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
                if !path.starts_with(':') && !unstages {
                    w.write_path(path, st)?;
                }
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
                "the stash is shared with other agents; drop only your own entry",
            )),
            "branch" => Err(branches()),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

fn checkout(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "bB", &["orphan", "conflict", "pathspec-from-file"]);
    for name in flags.values(&["b", "B", "orphan"]) {
        if !is_own_branch(w, name) {
            return Err(own_prefix(w));
        }
    }
    if flags.has(&["b", "orphan"]) {
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
        w.write_path(path, st)?;
    }
    if flags.has(&["f", "force"]) && files.is_empty() {
        return Err(loses("use git restore for single files or git stash"));
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
        _ => Err(branches()),
    }
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
    let exists = st.cwd.iter().all(|place| {
        crate::guard::paths::absolute(name, place).is_some_and(|path| w.paths.exists(&path))
    });
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

fn own_prefix(w: &Walker<'_>) -> Refusal {
    Refusal::new(
        rule::BRANCH,
        format!(
            "work stays on your own branch; a new one must start with overstory/{}/",
            w.policy.agent
        ),
    )
}

fn switch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
    let flags = parse(
        args,
        "cC",
        &["create", "force-create", "orphan", "conflict"],
    );
    if flags.has(&["f", "force", "discard-changes"]) {
        return Err(loses("use git restore for single files or git stash"));
    }
    let created = flags.values(&["c", "create", "orphan"]);
    if !created.is_empty() {
        return if created.iter().all(|name| is_own_branch(w, name)) {
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
    Err(branches())
}

fn branch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
    let flags = parse(args, "u", &["set-upstream-to"]);
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

fn rebase(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
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
fn fetch(w: &mut Walker<'_>, args: &[String]) -> Judged<()> {
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
            return Err(super::git::unproven_arguments("fetch"));
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

fn submodule(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "bj",
        &["branch", "depth", "reference", "jobs", "name"],
    );
    match flags.first() {
        "foreach" => {
            // Everything behind its own options is the command, with the command's options.
            let after = args.iter().skip_while(|arg| *arg != "foreach").skip(1);
            let words: Vec<&str> = after
                .skip_while(|arg| matches!(arg.as_str(), "--recursive" | "-q" | "--quiet" | "--"))
                .map(String::as_str)
                .collect();
            w.script(&words.join(" "), &mut st.for_program())
                .map(|_| ())
        }
        "update" => Ok(()),
        _ => Err(shared("the submodule configuration")),
    }
}

fn config(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "f",
        &["file", "blob", "type", "default", "comment", "value"],
    );
    w.need_writer("changes configuration")?;
    match flags.value(&["f", "file"]) {
        Some(path) if !flags.has(&["global", "system", "edit", "e"]) => w.write_path(path, st),
        _ => Err(shared("git configuration")),
    }
}

fn clone(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "bojucl",
        &[
            "branch",
            "origin",
            "depth",
            "jobs",
            "upload-pack",
            "config",
            "template",
            "reference",
            "separate-git-dir",
            "filter",
            "server-option",
            "shallow-since",
            "shallow-exclude",
        ],
    );
    if flags.has(&["c", "config", "separate-git-dir"]) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "clone with plain options; settings given to a clone could run anything",
        ));
    }
    let source = flags.first().to_owned();
    let target = match flags.operands.get(1) {
        Some(target) => target.clone(),
        None => source
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()
            .unwrap_or("clone")
            .trim_end_matches(".git")
            .to_owned(),
    };
    w.read_path(&source, st)?;
    w.write_path(&target, st)
}

fn init(w: &mut Walker<'_>, args: &[String], plan: &Plan) -> Judged<()> {
    let flags = parse(
        args,
        "b",
        &[
            "initial-branch",
            "template",
            "separate-git-dir",
            "object-format",
            "ref-format",
        ],
    );
    if flags.has(&["template", "separate-git-dir"]) || plan.repository.git_dir.is_some() {
        return Err(shared("the repository"));
    }
    let target = if flags.first().is_empty() {
        "."
    } else {
        flags.first()
    };
    let top = plan
        .st
        .cwd
        .iter()
        .any(|place| w.paths.zone(target, place) == crate::guard::paths::Zone::Top);
    if top {
        return Err(shared("the repository"));
    }
    w.write_path(target, &plan.st)
}
