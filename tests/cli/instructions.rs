//! What agents are told to run: every command in the role definitions and templates is one that
//! the program really has, with options that it really takes.

use std::path::{Path, PathBuf};

/// A command line as it stands in a text.
struct Told {
    at: String,
    words: Vec<String>,
    /// In a code block it is meant to be run as it is; in a sentence it may be only a name.
    whole: bool,
}

fn texts() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for folder in ["agents", "templates"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 10, "{found:?}");
    found
}

fn commands(path: &Path, text: &str) -> Vec<Told> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let at = format!("{}:{}", path.display(), number + 1);
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            let mut whole = line.trim().to_owned();
            while let Some(open) = whole.strip_suffix('\\') {
                let next = lines.next().unwrap().1.trim();
                whole = format!("{open}{next}");
            }
            if whole.starts_with("grove ") {
                let words = words(&whole);
                found.push(Told {
                    at,
                    words,
                    whole: true,
                });
            }
            continue;
        }
        for quoted in line.split('`').skip(1).step_by(2) {
            if quoted.starts_with("grove ") {
                let words = words(quoted);
                found.push(Told {
                    at: at.clone(),
                    words,
                    whole: false,
                });
            }
        }
    }
    assert!(!fenced, "{}: a code block is never closed", path.display());
    found
}

/// Splits a line as a shell would; placeholders become plain words.
fn words(line: &str) -> Vec<String> {
    let line = line.replace("{{", "").replace("}}", "");
    let mut found: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, _) if c.is_whitespace() => found.extend(word.take()),
            // `<task>` stands for a word.
            (None, '<' | '>') => {}
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote is never closed: {line}");
    found.extend(word);
    found
}

#[test]
fn agents_are_told_only_commands_that_exist() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (path, text) in texts() {
        for told in commands(&path, &text) {
            count += 1;
            let parsed = grove::commands::build().try_get_matches_from(&told.words);
            let Err(error) = parsed else {
                continue;
            };
            use clap::error::ErrorKind as Kind;
            let named = matches!(
                error.kind(),
                Kind::MissingRequiredArgument
                    | Kind::DisplayHelpOnMissingArgumentOrSubcommand
                    | Kind::MissingSubcommand
            );
            if told.whole || !named {
                wrong.push(format!("{}: {:?}\n{error}", told.at, told.words));
            }
        }
    }
    assert!(count > 40, "only {count} commands found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn payloads_that_agents_copy_are_json() {
    for (path, text) in texts() {
        for told in commands(&path, &text) {
            let mut payload = told.words.iter().skip_while(|word| *word != "--payload");
            if let Some(json) = payload.nth(1) {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(json);
                assert!(parsed.is_ok(), "{}: {json}", told.at);
            }
        }
    }
}

#[test]
fn every_role_says_how_it_fails_and_is_short() {
    for (path, text) in texts() {
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(text.lines().count() <= 80, "{name} is too long to be read");
        assert!(text.lines().all(|line| line.len() <= 160), "{name}");
        if path.extension().is_none_or(|kind| kind != "md") {
            continue;
        }
        let failures = text
            .lines()
            .filter(|line| line.starts_with("- **"))
            .filter_map(|line| line.split("**").nth(1))
            .filter(|word| word.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
            .count();
        assert!(failures >= 3, "{name} names {failures} failure modes");
        let is_profile = name.starts_with("ov-");
        assert!(
            is_profile || text.contains("\n## Never\n"),
            "{name} never says never"
        );
        assert!(
            text.to_lowercase().contains("commit"),
            "{name} does not say how to commit, or that it does not"
        );
    }
}
