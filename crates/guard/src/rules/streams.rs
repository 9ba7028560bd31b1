//! Filters with an output option: `sort`, `uniq`, `iconv` and the like; programs of `sed` and `awk` in files.
//!
//! What those programs write and run is worked out in `sed` and `awk`.

use super::flags::parse;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::{Walker, fetched};

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    Some(match name {
        "sed" | "gsed" | "ssed" => super::sed::sed(w, call, st),
        "awk" | "gawk" | "mawk" | "nawk" | "goawk" | "original-awk" => super::awk::awk(w, call, st),
        "sort" => {
            let flags = parse(
                args,
                "kotSTb?",
                &[
                    "key",
                    "output",
                    "field-separator",
                    "buffer-size",
                    "temporary-directory",
                    "compress-program",
                    "files0-from",
                    "parallel",
                    "batch-size",
                    "random-source",
                    "sort",
                ],
            );
            let mut result = Ok(());
            if let Some(code) = flags.value(&["compress-program"]) {
                result = w.script(code, &mut st.for_program()).map(|_| ());
            }
            for path in flags.values(&["o", "output"]) {
                result = result.and_then(|()| w.write_path(path, st));
            }
            for path in flags.values(&["T", "temporary-directory"]) {
                result = result.and_then(|()| w.write_path(path, st));
            }
            for path in &flags.operands {
                result = result.and_then(|()| w.read_path(path, st));
            }
            result
        }
        "uniq" => {
            let flags = parse(args, "fsw", &["skip-fields", "skip-chars", "check-chars"]);
            match flags.operands.get(1) {
                Some(target) => w.write_path(target, st),
                None => w.read_path(flags.first(), st),
            }
        }
        "xxd" => {
            let flags = parse(args, "clogsn", &["cols", "len"]);
            match flags.operands.get(1) {
                Some(target) => w.write_path(target, st),
                None => w.read_path(flags.first(), st),
            }
        }
        "iconv" => outputs(w, args, "oftc?", &["output", "from-code", "to-code"], st),
        "pandoc" => {
            if args.iter().any(|arg| {
                arg.starts_with("--filter")
                    || arg == "-F"
                    || arg.starts_with("--lua-filter")
                    || arg == "-L"
                    || arg.starts_with("--pdf-engine")
            }) && !w.role.writes()
            {
                return Some(Err(read_only("runs a filter program")));
            }
            outputs(
                w,
                args,
                "oftr",
                &["output", "from", "to", "extract-media", "log", "data-dir"],
                st,
            )
        }
        "openssl" => openssl(w, args, st),
        _ => return None,
    })
}

fn outputs(
    w: &mut Walker<'_>,
    args: &[String],
    short: &str,
    long: &[&str],
    st: &State,
) -> Judged<()> {
    let flags = parse(args, short, long);
    for path in flags.values(&["o", "output", "extract-media", "log"]) {
        if !path.is_empty() && path != "-" {
            let path = path.to_owned();
            w.write_path(&path, st)?;
        }
    }
    for path in &flags.operands {
        w.read_path(path, st)?;
    }
    Ok(())
}

fn openssl(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    for (flag, value) in args.iter().zip(args.iter().skip(1)) {
        if matches!(
            flag.as_str(),
            "-out" | "-keyout" | "-writerand" | "-CAserial" | "-sess_out"
        ) {
            w.write_path(value, st)?;
        }
        if matches!(flag.as_str(), "-in" | "-inkey" | "-key" | "-CAkey") {
            w.read_path(value, st)?;
        }
    }
    match args.first().map(String::as_str) {
        Some("s_server" | "engine") => Err(Refusal::new(
            rule::NETWORK,
            "openssl would listen or load code here; leave the option out",
        )),
        _ => Ok(()),
    }
}

/// The text of a program in a file: standard input, or a file this command wrote; `None` for a file of the
/// project, which only those may run who may change it.
pub(crate) fn program_file(
    w: &mut Walker<'_>,
    path: &str,
    call: &Call,
    st: &State,
) -> Judged<Option<String>> {
    let refused = |what: &str| {
        Err(Refusal::new(
            rule::UNPROVEN,
            format!("{what}; write the program out or use a file of the project"),
        ))
    };
    // Editors open addresses like files.
    if crate::wrappers::is_address(path) {
        return Err(fetched());
    }
    if matches!(path, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
        return match &call.stdin {
            Some(input) if !text::is_any(input) => Ok(Some(input.to_string())),
            _ => refused("the program on standard input is not known"),
        };
    }
    let known = w.content(path, st);
    if !text::is_any(&known) {
        return Ok(Some(known.to_string()));
    }
    w.read_path(path, st)?;
    w.need_writer("runs a script file")?;
    let inside = st.cwd.iter().all(|place| w.paths.is_inside(path, place));
    if !inside {
        return refused("the program is in a file outside your worktree");
    }
    Ok(None)
}
