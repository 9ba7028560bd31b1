//! What of a file could be commands: its parts on lines of their own, as text for a shell.

use serde_json::Value;

use crate::shell::text;

/// Words in a line of code that starts a program.
const STARTS: &[&str] = &[
    "exec", "system", "spawn", "shell", "command", "cmd", "proc", "run(", "call(", " sh(", " sh ",
    ".!", "popen", "program", "task",
];

/// Strings in one row that are joined.
const LONGEST_ROW: usize = 12;

/// The text, and behind it the words of each list as one line, and the parts of what stands in braces.
pub(super) fn spread(code: &str) -> String {
    let mut out = code.to_owned();
    for line in code.lines() {
        listed(line, &mut out);
        if line.contains('{') {
            let parts = line.split(['{', '}', '[', ']', ',']);
            let values = parts.filter_map(|part| part.rsplit_once([':', '=']));
            for (_, value) in values {
                out.push('\n');
                out.push_str(value.trim());
            }
        }
    }
    out
}

/// Strings with nothing but separators between them, from each of them on: `("git", "push")`, `"git", ["push"]`.
fn listed(line: &str, out: &mut String) {
    for quote in ['"', '\''] {
        let pieces: Vec<&str> = line.split(quote).collect();
        let mut row: Vec<&str> = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            if at % 2 == 1 {
                row.push(piece);
                continue;
            }
            let goes_on = !piece.is_empty() && piece.chars().all(|c| " ,[({&.\t".contains(c));
            if !goes_on {
                rows(&row, out);
                row.clear();
            }
        }
        rows(&row, out);
    }
}

fn rows(row: &[&str], out: &mut String) {
    if row.len() > LONGEST_ROW {
        return;
    }
    for from in 0..row.len().saturating_sub(1) {
        out.push('\n');
        out.push_str(&row.get(from..).unwrap_or_default().join(" "));
    }
}

/// The lines of code that start something.
pub(super) fn calls(code: &str) -> String {
    let starts = |line: &&str| {
        // `push` ends like the name of a shell.
        let lower = format!(" {}", line.trim_start().to_lowercase());
        STARTS.iter().any(|word| lower.contains(word))
    };
    let lines: Vec<&str> = code.lines().filter(starts).collect();
    spread(&lines.join("\n"))
}

/// Lines that are commands by their mark: `\! …` for databases, `//go:generate …`.
pub(super) fn marked(code: &str) -> String {
    let marks = ["\\!", "//go:generate ", "#!shell ", ".shell ", ".system "];
    let commands = code.lines().filter_map(|line| {
        let line = line.trim_start();
        marks.iter().find_map(|mark| line.strip_prefix(mark))
    });
    commands.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// What stands behind a word, up to the next of its kind or the end of the brackets.
pub(super) fn behind(code: &str, word: &str) -> String {
    let flat = code.replace('\n', " ");
    let pieces = flat.split(word).skip(1);
    let commands = pieces.map(|piece| {
        let end = piece.find(')').unwrap_or(piece.len());
        piece
            .get(..end)
            .unwrap_or_default()
            .trim()
            .trim_matches('"')
            .to_owned()
    });
    commands.collect::<Vec<_>>().join("\n")
}

/// What elements of XML that start a program say: their attributes and texts as words.
pub(super) fn elements(code: &str) -> String {
    let mut out = String::new();
    for piece in code.split("<exec").skip(1) {
        let end = ["</exec>", "</configuration>"]
            .iter()
            .filter_map(|end| piece.find(end))
            .min();
        let piece = piece.get(..end.unwrap_or(piece.len())).unwrap_or_default();
        let mut words: Vec<&str> = Vec::new();
        for tag in piece.split('>') {
            let (text, tag) = tag.split_once('<').unwrap_or(("", tag));
            words.push(text);
            words.extend(tag.split('"').skip(1).step_by(2));
        }
        let words: Vec<&str> = words
            .iter()
            .flat_map(|word| word.split_whitespace())
            .collect();
        out.push('\n');
        out.push_str(&words.join(" "));
    }
    out
}

/// The tasks whose names are on the command line.
pub(super) fn tasks(code: &str, args: &[String]) -> String {
    let asked = |key: &str| {
        args.iter()
            .any(|arg| match arg.strip_suffix(['*', text::STAR]) {
                Some(start) if start.len() > 1 => key.starts_with(start),
                Some(_) | None => arg == key,
            })
    };
    let mut out = String::new();
    if let Ok(value) = serde_json::from_str::<Value>(code) {
        members(&value, &asked, &mut out);
        return out;
    }
    let mut within = false;
    for line in code.lines() {
        let key = line
            .split_once(['=', ':'])
            .map(|(key, _)| key.trim_matches(|c: char| c.is_whitespace() || "\"'-".contains(c)));
        match key {
            Some(key) if !key.contains([' ', '(', ',']) => within = asked(key),
            Some(_) | None if line.starts_with('[') => within = false,
            Some(_) | None => {}
        }
        if within {
            out.push_str(line);
            out.push('\n');
        }
    }
    spread(&out)
}

/// The texts in a tree whose names are asked for.
fn members(value: &Value, asked: &impl Fn(&str) -> bool, out: &mut String) {
    let Value::Object(members_of) = value else {
        return;
    };
    for (key, member) in members_of {
        match member {
            Value::String(command) if asked(key) => {
                out.push_str(command);
                out.push('\n');
            }
            Value::Array(commands) if asked(key) => {
                for command in commands.iter().filter_map(Value::as_str) {
                    out.push_str(command);
                    out.push('\n');
                }
            }
            Value::Object(_) => members(member, asked, out),
            Value::String(_)
            | Value::Array(_)
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{behind, calls, elements, marked, spread, tasks};

    #[test]
    fn commands_are_found_however_they_are_written() {
        assert!(spread("program = [\"git\", \"push\"]").ends_with("\ngit push"));
        assert!(spread("a: [{b: {c: git push}}]").contains("\ngit push"));
        assert!(calls("let a = \"x\"\nos.exec('git','push')").contains("\ngit push"));
        assert_eq!(calls("print(\"git push\")"), "");
        assert_eq!(marked("select 1;\n\\! git push"), "git push");
        assert_eq!(
            behind("add_custom_target(x COMMAND git push)", "COMMAND "),
            "git push"
        );
        let ant = "<exec executable=\"git\"><arg value=\"push\"/></exec>";
        assert_eq!(elements(ant).trim(), "git push");
        let maven = "<configuration><executable>git</executable><arguments><argument>push</argument></arguments></configuration>";
        assert_eq!(elements(maven).trim(), "git push");
    }

    #[test]
    fn only_the_task_that_is_named_counts() {
        let args = |words: &[&str]| -> Vec<String> {
            words.iter().map(|word| (*word).to_owned()).collect()
        };
        let json = "{\"scripts\":{\"x:a\":\"git push\",\"b\":\"ls\"}}";
        assert_eq!(tasks(json, &args(&["x:*"])), "git push\n");
        assert_eq!(tasks(json, &args(&["b"])), "ls\n");
        let toml = "[scripts]\nx = \"git push\"\nb = [\n \"ls\"\n]\n";
        assert!(tasks(toml, &args(&["run", "x"])).contains("git push"));
        assert!(!tasks(toml, &args(&["run", "b"])).contains("git push"));
    }
}
