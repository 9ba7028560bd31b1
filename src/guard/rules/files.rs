//! File tools: everything whose arguments are files to create, overwrite, move, delete or change.
//!
//! Finds which arguments are targets; whether a target is allowed is one question for all.

use super::flags::{Flags, parse};
use crate::guard::commands::Call;
use crate::guard::paths::Place;
use crate::guard::policy::{Judged, Refusal, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text;
use crate::guard::shell::walk::Walker;

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
    "patch",
];

pub(super) fn is_file_tool(name: &str) -> bool {
    TOOLS.contains(&name)
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if !is_file_tool(name) {
        return None;
    }
    let args = call.args();
    if matches!(args, [only] if only == "--version" || only == "--help") {
        return Some(Ok(()));
    }
    Some(by_name(w, name, args, st))
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
            Ok(())
        }
        "mv" => {
            let (_, sources, target) = copying(args);
            w.need_writer("moves files")?;
            for source in &sources {
                w.read_path(source, st)?;
                w.delete_path(source, true, st)?;
            }
            targets_of(w, &sources, target.as_deref(), st)
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
            if flags.has(&["s", "symbolic-link"]) {
                remember_links(w, &sources, target.as_deref(), st);
            }
            // A path with its parents kept lands below the target all the same, unless it climbs.
            if flags.has(&["parents"]) && sources.iter().any(|s| s.contains("..")) {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "copy with plain paths instead of --parents and ..",
                ));
            }
            targets_of(w, &sources, target.as_deref(), st)
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
                return all_targets(w, &flags.operands, st);
            }
            let (sources, target) = split_target(&flags);
            for source in &sources {
                w.read_path(source, st)?;
            }
            targets_of(w, &sources, target.as_deref(), st)
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
            if let Some(target) = &target {
                w.delete_or_create(target, st)?;
            }
            remember_links(w, &sources, target.as_deref(), st);
            Ok(())
        }
        "mkdir" | "mkdirp" => {
            let flags = parse(args, "mZ?", &["mode", "context"]);
            all_targets(w, &flags.operands, st)?;
            for path in &flags.operands {
                if let [place] = st.cwd.as_slice()
                    && text::is_known(path)
                    && let Some(absolute) = crate::guard::paths::absolute(path, place)
                {
                    w.made.push(crate::guard::paths::normal(&absolute));
                }
            }
            Ok(())
        }
        "touch" | "truncate" | "fallocate" | "mkfifo" | "mknod" => {
            let (short, long): (&str, &[&str]) = match name {
                "touch" => ("drt", &["date", "reference", "time"]),
                "truncate" => ("sr", &["size", "reference"]),
                "fallocate" => ("lo", &["length", "offset"]),
                _ => ("mZ", &["mode"]),
            };
            let flags = parse(args, short, long);
            if name == "mknod" && flags.operands.get(1).is_some_and(|kind| kind != "p") {
                return Err(Refusal::new(
                    rule::DESTROY,
                    "device files are not created here; use plain files",
                ));
            }
            let count = if name == "mknod" {
                1
            } else {
                flags.operands.len()
            };
            all_targets(
                w,
                flags
                    .operands
                    .get(..count.min(flags.operands.len()))
                    .unwrap_or_default(),
                st,
            )
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
                        "dd with unknown operands; write of= out",
                    ));
                }
            }
            Ok(())
        }
        "rsync" => rsync(w, args, st),
        "split" | "csplit" => {
            let flags = parse(
                args,
                "abClnt",
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
                return w.write_path(&prefix, st);
            }
            let prefix = flags.operands.get(1).map_or("xaa", String::as_str);
            w.write_path(prefix, st)
        }
        "mktemp" | "tempfile" => {
            if args.iter().any(|arg| arg == "-u" || arg == "--dry-run") {
                return Ok(());
            }
            let temp = w
                .policy
                .temp
                .as_ref()
                .map(|temp| temp.to_string_lossy().into_owned());
            let flags = parse(args, "p", &["tmpdir", "suffix"]);
            // Without a place of its own a fresh file in the system's temporary folder harms nobody.
            if flags.operands.is_empty() && flags.value(&["p", "tmpdir"]).unwrap_or("").is_empty() {
                return w.need_temp();
            }
            let made =
                crate::guard::shell::output::of_program("mktemp", args, None, st, temp.as_deref());
            if made.starts_with("/tmp/") && w.role.writes() {
                return Ok(());
            }
            w.write_path(made.trim_end(), st)
        }
        "rename" | "prename" | "mmv" => {
            w.need_writer("renames files")?;
            let flags = parse(args, "e", &["expr"]);
            if flags
                .operands
                .iter()
                .take(1)
                .chain(
                    flags
                        .values(&["e", "expr"])
                        .into_iter()
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                        .iter(),
                )
                .any(|code| {
                    code.contains(['`', '/'])
                        && (code.contains("..")
                            || code.contains("system")
                            || code.contains('`')
                            || code.contains("exec"))
                })
            {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "rename with a simple pattern, or use mv",
                ));
            }
            for path in flags.operands.iter().skip(1) {
                w.delete_path(path, true, st)?;
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

fn all_targets(w: &mut Walker<'_>, paths: &[String], st: &State) -> Judged<()> {
    for path in paths {
        w.write_path(path, st)?;
    }
    Ok(())
}

/// Options, sources and target of `cp`, `mv` and `ln`.
fn copying(args: &[String]) -> (Flags, Vec<String>, Option<String>) {
    let flags = parse(
        args,
        "tS",
        &["target-directory", "suffix", "backup=", "context="],
    );
    let (sources, target) = split_target(&flags);
    (flags, sources, target)
}

fn split_target(flags: &Flags) -> (Vec<String>, Option<String>) {
    if let Some(target) = flags.value(&["t", "target-directory"]) {
        return (flags.operands.clone(), Some(target.to_owned()));
    }
    match flags.operands.split_last() {
        Some((target, sources)) if !sources.is_empty() => (sources.to_vec(), Some(target.clone())),
        Some((only, _)) => (vec![only.clone()], None),
        None => (Vec::new(), None),
    }
}

/// The target itself, and what each source would be called in it when it is a folder.
fn targets_of(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) -> Judged<()> {
    let Some(target) = target else {
        return Ok(());
    };
    w.write_path(target, st)?;
    for source in sources {
        let last = source
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or("");
        if last.is_empty() || last == "." || last == ".." {
            continue;
        }
        // Copying over `.git` or a settings file by its name inside the folder.
        let inner = format!("{}/{last}", target.trim_end_matches('/'));
        let is_folder = st.cwd.iter().any(|place| {
            crate::guard::paths::absolute(target, place)
                .is_some_and(|path| w.paths.is_directory(&path))
        });
        if is_folder {
            w.write_path(&inner, st)?;
        }
    }
    Ok(())
}

fn remember_links(w: &mut Walker<'_>, sources: &[String], target: Option<&str>, st: &State) {
    let Some(target) = target else { return };
    let [Place::Known(cwd)] = st.cwd.as_slice() else {
        return;
    };
    for source in sources {
        let Some(at) = crate::guard::paths::absolute(target, &Place::Known(cwd.clone())) else {
            continue;
        };
        let at = if w.paths.is_directory(&at) {
            at.join(
                source
                    .trim_end_matches('/')
                    .rsplit('/')
                    .next()
                    .unwrap_or(""),
            )
        } else {
            at
        };
        let at = crate::guard::paths::normal(&at);
        // A source that is not known makes the link lead anywhere.
        let source = if text::is_any(source) { "/" } else { source };
        w.paths.link_made(at, source.into());
    }
}

fn ownership(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let mut operands: Vec<&String> = Vec::new();
    let mut reference = false;
    let mut skip = false;
    let mut mode_seen = false;
    for arg in args {
        if skip {
            skip = false;
            continue;
        }
        if arg.starts_with("--reference") {
            reference = true;
            skip = arg == "--reference";
        } else if name == "setfacl"
            && matches!(
                arg.as_str(),
                "-m" | "-x" | "-M" | "-X" | "--modify" | "--remove"
            )
        {
            skip = true;
            mode_seen = true;
        } else if is_mode_option(name, arg) {
            mode_seen = true;
        } else if arg.starts_with('-') && arg.len() > 1 {
            // -R, -v, --recursive …
        } else {
            operands.push(arg);
        }
    }
    let from = usize::from(!reference && !mode_seen);
    if let Some(mode) = operands.first().filter(|_| from == 1 && name == "chmod")
        && setuid(mode)
    {
        return Err(Refusal::new(
            rule::PRIVILEGE,
            "set-user-id programs are not made here; use a plain mode",
        ));
    }
    let list: Vec<String> = operands.into_iter().skip(from).cloned().collect();
    // What is in the files stays as it is.
    let contents = w.written.clone();
    let result = all_targets(w, &list, st);
    w.written = contents;
    result
}

/// Options that are the mode themselves, so that no operand is.
fn is_mode_option(name: &str, arg: &str) -> bool {
    match name {
        "xattr" => arg.starts_with('-'),
        "chmod" => {
            arg.len() > 1
                && arg
                    .strip_prefix('-')
                    .is_some_and(|mode| mode.chars().all(|c| "rwxXst".contains(c)))
        }
        "chattr" => arg.starts_with(['-', '+', '=']) && arg != "-R",
        _ => false,
    }
}

fn setuid(mode: &str) -> bool {
    let octal = mode.len() >= 4
        && mode.bytes().all(|c| (b'0'..=b'7').contains(&c))
        && matches!(
            mode.as_bytes().get(mode.len() - 4),
            Some(b'2' | b'4' | b'6' | b'7')
        );
    octal || mode.contains(['+', '=']) && mode.contains('s')
}

fn rsync(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "efMBT",
        &[
            "rsh",
            "filter",
            "exclude",
            "include",
            "exclude-from",
            "include-from",
            "files-from",
            "backup-dir",
            "suffix",
            "chmod",
            "chown",
            "partial-dir",
            "temp-dir",
            "log-file",
            "compare-dest",
            "copy-dest",
            "link-dest",
            "max-size",
            "min-size",
            "bwlimit",
            "timeout",
            "port",
            "password-file",
            "rsync-path",
            "info",
            "debug",
            "out-format",
            "write-batch",
            "only-write-batch",
            "read-batch",
            "remote-option",
            "sockopts",
            "iconv",
            "usermap",
            "groupmap",
        ],
    );
    for code in flags.values(&["e", "rsh", "rsync-path"]) {
        let code = code.to_owned();
        w.script(&code, &mut st.for_program())?;
    }
    let remote = |path: &str| {
        path.starts_with("rsync://")
            || path
                .split('/')
                .next()
                .is_some_and(|head| head.contains(':'))
    };
    if flags.operands.iter().any(|path| remote(path)) {
        return Err(Refusal::new(
            rule::NETWORK,
            "files are not copied to or from other machines; work inside your worktree",
        ));
    }
    for path in flags.values(&[
        "backup-dir",
        "partial-dir",
        "temp-dir",
        "log-file",
        "write-batch",
        "only-write-batch",
    ]) {
        let path = path.to_owned();
        w.write_path(&path, st)?;
    }
    let Some((target, sources)) = flags.operands.split_last() else {
        return Ok(());
    };
    for source in sources {
        w.read_path(source, st)?;
        if flags.has(&["remove-source-files"]) {
            w.delete_path(source, true, st)?;
        }
    }
    if sources.is_empty() || flags.has(&["list-only"]) || flags.has(&["n", "dry-run"]) {
        return Ok(());
    }
    w.write_path(target, st)?;
    if flags
        .options
        .iter()
        .any(|(name, _)| name.starts_with("del"))
    {
        w.delete_path(target, true, st)?;
    }
    Ok(())
}

fn patch(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "bBdDFgioprVxYz",
        &[
            "directory",
            "fuzz",
            "input",
            "output",
            "strip",
            "reject-file",
            "prefix",
            "suffix",
            "basename-prefix",
            "ifdef",
        ],
    );
    if flags.has(&["dry-run"]) {
        return Ok(());
    }
    w.need_writer("applies a patch")?;
    let mut inner = st.clone();
    if let Some(directory) = flags.value(&["d", "directory"]) {
        w.enter(directory, &mut inner);
    }
    if let Some(input) = flags.value(&["i", "input"]) {
        w.read_path(input, &inner)?;
    }
    for path in flags.values(&["o", "output", "r", "reject-file"]) {
        if path != "-" {
            let path = path.to_owned();
            w.write_path(&path, &inner)?;
        }
    }
    if let Some(file) = flags.operands.first() {
        w.write_path(file, &inner)?;
    }
    w.need_inside(&inner, "applying a patch")
}

impl Walker<'_> {
    /// May this entry be created, or replaced if it exists?
    fn delete_or_create(&mut self, path: &str, st: &State) -> Judged<()> {
        if st.cwd.iter().any(|place| {
            crate::guard::paths::absolute(path, place)
                .is_some_and(|path| self.paths.is_directory(&path))
        }) {
            return self.write_path(path, st);
        }
        self.delete_path(path, false, st)
    }

    /// A temporary file without a named place: fine for writers and for whoever has a folder for it.
    fn need_temp(&self) -> Judged<()> {
        if self.policy.temp.is_some() {
            return Ok(());
        }
        self.need_writer("creates a temporary file")
    }
}
