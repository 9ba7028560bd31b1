//! Archives and compression: where they are written, and where they are unpacked.
//!
//! Options that run a program for each member are judged as that program.

use super::flags::parse;
use super::packed;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// What is judged here.
const ARCHIVERS: &[&str] = &[
    "tar", "gtar", "bsdtar", "unzip", "zip", "7z", "7za", "7zr", "7zz", "cpio", "ar", "ranlib",
    "strip", "objcopy", "jar",
];
const COMPRESSORS: &[&str] = &[
    "gzip",
    "gunzip",
    "bzip2",
    "bunzip2",
    "xz",
    "unxz",
    "lzma",
    "unlzma",
    "zstd",
    "unzstd",
    "lz4",
    "unlz4",
    "brotli",
    "compress",
    "uncompress",
    "pigz",
    "lzip",
];

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if !ARCHIVERS.contains(&name) && !COMPRESSORS.contains(&name) {
        return None;
    }
    // What was packed is gone afterwards.
    let fetched = w.fetched_among(call.args(), st);
    let judged = judged(w, name, call, st)?;
    Some(judged.and_then(|()| w.unpacks(name, call, &fetched, st)))
}

fn judged(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    Some(match name {
        "tar" | "gtar" | "bsdtar" => tar(w, args, st),
        "unzip" => unzip(w, args, st),
        "zip" => {
            let flags = parse(
                args,
                "btnixO",
                &["out", "temp-path", "unzip-command", "exclude", "include"],
            );
            if let Some(code) = flags.value(&["unzip-command"]) {
                return Some(w.script(code, &mut st.for_program()).map(|_| ()));
            }
            if args
                .iter()
                .any(|arg| arg == "-TT" || arg.starts_with("-TT"))
            {
                return Some(Err(Refusal::new(
                    rule::UNPROVEN,
                    "zip would run a test command; run it directly",
                )));
            }
            let target = flags
                .value(&["O", "out"])
                .map_or_else(|| flags.first().to_owned(), str::to_owned);
            let sources = flags.operands.iter().skip(1);
            let mut result = if target == "-" {
                Ok(())
            } else {
                w.write_path(&target, st)
            };
            for source in sources {
                result = result.and_then(|()| w.read_path(source, st));
                if flags.has(&["y", "symlinks"]) {
                    result = result.and_then(|()| packed::take_in(w, source, st));
                }
                if flags.has(&["m", "move"]) {
                    result = result.and_then(|()| w.delete_path(source, true, st));
                }
            }
            result
        }
        name if COMPRESSORS.contains(&name) => compress(w, args, st),
        "7z" | "7za" | "7zr" | "7zz" => seven_zip(w, args, st),
        "cpio" => {
            let flags = parse(args, "DEFHIMORC", &["directory", "file", "pattern-file"]);
            if flags.has(&["rsh-command", "to-stdout-command"]) {
                return Some(Err(crate::wrappers::unproven("cpio")));
            }
            let copies_in = flags.has(&["i", "extract", "p", "pass-through"]);
            let mut inner = st.clone();
            if let Some(directory) = flags.value(&["D", "directory"]) {
                w.enter(directory, &mut inner);
            }
            if flags.has(&["t", "list"]) || !copies_in && flags.value(&["O", "F", "file"]).is_none()
            {
                return Some(Ok(()));
            }
            let mut result = w.need_writer("unpacks or writes an archive");
            for path in flags.values(&["O", "F", "file"]) {
                result = result.and_then(|()| w.write_path(path, &inner));
            }
            if flags.has(&["p"]) {
                result = result.and_then(|()| w.write_path(flags.first(), &inner));
            }
            result.and_then(|()| w.need_inside(&inner, "unpacking"))
        }
        "ar" | "ranlib" | "strip" | "objcopy" => {
            let target = args
                .iter()
                .filter(|arg| !arg.starts_with('-'))
                .nth(usize::from(name == "ar"))
                .cloned();
            // `objcopy in out`: the second operand is written, when there is one.
            let second = args
                .iter()
                .rfind(|arg| !arg.starts_with('-'))
                .filter(|_| name == "objcopy")
                .cloned();
            let target = second.or(target);
            let reads = name == "ar"
                && args.first().is_some_and(|ops| {
                    ops.contains(['t', 'p']) && !ops.contains(['r', 'd', 'q', 'x'])
                });
            match target {
                Some(target) if !reads => {
                    let output = args
                        .iter()
                        .position(|arg| arg == "-o" || arg == "--output")
                        .and_then(|at| args.get(at + 1))
                        .or(args.iter().find(|arg| arg.starts_with("--output=")))
                        .map(|arg| arg.trim_start_matches("--output=").to_owned());
                    w.write_path(&output.unwrap_or(target), st)
                }
                _ => Ok(()),
            }
        }
        "jar" => {
            let first = args.first().map_or("", String::as_str);
            let lists = first.trim_start_matches('-').starts_with('t') || first == "--list";
            if lists {
                return Some(Ok(()));
            }
            let mut result = w.need_writer("writes or unpacks an archive");
            if let Some(file) = args
                .get(1)
                .filter(|_| first.contains('f') && !first.contains('x'))
            {
                result = result.and_then(|()| w.write_path(file, st));
            }
            result.and_then(|()| w.need_inside(st, "unpacking"))
        }
        _ => return None,
    })
}

fn tar(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    // Old style: `tar xzf file` without a dash.
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut()
        && !first.starts_with('-')
        && first.chars().all(|c| c.is_ascii_alphabetic())
    {
        let takes = "fCbTXFILgVNKH";
        let letters = first.clone();
        let mut values = args.get(1..).unwrap_or_default().iter().cloned().peekable();
        let mut rebuilt: Vec<String> = vec![];
        for (at, letter) in letters.char_indices() {
            let value = values.next_if(|_| takes.contains(letter));
            // Once more is no more.
            if value.is_some() || letters.find(letter) == Some(at) {
                rebuilt.push(format!("-{letter}"));
                rebuilt.extend(value);
            }
        }
        rebuilt.extend(values);
        args = rebuilt;
    }
    let flags = parse(
        &args,
        "fCbTXFILgVNKH",
        &[
            "file",
            "directory",
            "to-command",
            "use-compress-program",
            "checkpoint-action",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
            "files-from",
            "exclude",
            "exclude-from",
            "transform",
            "xform",
            "listed-incremental",
            "index-file",
            "volno-file",
            "owner",
            "group",
            "mode",
            "strip-components",
            "one-top-level",
            "format",
            "sort",
            "mtime",
            "newer",
            "level",
        ],
    );
    for code in flags.values(&[
        "to-command",
        "I",
        "use-compress-program",
        "F",
        "info-script",
        "new-volume-script",
        "rsh-command",
        "rmt-command",
    ]) {
        let code = code.to_owned();
        w.script(&code, &mut st.for_program())?;
    }
    for action in flags.values(&["checkpoint-action"]) {
        if let Some(code) = action.strip_prefix("exec=") {
            let code = code.to_owned();
            w.script(&code, &mut st.for_program())?;
        }
    }
    // What is listed in a file this command wrote is read like what stands on the command line.
    for list in flags.values(&["T", "files-from"]) {
        let names = w.content(list, st);
        for name in names
            .split(['\n', '\0'])
            .filter(|name| !name.is_empty() && !text::is_any(name))
        {
            w.read_path(&crate::tool_paths::home(name), st)?;
        }
    }
    for path in flags.values(&["index-file", "volno-file"]) {
        w.write_path(path, st)?;
    }
    if flags.has(&["t", "list", "d", "diff", "compare"]) && !flags.has(&["x", "extract", "get"]) {
        return Ok(());
    }
    let file = flags.value(&["f", "file"]).map(str::to_owned);
    if file.as_deref().is_some_and(|file| {
        file.contains(':')
            && !file.starts_with('/')
            && !file.starts_with('.')
            && !flags.has(&["force-local"])
    }) {
        return Err(Refusal::new(
            rule::NETWORK,
            "archives are not written to other machines; write them inside your worktree",
        ));
    }
    let mut inner = st.clone();
    for directory in flags.values(&["C", "directory", "one-top-level"]) {
        let directory = directory.to_owned();
        w.enter(&directory, &mut inner);
    }
    if flags.has(&[
        "c",
        "create",
        "r",
        "append",
        "u",
        "update",
        "A",
        "catenate",
        "concatenate",
        "delete",
    ]) {
        for source in &flags.operands {
            w.read_path(source, &inner)?;
            packed::take_in(w, source, &inner)?;
            if flags.has(&["remove-files"]) {
                w.delete_path(source, true, &inner)?;
            }
        }
        for path in flags.values(&["g", "listed-incremental", "index-file"]) {
            let path = path.to_owned();
            w.write_path(&path, st)?;
        }
        return match file.as_deref() {
            Some("-") | None => Ok(()),
            Some(file) => w.write_path(file, st),
        };
    }
    if flags.has(&["x", "extract", "get"]) {
        if flags.has(&["O", "to-stdout"]) || flags.has(&["to-command"]) {
            return Ok(());
        }
        if !w.role.writes() {
            return Err(read_only("unpacks an archive"));
        }
        if flags.has(&["P", "absolute-names"]) {
            return Err(Refusal::new(
                rule::OUTSIDE,
                "absolute names in an archive could lead anywhere; unpack without -P",
            ));
        }
        if let Some(transform) = flags.value(&["transform", "xform"])
            && transform.contains('/')
            && transform.contains("..")
        {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "the transformation could lead outside; unpack without it",
            ));
        }
        w.write_path(".", &inner)?;
        unpacked(w, &flags.operands, &inner)?;
        let renamed = flags.has(&["strip-components", "transform", "xform"]);
        packed::bring_back(w, renamed, &inner);
        return w.need_inside(&inner, "unpacking");
    }
    Ok(())
}

/// Members of an archive that are asked for by name, and the folder they are put into: neither is the worktree's `.git`
/// nor holds the guard's settings.
fn unpacked(w: &mut Walker<'_>, members: &[String], st: &State) -> Judged<()> {
    w.keep_guard_files(".", st)?;
    for member in members.iter().filter(|member| !text::is_any(member)) {
        let member = member.trim_start_matches('/');
        if !member.is_empty() {
            w.write_path(member, st)?;
            w.keep_guard_files(member, st)?;
        }
    }
    Ok(())
}

fn unzip(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "dxP", &[]);
    if flags.has(&["l", "v", "t", "p", "c", "Z", "z"]) {
        return Ok(());
    }
    w.need_writer("unpacks an archive")?;
    let mut inner = st.clone();
    if let Some(directory) = flags.value(&["d"]) {
        w.enter(directory, &mut inner);
    }
    if flags.has(&[":"]) {
        return Err(Refusal::new(
            rule::OUTSIDE,
            "climbing names in an archive could lead anywhere; unpack without -:",
        ));
    }
    // What stands behind `-x` is left out.
    let asked = args.iter().take_while(|arg| *arg != "-x").cloned();
    let asked = parse(&asked.collect::<Vec<_>>(), "dP", &[]);
    unpacked(w, asked.operands.get(1..).unwrap_or_default(), &inner)?;
    packed::bring_back(w, flags.has(&["j"]), &inner);
    w.need_inside(&inner, "unpacking")
}

fn compress(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "oSDbF",
        &["suffix", "output", "format", "output-dir-flat"],
    );
    for path in flags.values(&["o", "output", "output-dir-flat"]) {
        let path = path.to_owned();
        w.write_path(&path, st)?;
    }
    if flags.has(&["c", "stdout", "to-stdout", "l", "list", "t", "test"])
        || flags.operands.is_empty()
    {
        return Ok(());
    }
    for path in flags.operands.iter().filter(|path| *path != "-") {
        w.write_path(path, st)?;
    }
    Ok(())
}

fn seven_zip(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    match args.first().map(String::as_str) {
        Some("l" | "t" | "i" | "h" | "b") | None => Ok(()),
        Some("x" | "e") => {
            w.need_writer("unpacks an archive")?;
            let mut inner = st.clone();
            for arg in args {
                if let Some(directory) = arg.strip_prefix("-o") {
                    w.enter(directory, &mut inner);
                }
                if arg == "-so" {
                    return Ok(());
                }
            }
            unpacked(w, &[], &inner)?;
            w.need_inside(&inner, "unpacking")
        }
        _ => match args.iter().skip(1).find(|arg| !arg.starts_with('-')) {
            Some(target) => w.write_path(target, st),
            None => Ok(()),
        },
    }
}
