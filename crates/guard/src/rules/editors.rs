//! Editors: scripted ones can write any file and run commands from their arguments or input.
//!
//! An interactive editor needs a person; agents have file tools instead, so only scripted use is judged. The
//! languages of the scripts are read in `ex`, `ed` and `elisp`.

use super::flags::{Flags, parse};
use super::streams::program_file;
use super::{ed, elisp, ex};
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    match name {
        "vi" | "vim" | "nvim" | "ex" | "view" | "rvim" | "vimdiff" | "ed" | "red" | "emacs"
        | "emacsclient" | "nano" | "pico" | "micro" | "hx" | "helix" | "kak" | "joe" | "mg"
        | "code" | "cursor" | "subl" | "gedit" | "kate" | "zed" | "mcedit" | "ne" | "jed" => {
            Some(edit(w, name, call, st))
        }
        _ => None,
    }
}

/// The language of an editor's scripts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Ex,
    Ed,
    Elisp,
    /// Not known here.
    Other,
}

fn language(name: &str) -> Language {
    match name {
        "vi" | "vim" | "nvim" | "ex" | "view" | "rvim" | "vimdiff" => Language::Ex,
        "ed" | "red" => Language::Ed,
        "emacs" | "emacsclient" => Language::Elisp,
        _ => Language::Other,
    }
}

pub(super) fn unknown_script() -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        "the editor script is not known before it runs; write it out",
    )
}

/// Of a command that is not known to be harmless.
pub(super) fn doubtful(command: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} in an editor script could run or write anything; use the file tools",
            text::brief(command)
        ),
    )
}

fn edit(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    if args.iter().any(|arg| arg == "--version" || arg == "--help") {
        return Ok(());
    }
    if !w.role.writes() {
        return match shown(name, args) {
            Some(files) => files.into_iter().try_for_each(|file| w.read_path(file, st)),
            None => Err(read_only("opens an editor")),
        };
    }
    let language = language(name);
    let letters = match language {
        Language::Ex => "cSuUirwWTtqs",
        Language::Ed => "p",
        Language::Elisp => "luftTdx",
        Language::Other => "cSuUirwWTle",
    };
    // Emacs takes its long options with one dash as well.
    let long: Vec<String>;
    let args = if language == Language::Elisp {
        long = args
            .iter()
            .map(|arg| match arg.strip_prefix('-') {
                Some(name) if name.len() > 1 && !name.starts_with('-') => format!("--{name}"),
                Some(_) | None => arg.clone(),
            })
            .collect();
        &long
    } else {
        args
    };
    let flags = parse(
        args,
        letters,
        &[
            "cmd",
            "eval",
            "execute",
            "load",
            "funcall",
            "script",
            "command",
            "startuptime",
            "listen",
            "server",
            "servername",
        ],
    );
    let flags = match language {
        Language::Ex => keys_or_silence(name, args, flags),
        Language::Ed | Language::Elisp | Language::Other => flags,
    };
    match language {
        Language::Ex => vim(w, name, args, &flags, call, st)?,
        Language::Ed => {
            if let Some(input) = &call.stdin {
                ed::judge(w, input, st)?;
            }
            if let Some(code) = flags.first().strip_prefix('!') {
                return w.script(code, &mut st.for_program()).map(|_| ());
            }
        }
        Language::Elisp => emacs(w, &flags, call, st)?,
        Language::Other => other(&flags)?,
    }
    for file in flags
        .operands
        .iter()
        .filter(|file| !file.starts_with('+') && *file != "-")
    {
        w.write_path(file, st)?;
    }
    Ok(())
}

/// The files a script of Vim only prints: opened for reading, with commands that print and leave.
fn shown<'a>(name: &str, args: &'a [String]) -> Option<Vec<&'a str>> {
    let mut files = Vec::new();
    let mut reads = name == "view";
    let mut silent = name == "ex";
    let mut words = args.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let script = match word {
            "-c" => Some(words.next()?),
            "-u" | "-i" if words.next()? == "NONE" => None,
            "-es" | "-Es" | "-e" | "-E" => {
                silent = true;
                None
            }
            "-R" | "-M" | "-s" | "-n" | "-N" | "--clean" => {
                reads |= matches!(word, "-R" | "-M");
                None
            }
            word if word.starts_with('+') => word.get(1..),
            word if word.starts_with('-') => return None,
            file => {
                files.push(file);
                None
            }
        };
        let prints = |command: &str| {
            let command = command
                .trim()
                .trim_start_matches(|c: char| c.is_ascii_digit() || "%$,.+".contains(c));
            matches!(
                command,
                "" | "p"
                    | "print"
                    | "nu"
                    | "number"
                    | "l"
                    | "list"
                    | "q"
                    | "q!"
                    | "qa"
                    | "qa!"
                    | "quit"
                    | "quit!"
                    | "qall"
                    | "qall!"
            )
        };
        if script.is_some_and(|script| !script.split('|').all(prints)) {
            return None;
        }
    }
    let vi = matches!(name, "vi" | "vim" | "nvim" | "ex" | "view");
    (vi && reads && silent).then_some(files)
}

/// `-s` is a file of keys, unless `-e` came before it: then it means silence and takes no value, and the word behind
/// it is a file that is edited.
fn keys_or_silence(name: &str, args: &[String], flags: Flags) -> Flags {
    let quiet = parse(args, "cSuUirwWTtq", &["cmd", "startuptime", "listen"]);
    if is_silent(name, args, &quiet) {
        quiet
    } else {
        flags
    }
}

/// Whether the editor is in its mode of lines before `-s` is read.
fn is_silent(name: &str, args: &[String], flags: &Flags) -> bool {
    let silences =
        |arg: &String| arg.starts_with('-') && !arg.starts_with("--") && arg.contains(['e', 'E']);
    let first = args.iter().position(silences).unwrap_or(args.len());
    let typed = args.iter().position(|arg| arg == "-s");
    let told = flags.has(&["e"]) || flags.has(&["E"]);
    name == "ex" || told && typed.is_none_or(|at| first < at)
}

fn vim(
    w: &mut Walker<'_>,
    name: &str,
    args: &[String],
    flags: &Flags,
    call: &Call,
    st: &State,
) -> Judged<()> {
    let ex_mode = is_silent(name, args, flags);
    let mut st = st.clone();
    for script in flags.values(&["cmd", "c"]) {
        ex::judge(w, script, &mut st)?;
    }
    for script in flags
        .operands
        .iter()
        .filter_map(|arg| arg.strip_prefix('+'))
    {
        ex::judge(w, script, &mut st)?;
    }
    for file in flags.values(&["S", "u", "U"]) {
        if matches!(file, "NONE" | "NORC" | "DEFAULTS" | "") {
            continue;
        }
        if let Some(script) = program_file(w, file, call, &st)? {
            ex::judge(w, &script, &mut st)?;
        }
    }
    // Keys that are typed could be anything.
    if !ex_mode {
        for file in flags
            .values(&["s"])
            .into_iter()
            .filter(|file| !file.is_empty())
        {
            if program_file(w, file, call, &st)?.is_some() {
                return Err(unknown_script());
            }
        }
    }
    for file in flags.values(&["w", "W", "i", "startuptime"]) {
        if !matches!(file, "NONE" | "") && !file.bytes().all(|c| c.is_ascii_digit()) {
            w.write_path(file, &st)?;
        }
    }
    for arg in args {
        // `-V10file` keeps messages in a file.
        let log = arg
            .strip_prefix("-V")
            .map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
        if let Some(file) = log.filter(|file| !file.is_empty()) {
            w.write_path(file, &st)?;
        }
        if arg.starts_with("--remote") || name == "nvim" && (arg == "-l" || arg == "-ll") {
            return Err(doubtful(arg));
        }
    }
    // With `-` the input is text to edit.
    let text_only = args.iter().any(|arg| arg == "-") && !ex_mode;
    if let Some(input) = call.stdin.as_ref().filter(|_| !text_only) {
        ex::judge(w, input, &mut st)?;
    }
    Ok(())
}

fn emacs(w: &mut Walker<'_>, flags: &Flags, call: &Call, st: &State) -> Judged<()> {
    for code in flags.values(&["eval", "execute", "e"]) {
        elisp::judge(w, code, st)?;
    }
    for function in flags.values(&["f", "funcall"]) {
        elisp::function(function)?;
    }
    for file in flags.values(&["l", "load", "script", "x"]) {
        let path = file.contains(['/', '.']);
        if path && let Some(code) = program_file(w, file, call, st)? {
            elisp::judge(w, &code, st)?;
        }
    }
    Ok(())
}

/// Scripts of an editor that is not known here.
fn other(flags: &Flags) -> Judged<()> {
    match flags
        .values(&["c", "e", "cmd", "command", "execute", "eval"])
        .first()
    {
        Some(script) => Err(doubtful(script)),
        None => Ok(()),
    }
}
