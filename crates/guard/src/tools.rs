//! The tools of the agent CLIs: which run shell text, which write files, which read, which delegate.
//!
//! Knows names and fields only. A tool with no known name is judged like one of a tool server, by its verb.

use serde_json::Value;

use super::fields;
use super::judge::malformed;
use super::mcp;
use super::patches::patch;
use super::paths::Place;
use super::policy::{Judged, Refusal, rule};
use super::searches;
use super::shell::state::State;
use super::shell::text;
use super::shell::walk::Walker;
use super::tool_names::{Kind, kind};
use super::tool_paths::{of_address, paths, readings, written};

/// Judges one tool call made in `place`.
pub(crate) fn judge(w: &mut Walker<'_>, tool: &str, input: &Value, place: &Place) -> Judged<()> {
    if tool.trim().is_empty() {
        return Err(malformed("the tool call names no tool"));
    }
    let found = if tool.contains("__") && tool.starts_with("mcp") {
        None
    } else {
        kind(tool)
    };
    // A refusal by name holds whatever the input is.
    if found == Some(Kind::Delegation) {
        return Err(Refusal::new(
            rule::DELEGATION,
            format!(
                "{} is not used here; delegate and ask through grove mail",
                text::brief(tool)
            ),
        ));
    }
    let Value::Object(given) = input else {
        return Err(malformed(format!(
            "the input of {} is not an object",
            text::brief(tool)
        )));
    };
    if nests_too_deep(input) {
        return Err(malformed(format!(
            "the input nests deeper than {DEEPEST} levels; make it flatter"
        )));
    }
    if forged(input) {
        return Err(malformed(
            "the input holds private characters; leave them out",
        ));
    }
    if found.is_some() {
        fields::plain(given)?;
    }
    let mut st = w.start(place.clone());
    match found {
        // A look at what a program has printed meanwhile: nothing is typed.
        Some(Kind::Shell) if given.get("chars").and_then(Value::as_str) == Some("") => Ok(()),
        Some(Kind::Shell) => {
            let exact = ["bash", "run_shell_command"]
                .iter()
                .any(|name| tool.eq_ignore_ascii_case(name));
            shell(w, input, exact, &mut st)
        }
        Some(Kind::Write(content)) => {
            let paths = written(tool, input)?;
            for name in content.into_iter().chain([
                "content",
                "old_string",
                "new_string",
                "oldString",
                "newString",
            ]) {
                match given.get(name) {
                    Some(Value::String(_)) => {}
                    None if content != Some("content")
                        || name != "content"
                        || given.contains_key("file_text") => {}
                    _ => return Err(malformed(format!("{name} must be text"))),
                }
            }
            write_all(w, &paths, &st)
        }
        Some(Kind::Edit) => {
            let paths = written(tool, input)?;
            fields::edit(given)?;
            write_all(w, &paths, &st)
        }
        Some(Kind::Cell) => {
            let paths = written(tool, input)?;
            fields::cell(given)?;
            write_all(w, &paths, &st)
        }
        Some(Kind::Editor) => {
            let paths = paths(input, true)?;
            match given.get("command").and_then(Value::as_str) {
                Some("view") => read_all(w, &paths, &st),
                Some(
                    "create" | "write" | "str_replace" | "insert" | "undo_edit" | "delete"
                    | "rename" | "diff",
                ) => write_all(w, &paths, &st),
                _ => Err(malformed("the editor call has no known command")),
            }
        }
        Some(Kind::Patch) => patch(w, input, &st),
        Some(Kind::Read) => {
            let several = given.get("paths").or_else(|| given.get("include"));
            let paths = match several {
                Some(list) => strings(list)?,
                None => paths(input, true)?,
            };
            read_all(w, &paths, &st)
        }
        Some(Kind::Search) => searches::judge(w, tool, given, &st),
        Some(Kind::Harmless) => match given.get("url").and_then(Value::as_str) {
            Some(url) if url.trim_start().to_lowercase().starts_with("file:") => Err(Refusal::new(
                rule::NETWORK,
                "a file is read with the file tools, not fetched",
            )),
            _ => {
                let uri = given.get("uri").and_then(Value::as_str);
                if let Some(path) = uri.and_then(of_address) {
                    read_all(w, &[path], &st)?;
                }
                fields::web(tool, given)?;
                fields::named(tool, given)
            }
        },
        Some(Kind::Settings) => Err(Refusal::new(
            rule::PROTECTED,
            "this tool changes settings outside your worktree; record what you learned by mail instead",
        )),
        Some(Kind::Delegation) => Ok(()),
        None => mcp::judge(w, tool, input, &st),
    }
}

/// The refusal of a call without a command.
pub(super) fn no_command() -> Refusal {
    malformed("the shell call has no command text")
}

/// Enters the folder that a call of a shell tool names, in whatever word for it.
fn enter_named(w: &mut Walker<'_>, input: &Value, st: &mut State) -> Judged<()> {
    let fields = input.as_object().into_iter().flatten();
    for (name, value) in fields.filter(|(name, _)| mcp::says_a_place(name)) {
        match value {
            Value::String(value) if !value.is_empty() => {
                let mut read = readings(value).into_iter().map(|folder| {
                    let mut there = st.clone();
                    w.enter(&folder, &mut there);
                    there
                });
                if let Some(mut first) = read.next() {
                    read.for_each(|other| first.join(other));
                    *st = first;
                }
            }
            Value::Null | Value::String(_) => {}
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                return Err(malformed(format!("{name} must be text")));
            }
        }
    }
    Ok(())
}

/// Judges the command of a shell tool: text, or words as one CLI sends them.
///
/// `exact`: the tool is known to take its text in `command` and nowhere else.
pub(crate) fn shell(w: &mut Walker<'_>, input: &Value, exact: bool, st: &mut State) -> Judged<()> {
    let missing = no_command;
    enter_named(w, input, st)?;
    if let Some(env) = input.get("env").and_then(Value::as_object) {
        for (name, value) in env {
            w.check_variable(name, value.as_str().unwrap_or(""), st)?;
        }
    }
    st.plain |= known_shell(input)?;
    let named = [
        "command",
        "cmd",
        "input",
        "chars",
        "script",
        "commandLine",
        "CommandLine",
    ];
    let Some(command) = named
        .iter()
        .filter(|name| !exact || **name == "command")
        .find_map(|name| input.get(name))
    else {
        return Err(missing());
    };
    match command {
        Value::String(code) if !code.trim().is_empty() => {
            if code.contains('\0') {
                return Err(malformed("the command holds a zero byte"));
            }
            w.command_line(code, st).map(|_| ())
        }
        Value::Array(words) if input.get("cmd").is_none() && (!exact || is_argv(words)) => {
            let argv = strings(command)?;
            let call = super::commands::Call {
                argv,
                env: Vec::new(),
                stdin: None,
            };
            w.run(call, st).map(|_| ())
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => Err(missing()),
    }
}

/// Shells whose language the text is read in.
const SHELLS: &[&str] = &["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh"];

/// Where they are.
const PLACES: &[&str] = &[
    "/bin",
    "/usr/bin",
    "/usr/local/bin",
    "/opt/homebrew/bin",
    "/opt/local/bin",
    "/run/current-system/sw/bin",
];

/// Some tools start the text with a shell that the call names: another program could make anything of it. Says whether
/// it may be one without the words of bash.
pub(super) fn known_shell(input: &Value) -> Judged<bool> {
    let shell = match input.get("shell") {
        None | Some(Value::Null | Value::Bool(_)) => return Ok(false),
        Some(Value::String(shell)) if shell.is_empty() => return Ok(false),
        Some(Value::String(shell)) => shell,
        Some(Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
            return Err(malformed("shell must be text"));
        }
    };
    let (place, name) = match shell.rsplit_once('/') {
        Some((place, name)) => (Some(place), name),
        None => (None, shell.as_str()),
    };
    if SHELLS.contains(&name) && place.is_none_or(|place| PLACES.contains(&place)) {
        return Ok(matches!(name, "sh" | "dash" | "ash"));
    }
    Err(Refusal::new(
        rule::UNPROVEN,
        format!(
            "{} is not a known shell; leave shell out, or name /bin/bash or /bin/sh",
            text::brief(shell)
        ),
    ))
}

/// One CLI sends `["bash", "-lc", text]` or `["apply_patch", text]`, whatever it calls its tool; any other list is not
/// what a tool takes whose command is text.
fn is_argv(words: &[Value]) -> bool {
    match words {
        [Value::String(shell), Value::String(flag), Value::String(_)] => {
            shell.ends_with("sh") && flag.starts_with('-') && flag.ends_with('c')
        }
        [Value::String(program), Value::String(_)] => {
            matches!(program.as_str(), "apply_patch" | "applypatch")
        }
        _ => false,
    }
}

pub(super) fn write_all(w: &mut Walker<'_>, paths: &[String], st: &State) -> Judged<()> {
    for path in paths.iter().flat_map(|path| readings(path)) {
        w.charge(16)?;
        w.write_path(&path, st)?;
        // A folder cannot be written as a file; naming the worktree itself is a mistake or worse.
        if st
            .cwd
            .iter()
            .any(|place| w.paths.zone(&path, place) == super::paths::Zone::Top)
        {
            return Err(malformed(
                "the path is your worktree itself; name a file in it",
            ));
        }
    }
    Ok(())
}

pub(super) fn read_all(w: &mut Walker<'_>, paths: &[String], st: &State) -> Judged<()> {
    for path in paths.iter().flat_map(|path| readings(path)) {
        w.read_path(&path, st)?;
    }
    Ok(())
}

fn strings(value: &Value) -> Judged<Vec<String>> {
    match value {
        Value::String(one) => Ok(vec![one.clone()]),
        Value::Array(items) if !items.is_empty() => items
            .iter()
            .map(|item| {
                item.as_str()
                    .map(str::to_owned)
                    .ok_or_else(|| malformed("a list item is not text"))
            })
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Err(malformed("a list of text is missing"))
        }
    }
}

/// Lists and objects in one another that are followed. No tool takes more.
const DEEPEST: usize = 100;

fn nests_too_deep(value: &Value) -> bool {
    let mut level: Vec<&Value> = vec![value];
    for _ in 0..=DEEPEST {
        level = level
            .into_iter()
            .flat_map(|value| match value {
                Value::Array(items) => items.iter().collect(),
                Value::Object(fields) => fields.values().collect(),
                Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
            })
            .collect();
        if level.is_empty() {
            return false;
        }
    }
    true
}

/// Whether any text in the value holds one of the private characters the guard computes with.
fn forged(value: &Value) -> bool {
    match value {
        Value::String(value) => text::is_forged(value),
        Value::Array(items) => items.iter().any(forged),
        Value::Object(fields) => fields
            .iter()
            .any(|(key, value)| text::is_forged(key) || forged(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
