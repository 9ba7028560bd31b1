//! Programs that only read: files, processes, the system, documentation.
//!
//! Those with an option that writes or runs something have a rule of their own elsewhere or below.

use std::sync::LazyLock;

use super::flags::parse;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::quick::Names;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

static READERS: LazyLock<Names> =
    LazyLock::new(|| super::reader_names::READERS.iter().copied().collect());

pub(super) fn is_reader(name: &str) -> bool {
    READERS.contains(name)
}

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    if name == "python-json-tool" {
        let files: Vec<&String> = call
            .args()
            .iter()
            .filter(|arg| !arg.starts_with('-'))
            .collect();
        return Some(match files.get(1) {
            Some(target) => w.write_path(&(*target).clone(), st),
            None => Ok(()),
        });
    }
    if name == "python-syntax" {
        let mut files = call.args().iter().filter(|arg| !arg.starts_with('-'));
        return Some(files.try_for_each(|file| w.read_path(file, st)));
    }
    if name == "python-help" {
        return Some(help_of(w, call, st));
    }
    if let Some(judged) = searcher(w, name, call, st) {
        return Some(judged);
    }
    if !is_reader(name) {
        return None;
    }
    Some(by_name(w, name, call.args(), st))
}

/// `python -m pydoc name` prints; a module of the project would be run for that, and options write or serve.
fn help_of(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let plain = call.args().iter().all(|name| {
        let first = name.split('.').next().unwrap_or(name);
        let here = |name: &str| {
            st.cwd.iter().any(|place| {
                crate::paths::absolute(name, place).is_none_or(|path| w.paths.exists(&path))
            })
        };
        text::is_known(name)
            && !name.starts_with('-')
            && !name.contains('/')
            && !here(first)
            && !here(&format!("{first}.py"))
    });
    if plain {
        return Ok(());
    }
    w.need_writer("runs pydoc on the project's own modules")?;
    super::generic::outside_arguments(w, "pydoc", call.args(), st)
}

/// Search tools that rewrite files only when told to.
fn searcher(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.as_str()));
    let writes = match name {
        "ast-grep" | "sg" => {
            has(&["-U", "--update-all", "-i", "--interactive", "new", "test"])
                || args.iter().any(|arg| arg.starts_with("--update"))
        }
        "comby" => has(&["-i", "-in-place", "-review"]),
        "ctags" | "uctags" | "exctags" => return Some(tags(w, name, args, st)),
        _ => return None,
    };
    Some(if writes {
        w.need_writer("rewrites files")
            .and_then(|()| super::generic::outside_arguments(w, name, args, st))
    } else {
        Ok(())
    })
}

/// A list of tags goes to a file, or to standard output: `ctags -x`, `ctags -f -`. A file of options may say anything.
fn tags(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "fohiILlrD", &["options", "optlib-dir"]);
    let given = |wanted: fn(&str) -> bool| flags.options.iter().any(|(option, _)| wanted(option));
    let asks = given(|option| {
        option.starts_with("list-") || matches!(option, "version" | "help" | "filter" | "x")
    });
    let configured = given(|option| option.starts_with("opt") || option.contains("xcmd"));
    let outputs = flags.values(&["f", "o"]);
    let to_output = outputs.iter().all(|file| *file == "-");
    if !configured && to_output && (asks || !outputs.is_empty()) {
        return Ok(());
    }
    w.need_writer("rewrites files")?;
    for file in outputs.into_iter().filter(|file| *file != "-") {
        w.write_path(file, st)?;
    }
    super::generic::outside_arguments(w, name, args, st)
}

/// Whether the first operand of a program is a pattern or a script instead of a file.
pub(super) fn takes_pattern(name: &str) -> bool {
    matches!(
        name,
        "grep"
            | "egrep"
            | "fgrep"
            | "zgrep"
            | "rg"
            | "ag"
            | "ack"
            | "ugrep"
            | "pcregrep"
            | "jq"
            | "yq"
            | "sed"
            | "awk"
            | "gawk"
    )
}

/// Programs that show names, sizes and dates, and nothing of what is in a file.
fn lists(name: &str) -> bool {
    matches!(
        name,
        "ls" | "ll" | "dir" | "vdir" | "exa" | "eza" | "lsd" | "tree" | "du" | "stat" | "realpath"
    )
}

/// What has to be asked of a path whose names are listed: for a pattern at its end, the folder it is in.
fn listed(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some((folder, last)) if text::has_glob(last) && !text::has_glob(folder) => folder,
        _ => path,
    }
}

fn by_name(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    if matches!(
        name,
        "echo" | "printf" | "test" | "[" | "true" | "false" | ":" | "expr"
    ) {
        return Ok(());
    }
    let pattern_first = takes_pattern(name);
    let mut skipped = !pattern_first
        || args
            .iter()
            .any(|arg| arg == "-e" || arg == "-f" || arg.starts_with("--regexp"));
    for arg in args {
        if arg.starts_with('-') && arg.len() > 1 {
            if let Some((_, value)) = arg.split_once('=') {
                w.read_path(value, st)?;
            }
            continue;
        }
        if !skipped {
            skipped = true;
            continue;
        }
        w.read_path(if lists(name) { listed(arg) } else { arg }, st)?;
    }
    match name {
        "rg" | "ugrep" | "ag" | "ack" => {
            let runs = [
                "--pre",
                "--hostname-bin",
                "--filter",
                "--pager",
                "--output",
                "--view",
            ];
            for (at, arg) in args.iter().enumerate() {
                if runs
                    .iter()
                    .any(|flag| arg == flag || arg.starts_with(&format!("{flag}=")))
                    && !(name == "rg" && arg.starts_with("--pre-glob"))
                {
                    let value = arg
                        .split_once('=')
                        .map(|(_, value)| value.to_owned())
                        .or_else(|| args.get(at + 1).cloned())
                        .unwrap_or_default();
                    if !w.role.writes() {
                        return Err(read_only("runs a program for each file"));
                    }
                    w.script(&value, &mut st.for_program())?;
                }
            }
            Ok(())
        }
        "man" | "info" | "less" | "more" | "bat" | "batcat" | "delta" => {
            for (at, arg) in args.iter().enumerate() {
                let pager = match arg.as_str() {
                    "-P" | "--pager" | "-H" | "--browser" => args.get(at + 1).cloned(),
                    long => ["--pager=", "--html=", "--browser=", "-P", "-H"]
                        .iter()
                        .find_map(|prefix| long.strip_prefix(prefix))
                        .filter(|value| !value.is_empty())
                        .map(str::to_owned),
                };
                if let Some(pager) =
                    pager.filter(|_| matches!(name, "man" | "bat" | "batcat" | "delta"))
                {
                    w.script(&pager, &mut st.for_program())?;
                }
                if matches!(name, "less" | "more") {
                    if arg.starts_with("+!")
                        || arg.starts_with("++!")
                        || arg.starts_with('+') && arg.contains(['!', '|'])
                    {
                        return Err(Refusal::new(
                            rule::UNPROVEN,
                            "less would run a command; run it directly",
                        ));
                    }
                    if name == "less"
                        && (arg.starts_with("-o")
                            || arg.starts_with("-O")
                            || arg.starts_with("--log-file")
                            || arg.starts_with("--LOG-FILE"))
                    {
                        let value = if arg.len() == 2 {
                            args.get(at + 1).cloned().unwrap_or_default()
                        } else {
                            arg.split_once('=').map_or_else(
                                || arg.chars().skip(2).collect(),
                                |(_, v)| v.to_owned(),
                            )
                        };
                        w.write_path(&value, st)?;
                    }
                }
            }
            Ok(())
        }
        "mlr" | "miller" => super::miller::judge(w, args, st),
        "tree" | "comm" | "cloc" | "xmllint" | "xsv" | "qsv" | "shuf" | "xmlstarlet" | "dasel"
        | "yq" | "tomlq" | "xq" | "dmesg" | "journalctl" | "date" | "hostname" | "sdiff"
        | "diff" | "ifconfig" | "ip" | "route" | "stty" | "tokei" | "fmt" | "objdump" | "bc"
        | "dc" => with_outputs(w, name, args, st),
        _ => Ok(()),
    }
}

/// Readers with an option that writes.
fn with_outputs(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let output: &[&str] = match name {
        "tree" | "shuf" | "xsv" | "qsv" | "sdiff" => &["o", "output"],
        "cloc" => &["out", "report-file"],
        "xmllint" => &["o", "output"],
        "diff" => &["output"],
        _ => &[],
    };
    if !output.is_empty() {
        // One dash does for long options, too.
        let long = |arg: &String| match arg.as_str() {
            "-output" if name == "xmllint" => "--output".to_owned(),
            other => other.to_owned(),
        };
        let args: Vec<String> = args.iter().map(long).collect();
        let flags = parse(&args, "oLPInI", output);
        for path in flags.values(output) {
            if !path.is_empty() {
                let path = path.to_owned();
                w.write_path(&path, st)?;
            }
        }
    }
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.as_str()));
    match name {
        "yq" | "tomlq" | "xq" => edited_by_query(w, name, args, st),
        "dasel" => edited_by_dasel(w, args, st),
        "xmlstarlet" => {
            if !has(&["ed", "edit"]) || !has(&["-L", "--inplace"]) {
                return Ok(());
            }
            w.need_writer("edits files in place")?;
            // Before the file stand expressions, of which some look like paths.
            let file = args
                .iter()
                .rfind(|arg| !matches!(arg.as_str(), "-L" | "--inplace"));
            file.map_or(Ok(()), |path| w.write_path(path, st))
        }
        "date"
            if args
                .iter()
                .any(|arg| arg.starts_with("-s") || arg.starts_with("--set")) =>
        {
            Err(system_change("the clock"))
        }
        "hostname" if args.iter().any(|arg| !arg.starts_with('-')) => {
            Err(system_change("the host name"))
        }
        "ifconfig" | "route" if args.len() > 1 => Err(system_change("the network")),
        "ip" if has(&[
            "add", "del", "delete", "set", "flush", "replace", "change", "exec",
        ]) =>
        {
            Err(system_change("the network"))
        }
        "journalctl"
            if args.iter().any(|arg| {
                arg.starts_with("--vacuum")
                    || arg.starts_with("--rotate")
                    || arg.starts_with("--flush")
            }) =>
        {
            Err(system_change("the journal"))
        }
        "dmesg" if has(&["-C", "--clear", "-c", "--read-clear"]) => {
            Err(system_change("the kernel log"))
        }
        "bc" | "dc" => Ok(()),
        _ => {
            if args.iter().any(|arg| text::is_any(arg)) && name == "tree" && !w.role.writes() {
                return Ok(());
            }
            Ok(())
        }
    }
}

/// `yq -i expression file`, with the option and the file in any place.
fn edited_by_query(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let valued = &[
        "indent",
        "output-format",
        "input-format",
        "expression",
        "from-file",
        "arg",
        "argjson",
        "split-exp",
        "split-exp-file",
        "xml-root",
        "indentless",
        "width",
        "lua-prefix",
    ];
    let flags = parse(args, "opIsf", valued);
    if name == "yq" && flags.has(&["s", "split-exp", "split-exp-file"]) {
        w.need_inside(st, "splitting files")?;
        w.need_writer("writes files")?;
    }
    if !flags.has(&["i", "inplace", "in-place"]) {
        return Ok(());
    }
    w.need_writer("edits files in place")?;
    let told = flags.has(&["expression", "from-file"]);
    let commands = ["e", "ea", "eval", "eval-all"];
    let mut operands: Vec<&String> = flags.operands.iter().collect();
    if operands
        .first()
        .is_some_and(|word| commands.contains(&word.as_str()))
    {
        operands.remove(0);
    }
    // A single word is a file where there is one of that name.
    let skip = usize::from(!told && operands.len() > 1);
    operands
        .into_iter()
        .skip(skip)
        .try_for_each(|path| w.write_path(path, st))
}

/// `dasel put -f file -v value selector`: what it is given by options is written unless another file is named.
fn edited_by_dasel(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let valued = &[
        "file", "out", "read", "write", "parser", "value", "type", "selector", "format", "indent",
    ];
    let flags = parse(args, "fovtrwpsm", valued);
    if !matches!(flags.first(), "put" | "delete") {
        return Ok(());
    }
    w.need_writer("edits files in place")?;
    for path in flags.values(&["f", "file", "o", "out"]) {
        if !matches!(path, "-" | "stdout" | "") {
            w.write_path(path, st)?;
        }
    }
    Ok(())
}

fn system_change(what: &str) -> Refusal {
    Refusal::new(
        rule::PRIVILEGE,
        format!("{what} belongs to the machine, not to this task; leave it"),
    )
}
