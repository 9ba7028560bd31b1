//! Searches that are aimed at what arms the guard: tests of `find` that let its settings through and no usual file.
//!
//! `*.json` is about what is there; `settings*.json` and `*claude*` are about the settings.

use crate::paths::GUARD_FILES;
use crate::shell::glob;
use crate::shell::text::{self, activate};
use crate::shell::walk::Walker;

/// More words than this are not looked at; they may let anything through.
const MOST: usize = 160;

/// Brackets in brackets are followed this deep.
const DEEPEST: usize = 16;

/// Paths as most projects have them, none of which is the guard's.
const USUAL: &[&str] = &[
    "data/example.json",
    "example.json",
    "src/main/example.ts",
    "README.md",
    "docs/guide/index.html",
    "target/debug/x.d",
    "notes.txt",
    "config/local.toml",
    ".editorconfig",
    "LICENSE",
    "build",
];

/// Tests and actions without a value.
const ALONE: &[&str] = &[
    "-print",
    "-print0",
    "-delete",
    "-prune",
    "-empty",
    "-depth",
    "-d",
    "-follow",
    "-true",
    "-false",
    "-readable",
    "-writable",
    "-executable",
    "-mount",
    "-xdev",
    "-ls",
    "-quit",
    "-daystart",
    "-noleaf",
    "-nouser",
    "-nogroup",
    "-warn",
    "-nowarn",
    "-ignore_readdir_race",
    "-noignore_readdir_race",
];

/// One of the guard's files that the tests are aimed at, as a path below the root of the search.
pub(super) fn settings(w: &Walker<'_>, root: &str, tests: &[String]) -> Option<String> {
    if !tests.iter().any(|test| is_about_names(test)) || !text::is_known(root) {
        return None;
    }
    let base = root.trim_end_matches('/');
    // Of other agents most projects have nothing.
    let is_there = |file: &str| {
        let path = w.policy.worktree.join(file);
        file.starts_with('.') && (w.paths.is_file(&path) || w.paths.is_directory(&path))
    };
    if tests.len() > MOST {
        return Some(format!("{base}/.claude/settings.json"));
    }
    let file = GUARD_FILES
        .iter()
        .filter(|file| file.starts_with(".claude/") || is_there(file))
        .find(|file| lets_through(base, file, tests))?;
    let is_broad = USUAL.iter().any(|file| lets_through(base, file, tests));
    (!is_broad).then(|| format!("{base}/{file}"))
}

/// Whether tests let a file below a root through, or may.
fn lets_through(base: &str, file: &str, tests: &[String]) -> bool {
    let mut reader = Reader {
        tests,
        at: 0,
        depth: 0,
        path: format!("{base}/{file}"),
        base,
        inner: file,
    };
    reader.last_alternative()
}

struct Reader<'a> {
    tests: &'a [String],
    at: usize,
    depth: usize,
    path: String,
    base: &'a str,
    inner: &'a str,
}

impl Reader<'_> {
    fn word(&self) -> Option<&str> {
        self.tests.get(self.at).map(String::as_str)
    }

    /// Whether what stands behind the last `-o` may let the path through, and nothing before it keeps it away.
    fn last_alternative(&mut self) -> bool {
        let mut spared = false;
        loop {
            let from = self.at;
            let holds = self.all_of();
            let own = self.tests.get(from..self.at).unwrap_or_default();
            let prunes = own.iter().any(|word| word == "-prune");
            match self.word() {
                Some("-o" | "-or" | ",") => {
                    spared |= holds && prunes || self.prunes_above(own);
                    self.at += 1;
                }
                Some(_) => self.at += 1,
                None => return holds && !spared,
            }
        }
    }

    /// `-name .claude -prune`, `-path './.*' -prune`: the folder the file is in is not entered.
    fn prunes_above(&self, tests: &[String]) -> bool {
        let [test, value, rest @ ..] = tests else {
            return false;
        };
        if rest.first().is_none_or(|word| word != "-prune") {
            return false;
        }
        let Some((folder, _)) = self.inner.split_once('/') else {
            return false;
        };
        let path = format!("{}/{folder}", self.base);
        match test.as_str() {
            "-name" | "-iname" => glob::matches(&activate(value), folder, true),
            "-path" | "-ipath" | "-wholename" => glob::matches(&activate(value), &path, true),
            _ => false,
        }
    }

    fn any_of(&mut self) -> bool {
        let mut holds = self.all_of();
        while matches!(self.word(), Some("-o" | "-or" | ",")) {
            self.at += 1;
            holds |= self.all_of();
        }
        holds
    }

    fn all_of(&mut self) -> bool {
        let mut holds = true;
        while let Some(word) = self.word() {
            match word {
                "-o" | "-or" | "," | ")" | "\\)" => break,
                "-a" | "-and" => self.at += 1,
                _ => holds &= self.one(),
            }
        }
        holds
    }

    /// Whether one test may let the path through.
    fn one(&mut self) -> bool {
        let Some(word) = self.word().map(str::to_owned) else {
            return true;
        };
        self.at += 1;
        match word.as_str() {
            "!" | "-not" => self.negated(),
            "(" | "\\(" if self.depth < DEEPEST => {
                self.depth += 1;
                let holds = self.any_of();
                self.depth -= 1;
                self.at += usize::from(matches!(self.word(), Some(")" | "\\)")));
                holds
            }
            "-false" => false,
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                while self.word().is_some_and(|word| word != ";" && word != "+") {
                    self.at += 1;
                }
                self.at += 1;
                true
            }
            word if word.starts_with('-') && !ALONE.contains(&word) => {
                let value = self.word().unwrap_or_default().to_owned();
                self.at += 1;
                self.test(word, &value)
            }
            _ => true,
        }
    }

    /// Only of names it is known that they do not fit.
    fn negated(&mut self) -> bool {
        let known = self.word().is_some_and(is_about_names);
        !(self.one() && known)
    }

    fn test(&mut self, test: &str, value: &str) -> bool {
        if is_about_names(test) && text::is_known(value) {
            return fits(test, value, &self.path);
        }
        let depth = self.inner.split('/').count();
        let is_file = self.inner.contains(".json");
        match (test, value.parse::<usize>()) {
            ("-maxdepth", Ok(most)) => depth <= most,
            ("-mindepth", Ok(least)) => depth >= least,
            ("-type", _) => !is_file || value.contains('f'),
            _ => true,
        }
    }
}

fn is_about_names(test: &str) -> bool {
    matches!(
        test,
        "-name"
            | "-iname"
            | "-path"
            | "-ipath"
            | "-wholename"
            | "-iwholename"
            | "-regex"
            | "-iregex"
    )
}

/// Whether a test of names lets a path through, or may.
pub(super) fn fits(test: &str, value: &str, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (value, path, name) = if test.starts_with("-i") {
        (
            value.to_lowercase(),
            path.to_lowercase(),
            name.to_lowercase(),
        )
    } else {
        (value.to_owned(), path.to_owned(), name.to_owned())
    };
    if test.ends_with("regex") {
        return may_match(&value, &path);
    }
    let fitting = if test.ends_with("name") && !test.contains("whole") {
        name
    } else {
        path
    };
    glob::matches(&activate(&value), &fitting, true)
}

/// Whether a regular expression may match a path: what stands in it as it is has to come in that order.
fn may_match(pattern: &str, path: &str) -> bool {
    let mut rest = path;
    let mut letters = String::new();
    let mut chars = pattern.chars().peekable();
    let mut find = |letters: &mut String| {
        let found = rest.find(letters.as_str());
        rest = found.map_or("", |at| rest.get(at + letters.len()..).unwrap_or_default());
        letters.clear();
        found.is_some()
    };
    while let Some(c) = chars.next() {
        let literal = match c {
            // What else a backslash makes a sign depends on the kind of expression.
            '\\' => match chars.next() {
                Some(c @ ('.' | '/' | '-' | '_')) => Some(c),
                _ => return true,
            },
            // Alternatives and sets may be anything.
            '|' | '(' | '[' => return true,
            '.' | '^' | '$' | ')' | ']' | '*' | '+' | '?' | '{' | '}' => None,
            other => Some(other),
        };
        let may_be_missing = matches!(chars.peek(), Some('*' | '?' | '{' | '\\'));
        match literal {
            // One that may be missing is none.
            Some(_) if may_be_missing && !find(&mut letters) => return false,
            Some(_) if may_be_missing => {}
            Some(c) => letters.push(c),
            None if !find(&mut letters) => return false,
            None => {}
        }
    }
    find(&mut letters)
}
