//! Git commands that change nothing, as far as their options say.

use super::super::flags::parse;

/// Whether this call changes nothing at all.
pub(crate) fn reads(sub: &str, args: &[String]) -> bool {
    let has = |names: &[&str]| {
        args.iter()
            .take_while(|arg| *arg != "--")
            .any(|arg| names.contains(&arg.as_str()))
    };
    let first = args
        .iter()
        .find(|arg| !arg.starts_with('-'))
        .map_or("", String::as_str);
    // Git takes any beginning of a long option that fits one alone.
    let given = |names: &[&str]| {
        let own: Vec<String> = args
            .iter()
            .take_while(|arg| *arg != "--")
            .cloned()
            .collect();
        parse(&own, "", &[]).has(names)
    };
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
        "fsck" => !given(&["lost-found"]),
        "difftool" if asks_for_program(args) => true,
        "difftool" | "mergetool" => has(&["--tool-help"]),
        "config" => config_reads(args),
        "branch" => branch_reads(args),
        "tag" => {
            let changes = given(&[
                "d",
                "a",
                "s",
                "f",
                "m",
                "F",
                "u",
                "delete",
                "annotate",
                "sign",
                "force",
                "message",
                "file",
                "edit",
                "local-user",
                "create-reflog",
                "cleanup",
                "trailer",
            ]);
            let lists = args.iter().any(|arg| {
                arg == "--list"
                    || arg == "-n"
                    || arg.starts_with("-l")
                    || arg.starts_with("-n")
                    || arg.starts_with("--contains")
                    || arg.starts_with("--merged")
                    || arg.starts_with("--no-contains")
                    || arg.starts_with("--no-merged")
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
                && !given(&["d", "delete", "m"])
        }
        "replace" => {
            let lists = |arg: &String| matches!(arg.as_str(), "-l" | "--list");
            let plain = |arg: &String| lists(arg) || arg.starts_with("--format=");
            args.is_empty()
                || args.iter().any(lists)
                    && args.iter().all(|arg| plain(arg) || !arg.starts_with('-'))
        }
        "archive" => true,
        "hash-object" => !args
            .iter()
            .any(|arg| arg.starts_with("-w") || arg.starts_with("-tw")),
        "format-patch" => has(&["--stdout"]),
        "apply" => {
            has(&["--check", "--stat", "--numstat", "--summary"])
                && !given(&["apply", "index", "cached", "3way", "3"])
        }
        "add" => has(&["-n", "--dry-run"]),
        "commit" => has(&["--dry-run"]),
        "mv" | "rm" => has(&["-n", "--dry-run"]),
        "rebase" | "am" => matches!(args, [only] if only == "--show-current-patch"),
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
        "interpret-trailers" => !given(&["in-place"]),
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
            || name.len() > 1
                && long
                    .iter()
                    .any(|full| full.starts_with(name.trim_start_matches('-')))
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

/// Whether the differences are shown by a program that stands in the command, and nothing is asked.
fn asks_for_program(args: &[String]) -> bool {
    let own: Vec<String> = args
        .iter()
        .take_while(|arg| *arg != "--")
        .cloned()
        .collect();
    let args = &own;
    let flags = parse(args, "xt", &["extcmd", "tool"]);
    flags.has(&["x", "extcmd"])
        && flags.has(&["y", "no-prompt"])
        && !flags.has(&["t", "tool", "g", "gui", "d", "dir-diff"])
}
