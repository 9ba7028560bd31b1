//! Servers of build programs: a call stands for a command of that program and is judged as that.

use serde_json::Value;

use super::fields::Given;
use super::names::has;
use super::verbs::READS;
use super::{outputs, places, runs};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;
use crate::tools;

/// The programs, by the word for them in the name of a server.
const PROGRAMS: &[(&str, &str)] = &[
    ("cargo", "cargo"),
    ("npm", "npm"),
    ("pnpm", "pnpm"),
    ("yarn", "yarn"),
    ("bun", "bun"),
    ("make", "make"),
    ("just", "just"),
    ("pytest", "pytest"),
    ("gradle", "gradle"),
    ("maven", "mvn"),
    ("mvn", "mvn"),
    ("gotest", "go"),
];

/// Words that say no more than that something of the program is meant.
const FILLERS: &[&str] = &[
    "command",
    "task",
    "target",
    "script",
    "recipe",
    "package",
    "packages",
    "project",
    "tool",
    "goal",
    "dependency",
    "dependencies",
    "file",
];

/// The program that the server, or the tool by its first word, stands for.
pub(super) fn program(server: &[String], verb: &[String]) -> Option<&'static str> {
    let named = |word: &String| PROGRAMS.iter().find(|(name, _)| name == word);
    // `make` and `just` are words of other meanings in the name of a tool.
    let of_tool = |word: &&String| !matches!(word.as_str(), "make" | "just" | "bun" | "maven");
    server
        .iter()
        .find_map(named)
        .or_else(|| {
            let first = verb.first().filter(|_| verb.len() > 1).filter(of_tool)?;
            named(first)
        })
        .map(|(_, program)| *program)
}

/// Whether only a registry is asked: `search_packages`, `npm_view`.
pub(super) fn asks(verb: &[String]) -> bool {
    verb.iter()
        .find(|word| !PROGRAMS.iter().any(|(name, _)| name == word))
        .is_some_and(|word| {
            READS.contains(&word.as_str()) && !matches!(word.as_str(), "check" | "tree")
        })
}

/// Judges a call of such a server.
pub(super) fn judge(
    w: &mut Walker<'_>,
    program: &str,
    tool: &str,
    verb: &[String],
    input: &Value,
    st: &State,
) -> Judged<()> {
    let said: Vec<&str> = verb
        .iter()
        .map(String::as_str)
        .filter(|word| *word != program && !PROGRAMS.iter().any(|(name, _)| name == word))
        .collect();
    let named = |name: &str| input.get(name).is_some();
    if !has(verb, &["script"])
        && (named("command") || named("cmd") || said.is_empty() && named("args"))
    {
        return runs::judge(w, Some(program), tool, input, st);
    }
    let given = Given::read(input)?;
    for (name, value) in &given.env {
        w.check_variable(name, value, st)?;
    }
    for code in &given.code {
        w.command_line(code, &mut st.clone())?;
    }
    outputs::outputs(w, input, false, st, 0)?;
    let mut argv = vec![program.to_owned()];
    argv.extend(subcommand(program, &said));
    argv.extend(
        given
            .settings
            .iter()
            .map(|setting| format!("--config={setting}")),
    );
    argv.extend(given.actions.iter().cloned());
    argv.extend(given.options.iter().cloned());
    argv.extend(given.operands.iter().map(|(_, text)| text.clone()));
    argv.extend(given.files.iter().cloned());
    let mut there = st.clone();
    there.plain |= tools::known_shell(input)?;
    let starts = places::entered(w, &given.places, &there)?;
    starts.into_iter().try_for_each(|mut start| {
        let call = Call {
            argv: argv.clone(),
            env: given.env.clone(),
            stdin: None,
        };
        w.run(call, &mut start).map(|_| ())
    })
}

/// `run_tests` of cargo is `cargo test`, `run_script` of npm is `npm run`.
fn subcommand(program: &str, said: &[&str]) -> Vec<String> {
    let words: Vec<&str> = said
        .iter()
        .copied()
        .filter(|word| !FILLERS.contains(word))
        .map(|word| if word == "tests" { "test" } else { word })
        .collect();
    let scripts = matches!(program, "npm" | "pnpm" | "yarn" | "bun");
    let tasks = matches!(program, "make" | "just" | "pytest" | "gradle" | "mvn");
    match words.as_slice() {
        ["run" | "execute", rest @ ..] if tasks => {
            rest.iter().map(|word| (*word).to_owned()).collect()
        }
        ["run" | "execute", only] if !scripts => vec![(*only).to_owned()],
        ["execute", rest @ ..] => std::iter::once(&"run")
            .chain(rest)
            .map(|word| (*word).to_owned())
            .collect(),
        words => words.iter().map(|word| (*word).to_owned()).collect(),
    }
}
