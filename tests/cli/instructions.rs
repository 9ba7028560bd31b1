//! What agents are told to run: every command in the role definitions and templates is one that
//! the program really has, with options that it really takes.

use crate::support::TestProject;
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

/// What a scripted agent does that is started by an example.
const SCRIPT: &str = "steps:\n- done: \"nothing to land\"\n";

/// The examples of one text, one after the other, as an agent would fill them in.
fn run_slings(project: &TestProject, path: &Path, text: &str) -> usize {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    let (mut task, mut slung) = (format!("{stem}-task"), 0);
    let script = project.script(stem, SCRIPT);
    for told in commands(path, text) {
        let fill = |word: &String| match word.as_str() {
            "name" => format!("{stem}-{slung}"),
            "..." => "what is to be done".to_owned(),
            "branch" => "main".to_owned(),
            "AGENT_NAME" => "boss".to_owned(),
            "task" => task.clone(),
            other => other
                .replace("specs/task.md", &format!("specs/{task}.md"))
                .replace("review-task", &format!("review-{task}"))
                .replace("category", "apis"),
        };
        let words: Vec<&String> = told.words.iter().skip(1).collect();
        let verb: Vec<&str> = words.iter().take(2).map(|word| word.as_str()).collect();
        if !told.whole {
            continue;
        }
        match verb.as_slice() {
            ["task", "create"] => {
                let made = project.grove(&["task", "create", &told.at, "--json"]);
                task = made.json()["id"].as_str().unwrap().to_owned();
            }
            ["spec", "write"] => {
                let filled: Vec<String> = words[2..].iter().map(|word| fill(word)).collect();
                let mut all = vec!["spec", "write"];
                all.extend(filled.iter().map(String::as_str));
                project.grove_ok(&all);
            }
            ["sling", ..] => {
                let mut filled: Vec<String> = words[1..].iter().map(|word| fill(word)).collect();
                let at = filled.iter().position(|word| word == "--spec").unwrap() + 1;
                assert!(project.root().join(&filled[at]).is_file(), "{filled:?}");
                // A scripted agent reads its script where others read their spec.
                filled[at].clone_from(&script);
                let mut all = vec!["sling", "--runtime", "script"];
                all.extend(filled.iter().map(String::as_str));
                let done = project.grove(&all);
                assert_eq!(done.code, Some(0), "{}: {all:?} {done:#?}", told.at);
                slung += 1;
            }
            _ => {}
        }
    }
    slung
}

#[test]
fn every_sling_that_agents_are_told_works_where_tasks_are_tracked() {
    let project = TestProject::initialised();
    project.grove_ok(&["init", "--tools", "seeds"]);
    let mut slung = 0;
    for (path, text) in texts() {
        if path.extension().is_some_and(|kind| kind == "md") {
            slung += run_slings(&project, &path, &text);
        }
    }
    assert!(slung >= 4, "only {slung} examples found");
}

#[test]
fn a_reviewer_that_is_started_as_leads_are_told_has_the_builders_files() {
    let project = TestProject::initialised();
    project.git(&["switch", "-q", "-c", "overstory/ann/t-1"]);
    project.write("built.txt", "by ann");
    project.git(&["add", "built.txt"]);
    project.git(&["commit", "-q", "-m", "Build"]);
    project.git(&["switch", "-q", "main"]);
    let lead = Path::new(env!("CARGO_MANIFEST_DIR")).join("agents/lead.md");
    let text = std::fs::read_to_string(&lead).unwrap();
    let told = commands(&lead, &text)
        .into_iter()
        .find(|told| told.words.iter().any(|word| word == "reviewer"))
        .unwrap();
    let script = project.script("rev", SCRIPT);
    let filled: Vec<String> = told.words[1..]
        .iter()
        .map(|word| match word.as_str() {
            "branch" => "overstory/ann/t-1".to_owned(),
            "name" => "rev".to_owned(),
            ".overstory/specs/task.md" => script.clone(),
            other => other.to_owned(),
        })
        .collect();
    let mut all: Vec<&str> = filled.iter().map(String::as_str).collect();
    all.extend(["--runtime", "script"]);
    project.grove_ok(&all);
    assert_eq!(project.read(".overstory/worktrees/rev/built.txt"), "by ann");
}
