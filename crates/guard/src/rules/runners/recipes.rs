//! Task files that the same command has just written: what a build tool would run from them is known, so it
//! is judged like a script.
//!
//! Task files that were there before belong to the project; they are not read.

use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

use serde_json::Value;

use super::files::{self, Kind};
use super::{justfile, targets, taskfile};
use crate::policy::{Judged, Refusal, rule};
use crate::rules::fragments::{self, Around};
use crate::shell::state::State;
use crate::shell::text::{self, TOKEN, brief};
use crate::shell::walk::{Walker, too_much};

/// Task files that one call may read.
const MOST_FILES: usize = 64;

/// Judges the recipes of the task files that this command wrote or changed, of those the tool would read.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    if w.written.is_empty() {
        return Ok(());
    }
    let Some((kind, mut files, inner)) = files::read_by(w, name, args, st) else {
        return Ok(());
    };
    let around = match kind {
        Kind::Make | Kind::Just => Around::Tasks,
        Kind::Package | Kind::Task => Around::Values,
    };
    let mut at = 0;
    while let Some(file) = files.get(at).cloned() {
        at += 1;
        if at > MOST_FILES {
            return Err(too_much());
        }
        // What it runs may be the same once more, in the same place. Where every line is judged, it is the same
        // whatever is asked for.
        let part = running(w, kind, &file, args, &inner)?;
        let asked = match kind {
            Kind::Make | Kind::Task if part.is_none() => String::new(),
            Kind::Make | Kind::Just | Kind::Package | Kind::Task => args.join(" "),
        };
        let mark = format!("{name} {file} {asked} in {:?}", inner.cwd);
        if w.calls.contains(&mark) {
            continue;
        }
        let Some(key) = w.key(&file, &inner) else {
            continue;
        };
        let held = w.written.get(&key).and_then(Option::as_deref);
        let foreign = held.is_some_and(|code| text::is_fetched(code) || text::is_secret(code));
        if foreign || w.has_landed(&file, &inner) {
            return Err(unread(name, &file));
        }
        let mut lines = Vec::new();
        if let Some((code, whole)) = written(w, &key) {
            w.charge(code.len() / 32)?;
            let more = files::taken_in(kind, &code);
            files.extend(more.into_iter().filter(|file| text::is_known(file)));
            lines = lines_of(kind, part.as_deref().unwrap_or(&code), whole, args);
        }
        let parts = w.parts.get(&key).map(|parts| parts.texts.clone());
        // What stands in a file of which only a part runs was looked at there.
        let apart = |text: &&Rc<str>| part.is_none() || !held_by(w, &key, text);
        let texts: Vec<Rc<str>> = parts
            .unwrap_or_default()
            .iter()
            .filter(apart)
            .map(|text| spelled(kind, text))
            .collect();
        w.calls.push(mark);
        let judged = lines
            .iter()
            .try_for_each(|line| w.script(line, &mut inner.for_program()).map(|_| ()))
            .and_then(|()| fragments::judge(w, &texts, around, &inner));
        w.calls.pop();
        judged?;
    }
    Ok(())
}

fn held_by(w: &Walker<'_>, key: &Path, text: &str) -> bool {
    written(w, key).is_some_and(|(code, whole)| whole && code.contains(text.trim()))
}

/// The part of a task file that runs, where it is known which that is.
fn running(
    w: &mut Walker<'_>,
    kind: Kind,
    file: &str,
    args: &[String],
    st: &State,
) -> Judged<Option<String>> {
    let code = w.key(file, st).and_then(|key| written(w, &key));
    let Some((code, true)) = code else {
        return Ok(None);
    };
    w.charge(code.len() / 8 + code.lines().count())?;
    Ok(match kind {
        Kind::Make => targets::that_run(&code, args),
        Kind::Just => justfile::that_run(&code, args),
        Kind::Task => taskfile::that_run(&code, args),
        // Its scripts are chosen where they are read.
        Kind::Package => None,
    })
}

fn unread(name: &str, file: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} would run {}, which is not of this project and nobody has read; put it into your worktree, read it, then run it",
            brief(name),
            brief(file)
        ),
    )
}

/// What a tool would run of a task file, as shell text.
fn lines_of(kind: Kind, code: &str, whole: bool, args: &[String]) -> Vec<String> {
    match kind {
        Kind::Package => scripts(code, args),
        Kind::Task => taskfile::commands(code)
            .iter()
            .map(|line| without_templates(line))
            .collect(),
        Kind::Just => {
            let (rest, mut scripts) = scripted(code);
            scripts.extend(recipes(&with_values(&rest), whole));
            // A variable, or what is filled in, may be what a command prints.
            let asking = |line: &&str| line.contains(":=") || line.contains("{{");
            let lines = rest.lines().filter(asking);
            let asked = lines.flat_map(|line| line.split('`').skip(1).step_by(2));
            let asked = asked.filter(|code| !code.trim().is_empty());
            scripts.extend(asked.map(str::to_owned));
            scripts
        }
        Kind::Make => recipes(code, whole),
    }
}

/// A text that went into a task file, with the usual values of variables that stand for programs.
fn spelled(kind: Kind, text: &Rc<str>) -> Rc<str> {
    match kind {
        Kind::Make => {
            let filled = |line| filled(line, &HashMap::new(), false);
            text.lines()
                .map(filled)
                .collect::<Vec<_>>()
                .join("\n")
                .into()
        }
        Kind::Just => with_values(text).into(),
        Kind::Package | Kind::Task => Rc::clone(text),
    }
}

/// The text of a file when this command wrote it and it is known, and whether it is all of it: what is put behind
/// other text is judged by itself.
fn written(w: &Walker<'_>, key: &Path) -> Option<(Rc<str>, bool)> {
    if let Some(code) = w.written.get(key)?.clone()
        && text::is_known(&code)
    {
        return Some((code, true));
    }
    let code = w.added.get(key)?;
    Some((code.as_str().into(), false))
}

/// A justfile with `{{name}}` replaced by its value, or by the program it is called after where a command begins.
fn with_values(code: &str) -> String {
    let given = |line: &str| -> Option<(String, String)> {
        let (name, value) = line.split_once(":=")?;
        let value = value.trim();
        let text = value.trim_matches(['\'', '"', '`']);
        (value.len() == text.len() + 2).then(|| (name.trim().to_owned(), text.to_owned()))
    };
    let values: HashMap<String, String> = code.lines().filter_map(given).collect();
    let mut out = String::new();
    let mut rest = code;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else {
            break;
        };
        out.push_str(before);
        let line = out.rsplit('\n').next().unwrap_or("");
        match values.get(name.trim()) {
            Some(value) => out.push_str(value),
            None if begins(line.trim_start_matches([' ', '\t', '@', '-'])) => {
                out.push_str(&program(name.trim()));
            }
            None => out.push(TOKEN),
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// `{{.NAME}}` is text that is not known here.
fn without_templates(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let (_, behind) = after.split_once("}}").unwrap_or(("", ""));
        out.push_str(before);
        out.push(TOKEN);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// The recipes of a justfile that name their interpreter, as shell text that runs them, and what is left without them.
fn scripted(code: &str) -> (String, Vec<String>) {
    let (mut rest, mut scripts) = (String::new(), Vec::new());
    let mut lines = code.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(named) = line.trim_start().strip_prefix("#!") else {
            rest.push_str(line);
            rest.push('\n');
            continue;
        };
        let mut body = String::new();
        let inset = line.len() - line.trim_start().len();
        let within = |line: &&str| line.trim().is_empty() || line.starts_with([' ', '\t']);
        while let Some(line) = lines.next_if(within) {
            body.push_str(line.get(inset..).unwrap_or("").trim_end());
            body.push('\n');
        }
        let end = "END_OF_THE_RECIPE";
        scripts.push(format!("{} <<'{end}'\n{body}{end}\n", named.trim()));
    }
    (rest, scripts)
}

/// The shell text of every recipe line, with make's own variables filled in.
fn recipes(code: &str, whole: bool) -> Vec<String> {
    let mut values: HashMap<String, String> = [
        ("MAKE", "make"),
        ("CC", "cc"),
        ("CXX", "c++"),
        ("RM", "rm -f"),
        ("AR", "ar"),
        ("CARGO", "cargo"),
        ("SHELL", "sh"),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .collect();
    let mut lines = Vec::new();
    // A line that goes on is one command.
    let code = code.replace("\\\n", " ");
    for line in code.lines() {
        if let Some(recipe) = line.strip_prefix(['\t', ' ']) {
            lines.push(
                recipe
                    .trim_start()
                    .trim_start_matches(['@', '-', '+'])
                    .to_owned(),
            );
        } else if let Some((name, value)) = line.split_once('=') {
            let name = name.trim_end_matches([':', '?', '+', '!', ' ']);
            if line.contains("!=") {
                lines.push(value.to_owned());
            }
            values.insert(name.trim().to_owned(), value.trim().to_owned());
        } else if let Some((_, recipe)) = line.split_once(';') {
            lines.push(recipe.to_owned());
        }
        if let Some((_, shell)) = line.split_once("$(shell ") {
            lines.push(shell.trim_end_matches([')', ' ']).to_owned());
        }
    }
    lines
        .iter()
        .map(|line| filled(line, &values, whole))
        .collect()
}

/// `$(NAME)` replaced by its value, `$@` and its kin by one word, `$$` by a dollar for the shell.
///
/// `whole`: the file sets no other variables.
fn filled(line: &str, values: &HashMap<String, String>, whole: bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('$') => {
                out.push('$');
                rest = chars.as_str();
            }
            Some(open @ ('(' | '{')) => {
                let close = if open == '(' { ')' } else { '}' };
                let (name, after) = chars.as_str().split_once(close).unwrap_or(("", ""));
                match values.get(name) {
                    Some(value) => out.push_str(value),
                    None if !whole && begins(&out) => out.push_str(&program(name)),
                    None => out.push(TOKEN),
                }
                rest = after;
            }
            Some(_) => {
                out.push(TOKEN);
                rest = chars.as_str();
            }
            None => rest = "",
        }
    }
    out.push_str(rest);
    out
}

/// Whether the next word is a program.
fn begins(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with(['&', '|', ';', '('])
}

/// The program in a variable that the project sets, as it is usually called: `$(GIT)` is git, `$(LINTER)` is its own.
fn program(variable: &str) -> String {
    let name = variable.to_lowercase();
    if crate::rules::is_known(&name) {
        name
    } else {
        "./own".to_owned()
    }
}

/// Commands of package managers that install what the project needs, and then run some of its scripts.
const INSTALLS: &[&str] = &[
    "i",
    "in",
    "ins",
    "inst",
    "insta",
    "instal",
    "install",
    "isntall",
    "install-clean",
    "clean-install",
    "ci",
    "ic",
    "it",
    "cit",
    "sit",
    "install-test",
    "add",
    "up",
    "update",
    "upgrade",
    "link",
    "ln",
    "rebuild",
];

/// The scripts that they run.
const UNASKED: &[&str] = &[
    "preinstall",
    "install",
    "postinstall",
    "prepublish",
    "preprepare",
    "prepare",
    "postprepare",
    "dependencies",
];

/// The scripts of a package file that this command line runs, with the ones before and after them.
fn scripts(code: &str, args: &[String]) -> Vec<String> {
    let parsed: Value = serde_json::from_str(code).unwrap_or(Value::Null);
    let Some(scripts) = parsed.get("scripts").and_then(Value::as_object) else {
        return Vec::new();
    };
    let installs = (args.is_empty() || args.iter().any(|arg| INSTALLS.contains(&arg.as_str())))
        && !args.iter().any(|arg| arg == "--ignore-scripts");
    let packs = args.iter().any(|arg| arg == "pack");
    let runs = |key: &str| {
        let plain = key
            .strip_prefix("pre")
            .or_else(|| key.strip_prefix("post"))
            .unwrap_or(key);
        args.iter()
            .any(|arg| arg == key || arg == plain || arg == "t" && plain == "test")
            || installs && UNASKED.contains(&key)
            || packs && matches!(key, "prepack" | "prepare" | "postpack")
    };
    scripts
        .iter()
        .filter(|(key, _)| runs(key))
        .filter_map(|(_, value)| value.as_str())
        .map(str::to_owned)
        .collect()
}
