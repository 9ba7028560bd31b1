//! The commands in a Taskfile, read line by line: what is nested where tells commands from names and descriptions.

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
    use super::commands;

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
