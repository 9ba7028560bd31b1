//! Rules about the source that the compiler does not know: which module may use which, where
//! printing is allowed, what a file looks like. Reads the sources as text, with the standard
//! library only, so that it tells the truth whatever the sources depend on.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of a test: a wrong assumption about the sources fails it"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The layers, lowest first. A module may use every module of a lower layer.
const LAYERS: &[&[&str]] = &[
    &["types"],
    &["text", "config", "platform", "guard", "logging"],
    &["db", "git", "process", "sandbox", "term", "runtimes"],
    &[
        "agents", "worktree", "mail", "merge", "watchdog", "doctor", "host", "setup", "tracker",
        "mulch", "costs",
    ],
    &["coordinator", "engine"],
    &["cli", "commands", "git_front", "hook", "serve", "tui"],
];

/// Uses inside one layer, each with the reason it is right. The user is a module, or one file of
/// it where only that file may. Cycles are refused below.
const WITHIN_LAYER: &[(&str, &str, &str)] = &[
    (
        "agents",
        "mail",
        "starting and ending an agent tells its parent",
    ),
    (
        "agents",
        "worktree",
        "an agent is started in a worktree made for it",
    ),
    (
        "agents",
        "host",
        "an agent is started and stopped through its host",
    ),
    (
        "agents",
        "tracker",
        "an agent is started on a task of the tracker",
    ),
    (
        "agents",
        "mulch",
        "an agent is told what the project has learnt",
    ),
    (
        "agents",
        "costs",
        "the end of a session stores what it cost",
    ),
    (
        "agents",
        "merge",
        "work whose merge was taken back is not cleaned away as merged",
    ),
    (
        "git",
        "process",
        "a merge driver that hangs is ended with everything it has started",
    ),
    (
        "sandbox",
        "git",
        "the folder of an agent's view of git has rights of its own",
    ),
    ("host", "costs", "a host meters its agent while it runs"),
    (
        "host",
        "worktree",
        "a host looks for unfinished work in its agent's worktree",
    ),
    ("host", "mulch", "a host keeps what its agent has died of"),
    (
        "logging",
        "platform",
        "log files are appended to through it",
    ),
    (
        "logging",
        "text",
        "secrets are taken out of what is written",
    ),
    (
        "doctor",
        "agents",
        "checks the manifest and the health of agents",
    ),
    (
        "doctor",
        "merge",
        "removes checkouts that killed merges have left",
    ),
    (
        "doctor",
        "host",
        "tries the rules that a host gives its agent",
    ),
    ("doctor", "tracker", "checks that the tasks can be read"),
    ("doctor", "mulch", "checks that the expertise can be read"),
    ("doctor", "watchdog", "checks whom the pid file names"),
    (
        "config",
        "text",
        "unknown keys are named with what was probably meant",
    ),
    (
        "config",
        "guard",
        "folders that are named writable and hidden from agents are told",
    ),
    (
        "doctor",
        "setup",
        "repairs by writing the files that a project is made of",
    ),
    (
        "setup",
        "agents",
        "a project holds the roles and their manifest",
    ),
    (
        "setup",
        "tracker",
        "a project may begin with an empty store of tasks",
    ),
    (
        "setup",
        "mulch",
        "a project may begin with an empty store of expertise",
    ),
    (
        "host",
        "mail",
        "the host puts mail into its agent's conversation",
    ),
    (
        "watchdog",
        "agents",
        "judges agents of the other program by their sessions and terminals",
    ),
    (
        "runtimes/ask",
        "process",
        "a CLI that is asked a question has the limits of every other command",
    ),
    (
        "merge",
        "worktree",
        "gates and repairs run in scratch worktrees",
    ),
    (
        "engine",
        "coordinator",
        "the engine runs the coordinator's loop in the background",
    ),
    (
        "commands",
        "cli",
        "commands take parsed arguments and print through it",
    ),
    (
        "commands/open",
        "tui",
        "the command without a name opens the full screen",
    ),
    (
        "commands/serve",
        "serve",
        "the command starts the server and prints where it is",
    ),
    (
        "serve",
        "cli",
        "rows are the same JSON over HTTP as on the command line",
    ),
];

/// The only files that write to the standard streams.
const MAY_PRINT: &[&str] = &[
    "src/main.rs",
    "src/cli/printer.rs",
    // A program for developers.
    "crates/guard/benches/shapes/main.rs",
];

/// Names that say nothing about a file's subject.
const EMPTY_NAMES: &[&str] = &[
    "utils", "util", "helpers", "common", "misc", "manager", "handler",
];

const FACADE_LINES: usize = 80;

struct Source {
    /// Relative to the package, with forward slashes.
    path: String,
    text: String,
    tokens: Vec<Token>,
}

#[derive(Debug, Clone, PartialEq)]
struct Token {
    text: String,
    line: usize,
}

#[test]
fn modules_use_only_what_lies_below_them() {
    let allowed: BTreeSet<(&str, &str)> = WITHIN_LAYER
        .iter()
        .map(|(from, to, _)| (*from, *to))
        .collect();
    let mut wrong = Vec::new();
    let mut used = BTreeSet::new();
    for source in sources() {
        let Some(from) = top_module(&source.path) else {
            continue;
        };
        let Some(own) = layer(&from) else {
            wrong.push(format!(
                "{}: module '{from}' is in no layer of this test",
                source.path
            ));
            continue;
        };
        for (to, line) in uses(&source) {
            let at = format!("{}:{line}", source.path);
            match layer(&to) {
                _ if to == from => {}
                None => wrong.push(format!("{at}: '{to}' is in no layer of this test")),
                Some(other) if other < own => {}
                Some(other) if other == own => {
                    let user = [from.as_str(), source.name()];
                    let found = user
                        .into_iter()
                        .find(|u| allowed.contains(&(*u, to.as_str())));
                    if let Some(user) = found {
                        used.insert((user.to_owned(), to.clone()));
                    } else {
                        wrong.push(format!("{at}: '{from}' uses '{to}' of its own layer"));
                    }
                }
                Some(_) => wrong.push(format!("{at}: '{from}' uses '{to}' of a higher layer")),
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(
        wrong.is_empty(),
        "wrong uses between modules:\n{}",
        wrong.join("\n")
    );
    let stale: Vec<_> = allowed
        .iter()
        .filter(|(from, to)| !used.contains(&((*from).to_owned(), (*to).to_owned())))
        .collect();
    assert!(
        stale.is_empty(),
        "allowed but not used, remove from WITHIN_LAYER: {stale:?}"
    );
}

/// What checks a result has nothing of what made it, but in tests.
#[test]
fn the_account_of_a_merge_uses_nothing_of_its_settling() {
    let files = files_below("src/merge/account");
    assert!(files.len() > 20);
    // Modules of tests in files of their own.
    let is_test = |path: &str| path.ends_with("/settled.rs") || path.ends_with("/tested.rs");
    let production = files.iter().filter(|file| !is_test(&file.path));
    let mut wrong = Vec::new();
    for file in production {
        let text = read(&root().join(&file.path));
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        if code.contains("merge::settle") || code.contains("super::settle::") {
            wrong.push(file.path.clone());
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn uses_inside_a_layer_have_no_cycle() {
    let mut below: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to, reason) in WITHIN_LAYER {
        assert!(!reason.is_empty(), "{from} -> {to} has no reason");
        let module = from.split('/').next().unwrap();
        assert_eq!(
            layer(module),
            layer(to),
            "{from} -> {to} is not inside one layer"
        );
        below.entry(from).or_default().push(to);
    }
    for start in below.keys() {
        let mut open = vec![*start];
        let mut seen = BTreeSet::new();
        while let Some(module) = open.pop() {
            for next in below.get(module).into_iter().flatten() {
                assert_ne!(next, start, "a cycle through '{start}' and '{module}'");
                if seen.insert(*next) {
                    open.push(next);
                }
            }
        }
    }
}

#[test]
fn every_module_is_in_a_layer_and_in_the_crate_documentation() {
    let lib = read(&root().join("src/lib.rs"));
    for source in sources() {
        let Some(module) = top_module(&source.path) else {
            continue;
        };
        assert!(layer(&module).is_some(), "'{module}' is in no layer");
        assert!(
            lib.contains(&format!("`{module}`")),
            "the layer table of src/lib.rs does not name '{module}'"
        );
    }
}

#[test]
fn nothing_prints_but_the_printer() {
    let macros = ["println", "eprintln", "print", "eprint", "dbg"];
    let mut wrong = Vec::new();
    for source in sources() {
        if MAY_PRINT.contains(&source.path.as_str()) {
            continue;
        }
        for pair in source.tokens.windows(2) {
            if pair[1].text == "!" && macros.contains(&pair[0].text.as_str()) {
                wrong.push(format!(
                    "{}:{}: {}!",
                    source.path, pair[0].line, pair[0].text
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "stray prints:\n{}", wrong.join("\n"));
}

#[test]
fn every_file_says_what_it_is_for() {
    let silent: Vec<_> = sources()
        .into_iter()
        .chain(
            files_below("tests")
                .into_iter()
                .filter(|s| !s.path.contains("/golden/")),
        )
        .chain(files_below("benches"))
        .filter(|s| !s.text.starts_with("//! "))
        .map(|s| s.path)
        .collect();
    assert!(
        silent.is_empty(),
        "files that do not start with //!: {silent:#?}"
    );
}

#[test]
fn a_facade_is_short_and_holds_no_logic() {
    let mut long = Vec::new();
    let facade = |path: &str| path.ends_with("/mod.rs") || path.ends_with("/lib.rs");
    for source in sources().iter().filter(|s| facade(&s.path)) {
        let lines = source.text.lines().count();
        // `runtimes/mod.rs` and the like may define the trait their files implement.
        if lines > FACADE_LINES {
            long.push(format!("{}: {lines} lines", source.path));
        }
    }
    assert!(
        long.is_empty(),
        "a mod.rs has at most {FACADE_LINES} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn names_say_what_a_file_is_about() {
    let wrong: Vec<_> = sources()
        .into_iter()
        .map(|s| s.path)
        .filter(|path| {
            path.trim_end_matches(".rs")
                .split('/')
                .any(|part| EMPTY_NAMES.contains(&part))
        })
        .collect();
    assert!(wrong.is_empty(), "names without a subject: {wrong:#?}");
}

#[test]
fn the_readme_mentions_every_command() {
    let help = Command::new(env!("CARGO_BIN_EXE_grove"))
        .arg("--help")
        .output()
        .unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // Deeper indented lines continue a description.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        commands.len() > 10,
        "no list of commands in the help:\n{help}"
    );
    let readme = read(&root().join("README.md"));
    let missing: Vec<_> = commands
        .iter()
        .filter(|c| !readme.contains(&format!("grove {c}")))
        .collect();
    assert!(
        missing.is_empty(),
        "README.md does not mention: {missing:?}"
    );
}

/// What links to a heading of Markdown name.
fn anchor(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let words = title.to_lowercase().replace(' ', "-");
    Some(words.replace(|c: char| !c.is_alphanumeric() && c != '-', ""))
}

#[test]
fn the_documents_name_files_that_exist() {
    for document in [
        "README.md",
        "docs/differences.md",
        "docs/guard.md",
        "docs/merging.md",
        "docs/runtimes.md",
        "docs/sandbox.md",
        "docs/serve.md",
        "docs/terminals.md",
    ] {
        let path = root().join(document);
        let folder = path.parent().unwrap();
        let text = read(&path);
        let headings: Vec<String> = text.lines().filter_map(anchor).collect();
        for part in text.split("](").skip(1) {
            let target = part.split(')').next().unwrap();
            let is_there = match target.strip_prefix('#') {
                Some(heading) => headings.iter().any(|there| there == heading),
                None => target.contains("://") || folder.join(target).exists(),
            };
            assert!(is_there, "{document} names {target}");
        }
    }
    assert!(read(&root().join("LICENSE")).starts_with("MIT License"));
}

#[test]
fn the_test_sees_through_comments_strings_groups_and_nesting() {
    let text = r##"//! Header with use crate::wrong::A;
use crate::{db::{self, X}, mail, types};
/* use crate::wrong; /* nested */ */
const T: &str = "use crate::wrong"; const R: &str = r#"crate::wrong"#;
fn f<'a>(c: char) -> &'a str { if c == '"' { crate::text::width() } else { super::super::git::x() } }
mod tests { use super::*; use super::super::super::host::Y; fn g() { println!("x"); } }
"##;
    let source = Source::new("src/agents/start/deep.rs".to_owned(), text.to_owned());
    // Two levels up from agents::start::deep is `agents`, which is not the crate's root.
    let found: BTreeSet<String> = uses(&source).into_iter().map(|(to, _)| to).collect();
    let expected = ["db", "mail", "text", "types"].map(str::to_owned);
    assert_eq!(found, expected.into_iter().collect());

    let shallow = Source::new("src/agents/start.rs".to_owned(), text.to_owned());
    let found: BTreeSet<String> = uses(&shallow).into_iter().map(|(to, _)| to).collect();
    let expected = ["db", "git", "host", "mail", "text", "types"].map(str::to_owned);
    assert_eq!(found, expected.into_iter().collect());
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn sources() -> Vec<Source> {
    let mut found = files_below("src");
    found.extend(files_below("crates"));
    found
}

fn files_below(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let relative = path.strip_prefix(root()).unwrap();
                let name = relative.to_str().unwrap().replace('\\', "/");
                found.push(Source::new(name, read(&path)));
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found
}

fn layer(module: &str) -> Option<usize> {
    LAYERS.iter().position(|names| names.contains(&module))
}

/// The module of the crate's root that a file belongs to; none for the crates beside it, which
/// can only use what their own Cargo.toml names.
fn top_module(path: &str) -> Option<String> {
    let inside = path.strip_prefix("src/")?;
    let first = inside.split('/').next()?.trim_end_matches(".rs");
    (!["main", "lib"].contains(&first)).then(|| first.to_owned())
}

/// How many modules lie between a file and the crate's root: 1 for `src/db/mod.rs`.
fn depth_of(path: &str) -> usize {
    let inside = path.trim_start_matches("src/").trim_end_matches(".rs");
    let parts: Vec<&str> = inside.split('/').collect();
    parts.len() - usize::from(matches!(parts.last(), Some(&("mod" | "lib" | "main"))))
}

/// Modules of the crate's root that a file names, with the line.
fn uses(source: &Source) -> Vec<(String, usize)> {
    let tokens = &source.tokens;
    let word = |i: usize| tokens.get(i).map_or("", |t| t.text.as_str());
    let mut found = Vec::new();
    let mut depth = depth_of(&source.path);
    let mut braces: Vec<bool> = Vec::new();
    let mut i = 0;
    while i < tokens.len() {
        match word(i) {
            "{" => {
                let opens_module = i >= 2 && word(i - 2) == "mod";
                depth += usize::from(opens_module);
                braces.push(opens_module);
            }
            "}" => depth -= usize::from(braces.pop().unwrap_or(false)),
            "crate" if word(i + 1) == "::" => found.extend(first_names(tokens, i + 2)),
            "super" if word(i.wrapping_sub(1)) != "::" => {
                let mut ups = 1;
                while word(i + 1) == "::" && word(i + 2) == "super" {
                    ups += 1;
                    i += 2;
                }
                if ups == depth && word(i + 1) == "::" {
                    found.extend(first_names(tokens, i + 2));
                }
            }
            _ => {}
        }
        i += 1;
    }
    found.retain(|(name, _)| name.chars().next().is_some_and(char::is_lowercase));
    found
}

/// The first name of a path, or of every path in a group.
fn first_names(tokens: &[Token], start: usize) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    let Some(first) = tokens.get(start) else {
        return found;
    };
    if first.text != "{" {
        return vec![(first.text.clone(), first.line)];
    }
    let mut level = 0;
    for (i, token) in tokens.iter().enumerate().skip(start) {
        match token.text.as_str() {
            "{" => level += 1,
            "}" => level -= 1,
            _ if level == 1 && matches!(tokens[i - 1].text.as_str(), "{" | ",") => {
                found.push((token.text.clone(), token.line));
            }
            _ => {}
        }
        if level == 0 {
            break;
        }
    }
    found
}

impl Source {
    /// `cli/app` for `src/cli/app.rs`.
    fn name(&self) -> &str {
        self.path.trim_start_matches("src/").trim_end_matches(".rs")
    }

    fn new(path: String, text: String) -> Self {
        let tokens = tokens(&text);
        Self { path, text, tokens }
    }
}

/// Words and signs of Rust source, without comments and literals.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let mut found = Vec::new();
    let (mut i, mut line) = (0, 1);
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => i = end_of_block_comment(&chars, i),
            'r' | 'b' | 'c' if literal_prefix(&chars, i).is_some() => {
                i = literal_prefix(&chars, i).unwrap();
            }
            '"' => i = end_of_string(&chars, i + 1),
            '\'' => i = end_of_quote(&chars, i),
            c if c.is_alphanumeric() || c == '_' => {
                while at(i).is_alphanumeric() || at(i) == '_' {
                    i += 1;
                }
                let text = chars[start..i].iter().collect();
                found.push(Token { text, line });
            }
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push(Token {
                    text: "::".to_owned(),
                    line,
                });
            }
            c => {
                i += 1;
                if !c.is_whitespace() {
                    found.push(Token {
                        text: c.to_string(),
                        line,
                    });
                }
            }
        }
        line += chars[start..i].iter().filter(|c| **c == '\n').count();
    }
    found
}

fn end_of_block_comment(chars: &[char], start: usize) -> usize {
    let mut level = 0;
    let mut i = start;
    while i < chars.len() {
        match chars.get(i..i + 2) {
            Some(['/', '*']) => {
                level += 1;
                i += 2;
            }
            Some(['*', '/']) => {
                level -= 1;
                i += 2;
                if level == 0 {
                    return i;
                }
            }
            _ => i += 1,
        }
    }
    chars.len()
}

/// The end of a literal such as `r#"…"#`, `b"…"` or `b'x'`, if one starts here.
fn literal_prefix(chars: &[char], start: usize) -> Option<usize> {
    let before = start.checked_sub(1).and_then(|i| chars.get(i));
    if before.is_some_and(|c| c.is_alphanumeric() || *c == '_') {
        return None;
    }
    let mut i = start;
    while matches!(chars.get(i), Some('b' | 'c')) && i < start + 1 {
        i += 1;
    }
    let raw = chars.get(i) == Some(&'r');
    i += usize::from(raw);
    let hashes = chars[i..].iter().take_while(|c| **c == '#').count();
    match chars.get(i + hashes) {
        Some('"') if raw => Some(end_of_raw_string(chars, i + hashes + 1, hashes)),
        Some('"') if hashes == 0 => Some(end_of_string(chars, i + 1)),
        Some('\'') if hashes == 0 && !raw => Some(end_of_quote(chars, i)),
        _ => None,
    }
}

fn end_of_raw_string(chars: &[char], mut i: usize, hashes: usize) -> usize {
    while i < chars.len() {
        let closes = chars[i] == '"' && chars[i + 1..].iter().take(hashes).all(|c| *c == '#');
        i += 1;
        if closes {
            return i + hashes;
        }
    }
    i
}

fn end_of_string(chars: &[char], mut i: usize) -> usize {
    while i < chars.len() && chars[i] != '"' {
        i += 1 + usize::from(chars[i] == '\\');
    }
    i + 1
}

/// A character literal, or a lifetime, which has no closing quote.
fn end_of_quote(chars: &[char], start: usize) -> usize {
    if chars.get(start + 1) == Some(&'\\') {
        let mut i = start + 3;
        while i < chars.len() && chars[i] != '\'' {
            i += 1;
        }
        return i + 1;
    }
    if chars.get(start + 2) == Some(&'\'') {
        return start + 3;
    }
    start + 1
}
