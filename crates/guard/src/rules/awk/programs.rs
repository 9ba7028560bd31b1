//! `awk`: what its programs write and run.
//!
//! Programs come from the command line, from files this command wrote, and from standard input.

use super::commands::{Commands, EVERY};
use crate::commands::Call;
use crate::interpreters::refuse_jobs;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::flags::parse;
use crate::rules::streams::program_file;
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::Walker;

pub(in crate::rules) fn awk(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let flags = parse(
        args,
        "FfveiElmo?p?d?",
        &[
            "field-separator",
            "assign",
            "file",
            "source",
            "include",
            "load",
            "exec",
        ],
    );
    for (option, value) in &flags.options {
        let file = match option.as_str() {
            "o" | "p" => "awkprof.out",
            "d" => "awkvars.out",
            long if is_long(long, "pretty-print") || is_long(long, "profile") => "awkprof.out",
            long if is_long(long, "dump-variables") => "awkvars.out",
            _ => continue,
        };
        let file = value.as_deref().unwrap_or(file);
        if file != "-" {
            w.write_path(file, st)?;
        }
    }
    let mut programs: Vec<String> = flags
        .values(&["e", "source"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    let script_files: Vec<String> = flags
        .values(&["f", "file", "E", "exec"])
        .into_iter()
        .chain(
            flags
                .values(&["i", "include"])
                .into_iter()
                .filter(|library| library.contains('/')),
        )
        .map(str::to_owned)
        .collect();
    let from_file = flags.has(&["f", "file", "E", "exec"]);
    if let Some(library) = flags
        .values(&["l", "load"])
        .into_iter()
        .find(|library| library.contains(['/', '.']))
    {
        return Err(Refusal::new(
            rule::UNPROVEN,
            format!(
                "{} would be loaded into awk; leave it out",
                text::brief(library)
            ),
        ));
    }
    let in_place = flags
        .values(&["i", "include"])
        .iter()
        .any(|library| library.contains("inplace"));
    let mut files = flags.operands.clone();
    if programs.is_empty() && !from_file && !files.is_empty() {
        programs.push(files.remove(0));
    }
    let several = programs.len() + script_files.len() > 1;
    for path in script_files {
        programs.extend(program_file(w, &path, call, st)?);
    }
    // Numbers of lines and fields stay numbers unless something gives them another value.
    let numbers = !args
        .iter()
        .any(|arg| arg.contains("NR=") || arg.contains("NF="))
        && programs.iter().all(|program| keeps_numbers(program));
    // Variables that get a value from outside the program.
    let mut outside: Vec<String> = args
        .iter()
        .filter_map(|arg| arg.split_once('='))
        .map(|(name, _)| {
            name.trim_start_matches("-v")
                .trim_start_matches("--assign")
                .to_owned()
        })
        .collect();
    // What comes from elsewhere may be `name=value`.
    if several || programs.len() > 1 || files.iter().any(|file| text::is_any(file)) {
        outside.push(EVERY.to_owned());
    }
    // Given once and before the program begins.
    let once = |name: &str| outside.iter().filter(|other| *other == name).count() == 1;
    let given: Vec<(String, String)> = flags
        .values(&["v", "assign"])
        .into_iter()
        .filter_map(|given| given.split_once('='))
        .filter(|(name, value)| once(name) && programs.len() == 1 && !value.contains('\\'))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    for program in &programs {
        let before = w.pace.jobs;
        let known = Outside {
            names: &outside,
            given: &given,
            numbers,
        };
        awk_program(w, program, &known, st)?;
        if w.pace.jobs > before {
            refuse_jobs(program)?;
        }
        awk_reads(w, program, st)?;
    }
    for path in &files {
        w.read_path(path, st)?;
        if in_place {
            w.need_writer("edits files in place")?;
            w.write_path(path, st)?;
        }
    }
    Ok(())
}

/// Whether a long option is this one, shortened or not.
fn is_long(option: &str, full: &str) -> bool {
    option.len() > 1 && full.starts_with(option)
}

/// What the command line gives a program.
struct Outside<'a> {
    /// The variables that get a value from it.
    names: &'a [String],
    /// Those of which it is known which one.
    given: &'a [(String, String)],
    /// Numbers of lines and fields are numbers.
    numbers: bool,
}

impl Outside<'_> {
    /// The file behind `at` that the command line gives by a variable.
    fn given_file(&self, all: &Commands<'_>, at: usize) -> Option<Vec<String>> {
        let name = all.named_behind(at)?;
        let (_, file) = self.given.iter().find(|(given, _)| given == name)?;
        Some(vec![file.clone()])
    }
}

/// Looks for `system()`, pipes, and redirected output in an awk program.
fn awk_program(w: &mut Walker<'_>, program: &str, known: &Outside<'_>, st: &State) -> Judged<()> {
    let outside = known.names;
    if text::is_any(program) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "the awk program is not known before it runs; write it out",
        ));
    }
    // `@f(x)` calls the function whose name is in `f`.
    let indirect = program.split('@').skip(1).any(|rest| {
        let name = rest.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_');
        name.len() < rest.len() && name.trim_start().starts_with('(')
    });
    if indirect || program.contains("@load") {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "awk would call what it computes or loads; write the call out",
        ));
    }
    let chars: Vec<char> = program.chars().collect();
    let mut at = 0;
    let mut previous = ' ';
    // Taken apart only where a command is started.
    let mut commands: Option<Commands> = None;
    let mut printing = false;
    let mut depth = 0_i32;
    while let Some(&c) = chars.get(at) {
        match c {
            '"' => {
                let (_, end) = awk_string(&chars, at + 1);
                at = end;
                previous = '"';
                continue;
            }
            '#' => {
                while chars.get(at).is_some_and(|c| *c != '\n') {
                    at += 1;
                }
                continue;
            }
            '/' if !(previous.is_alphanumeric()
                || matches!(previous, ')' | ']' | '"' | '$' | '_')) =>
            {
                at += 1;
                while let Some(&c) = chars.get(at) {
                    if c == '\\' {
                        at += 1;
                    } else if c == '/' || c == '\n' {
                        break;
                    }
                    at += 1;
                }
                previous = '/';
                at += 1;
                continue;
            }
            c if c.is_alphabetic() || c == '_' => {
                let start = at;
                while chars
                    .get(at)
                    .is_some_and(|c| c.is_alphanumeric() || *c == '_')
                {
                    at += 1;
                }
                let name: String = chars.get(start..at).unwrap_or_default().iter().collect();
                match name.as_str() {
                    "system" => {
                        let all = commands.get_or_insert_with(|| Commands::new(&chars, outside));
                        run_commands(w, all.after(at), st)?;
                    }
                    "print" | "printf" => printing = true,
                    _ => {}
                }
                previous = 'a';
                continue;
            }
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if chars.get(at + 1) == Some(&'|') => at += 1,
            '|' => {
                let from = at + 1 + usize::from(chars.get(at + 1) == Some(&'&'));
                let word: String = chars
                    .get(from..)
                    .unwrap_or_default()
                    .iter()
                    .take(12)
                    .collect();
                let all = commands.get_or_insert_with(|| Commands::new(&chars, outside));
                let found = if word.trim_start().starts_with("getline") {
                    all.before(at)
                } else {
                    all.after(from)
                };
                run_commands(w, found, st)?;
                at = from;
                previous = '|';
                continue;
            }
            '>' if printing && depth == 0 => {
                let from = at + 1 + usize::from(chars.get(at + 1) == Some(&'>'));
                if chars.get(at + 1) == Some(&'=') {
                    // A comparison.
                } else {
                    let files = match awk_argument_plain(&chars, from) {
                        Some(path) => Some(vec![path]),
                        None => {
                            let all =
                                commands.get_or_insert_with(|| Commands::new(&chars, outside));
                            known
                                .given_file(all, from)
                                .or_else(|| all.files_behind(from, known.numbers))
                        }
                    };
                    for path in files.unwrap_or_else(|| vec![ANY.to_string()]) {
                        w.charge(40)?;
                        w.write_path(&path, st)?;
                    }
                    at = from;
                }
            }
            ';' | '}' | '\n' if depth <= 0 => printing = false,
            _ => {}
        }
        if !c.is_whitespace() {
            previous = c;
        }
        at += 1;
    }
    Ok(())
}

fn run_commands(w: &mut Walker<'_>, commands: Option<Vec<String>>, st: &State) -> Judged<()> {
    w.charge(20)?;
    match commands {
        Some(commands) => commands
            .iter()
            .try_for_each(|code| w.script(code, &mut st.for_program()).map(|_| ())),
        None => Err(Refusal::new(
            rule::UNPROVEN,
            "awk would run a command that it puts together; run it in the shell instead",
        )),
    }
}

fn awk_string(chars: &[char], from: usize) -> (String, usize) {
    let mut out = String::new();
    let mut at = from;
    while let Some(&c) = chars.get(at) {
        match c {
            '"' => break,
            '\\' => {
                out.push(c);
                at += 1;
                if let Some(&escaped) = chars.get(at) {
                    out.push(escaped);
                }
            }
            _ => out.push(c),
        }
        at += 1;
    }
    (crate::shell::output::decode_escapes(&out), at + 1)
}

/// A string literal that is the whole operand.
fn awk_argument_plain(chars: &[char], from: usize) -> Option<String> {
    let mut at = from;
    while chars.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    if chars.get(at) != Some(&'"') {
        return None;
    }
    let (value, mut end) = awk_string(chars, at + 1);
    while chars.get(end).is_some_and(|c| *c == ' ' || *c == '\t') {
        end += 1;
    }
    match chars.get(end) {
        None | Some(')' | ';' | '}' | '\n' | '|' | '&' | ',') => Some(value),
        Some(_) => None,
    }
}

pub(super) const NUMBERS: &[&str] = &["NR", "FNR", "NF"];

/// Whether nothing in the program can make its line numbers anything else.
fn keeps_numbers(program: &str) -> bool {
    let changes = ["sub(", "sub (", "getline", "@", "function", "SYMTAB"];
    if changes.iter().any(|word| program.contains(word)) {
        return false;
    }
    NUMBERS.iter().all(|name| {
        program.match_indices(name).all(|(at, _)| {
            let rest = program.get(at + name.len()..).unwrap_or("").trim_start();
            (!rest.starts_with('=') || rest.starts_with("==")) && !rest.starts_with("in ")
        })
    })
}

/// Files a program reads by name: with `getline`, or put among its operands.
fn awk_reads(w: &mut Walker<'_>, program: &str, st: &State) -> Judged<()> {
    if !program.contains("getline") && !program.contains("ARGV") {
        return Ok(());
    }
    let chars: Vec<char> = program.chars().collect();
    let of_environment = program.contains("ENVIRON");
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        at += 1;
        if c != '"' {
            continue;
        }
        let (value, end) = awk_string(&chars, at);
        at = end;
        if value.starts_with('/') {
            w.charge(12)?;
            w.read_path(&value, st)?;
            if of_environment {
                w.read_path(&format!("{}{value}", text::HOME), st)?;
            }
        }
    }
    Ok(())
}
