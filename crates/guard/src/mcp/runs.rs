//! Tools that run commands: the call is judged like one of the shell, with every field that says what runs or where.

use serde_json::{Map, Value};

use super::fields::not_text;
use super::judge::unknown;
use super::names::{is_output, is_place, words};
use super::places;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::{Walker, quote};
use crate::tools;

/// What a call says is run, and where.
#[derive(Default)]
struct Run {
    /// Text for a shell, with the field it stands in.
    code: Vec<(String, String)>,
    /// A command as a list of words.
    lists: Vec<Vec<String>>,
    /// What follows the command.
    arguments: Option<Vec<String>>,
    /// Arguments as one text, and text that a shell reads besides.
    loose: Vec<String>,
    places: Vec<String>,
    env: Vec<(String, String)>,
}

/// Fields that hold a command.
const CODE: &[&str] = &[
    "command",
    "cmd",
    "script",
    "commands",
    "cmds",
    "input",
    "chars",
    "commandline",
    "shellcommand",
    "bashcommand",
    "clicommand",
    "fullcommand",
    "rawcommand",
    "program",
    "executable",
    "exec",
    "bash",
    "run",
];

/// Of these, the ones whose words go on in the arguments.
const PROGRAMS: &[&str] = &["command", "cmd", "program", "executable", "exec", "script"];

/// Fields that hold the words behind a command.
const ARGUMENTS: &[&str] = &[
    "args",
    "arg",
    "arguments",
    "argument",
    "argv",
    "params",
    "parameters",
    "flags",
];

/// Judges a call; `program`: what every command of the server begins with.
pub(super) fn judge(
    w: &mut Walker<'_>,
    program: Option<&str>,
    tool: &str,
    input: &Value,
    st: &State,
) -> Judged<()> {
    let mut run = Run::default();
    if let Value::Object(fields) = input {
        run.take(fields, 0)?;
    }
    if let Some(program) = program {
        run.begin_with(program);
    }
    let said = run.code.iter().any(|(_, text)| !text.trim().is_empty());
    if !said && run.lists.is_empty() {
        return Err(unknown(tool));
    }
    super::outputs::outputs(w, input, false, st, 0)?;
    for (name, value) in &run.env {
        w.check_variable(name, value, st)?;
    }
    let mut there = st.clone();
    there.plain |= tools::known_shell(input)?;
    run.enter(w, &mut there)?;
    let unquoted = input.get("shell") == Some(&Value::Bool(true));
    for line in run.lines(unquoted) {
        w.charge(1)?;
        if line.contains('\0') {
            return Err(not_text("command"));
        }
        w.command_line(&line, &mut there)?;
    }
    Ok(())
}

/// Whether a call has a field for a command at all.
pub(super) fn has_command(input: &Value) -> bool {
    let mut names = input.as_object().into_iter().flat_map(Map::keys);
    names.any(|name| is_code(&words(name)))
}

/// Whether a field holds a command, also one that runs before or after another: `pre_command`.
fn is_code(words: &[String]) -> bool {
    let last = words.last().map_or("", String::as_str);
    CODE.contains(&words.concat().as_str())
        || matches!(last, "command" | "commands" | "cmd" | "script" | "then")
}

impl Run {
    fn take(&mut self, fields: &Map<String, Value>, depth: usize) -> Judged<()> {
        for (name, value) in fields {
            let words = words(name);
            let joined = words.concat();
            let last = words.last().map_or("", String::as_str);
            if value.is_null() {
                continue;
            }
            if matches!(
                joined.as_str(),
                "options" | "opts" | "params" | "parameters"
            ) && let Value::Object(inner) = value
            {
                if depth < 8 {
                    self.take(inner, depth + 1)?;
                }
            } else if is_code(&words) {
                self.code(name, &joined, value, depth)?;
            } else if ARGUMENTS.contains(&last)
                || matches!(joined.as_str(), "argumentlist" | "arglist")
            {
                self.argument(name, value)?;
            } else if joined.starts_with("env") {
                self.variables(name, value)?;
            } else if is_place(&words) && !is_output(&words) {
                let place = value.as_str().ok_or_else(|| not_text(name))?;
                if !place.is_empty() {
                    self.places.push(place.to_owned());
                }
            }
        }
        Ok(())
    }

    fn code(&mut self, name: &str, joined: &str, value: &Value, depth: usize) -> Judged<()> {
        match value {
            Value::String(text) => self.code.push((joined.to_owned(), text.clone())),
            // Several commands, each a text or a call of its own.
            Value::Array(items) if joined.ends_with('s') => {
                for item in items {
                    if let Value::Object(inner) = item
                        && depth < 8
                    {
                        self.take(inner, depth + 1)?;
                    } else {
                        let text = item.as_str().ok_or_else(|| not_text(name))?;
                        self.code.push((joined.to_owned(), text.to_owned()));
                    }
                }
            }
            Value::Array(items) if !items.is_empty() => self.lists.push(
                items
                    .iter()
                    .map(|item| text(name, item))
                    .collect::<Judged<_>>()?,
            ),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => {
                return Err(not_text(name));
            }
        }
        Ok(())
    }

    fn argument(&mut self, name: &str, value: &Value) -> Judged<()> {
        match value {
            Value::String(text) => self.loose.push(text.clone()),
            Value::Array(items) => {
                for item in items {
                    let word = text(name, item)?;
                    self.arguments.get_or_insert_default().push(word);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                return Err(not_text(name));
            }
        }
        Ok(())
    }

    fn variables(&mut self, name: &str, value: &Value) -> Judged<()> {
        match value {
            Value::Object(inner) => {
                for (key, value) in inner {
                    let plain = value.is_null() || value.is_boolean();
                    let value = if plain {
                        value.to_string()
                    } else {
                        text(name, value)?
                    };
                    self.env.push((key.clone(), value));
                }
            }
            Value::Array(items) => {
                for item in items {
                    let item = text(name, item)?;
                    let (key, value) = item.split_once('=').unwrap_or((&item, ""));
                    self.env.push((key.to_owned(), value.to_owned()));
                }
            }
            // The name of a set of variables.
            Value::String(text) => {
                if let Some((key, value)) = text.split_once('=') {
                    self.env.push((key.to_owned(), value.to_owned()));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }

    /// `{"command": "push"}` of a git server is `git push`.
    fn begin_with(&mut self, program: &str) {
        let begins = |text: &str| text.split_whitespace().next() == Some(program);
        for (_, text) in &mut self.code {
            if !text.trim().is_empty() && !begins(text) {
                *text = format!("{program} {text}");
            }
        }
        for list in &mut self.lists {
            if list.first().is_none_or(|word| word != program) {
                list.insert(0, program.to_owned());
            }
        }
        if self.code.is_empty()
            && self.lists.is_empty()
            && (self.arguments.is_some() || !self.loose.is_empty())
        {
            let already = self
                .arguments
                .as_ref()
                .and_then(|words| words.first())
                .is_some_and(|word| word == program);
            let start = if already {
                String::new()
            } else {
                program.to_owned()
            };
            self.code.push(("command".to_owned(), start));
            if already && let Some(words) = self.arguments.take() {
                self.lists.push(words);
            }
        }
    }

    /// A server may take any of several places for the one it works in.
    fn enter(&self, w: &mut Walker<'_>, st: &mut State) -> Judged<()> {
        let mut entered = places::entered(w, &self.places, st)?.into_iter();
        if let Some(first) = entered.next() {
            *st = first;
            entered.for_each(|other| st.join(other));
        }
        Ok(())
    }

    /// The command lines that run.
    fn lines(&self, unquoted: bool) -> Vec<String> {
        let quoted = |words: &[String]| {
            words
                .iter()
                .map(|word| quote(word))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let mut lines: Vec<String> = Vec::new();
        let given = self.arguments.as_deref().unwrap_or_default();
        let takes = |name: &str| PROGRAMS.contains(&name);
        // A word that means something to a shell only is meant for one.
        let for_shell = |word: &String| matches!(word.as_str(), ";" | "&&" | "||" | "|" | "&");
        let unquoted = unquoted || given.iter().any(for_shell);
        for (name, text) in &self.code {
            if text.trim().is_empty() {
                continue;
            }
            if !takes(name) || given.is_empty() && self.loose.is_empty() {
                lines.push(text.clone());
                continue;
            }
            for loose in &self.loose {
                lines.push(format!("{text} {loose} {}", quoted(given)));
            }
            if !given.is_empty() {
                lines.push(format!("{text} {}", quoted(given)));
            }
            if unquoted {
                lines.push(format!("{text} {}", given.join(" ")));
            }
        }
        for list in &self.lists {
            let mut words = list.clone();
            words.extend(given.iter().cloned());
            lines.push(quoted(&words));
        }
        lines
    }
}

fn text(name: &str, value: &Value) -> Judged<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Err(not_text(name)),
    }
}
