//! File tools: everything whose arguments are files to create, overwrite, move, delete or change.
//!
//! Finds which arguments are targets; whether a target is allowed is one question for all.

use std::sync::LazyLock;

use super::flags::parse;
use super::permissions::ownership;
use super::placing::copies::{
    KEEPS_LINKS, carry_links, carry_origin, copying, keeps_what_is_there, split_target, targets_of,
};
use super::placing::linking::{self, Linking};
use super::placing::taken;
use super::transfers::{patch, rsync};
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::quick::Names;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

const TOOLS: &[&str] = &[
    "rm",
    "rmdir",
    "unlink",
    "shred",
    "srm",
    "mv",
    "cp",
    "install",
    "ln",
    "link",
    "mkdir",
    "touch",
    "truncate",
    "fallocate",
    "chmod",
    "chown",
    "chgrp",
    "chattr",
    "setfacl",
    "setfattr",
    "xattr",
    "chflags",
    "tee",
    "dd",
    "sponge",
    "rsync",
    "mkfifo",
    "mknod",
    "split",
    "csplit",
    "mktemp",
    "tempfile",
    "rename",
    "prename",
    "mmv",
    "dos2unix",
    "unix2dos",
    "trash",
    "trash-put",
    "gio",
    "mkdirp",
    "rimraf",
    "del-cli",
    "cpx",
    "ditto",
    "apply_patch",
    "applypatch",
    "patch",
];

/// Steps that go into such a tool, besides those of its words: what it makes and takes away is kept in mind.
const TOOL: usize = 36;

static NAMES: LazyLock<Names> = LazyLock::new(|| TOOLS.iter().copied().collect());

pub(super) fn is_file_tool(name: &str) -> bool {
    NAMES.contains(name)
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if !is_file_tool(name) {
        return None;
    }
    if let Err(refusal) = w.charge(TOOL) {
        return Some(Err(refusal));
    }
    let args = call.args();
    if matches!(args, [only] if only == "--version" || only == "--help") {
        return Some(Ok(()));
    }
    if matches!(name, "mktemp" | "tempfile") {
        return Some(super::temporary::fresh(w, call, st));
    }
    if matches!(name, "apply_patch" | "applypatch") {
        return Some(crate::patches::command(w, call, st));
    }
    let tees = matches!(name, "tee" | "sponge");
    let before = w.before_all(if tees { args } else { &[] }, st);
    let may_do_nothing = matches!(name, "cp" | "mv" | "ln") && keeps_what_is_there(args);
    let judged = w.perhaps_without_effect(may_do_nothing, |w| by_name(w, name, args, st));
    if tees && judged.is_ok() {
        w.put(args, call.stdin.as_deref().unwrap_or(""), before, st);
    }
    if name == "dd" && judged.is_ok() {
        super::placing::copies::converted(w, args, call.stdin.as_deref().unwrap_or(""), st);
    }
    Some(judged)
}

fn by_name(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    match name {
        "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" | "trash-put" | "rimraf"
        | "del-cli" => {
            let flags = parse(
                args,
                if name == "shred" { "ns" } else { "" },
                &["iterations", "size", "random-source"],
            );
            w.need_writer("deletes files")?;
            let recursive = flags.has(&["r", "R", "recursive"])
                || matches!(name, "rimraf" | "trash" | "trash-put" | "del-cli");
            for path in &flags.operands {
                w.delete_path(path, recursive, st)?;
            }
            taken::away(w, &flags, name, recursive, st);
            Ok(())
        }
        "mv" => {
            let (flags, sources, target) = copying(args);
            w.need_writer("moves files")?;
            for source in &sources {
                w.read_path(source, st)?;
                w.delete_path(source, true, st)?;
            }
            targets_of(w, &sources, target.as_deref(), st)?;
            taken::moved(w, &flags, &sources, target.as_deref(), st);
            w.carry_contents(&sources, target.as_deref(), st);
            Ok(())
        }
        "cp" | "ditto" | "cpx" => {
            let (flags, sources, target) = copying(args);
            w.need_writer("copies files")?;
            for source in &sources {
                w.read_path(source, st)?;
                if flags.has(&["l", "link"]) {
                    w.write_path(source, st)?;
                }
            }
            if flags.has(&["s", "symbolic-link", "l", "link"])
                && let Some(target) = &target
            {
                w.link_path(target, st)?;
            }
            if flags.has(&["s", "symbolic-link"]) {
                w.makes_one_of_several();
                linking::made(w, &sources, target.as_deref(), Linking::of_copy(&flags), st);
            }
            // A path with its parents kept lands below the target all the same, unless it climbs.
            if flags.has(&["parents"]) && sources.iter().any(|s| s.contains("..")) {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "--parents with .. could lead anywhere; copy with plain paths",
                ));
            }
            targets_of(w, &sources, target.as_deref(), st)?;
            if flags.has(KEEPS_LINKS) {
                carry_links(w, &sources, target.as_deref(), st);
            }
            w.carry_contents(&sources, target.as_deref(), st);
            carry_origin(w, name, &flags, &sources, target.as_deref(), st);
            taken::copied(w, &flags, &sources, target.as_deref(), st);
            Ok(())
        }
        "install" => {
            w.need_writer("installs files")?;
            let flags = parse(
                args,
                "gmotS",
                &[
                    "group",
                    "mode",
                    "owner",
                    "target-directory",
                    "suffix",
                    "strip-program",
                ],
            );
            if flags.has(&["d", "directory"]) {
                let free = !taken::are_in_use(w, &flags.operands, st);
                all_targets(w, &flags.operands, st)?;
                taken::folders(w, &flags.operands, true, free, st);
                return Ok(());
            }
            let (sources, target) = split_target(&flags);
            for source in &sources {
                w.read_path(source, st)?;
            }
            targets_of(w, &sources, target.as_deref(), st)?;
            w.carry_contents(&sources, target.as_deref(), st);
            Ok(())
        }
        "ln" | "link" => {
            w.need_writer("creates links")?;
            let (flags, sources, target) = copying(args);
            if !flags.has(&["s", "symbolic"]) {
                // A hard link is another name for the same file: writing one writes the other.
                for source in &sources {
                    w.write_path(source, st)?;
                }
            }
            let target = target.or_else(|| {
                sources
                    .first()
                    .and_then(|source| source.rsplit('/').next())
                    .map(str::to_owned)
            });
            let how = Linking::of(&flags, flags.operands.len());
            if let Some(target) = &target {
                if how.whole || how.replaces_link(w, target, st) {
                    w.delete_path(target, false, st)?;
                } else {
                    w.delete_or_create(target, st)?;
                }
                w.link_path(target, st)?;
            }
            w.makes_one_of_several();
            linking::made(w, &sources, target.as_deref(), how, st);
            Ok(())
        }
        "mkdir" | "mkdirp" => {
            let flags = parse(args, "mZ?", &["mode", "context"]);
            let free = !taken::are_in_use(w, &flags.operands, st);
            taken::holding_nothing(w, &flags.operands, st)?;
            let parents = name == "mkdirp" || flags.has(&["p", "parents"]);
            taken::folders(w, &flags.operands, parents, free, st);
            for path in &flags.operands {
                if let [place] = st.cwd.as_slice()
                    && text::is_known(path)
                    && let Some(absolute) = crate::paths::absolute(path, place)
                {
                    w.made.push(crate::paths::normal(&absolute));
                }
            }
            Ok(())
        }
        "mkfifo" | "mknod" => {
            let flags = parse(args, "mZ", &["mode"]);
            if name == "mknod" && flags.operands.get(1).is_some_and(|kind| kind != "p") {
                return Err(Refusal::new(
                    rule::DESTROY,
                    "device files are not created here; use plain files",
                ));
            }
            let count = if name == "mknod" { 1 } else { usize::MAX };
            for path in flags.operands.iter().take(count) {
                w.pipe_path(path, st)?;
            }
            Ok(())
        }
        "touch" | "truncate" | "fallocate" => {
            let (short, long): (&str, &[&str]) = match name {
                "touch" => ("drt", &["date", "reference", "time"]),
                "truncate" => ("sr", &["size", "reference"]),
                _ => ("lo", &["length", "offset"]),
            };
            let flags = parse(args, short, long);
            taken::files(w, &flags.operands, st);
            all_targets(w, &flags.operands, st)
        }
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "setfattr" | "xattr" | "chflags" => {
            w.need_writer("changes permissions")?;
            ownership(w, name, args, st)
        }
        "tee" | "sponge" => {
            let flags = parse(args, "", &[]);
            all_targets(w, &flags.operands, st)
        }
        "dd" => {
            for arg in args {
                if let Some(target) = arg.strip_prefix("of=") {
                    w.write_path(target, st)?;
                } else if let Some(source) = arg.strip_prefix("if=") {
                    w.read_path(source, st)?;
                } else if text::is_any(arg) {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "what dd would write is not known; write of= out",
                    ));
                }
            }
            Ok(())
        }
        "rsync" => rsync(w, args, st),
        "split" | "csplit" => {
            let letters = if name == "csplit" { "fbn" } else { "abClnt" };
            let flags = parse(
                args,
                letters,
                &[
                    "suffix-length",
                    "bytes",
                    "line-bytes",
                    "lines",
                    "number",
                    "filter",
                    "prefix",
                    "suffix-format",
                    "digits",
                ],
            );
            if let Some(code) = flags.value(&["filter"]) {
                return w.script(code, &mut st.for_program()).map(|_| ());
            }
            if name == "csplit" {
                let prefix = flags
                    .values(&["f", "prefix"])
                    .last()
                    .copied()
                    .unwrap_or("xx")
                    .to_owned();
                let ends = flags.values(&["b", "suffix-format"]);
                let end = ends.last().copied().filter(|end| end.contains('/'));
                w.landed_in(&format!("{prefix}{}", text::STAR), true, st);
                return w.write_path(&format!("{prefix}{}", end.unwrap_or("")), st);
            }
            let begins = flags.operands.get(1).map_or("x", String::as_str);
            w.landed_in(&format!("{begins}{}", text::STAR), true, st);
            let prefix = flags.operands.get(1).map_or("xaa", String::as_str);
            w.write_path(prefix, st)
        }
        "rename" | "prename" | "mmv" => {
            w.need_writer("renames files")?;
            let flags = parse(args, "e", &["expr"]);
            let given = flags.values(&["e", "expr"]);
            let simple = match (given.as_slice(), flags.operands.as_slice()) {
                ([], [from, to, _, ..]) if is_plain_name(from) && is_plain_name(to) => true,
                ([], [from, to, ..]) if name == "mmv" => !from.contains("..") && !to.contains(".."),
                ([], [code, ..]) => is_substitution(code),
                ([], []) => true,
                (codes, _) => codes.iter().all(|code| is_substitution(code)),
            };
            if !simple {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "what rename would make of the names cannot be seen; use a simple pattern, or mv",
                ));
            }
            for path in flags.operands.iter().skip(1) {
                w.delete_path(path, false, st)?;
            }
            w.need_inside(st, "renaming files")
        }
        "dos2unix" | "unix2dos" => {
            let flags = parse(args, "c", &["convmode"]);
            if flags.operands.is_empty() {
                return Ok(());
            }
            all_targets(w, &flags.operands, st)
        }
        "patch" => patch(w, args, st),
        "gio" => match args.first().map(String::as_str) {
            Some("trash" | "remove") => {
                w.need_writer("deletes files")?;
                for path in args.iter().skip(1).filter(|arg| !arg.starts_with('-')) {
                    w.delete_path(path, true, st)?;
                }
                Ok(())
            }
            Some("cat" | "list" | "info" | "tree" | "version") => Ok(()),
            _ => all_targets(w, args.get(1..).unwrap_or_default(), st),
        },
        _ => all_targets(w, args, st),
    }
}

pub(super) fn all_targets(w: &mut Walker<'_>, paths: &[String], st: &State) -> Judged<()> {
    for path in paths {
        w.write_path(path, st)?;
    }
    Ok(())
}

impl Walker<'_> {
    /// A temporary file without a named place: fine for writers and for whoever has a folder for it.
    pub(super) fn need_temp(&self) -> Judged<()> {
        if self.policy.temp.is_some() {
            return Ok(());
        }
        self.need_writer("creates a temporary file")
    }
}

/// Part of a name, as the `rename` of util-linux takes two of.
fn is_plain_name(text: &str) -> bool {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '.');
    text != ".." && text.chars().all(plain)
}

/// Whether the Perl code of `rename` is one `s///`, `y///` or `tr///` that names no other folder and runs no code.
fn is_substitution(code: &str) -> bool {
    let code = code.trim().trim_end_matches(';');
    let Some(rest) = ["s", "y", "tr"].iter().find_map(|verb| {
        let rest = code.strip_prefix(verb)?;
        rest.starts_with(|sign: char| {
            sign.is_ascii_punctuation() && !matches!(sign, '_' | '{' | '(' | '[' | '<')
        })
        .then_some(rest)
    }) else {
        return false;
    };
    let mut letters = rest.chars();
    let Some(sign) = letters.next() else {
        return false;
    };
    let mut parts = vec![String::new()];
    while let Some(letter) = letters.next() {
        if letter == sign {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(letter);
            if letter == '\\' {
                part.extend(letters.next());
            }
        }
    }
    let [pattern, replacement, flags] = parts.as_slice() else {
        return false;
    };
    let runs =
        |part: &String| part.contains("(?{") || part.contains("(??{") || part.contains(['@', '`']);
    let leaves = replacement.contains('/') || replacement == ".." || replacement.contains("${");
    !runs(pattern)
        && !runs(replacement)
        && !leaves
        && flags.chars().all(|flag| "gimsxr".contains(flag))
}
