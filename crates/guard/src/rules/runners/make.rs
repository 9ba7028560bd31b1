//! `make`: makefiles that are not the project's, and variables whose values are commands.

use std::rc::Rc;

use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::compiling::compilers::is_tool_name;
use crate::rules::fragments::{self, Around};
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Variables whose value make runs in its own rules.
const TOOLS: &[&str] = &[
    "CC",
    "CXX",
    "CPP",
    "LD",
    "AR",
    "AS",
    "NM",
    "RM",
    "FC",
    "F77",
    "LEX",
    "YACC",
    "RANLIB",
    "STRIP",
    "OBJCOPY",
    "OBJDUMP",
    "INSTALL",
    "CP",
    "MV",
    "MKDIR",
    "LN",
    "SED",
    "AWK",
    "GREP",
    "PYTHON",
    "PERL",
    "CARGO",
    "GO",
    "NODE",
    "NPM",
    "MAKE",
    "TAR",
    "GIT",
    "CURL",
    "DOCKER",
    "HOSTCC",
    "CROSS_COMPILE",
    "LINKER",
];

fn foreign() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "the tasks would be text that is in no file of the project; write the commands out",
    )
}

fn is_stdin(file: &str) -> bool {
    file == "-"
        || file == "/dev/stdin"
        || file.starts_with("/dev/fd/")
        || file.starts_with("/proc/")
}

/// Judges the arguments of `make` and `just`, and the variables that their files see.
pub(in crate::rules) fn judge(
    w: &mut Walker<'_>,
    name: &str,
    call: &Call,
    st: &State,
) -> Judged<()> {
    match name {
        "make" | "gmake" | "bmake" | "pmake" | "remake" | "colormake" => {
            arguments(w, call.args(), st)?;
        }
        "just" => {
            unread(call.args(), &["-f", "--justfile"])?;
            settings(w, call.args(), st)?;
        }
        "task" | "go-task" => return unread(call.args(), &["-t", "--taskfile"]),
        _ => return Ok(()),
    }
    environment(w, call, st)
}

/// Refuses a task file that is not one of the project.
fn unread(args: &[String], options: &'static [&'static str]) -> Judged<()> {
    if super::files::values(args, options).any(is_stdin) {
        return Err(foreign());
    }
    Ok(())
}

fn arguments(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    for (at, arg) in args.iter().enumerate() {
        let next = args.get(at + 1).map_or("", String::as_str);
        let file = match arg.as_str() {
            "-f" | "--file" | "--makefile" => Some(next),
            long => ["--file=", "--makefile=", "-f"]
                .iter()
                .find_map(|prefix| long.strip_prefix(prefix)),
        };
        if file.is_some_and(is_stdin)
            || arg.starts_with("--eval")
            || arg.starts_with("-E")
            || arg.starts_with("SHELL=")
            || arg.starts_with(".SHELLFLAGS=")
        {
            return Err(foreign());
        }
        if let Some((name, value)) = arg.split_once('=')
            && !arg.starts_with('-')
        {
            variable(
                w,
                name.trim_end_matches([':', '?', '+', '!', ' ']),
                value,
                st,
            )?;
        }
    }
    Ok(())
}

/// Judges the values that `just` is given for the variables of its file.
fn settings(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let set = args.iter().filter(|arg| !arg.starts_with('-'));
    for (name, value) in set.filter_map(|arg| arg.split_once('=')) {
        variable(w, name, value, st)?;
    }
    Ok(())
}

/// Judges variables of the environment, which are variables of the task file as well.
fn environment(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let of_shell = st.vars.iter().filter(|(_, var)| var.exported);
    let mut given: Vec<(String, String)> = of_shell
        .map(|(name, var)| (name.clone(), var.value()))
        .collect();
    given.sort();
    given.extend(call.env.iter().cloned());
    for (name, value) in given {
        forbidden(w, &name, &value, st)?;
    }
    Ok(())
}

/// Refuses a value that is a forbidden command by itself. What a message says is only said.
fn forbidden(w: &mut Walker<'_>, name: &str, value: &str, st: &State) -> Judged<()> {
    const SAID: &[&str] = &["msg", "message", "title", "description", "subject", "note"];
    let name = name.to_lowercase();
    if !value.contains(' ') || SAID.iter().any(|end| name.ends_with(end)) {
        return Ok(());
    }
    fragments::judge(w, &[Rc::from(value)], Around::Shell, st)
}

/// A variable of make: the value of a tool is a command, and any value may be one, or go on behind a separator.
fn variable(w: &mut Walker<'_>, name: &str, value: &str, st: &State) -> Judged<()> {
    if value.contains('`') || value.contains("$(shell") || value.contains("${shell") {
        return Err(foreign());
    }
    if TOOLS.contains(&name) && !value.is_empty() && !is_tool_name(value) {
        let code = if begins_command(value) {
            format!("{value} ./own")
        } else {
            value.to_owned()
        };
        w.script(&code, &mut st.for_program())?;
    }
    forbidden(w, name, value, st)?;
    for part in value.split([';', '|', '&', '\n']).skip(1) {
        if !part.trim().is_empty() {
            w.script(part, &mut st.for_program())?;
        }
    }
    Ok(())
}

/// Whether a value is an interpreter with plain options, which the makefile gives a script of the project.
fn begins_command(value: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=.,:+ ".contains(c);
    let mut words = value.split_whitespace();
    let program = words.next().unwrap_or_default();
    // A value of an option may stand apart; without one the rest are options.
    crate::interpreters::is_language(program)
        && value.chars().all(plain)
        && !words.any(|word| matches!(word, "-" | "-c" | "-e" | "-m" | "-p" | "-r" | "-s" | "-i"))
}

/// `MAKEFLAGS`: only options that change how make works, not what it runs.
pub(in crate::rules) fn judge_flags(value: &str) -> Judged<()> {
    let plain = value.split_whitespace().all(|word| {
        let letters = word.trim_start_matches('-');
        let short =
            !word.starts_with("--") && letters.chars().all(|c| "jksrRwOinBl0123456789".contains(c));
        short
            || [
                "--no-print-directory",
                "--output-sync",
                "--jobs",
                "--silent",
                "--keep-going",
                "--load-average",
                "--no-builtin-rules",
                "--warn-undefined-variables",
                "--always-make",
                "--trace",
            ]
            .iter()
            .any(|flag| word == *flag || word.starts_with(&format!("{flag}=")))
    });
    if plain { Ok(()) } else { Err(foreign()) }
}
