//! Programs that code starts.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::{Run, brought_in, home_marked, names, table};
use crate::paths::Place;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Commands that one call may stand for.
const COMMANDS: usize = 48;

pub(super) fn computed(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{name} starts a program that cannot be read off the code; run the command in the shell instead"
        ),
    )
}

/// What can only be said when all calls are known.
pub(super) fn afterwards(source: &str, is_library: bool, run: &Run<'_>) -> Judged<()> {
    let texts = &run.reading.texts;
    let steered = run
        .reading
        .words
        .iter()
        .any(|name| name.starts_with("GIT_"))
        || texts
            .iter()
            .any(|text| text.starts_with("GIT_") && !sets_for_a_command(text));
    if run.started > 0 && steered {
        return Err(computed("a changed git environment"));
    }
    if run.started > 0 && texts.iter().any(|text| is_exported_function(text)) {
        return Err(computed("a function in the environment"));
    }
    let expands = |text: &str| text.contains("$(") || text.contains('`');
    if run.started > 0
        && texts.iter().any(|text| is_expanded_variable(text))
        && texts.iter().any(|text| expands(text))
    {
        return Err(computed("a variable that a shell expands"));
    }
    let gateway = names::GATEWAYS
        .iter()
        .find(|name| run.reading.imports.contains(**name));
    match gateway {
        Some(name)
            if run.started == 0 && (is_library || !brought_in::is_unused(source, run.family)) =>
        {
            Err(computed(name))
        }
        _ => Ok(()),
    }
}

/// `GIT_EDITOR=true git rebase --continue`: shell text, which is judged where it is run.
fn sets_for_a_command(text: &str) -> bool {
    let is_variable = |word: &str| {
        word.split_once('=')
            .is_some_and(|(name, _)| crate::shell::expand::is_name(name))
    };
    let mut words = text.split_whitespace().skip_while(|word| is_variable(word));
    words.next() == Some("git")
}

/// A function as bash takes it from its environment, by its name there or by its text.
fn is_exported_function(text: &str) -> bool {
    text.starts_with("() {")
        || text.contains("=() {")
        || text.contains("BASH_FUNC_") && text.contains("%%")
}

/// Variables whose values a shell expands as it does words.
fn is_expanded_variable(text: &str) -> bool {
    let name = text.split_once('=').map_or(text, |(name, _)| name);
    matches!(name, "BASH_ENV" | "ENV" | "PS4" | "PROMPT_COMMAND")
}

/// `tools.subprocess.run`: what another module has brought in.
fn is_of_other(made: &Call) -> bool {
    let owner: &str = match &made.owner {
        Owner::Module(owner) => owner,
        Owner::Object(Value::Named(owner)) => owner,
        Owner::None | Owner::Object(_) => return false,
    };
    owner.ends_with(".subprocess")
}

/// Whether a call starts a program.
fn is_start(made: &Call, run: &Run<'_>) -> bool {
    let name = made.name.as_str();
    let owner = match &made.owner {
        Owner::Module(owner) => Some(owner.as_str()),
        Owner::None | Owner::Object(_) => None,
    };
    let plain = Run::is_plain(made);
    match name {
        "run" => {
            matches!(owner, Some("subprocess" | "Deno" | "Bun"))
                || is_of_other(made)
                || owner.is_none() && run.reading.imports.contains("subprocess") && plain
        }
        "call" => {
            owner == Some("subprocess")
                || is_of_other(made)
                || owner.is_none() && plain && run.reading.imports.contains("subprocess")
        }
        "Command" => run.uses("Deno"),
        "$" => run.family == Family::JavaScript,
        // `/x/.exec(text)`, and generators that spawn things.
        "exec" | "spawn" | "fork" | "popen" => {
            plain
                || run.family != Family::JavaScript && run.family != Family::Python
                || names::GATEWAYS
                    .iter()
                    .any(|name| run.reading.imports.contains(*name))
        }
        "system" => {
            plain
                || !matches!(&made.owner, Owner::Object(Value::Named(name)) if name.as_ref() == "platform")
        }
        other => table::is_start(other),
    }
}

/// Whether the command is the first argument alone, and what follows are settings.
fn takes_one_command(name: &str, family: Family) -> bool {
    match family {
        Family::Python => matches!(
            name,
            "run"
                | "call"
                | "check_call"
                | "check_output"
                | "Popen"
                | "getoutput"
                | "getstatusoutput"
                | "system"
                | "popen"
                | "create_subprocess_shell"
        ),
        Family::JavaScript => matches!(
            name,
            "exec" | "execSync" | "execaCommand" | "execaCommandSync"
        ),
        Family::Php => name != "pcntl_exec",
        Family::Perl | Family::Ruby | Family::Other => false,
    }
}

impl Walker<'_> {
    pub(super) fn started_by(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        if !is_start(made, run) || run.family == Family::Python && made.name == "exec" {
            return Ok(());
        }
        run.started += 1;
        // Each value the command may have is judged.
        let calls = each_of(&made.args).ok_or_else(|| computed(&made.name))?;
        for args in calls {
            let one = Call {
                args,
                ..made.clone()
            };
            self.started_with(&one, run)?;
        }
        Ok(())
    }

    fn started_with(&mut self, made: &Call, run: &mut Run<'_>) -> Judged<()> {
        let name = made.name.as_str();
        if name == "syscall" {
            return Err(computed(name));
        }
        let mut st = run.st.for_program();
        let mut words: Vec<String> = Vec::new();
        let mut listed = false;
        for (key, value) in &made.keys {
            match key.as_str() {
                "executable" => return Err(computed(name)),
                "args" if words.is_empty() => {
                    words.extend(word_list(value));
                    listed |= matches!(value, Value::List(_));
                }
                _ => self.started_option(key, value, &mut st)?,
            }
        }
        let kept = std::mem::take(&mut words);
        let only_first = takes_one_command(name, run.family);
        // `open3` is given handles before the command.
        let handles = match name {
            "open2" => 2,
            "open3" if run.family == Family::Perl => 3,
            _ => 0,
        };
        for (at, arg) in made.args.iter().enumerate().skip(handles) {
            match arg {
                // Settings that are not known may name any folder.
                Value::Unknown(_) | Value::OneOf(_) if only_first && at > 0 => {
                    self.started_options(arg, &mut st)?;
                }
                _ if only_first && at > 0 && !matches!(arg, Value::Map(_)) => {}
                Value::Map(pairs) => {
                    for (key, value) in pairs.iter() {
                        if key == "executable" {
                            return Err(computed(name));
                        }
                        if matches!(key.as_str(), "args" | "cmd") {
                            words.extend(word_list(value));
                            listed = true;
                        }
                        self.started_option(key, value, &mut st)?;
                    }
                }
                Value::List(items) => {
                    listed = true;
                    for item in items.iter() {
                        words.extend(word_list(item));
                    }
                }
                Value::Function if !words.is_empty() => {}
                other @ (Value::Text(_)
                | Value::Unknown(_)
                | Value::Named(_)
                | Value::Path(_)
                | Value::Method(_)
                | Value::OneOf(_)
                | Value::Function) => words.extend(word_list(other)),
            }
        }
        words.extend(kept);
        if name == "fork" && words.is_empty() {
            return Ok(());
        }
        if words.is_empty() {
            return Err(computed(name));
        }
        // `execvp("git", ["git", "push"])` repeats the program name, the `l` forms as well.
        let repeats = name.starts_with("exec")
            && !matches!(name, "exec" | "execSync" | "execFile" | "execFileSync")
            && !name.starts_with("execa")
            || name.starts_with("spawnl")
            || name.starts_with("spawnv")
            || name.starts_with("posix_spawn");
        // The first argument is a mode, then path and program name.
        if (name.starts_with("spawnl") || name.starts_with("spawnv")) && words.len() > 1 {
            words.remove(0);
        }
        if repeats && words.len() > 1 {
            // The path is what runs; programs in one file with others go by the name they are given.
            let path = words.remove(0);
            if words.first() != Some(&path) {
                let args = words.iter().skip(1).cloned();
                let by_path = std::iter::once(path).chain(args).collect();
                self.separate(run.call, by_path, &st.clone())?;
            }
        }
        if let ([only], false) = (words.as_slice(), listed) {
            if text::is_any(only) {
                return Err(computed(name));
            }
            let code = only.clone();
            return self.script(&code, &mut st).map(|_| ());
        }
        if let Some(program) = words.first().filter(|program| program.contains(' ')) {
            let together = words.join(" ");
            let code = if text::is_any(&together) {
                program.clone()
            } else {
                together
            };
            self.script(&code, &mut st.clone())?;
        }
        self.separate(run.call, words, &st).map(|_| ())
    }

    /// Settings that were put together elsewhere: `**options`, `...options`.
    fn started_options(&mut self, value: &Value, st: &mut State) -> Judged<()> {
        let before = st.clone();
        let mut after: Option<State> = None;
        for choice in value.choices() {
            let mut one = before.clone();
            if let Value::Map(pairs) = choice {
                for (key, value) in pairs.iter() {
                    if key == "executable" {
                        return Err(computed(key));
                    }
                    self.started_option(key, value, &mut one)?;
                }
            } else if !matches!(choice, Value::Text(_) | Value::Function | Value::Named(_)) {
                one.cwd = vec![Place::Unknown];
            }
            match &mut after {
                Some(after) => after.join(one),
                None => after = Some(one),
            }
        }
        if let Some(after) = after {
            *st = after;
        }
        Ok(())
    }

    /// `cwd` and its kin move the program; what is spread into the settings may hold it.
    fn started_option(&mut self, key: &str, value: &Value, st: &mut State) -> Judged<()> {
        if key.is_empty() {
            return self.started_options(value, st);
        }
        // Another shell is a program of its own.
        let other_shell = |value: &Value| {
            value.as_text().is_some_and(|path| {
                let base = path.rsplit('/').next().unwrap_or(path);
                !matches!(
                    base,
                    "sh" | "bash" | "dash" | "zsh" | "ksh" | "true" | "false"
                )
            })
        };
        if key == "shell" && value.choices().iter().any(other_shell) {
            return Err(computed("another shell"));
        }
        if !matches!(key, "cwd" | "chdir") {
            return Ok(());
        }
        let before = st.clone();
        let mut after: Option<State> = None;
        for choice in value.choices() {
            let mut one = before.clone();
            match choice.as_text() {
                Some(target) => self.enter(&home_marked(target), &mut one),
                // Where a helper is given no folder, it stays.
                None if *choice == Value::named("None") => {}
                None => one.cwd = vec![Place::Unknown],
            }
            match &mut after {
                Some(after) => after.join(one),
                None => after = Some(one),
            }
        }
        if let Some(after) = after {
            *st = after;
        }
        Ok(())
    }
}

/// The lists of arguments these may be, where one of the first two or a word of theirs may have several values; `None`
/// for too many.
fn each_of(args: &[Value]) -> Option<Vec<Vec<Value>>> {
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    for (at, arg) in args.iter().enumerate() {
        let values = if at < 2 {
            values_of(arg)?
        } else {
            vec![arg.clone()]
        };
        if all.len() * values.len() > COMMANDS {
            return None;
        }
        all = all
            .iter()
            .flat_map(|before| {
                values
                    .iter()
                    .map(move |value| [before.as_slice(), std::slice::from_ref(value)].concat())
            })
            .collect();
    }
    Some(all)
}

/// What one argument may be, lists with each of the values their words may have.
fn values_of(arg: &Value) -> Option<Vec<Value>> {
    let mut all = Vec::new();
    for choice in arg.choices() {
        let Value::List(items) = choice else {
            all.push(choice.clone());
            continue;
        };
        if !items.iter().any(|item| matches!(item, Value::OneOf(_))) {
            all.push(choice.clone());
            continue;
        }
        let mut lists: Vec<Vec<Value>> = vec![Vec::new()];
        for item in items.iter() {
            if lists.len() * item.choices().len() > COMMANDS {
                return None;
            }
            lists = lists
                .iter()
                .flat_map(|list| {
                    item.choices()
                        .iter()
                        .map(move |one| [list.as_slice(), std::slice::from_ref(one)].concat())
                })
                .collect();
        }
        all.extend(lists.into_iter().map(|list| Value::List(list.into())));
    }
    (all.len() <= COMMANDS).then_some(all)
}

/// The words a value puts on a command line.
fn word_list(value: &Value) -> Vec<String> {
    match value {
        Value::List(items) => items.iter().flat_map(word_list).collect(),
        other @ (Value::Text(_)
        | Value::Unknown(_)
        | Value::Named(_)
        | Value::Path(_)
        | Value::Map(_)
        | Value::Method(_)
        | Value::OneOf(_)
        | Value::Function) => vec![
            other
                .as_text()
                .map_or_else(|| text::ANY.to_string(), str::to_owned),
        ],
    }
}
