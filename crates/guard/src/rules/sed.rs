//! `sed`: what its scripts write and run.
//!
//! Scripts come from the command line, from files this command wrote, and from standard input.

use std::rc::Rc;

use super::flags::parse;
use super::streams::program_file;
use crate::commands::{Call, read_only};
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text::{self, ANY};
use crate::shell::walk::Walker;

/// Steps that reading a script takes.
const SCRIPT: usize = 8;

pub(super) fn sed(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    w.charge(SCRIPT)?;
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
    let mut texts: Vec<Rc<str>> = Vec::new();
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
        w.charge(script.len() / 32)?;
        for effect in sed_effects(script) {
            match effect {
                SedEffect::Put(text) => texts.push(text.into()),
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
            let new = w.known_text(path, st).and_then(|old| {
                scripts
                    .iter()
                    .try_fold(old, |text, script| substituted(&text, script))
            });
            w.edit_path(path, &texts, st)?;
            if scripts.iter().any(|script| text::is_fetched(script)) {
                w.download_to(path, st)?;
            }
            if let Some(new) = new {
                w.now_holds(path, &new, st);
            }
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

/// What a plain substitution makes of a text: no pattern in it, and nothing of what was found in what takes its place.
fn substituted(text: &str, script: &str) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let sign = rest
        .chars()
        .next()
        .filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
    let parts: Vec<&str> = rest.get(1..)?.split(sign).collect();
    let [pattern, new, flags] = parts.as_slice() else {
        return None;
    };
    let special = |c: char| ".[]*^$\\+?(){}|&\n".contains(c);
    if pattern.is_empty() || pattern.contains(special) || new.contains(['\\', '&', '\n']) {
        return None;
    }
    let most = match *flags {
        "" => 1,
        "g" => usize::MAX,
        _ => return None,
    };
    let lines = text.split('\n');
    let changed: Vec<String> = lines
        .map(|line| line.replacen(pattern, new, most))
        .collect();
    Some(changed.join("\n"))
}

/// The texts that a script of sed, or a substitution of perl, puts into a file.
pub(crate) fn texts_put(script: &str) -> Vec<Rc<str>> {
    let put = |effect| match effect {
        SedEffect::Put(text) => Some(text.into()),
        SedEffect::Read(_) | SedEffect::Write(_) | SedEffect::Run(_) | SedEffect::RunInput => None,
    };
    sed_effects(script).into_iter().filter_map(put).collect()
}

/// The texts that a filter may put into what it prints, by its command line.
pub(crate) fn texts_printed(argv: &[String]) -> Vec<Rc<str>> {
    let args = argv.iter().skip(1);
    match argv.first().map(String::as_str) {
        Some("sed" | "gsed" | "perl") => args.flat_map(|arg| texts_put(arg)).collect(),
        Some("jq" | "yq" | "awk" | "gawk" | "mawk" | "envsubst") => {
            args.map(|arg| arg.as_str().into()).collect()
        }
        Some(_) | None => Vec::new(),
    }
}

/// New text of a substitution as it ends up in the file, where what was found is taken to be the pattern.
fn inserted(new: &str, pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = new.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            ('&', _) => out.push_str(pattern),
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(digit) if digit.is_ascii_digit() => out.push(ANY),
                Some(other) => out.push(other),
                None => {}
            },
            (other, _) => out.push(other),
        }
    }
    out
}

enum SedEffect {
    /// Text that goes into what is edited.
    Put(String),
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
                    let part = |from: usize, to: usize| -> String {
                        let to = to.saturating_sub(1).min(chars.len());
                        chars.get(from..to).unwrap_or_default().iter().collect()
                    };
                    let new = inserted(&part(middle, end), &part(at + 2, middle));
                    found.push(SedEffect::Put(new));
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
            'a' | 'i' | 'c' => {
                // It goes on behind a backslash at the end of a line.
                let (mut text, mut next) = line_from(at + 1);
                while text.ends_with('\\') && chars.get(next).is_some() {
                    let (more, end) = line_from(next + 1);
                    text.push('\n');
                    text.push_str(&more);
                    next = end;
                }
                let text = text.strip_prefix('\\').unwrap_or(&text);
                found.push(SedEffect::Put(inserted(&text.replace('&', "\\&"), "")));
                at = next;
            }
            _ => at += 1,
        }
    }
    found
}
