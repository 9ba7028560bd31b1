//! What a field of a call that stands for a command line means, by its name.

use super::names::{has, is_output, is_place};

/// What a field stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Place,
    Action,
    Arguments,
    Message,
    Code,
    Settings,
    Env,
    Files,
    Operand(u8),
    NewBranch,
    Option,
}

/// Options that are known to be what their names say, for commands that change something.
pub(super) const KNOWN: &[&str] = &[
    "all",
    "amend",
    "allow-empty",
    "annotated",
    "annotate",
    "author",
    "signoff",
    "sign",
    "date",
    "depth",
    "no-verify",
    "no-edit",
    "force",
    "force-with-lease",
    "hard",
    "soft",
    "mixed",
    "keep",
    "merge",
    "rebase",
    "ff-only",
    "no-ff",
    "squash",
    "strategy",
    "prune",
    "tags",
    "abort",
    "continue",
    "skip",
    "quit",
    "no-commit",
    "mainline",
    "staged",
    "cached",
    "update",
    "dry-run",
    "delete",
    "include-untracked",
    "keep-index",
    "index",
    "patch",
    "verbose",
    "quiet",
    "recursive",
    "recurse-submodules",
    "interactive",
    "onto",
    "autostash",
    "detach",
    "track",
    "exec",
    "output",
    "bare",
    "shallow",
    "unshallow",
    "since",
    "until",
    "committer",
    "format",
    "timeout",
    "verify",
    "confirmed",
    "unset",
    "global",
    "local",
    "system",
    "move",
    "copy",
    "rename",
    "ours",
    "theirs",
    "source",
    "worktree",
    "ignore-whitespace",
    "fetch",
    "no-tags",
    "create-branch",
    "force-create",
    "orphan",
    "intent-to-add",
    "fixup",
    "reset-author",
    "force-unsigned-on-failure",
    "set-upstream",
];

/// The name of an option, as git has it where a server says it otherwise.
pub(super) fn option_name(words: &[String]) -> String {
    let name = words.join("-");
    match name.as_str() {
        "no-fast-forward" => "no-ff",
        "fast-forward-only" => "ff-only",
        "continue-operation" => "continue",
        "create-branch-force" => "force-create",
        other => return other.to_owned(),
    }
    .to_owned()
}

pub(super) fn kind(words: &[String]) -> Kind {
    let Some(last) = words.last().map(String::as_str) else {
        return Kind::Option;
    };
    let joined = words.concat();
    match joined.as_str() {
        "action" | "mode" | "operation" | "op" | "subcommand" | "method" | "type" | "verb" => {
            return Kind::Action;
        }
        "command" | "cmd" | "exec" | "run" | "shell" | "commands" | "shellcommand"
        | "commandline" => return Kind::Code,
        "env" | "environment" | "envvars" | "environmentvariables" => return Kind::Env,
        "config" | "configs" | "configuration" | "gitconfig" => return Kind::Settings,
        "pathspecfromfile" | "patchfile" => return Kind::Option,
        "worktreepath" | "newpath" | "newworktreepath" | "targetworktree" => {
            return Kind::Operand(0);
        }
        "remote" | "remotename" => return Kind::Operand(0),
        _ => {}
    }
    match last {
        "args" | "arguments" | "argv" | "arg" | "flags" | "flag" | "options" | "opts"
        | "params" | "parameters" => return Kind::Arguments,
        _ if joined == "argumentlist" || joined == "arglist" => return Kind::Arguments,
        "message" | "msg" | "subject" | "title" | "body" | "comment" | "summary"
        | "description" | "reason" | "note" => return Kind::Message,
        _ => {}
    }
    if is_output(words) {
        return Kind::Option;
    }
    if has(
        words,
        &[
            "file",
            "files",
            "paths",
            "pathspec",
            "pathspecs",
            "filename",
            "filenames",
            "filepath",
            "filepaths",
        ],
    ) || last == "path" && !is_place(words)
    {
        return Kind::Files;
    }
    if is_place(words) {
        return Kind::Place;
    }
    if has(words, &["branch"])
        && has(words, &["new", "create"])
        && matches!(last, "branch" | "name" | "new")
    {
        return Kind::NewBranch;
    }
    let plain = last.trim_end_matches(|c: char| c.is_ascii_digit());
    let second = has(
        words,
        &[
            "new",
            "base",
            "start",
            "upstream",
            "to",
            "target",
            "url",
            "refspec",
            "refspecs",
            "value",
            "destination",
            "dest",
        ],
    ) || plain != last && last.ends_with('2');
    match plain {
        "name" | "names" if has(words, &["author", "committer", "user"]) => Kind::Option,
        "branch" | "branches" | "name" | "names" | "tag" | "ref" | "refs" | "rev" | "revision"
        | "revisions" | "commit" | "commits" | "sha" | "hash" | "object" | "head" | "treeish"
        | "target" | "source" | "base" | "upstream" | "from" | "to" | "url" | "refspec"
        | "refspecs" | "point" | "stash" | "range" | "key" | "value" | "destination" | "dest"
        | "script" | "task" | "tasks" | "recipe" | "targets" | "package" | "packages" | "test"
        | "tests" | "goal" | "goals" | "filter" => Kind::Operand(if second { 2 } else { 1 }),
        _ => Kind::Option,
    }
}
