//! `mlr`: edits files in place wherever the option and the files stand, and its verbs write files and run commands.

use std::collections::BTreeSet;

use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Options before the verb whose value is the next word, and that do not say where files are.
const VALUED: &[&str] = &[
    "--fs",
    "--ps",
    "--rs",
    "--ifs",
    "--ips",
    "--irs",
    "--ofs",
    "--ops",
    "--ors",
    "--repifs",
    "--ofmt",
    "--fflatsep",
    "--flatsep",
    "--jflatsep",
    "--nr-progress-mod",
    "--records-per-batch",
    "--load",
    "--mload",
    "--seed",
    "--tz",
    "--nidx-fs",
    "--io",
    "-i",
    "-o",
    "--c2l",
    "--gen-start",
    "--gen-step",
    "--gen-stop",
    "--gen-field-name",
    "--key-color",
    "--value-color",
    "--pass-color",
    "--fail-color",
    "--help-color",
    "--pass-comments-with",
    "--skip-comments-with",
    "--hash-records",
];

/// A command line of `mlr`.
#[derive(Default)]
struct Line<'a> {
    in_place: bool,
    /// Files that options name.
    files: Vec<&'a str>,
    /// Commands that each file goes through.
    commands: Vec<&'a str>,
    /// A file with more of the command line.
    more: Option<&'a str>,
    /// The verbs, and behind them the files.
    rest: &'a [String],
}

fn taken_apart(args: &[String]) -> Line<'_> {
    let mut line = Line::default();
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|arg| arg.starts_with('-')) {
        let next = args.get(at + 1).map_or("", String::as_str);
        at += 1;
        match arg.as_str() {
            "-I" => line.in_place = true,
            "--from" => {
                line.files.push(next);
                at += 1;
            }
            "--mfrom" => {
                let several = args.iter().skip(at).take_while(|word| *word != "--");
                line.files.extend(several.map(String::as_str));
                at += args
                    .iter()
                    .skip(at)
                    .take_while(|word| *word != "--")
                    .count()
                    + 1;
            }
            "--prepipe" | "--prepipex" => {
                line.commands.push(next);
                at += 1;
            }
            "-s" => {
                line.more = Some(next);
                at += 1;
            }
            other if VALUED.contains(&other) => at += 1,
            _ => {}
        }
    }
    line.rest = args.get(at..).unwrap_or_default();
    line
}

pub(super) fn judge(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let line = taken_apart(args);
    if line.more.is_some() {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "mlr would take its command line from a file; write the options out",
        ));
    }
    for command in &line.commands {
        w.script(command, &mut st.for_program())?;
    }
    for path in &line.files {
        w.read_path(path, st)?;
    }
    if line.in_place {
        w.need_writer("edits files in place")?;
        // Verbs, names and expressions stand there as well, of which none but a file is a path that leads out.
        let named = line.rest.iter().skip(1).filter(|arg| !arg.starts_with('-'));
        let files = line.files.iter().copied().chain(named.map(String::as_str));
        for path in files.filter(|path| !path.contains(['$', '(', ' '])) {
            w.write_path(path, st)?;
        }
    }
    let mut words = line.rest.iter().map(String::as_str);
    let mut begins = true;
    while let Some(word) = words.next() {
        match word {
            "tee" if begins => written(w, &mut words, st)?,
            "split" if begins => {
                w.need_writer("writes files")?;
                w.need_inside(st, "mlr split")?;
                for (option, value) in pairs(line.rest) {
                    if option == "--prefix" {
                        w.write_path(value, st)?;
                    }
                }
            }
            "put" | "filter" if begins => {
                for code in words.by_ref().take_while(|word| *word != "then") {
                    expression(w, code, st)?;
                }
                begins = true;
                continue;
            }
            _ => {}
        }
        begins = word == "then";
    }
    Ok(())
}

fn pairs(words: &[String]) -> impl Iterator<Item = (&str, &str)> {
    let next = words.iter().skip(1);
    words
        .iter()
        .zip(next)
        .map(|(a, b)| (a.as_str(), b.as_str()))
}

/// `tee [-a] [-p] file`: with the letter `p` the word is a command.
fn written<'a>(
    w: &mut Walker<'_>,
    words: &mut impl Iterator<Item = &'a str>,
    st: &State,
) -> Judged<()> {
    let mut pipes = false;
    let target = words.by_ref().find(|word| {
        pipes |= *word == "-p";
        !word.starts_with('-')
    });
    match target {
        Some(command) if pipes => w.script(command, &mut st.for_program()).map(|_| ()),
        Some(path) => w.write_path(path, st),
        None => Ok(()),
    }
}

/// Judges what an expression starts and where it lets records go: `system("…")`, `tee > "file", $*`.
fn expression(w: &mut Walker<'_>, code: &str, st: &State) -> Judged<()> {
    let plain = outside_quotes(code);
    let calls = |name: &str| {
        plain.match_indices(name).any(|(at, _)| {
            let before = plain.get(..at).and_then(|text| text.chars().next_back());
            let behind = plain.get(at + name.len()..).unwrap_or("").trim_start();
            behind.starts_with('(') && !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
        })
    };
    let lets_out = ["tee", "emit", "print", "dump"]
        .iter()
        .any(|word| plain.contains(word));
    let pipes = lets_out && plain.replace("||", "").contains('|');
    let starts = calls("system") || calls("exec") || pipes;
    if starts {
        w.need_writer("runs a program for each record")?;
        for (before, text) in texts(code) {
            if before.ends_with(['(', '|', ',', '[']) {
                w.script(text, &mut st.for_program())?;
            }
        }
        // `exec("git", ["push"])` is one command.
        if calls("exec") {
            let words: Vec<&str> = texts(code).map(|(_, text)| text).collect();
            w.script(&words.join(" "), &mut st.for_program())?;
        }
        if texts(code).next().is_none() {
            return Err(Refusal::new(
                rule::UNPROVEN,
                "what mlr would run is not known; write the command out",
            ));
        }
    }
    let redirects = lets_out && plain.replace(">=", "").contains('>');
    if redirects {
        w.need_writer("writes files")?;
        w.need_inside(st, "mlr")?;
        let named = texts(code).filter(|(before, _)| before.ends_with('>'));
        let targets: BTreeSet<&str> = named.map(|(_, text)| text).collect();
        for target in targets.into_iter().filter(|target| text::is_known(target)) {
            w.write_path(target, st)?;
        }
    }
    Ok(())
}

/// The texts in double quotes, each with what stands before it.
fn texts(code: &str) -> impl Iterator<Item = (&str, &str)> {
    let before = code.split('"').step_by(2);
    let inner = code.split('"').skip(1).step_by(2);
    before.map(str::trim_end).zip(inner)
}

fn outside_quotes(code: &str) -> String {
    code.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}
