//! Programs that code starts.

use super::super::reading::{Call, Owner, Value};
use super::super::syntax::Family;
use super::{Run, home_marked, names, table};
use crate::paths::Place;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

pub(super) fn computed(name: &str) -> Refusal {
    Refusal::new(
        rule::UNPROVEN,
        format!(
            "{name} starts a program that cannot be read off the code; run the command in the shell instead"
        ),
    )
}

/// What can only be said when all calls are known.
pub(super) fn afterwards(run: &Run<'_>) -> Judged<()> {
    let steered = run
        .reading
        .words
        .iter()
        .any(|name| name.starts_with("GIT_"))
        || run
            .reading
            .texts
            .iter()
            .any(|text| text.starts_with("GIT_"));
    if run.started > 0 && steered {
        return Err(computed("a changed git environment"));
    }
    let gateway = names::GATEWAYS
        .iter()
        .find(|name| run.reading.imports.contains(**name));
    match gateway {
        Some(name) if run.started == 0 => Err(computed(name)),
        _ => Ok(()),
    }
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
                || owner.is_none() && run.reading.imports.contains("subprocess") && plain
        }
        "call" => {
            owner == Some("subprocess")
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
        if let Some(Value::OneOf(choices)) = made.args.first() {
            for choice in choices.iter() {
                let mut one = made.clone();
                if let Some(first) = one.args.first_mut() {
                    first.clone_from(choice);
                }
                self.started_with(&one, run)?;
            }
            return Ok(());
        }
        self.started_with(made, run)
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
                _ => self.started_option(key, value, &mut st),
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
                    if run.family == Family::JavaScript {
                        st.cwd = vec![Place::Unknown];
                    }
                }
                _ if only_first && at > 0 && !matches!(arg, Value::Map(_)) => {}
                Value::Map(pairs) => {
                    for (key, value) in pairs.iter() {
                        if matches!(key.as_str(), "args" | "cmd") {
                            words.extend(word_list(value));
                            listed = true;
                        }
                        self.started_option(key, value, &mut st);
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

    /// `cwd` and its kin move the program.
    fn started_option(&mut self, key: &str, value: &Value, st: &mut State) {
        if matches!(key, "cwd" | "chdir") {
            match value.as_text() {
                Some(target) => self.enter(&home_marked(target), st),
                None => st.cwd = vec![Place::Unknown],
            }
        }
    }
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
