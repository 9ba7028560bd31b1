//! The commands in a Taskfile, read line by line: what is nested where tells commands from names and descriptions.

use std::collections::{BTreeMap, BTreeSet};

/// Keys whose value, and whatever is nested in it, is not run.
const SAID: &[&str] = &[
    "version",
    "desc",
    "summary",
    "prompt",
    "label",
    "msg",
    "silent",
    "dir",
    "deps",
    "sources",
    "generates",
    "method",
    "vars",
    "env",
    "dotenv",
    "includes",
    "aliases",
    "requires",
    "run",
    "platforms",
    "interval",
    "ignore_error",
    "internal",
    "interactive",
    "set",
    "shopt",
    "output",
    "task",
    "taskfile",
    "for",
    "watch",
    "if",
];

/// The shell text of every command, of every task and of every variable that is asked from the shell.
pub(in crate::rules) fn commands(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    // How far in stands what is only said, and how far in a block of text that is run.
    let mut said: Option<usize> = None;
    let mut block: Option<usize> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim_start();
        let inset = line.len() - text.len();
        if block.is_some_and(|at| inset > at) {
            found.push(text.to_owned());
            continue;
        }
        block = None;
        let item = text.strip_prefix("- ").map(str::trim_start);
        if said.is_some_and(|at| inset < at || inset == at && item.is_none()) {
            said = None;
        }
        let text = item.unwrap_or(text);
        // In `- task: x` the key stands further in than the sign of the item.
        let column = line.len() - text.len();
        let keyed = key(text);
        let asked = matches!(keyed, Some(("sh" | "cmd" | "defer", _)));
        if said.is_some() && !asked {
            if let Some((_, command)) = text.split_once("sh: ") {
                found.push(plain(command.trim_end_matches('}')));
            }
            continue;
        }
        let value = match keyed {
            Some((name, value)) if SAID.contains(&name) => {
                if said.is_none() {
                    said = Some(column);
                }
                if let Some((_, command)) = value.split_once("sh: ") {
                    found.push(plain(command.trim_end_matches('}')));
                }
                continue;
            }
            Some((_, value)) => value,
            None => text,
        };
        if value.starts_with(['|', '>']) {
            block = Some(if keyed.is_some() { column } else { inset });
        } else if let Some(list) = value.strip_prefix('[') {
            let items = list.trim_end().trim_end_matches(']').split(',');
            found.extend(items.map(plain));
        } else if !value.is_empty() && !value.starts_with('{') {
            found.push(plain(value));
        } else if let Some((_, command)) = value.split_once("cmd: ") {
            found.push(plain(command.trim_end_matches('}')));
        }
    }
    found
}

/// Options that do not change which tasks there are.
const PLAIN: &[&str] = &["-s", "--silent", "-f", "--force", "-v", "--verbose"];

/// What may stand at the top of a Taskfile besides the tasks.
const TOP: &[&str] = &[
    "version", "vars", "env", "silent", "dotenv", "output", "set", "shopt",
];

/// The Taskfile with only the tasks that run for these arguments; `None` where that cannot be told for sure.
///
/// Whatever else of a task that runs is the name of a task runs as well.
pub(super) fn that_run(code: &str, args: &[String]) -> Option<String> {
    if ["\t", "<<:", "aliases", ": *", ": &", "- *", "- &"]
        .iter()
        .any(|sign| code.contains(sign))
    {
        return None;
    }
    let mut kept = String::new();
    let mut tasks: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut within = false;
    let mut column: Option<usize> = None;
    let mut open: Option<String> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let text = line.trim_start();
        let inset = line.len() - text.len();
        if text.starts_with('#') {
            continue;
        }
        if inset == 0 {
            let (name, value) = text.split_once(':')?;
            within = name == "tasks";
            if within && !value.trim().is_empty() || !within && !TOP.contains(&name) {
                return None;
            }
        }
        if !within {
            kept.push_str(line);
            kept.push('\n');
        }
        if !within || inset == 0 {
            continue;
        }
        let at = *column.get_or_insert(inset);
        if inset < at {
            return None;
        }
        if inset == at {
            let (name, _) = text
                .split_once(": ")
                .or(text.trim_end().strip_suffix(':').map(|name| (name, "")))?;
            let name = name.trim_matches(['"', '\'']);
            if !is_task(name) || tasks.contains_key(name) {
                return None;
            }
            open = Some(name.to_owned());
        }
        tasks.entry(open.clone()?).or_default().push(line);
    }
    let mut asked: Vec<String> = Vec::new();
    for arg in args.iter().filter(|arg| !PLAIN.contains(&arg.as_str())) {
        asked.push(tasks.contains_key(arg).then(|| arg.clone())?);
    }
    if asked.is_empty() {
        asked.push(
            tasks
                .contains_key("default")
                .then(|| "default".to_owned())?,
        );
    }
    kept.push_str("tasks:\n");
    let mut run = BTreeSet::new();
    while let Some(name) = asked.pop() {
        let Some(lines) = tasks.get(&name).filter(|_| run.insert(name.clone())) else {
            continue;
        };
        for line in lines {
            if line.to_lowercase().contains("task") && line.contains(['{', '$', '`']) {
                return None;
            }
            let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "_-.:".contains(c)));
            let words = words.map(|word| word.trim_matches(':').to_owned());
            asked.extend(words.filter(|word| tasks.contains_key(word)));
            kept.push_str(line);
            kept.push('\n');
        }
    }
    Some(kept)
}

fn is_task(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
    !name.is_empty() && name.chars().all(plain)
}

/// `name: value`, where the name is one word.
fn key(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let name = name.trim_matches(['"', '\'']);
    let word = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '*'));
    let apart = value.is_empty() || value.starts_with(' ');
    (word && apart).then(|| (name, value.trim()))
}

/// A value without its quotes.
fn plain(value: &str) -> String {
    let value = value.trim();
    for quote in ['"', '\''] {
        let inner = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner.replace("\\\"", "\"").replace("''", "'");
        }
    }
    value.to_owned()
}

#[cfg(test)]
mod tests {
    use super::{commands, that_run};

    #[test]
    fn only_the_task_that_is_asked_for_runs_with_what_it_names() {
        let code = "version: '3'\nvars:\n  X: y\ntasks:\n  default:\n    deps: [build]\n  build: cargo build\n  push:\n    cmds:\n      - git push\n";
        let run = |args: &[&str]| {
            let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
            that_run(code, &args)
        };
        assert!(run(&[]).is_some_and(|text| text.contains("cargo") && !text.contains("git")));
        assert!(run(&["push"]).is_some_and(|text| text.contains("git push")));
        for args in [
            &["x"][..],
            &["-t", "x"],
            &["build", "A=b"],
            &["--", "build"],
        ] {
            assert_eq!(run(args), None);
        }
        for other in [
            code.replace("vars:", "includes:"),
            code.replace("deps: [build]", "aliases: [b]"),
            code.replace("cargo build", "task {{.X}}"),
            code.replace("build: cargo", "build: &a"),
        ] {
            assert_eq!(that_run(&other, &[]), None, "{other}");
        }
    }

    #[test]
    fn commands_are_told_from_what_is_only_said() {
        let code = "version: '3'\n\
            vars:\n  NAME: git push\n  SHA:\n    sh: git rev-parse HEAD\n\
            tasks:\n  default: cargo build\n  x:\n    desc: \"git push\"\n    deps: [a]\n    sources:\n      - src/**/*.rs\n    cmds:\n      - cargo test\n      \
            - cmd: 'cargo fmt'\n      - |\n        cargo doc\n      - task: other\n      - { cmd: ls }\n  y:\n    - make\n  z: [one, two]\n";
        assert_eq!(
            commands(code),
            [
                "git rev-parse HEAD",
                "cargo build",
                "cargo test",
                "cargo fmt",
                "cargo doc",
                "ls",
                "make",
                "one",
                "two"
            ]
        );
    }
}
