//! Stream editors and filters with a script or an output option: `sed`, `awk`, `sort`, `uniq` and the like.
//!
//! Their scripts can write files and run commands; both are looked for inside the script.

use super::flags::parse;
use crate::guard::commands::{Call, read_only};
use crate::guard::policy::{Judged, Refusal, rule};
use crate::guard::shell::state::State;
use crate::guard::shell::text::{self, ANY};
use crate::guard::shell::walk::Walker;

pub(super) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Option<Judged<()>> {
    let args = call.args();
    Some(match name {
        "sed" | "gsed" | "ssed" => sed(w, args, st),
        "awk" | "gawk" | "mawk" | "nawk" | "goawk" | "original-awk" => awk(w, args, st),
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
        "m4" => {
            let input = call.stdin.as_deref().unwrap_or("");
            if input.contains("syscmd")
                || input.contains(ANY)
                || args.iter().any(|arg| arg.contains("syscmd"))
            {
                return Some(Err(Refusal::new(
                    rule::UNPROVEN,
                    "m4 could run commands here; use a project file",
                )));
            }
            w.need_writer("runs a macro file")
        }
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
            "openssl may not listen or load engines here",
        )),
        _ => Ok(()),
    }
}

fn sed(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(args, "efli?", &["expression", "file", "line-length"]);
    let in_place =
        flags.has(&["i", "in-place"]) || flags.options.iter().any(|(name, _)| name == "I");
    let mut scripts: Vec<String> = flags
        .values(&["e", "expression"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    let script_file = flags.value(&["f", "file"]).map(str::to_owned);
    let mut files = flags.operands.clone();
    if scripts.is_empty() && script_file.is_none() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    if in_place {
        w.need_writer("edits files in place")?;
    }
    if let Some(path) = script_file {
        // A sed file can write and run like any script.
        let known = w.content(&path, st);
        if !text::is_any(&known) {
            scripts.push(known.to_string());
        } else {
            w.need_writer("runs a sed script file")?;
        }
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
                SedEffect::Write(path) => w.write_path(&path, st)?,
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
            'e' => {
                let (code, next) = line_from(at + 1);
                found.push(if code.is_empty() {
                    SedEffect::RunInput
                } else {
                    SedEffect::Run(code)
                });
                at = next;
            }
            'a' | 'i' | 'c' | 'r' | 'R' | ':' | 'b' | 't' | 'T' => {
                let (line, next) = line_from(at + 1);
                // One-line labels end at a semicolon; text goes to the end of the line.
                at = if matches!(c, 'b' | 't' | 'T') {
                    at + 1 + line.find(';').unwrap_or(next - at - 1)
                } else {
                    next
                };
            }
            _ => at += 1,
        }
    }
    found
}

fn awk(w: &mut Walker<'_>, args: &[String], st: &State) -> Judged<()> {
    let flags = parse(
        args,
        "FfveiElm",
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
    let mut programs: Vec<String> = flags
        .values(&["e", "source"])
        .into_iter()
        .map(str::to_owned)
        .collect();
    let from_file = flags.has(&["f", "file", "E", "exec"]);
    let loads = flags.has(&["l", "load"]);
    let in_place = flags
        .values(&["i", "include"])
        .iter()
        .any(|library| library.contains("inplace"));
    let mut files = flags.operands.clone();
    if programs.is_empty() && !from_file && !files.is_empty() {
        programs.push(files.remove(0));
    }
    if from_file || loads {
        w.need_writer("runs an awk script file")?;
    }
    for program in &programs {
        awk_program(w, program, st)?;
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

/// Looks for `system()`, pipes, and redirected output in an awk program.
fn awk_program(w: &mut Walker<'_>, program: &str, st: &State) -> Judged<()> {
    if text::is_any(program) {
        return Err(Refusal::new(
            rule::UNPROVEN,
            "the awk program is not known before it runs; write it out",
        ));
    }
    let chars: Vec<char> = program.chars().collect();
    let mut at = 0;
    let mut previous = ' ';
    let mut last_string: Option<String> = None;
    let mut printing = false;
    let mut depth = 0_i32;
    while let Some(&c) = chars.get(at) {
        match c {
            '"' => {
                let (value, end) = awk_string(&chars, at + 1);
                at = end;
                last_string = Some(value);
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
                        let code = awk_argument(&chars, at);
                        run_text(w, code, st)?;
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
                if word.trim_start().starts_with("getline") {
                    run_text(w, last_string.clone(), st)?;
                } else {
                    let code = awk_argument_plain(&chars, from);
                    run_text(w, code, st)?;
                }
            }
            '>' if printing && depth == 0 => {
                let from = at + 1 + usize::from(chars.get(at + 1) == Some(&'>'));
                if chars.get(at + 1) == Some(&'=') {
                    // A comparison.
                } else {
                    match awk_argument_plain(&chars, from) {
                        Some(path) => w.write_path(&path, st)?,
                        None => w.write_path(&ANY.to_string(), st)?,
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

fn run_text(w: &mut Walker<'_>, code: Option<String>, st: &State) -> Judged<()> {
    match code {
        Some(code) => w.script(&code, &mut st.for_program()).map(|_| ()),
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
    (crate::guard::shell::output::decode_escapes(&out), at + 1)
}

/// The only string inside the parentheses of a call.
fn awk_argument(chars: &[char], from: usize) -> Option<String> {
    let mut at = from;
    while chars.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    if chars.get(at) != Some(&'(') {
        return None;
    }
    let value = awk_argument_plain(chars, at + 1)?;
    Some(value)
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
