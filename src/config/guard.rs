//! `guard:`: the project's own commands to allow or to block, and when refusals ask for a person.
//!
//! Reads and checks the patterns; what they match is the guard's business.

use super::section::{Outcome, Section};

/// `guard:`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardConfig {
    /// Commands a role that only reads may run all the same.
    pub allow: Vec<String>,
    /// Commands nobody runs.
    pub block: Vec<String>,
    /// So many refusals of one agent by one rule ask for a person; 0 never does.
    pub attention_after: u32,
    /// Refusals count for this long.
    pub attention_window_ms: u64,
}

impl Default for GuardConfig {
    fn default() -> Self {
        Self {
            allow: Vec::new(),
            block: Vec::new(),
            attention_after: 3,
            attention_window_ms: 10 * 60 * 1000,
        }
    }
}

/// Longer patterns are a mistake.
const LONGEST: usize = 400;

pub(super) fn fill(target: &mut GuardConfig, top: &Section<'_>) -> Outcome {
    let at = top.section("guard")?;
    target.allow = patterns(&at, "allow")?;
    target.block = patterns(&at, "block")?;
    at.count(
        "attentionAfter",
        0,
        "must be a whole number, 0 for never",
        &mut target.attention_after,
    )?;
    at.millis(
        "attentionWindowMs",
        |ms| ms > 0.0,
        "must be positive",
        &mut target.attention_window_ms,
    )
}

fn patterns(at: &Section<'_>, key: &str) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    for item in at.list(key)?.unwrap_or_default() {
        let text = item.text().unwrap_or_default();
        if let Err(problem) = check(text) {
            return Err(at.invalid_item(key, item, text, problem));
        }
        found.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    Ok(found)
}

/// A pattern is one command in plain words: a program first, no shell syntax.
fn check(text: &str) -> Result<(), &'static str> {
    let program = text.split_whitespace().next().unwrap_or_default();
    if program.is_empty() {
        return Err("must be a command such as \"make deploy*\"");
    }
    if program.starts_with(['[', '{']) {
        return Err("is a list or a map; write one command, such as \"make deploy*\"");
    }
    if text.len() > LONGEST {
        return Err("is too long; name the program and its first words");
    }
    if text.contains([
        '|', '&', ';', '<', '>', '$', '`', '\'', '"', '\\', '(', ')', '\n',
    ]) {
        return Err("must be one command in plain words with * and ?, without shell syntax");
    }
    if program.chars().all(|c| matches!(c, '*' | '?')) {
        return Err("must start with the name of a program");
    }
    if program.contains('=') || program.starts_with('-') {
        return Err("must start with the name of a program, not an option or a variable");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use std::path::{Path, PathBuf};

    fn read(text: &str) -> Result<(GuardConfig, Vec<String>), String> {
        parse(
            Path::new("/p"),
            &[(PathBuf::from("config.yaml"), text.to_owned())],
        )
        .map(|loaded| (loaded.config.guard, loaded.notices))
        .map_err(|e| e.to_string())
    }

    #[test]
    fn patterns_are_read_in_order() {
        let text = "guard:\n  allow:\n    - make docs\n  block:\n    - npm   publish\n    - make deploy*\n  attentionAfter: 5\n";
        let (guard, notices) = read(text).unwrap();
        assert_eq!(guard.allow, ["make docs"]);
        assert_eq!(guard.block, ["npm publish", "make deploy*"]);
        assert_eq!(guard.attention_after, 5);
        assert_eq!(guard.attention_window_ms, 600_000);
        assert!(notices.is_empty(), "{notices:?}");
    }

    #[test]
    fn a_bad_pattern_is_one_line_with_file_line_and_key() {
        for (pattern, word) in [
            ("git push; ls", "shell syntax"),
            ("\"*\"", "name of a program"),
            ("\"\"", "such as"),
            ("A=b make", "a variable"),
            ("a | b", "shell syntax"),
            ("[a]", "one command"),
        ] {
            let error = read(&format!(
                "guard:\n  block:\n    - make x\n    - {pattern}\n"
            ))
            .unwrap_err();
            assert!(error.contains("guard.block"), "{error}");
            assert!(error.contains(word), "{error}");
            assert!(error.contains("config.yaml:4"), "{error}");
            assert!(!error.contains('\n'), "{error}");
        }
        let error = read("guard:\n  allow: make\n").unwrap_err();
        assert!(error.contains("guard.allow must be a list"), "{error}");
        let error = read("guard:\n  attentionAfter: -1\n").unwrap_err();
        assert!(error.contains("guard.attentionAfter"), "{error}");
    }

    #[test]
    fn an_unknown_key_is_named_and_does_not_stop_anything() {
        let (_, notices) = read("guard:\n  blocks:\n    - make x\n").unwrap();
        assert!(
            notices
                .iter()
                .any(|n| n.contains("guard.blocks") && n.contains("guard.block")),
            "{notices:?}"
        );
    }
}
