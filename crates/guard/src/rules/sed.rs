//! `sed`: what its scripts write and run.
//!
//! Scripts come from the command line, from files this command wrote, and from standard input.

use super::flags::parse;
use super::streams::program_file;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::Walker;

pub(super) fn sed(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let flags = parse(args, "efli?", &["expression", "file", "line-length"]);
    let in_place =
        flags.has(&["i", "in-place"]) || flags.options.iter().any(|(name, _)| name == "I");
    let mut scripts: Vec<String> = flags
        .values(&["e", "expression"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    let script_files: Vec<String> = flags
        .values(&["f", "file"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    // An empty name is no file: `sed -i '' -e …` is how other systems spell it.
    let mut files = flags.operands.clone();
    if !scripts.is_empty() || !script_files.is_empty() {
        files.retain(|file| !file.is_empty());
    }
    if scripts.is_empty() && script_files.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    if in_place {
        w.need_writer("edits files in place")?;
    }
    for path in script_files {
        scripts.extend(program_file(w, &path, call, st)?);
    }
    for suffix in flags.values(&["i", "in-place", "I"]) {
        w.backup(suffix, st)?;
    }
    let sandboxed = flags.has(&["sandbox"]);
    for script in &scripts {
        if text::is_any(script) {
            // Unknown text in a script could be `w` or `e`; a plain substitution around it is common.
            if !w.role.writes() && in_place {
                return Err(read_only("edits files in place"));
            }
            if !safe_with_unknown(script) {
                return Err(Refusal::new(
                    rule::UNPROVEN,
                    "the sed script is not known before it runs; write it out",
                ));
            }
            continue;
        }
        if sandboxed {
            continue;
        }
        for effect in sed_effects(script) {
            match effect {
                SedEffect::Write(path) => {
                    w.charge(10)?;
                    w.write_path(&path, st)?;
                }
                SedEffect::Read(path) => {
                    w.charge(4)?;
                    w.read_path(&path, st)?;
                }
                SedEffect::Run(code) => {
                    w.script(&code, &mut st.for_program())?;
                }
                SedEffect::RunInput => {
                    return Err(Refusal::new(
                        rule::UNPROVEN,
                        "sed would run its input as commands; use the shell directly",
                    ));
                }
            }
        }
    }
    for path in &files {
        w.read_path(path, st)?;
        if in_place {
            w.write_path(path, st)?;
        }
    }
    Ok(())
}

/// `s/a/$UNKNOWN/` and `$N,$Mp`: unknown text between delimiters stays data unless it holds the delimiter.
fn safe_with_unknown(script: &str) -> bool {
    let rest = script.trim_start();
    let before: &str = rest.split(ANY).next().unwrap_or("");
    let ends_plain = rest.ends_with('p')
        || rest.ends_with('d')
        || rest.ends_with('g')
        || rest.ends_with('/')
        || rest.ends_with('|')
        || rest.ends_with('#')
        || rest.ends_with(',');
    ends_plain
        && (before.contains('s')
            || before.is_empty()
            || before.ends_with([',', '/'])
            || before.bytes().all(|c| c.is_ascii_digit()))
}

enum SedEffect {
    Read(String),
    Write(String),
    Run(String),
    RunInput,
}

/// Finds `w file`, `e command` and the `w`/`e` flags of `s` in a sed script.
fn sed_effects(script: &str) -> Vec<SedEffect> {
    let chars: Vec<char> = script.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    let line_from = |from: usize| -> (String, usize) {
        let mut end = from;
        while chars.get(end).is_some_and(|c| *c != '\n') {
            end += 1;
        }
        let line: String = chars.get(from..end).unwrap_or_default().iter().collect();
        (line.trim().to_owned(), end)
    };
    // Skips to behind the next unescaped delimiter.
    let skip = |from: usize, delimiter: char| -> usize {
        let mut end = from;
        let mut in_class = false;
        while let Some(&c) = chars.get(end) {
            if c == '\\' {
                end += 2;
                continue;
            }
            if c == '[' {
                in_class = delimiter != '[';
            }
            if c == ']' {
                in_class = false;
            }
            if c == delimiter
                && !(in_class
                    && chars
                        .get(end..)
                        .unwrap_or_default()
                        .iter()
                        .take(40)
                        .any(|c| *c == ']')
                    && delimiter == '/')
            {
                return end + 1;
            }
            end += 1;
        }
        end
    };
    while let Some(&c) = chars.get(at) {
        match c {
            ' ' | '\t' | '\n' | ';' | '{' | '}' | '!' | ',' | '$' | '~' | '+' => at += 1,
            c if c.is_ascii_digit() => at += 1,
            '/' => at = skip(at + 1, '/'),
            '\\' => {
                let delimiter = chars.get(at + 1).copied().unwrap_or('/');
                at = skip(at + 2, delimiter);
            }
            '#' => at = line_from(at).1,
            's' | 'y' => {
                let delimiter = chars.get(at + 1).copied().unwrap_or('/');
                let middle = skip(at + 2, delimiter);
                let mut end = skip(middle, delimiter);
                if c == 's' {
                    while let Some(&flag) = chars.get(end) {
                        match flag {
                            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => end += 1,
                            'e' => {
                                found.push(SedEffect::RunInput);
                                end += 1;
                            }
                            'w' => {
                                let (path, next) = line_from(end + 1);
                                found.push(SedEffect::Write(path));
                                end = next;
                            }
                            _ => break,
                        }
                    }
                }
                at = end;
            }
            'w' | 'W' => {
                let (path, next) = line_from(at + 1);
                found.push(SedEffect::Write(path));
                at = next;
            }
            'r' | 'R' => {
                let (path, next) = line_from(at + 1);
                found.push(SedEffect::Read(path));
                at = next;
            }
            'e' => {
                let (code, next) = line_from(at + 1);
                found.push(if code.is_empty() {
                    SedEffect::RunInput
                } else {
                    SedEffect::Run(code)
                });
                at = next;
            }
            // Labels end at a semicolon or a blank, also where they are set; text goes to the end of the line.
            'b' | 't' | 'T' | ':' => {
                at += 1;
                while chars.get(at).is_some_and(|c| matches!(c, ' ' | '\t')) {
                    at += 1;
                }
                while chars
                    .get(at)
                    .is_some_and(|c| !matches!(c, ';' | '}') && !c.is_whitespace())
                {
                    at += 1;
                }
            }
            'a' | 'i' | 'c' => at = line_from(at + 1).1,
            _ => at += 1,
        }
    }
    found
}
