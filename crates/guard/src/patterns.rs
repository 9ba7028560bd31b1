//! The project's own rules: patterns that allow or block commands.
//!
//! A pattern is matched against the words of each command that would run, after quotes, variables, wrappers
//! and nested shells have been worked out; never against the text of the call. `block` compares what the words
//! mean (see [`super::spelled`]), `allow` the words as they are: in doubt `block` matches more and `allow` less.

use std::path::Path;
use std::str::Chars;

use super::paths::normal;
use super::policy::Policy;
use super::shell::text::ANY;
use super::spelled::meets;
use super::synonyms::{of_pattern, spellings};

/// The pattern of `guard.block` that this command falls under.
///
/// `locate` gives the spelling of a path below the worktree's top folder.
pub(super) fn blocked<'p>(
    policy: &'p Policy,
    argv: &[String],
    locate: &dyn Fn(&str) -> Option<String>,
) -> Option<&'p str> {
    if policy.block.is_empty() {
        return None;
    }
    let spelled = spellings(argv, locate);
    let found = policy.block.iter().find(|pattern| {
        let meant = of_pattern(pattern);
        spelled
            .iter()
            .any(|argv| meant.iter().any(|words| meets(words, argv, locate)))
    });
    found.map(String::as_str)
}

/// Whether a pattern of `guard.block` begins like this command: then its words are compared one by one.
pub(super) fn concerned(policy: &Policy, argv: &[String]) -> bool {
    let Some(program) = argv.first() else {
        return false;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    policy.block.iter().any(|pattern| {
        pattern
            .split_whitespace()
            .next()
            .is_some_and(|first| like(first, program) || like(first, name))
    })
}

/// Whether a pattern of `guard.allow` names exactly this command.
pub(super) fn allowed(policy: &Policy, argv: &[String]) -> bool {
    policy.allow.iter().any(|pattern| allows(pattern, argv))
}

/// Word by word; only a `*` at the end stands for more words.
fn allows(pattern: &str, argv: &[String]) -> bool {
    let words: Vec<&str> = pattern.split_whitespace().collect();
    let (open, words) = match words.split_last() {
        Some((&"*", named)) if !named.is_empty() => (true, named),
        _ => (false, words.as_slice()),
    };
    let long_enough = argv.len() == words.len() || open && argv.len() > words.len();
    long_enough
        && words.iter().zip(argv).enumerate().all(|(at, (word, arg))| {
            let word = if at == 0 {
                program(word)
            } else {
                (*word).to_owned()
            };
            !arg.contains(ANY) && like(&word, arg)
        })
}

/// The program of a pattern: one with a path is that file, seen from the worktree's top folder.
pub(super) fn program(word: &str) -> String {
    if !word.contains('/') || word.starts_with('/') {
        return word.to_owned();
    }
    let path = normal(&Path::new("/").join(word));
    format!(".{}", path.display())
}

/// Whether a word is like the pattern: `*` is any text, `?` one character.
pub(super) fn like(pattern: &str, word: &str) -> bool {
    let (mut pattern, mut word) = (pattern.chars(), word.chars());
    // What stands behind the last star, and where its text may end later.
    let mut back: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        let before = word.clone();
        let Some(letter) = word.next() else {
            return pattern.all(|c| c == '*');
        };
        match pattern.next() {
            Some('*') => {
                back = Some((pattern.clone(), before.clone()));
                word = before;
            }
            Some(c) if c == '?' || c == letter => {}
            _ => match &mut back {
                Some((behind, from)) => {
                    from.next();
                    pattern = behind.clone();
                    word = from.clone();
                }
                None => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn blocks(pattern: &str, argv: &[String]) -> bool {
        meets(&self::argv(pattern), argv, &|_| None)
    }

    #[test]
    fn a_block_sees_through_options_and_allows_nothing_behind_it() {
        for command in [
            "npm publish",
            "npm publish --tag x",
            "npm --silent publish",
            "npm --prefix a publish",
        ] {
            assert!(blocks("npm publish", &argv(command)), "{command}");
        }
        for command in [
            "npm run publish",
            "npm",
            "npx publish",
            "npm install publish",
        ] {
            assert!(!blocks("npm publish", &argv(command)), "{command}");
        }
        assert!(blocks("git push *", &argv("git -C . push")));
        assert!(!blocks("git push *", &argv("git commit -m x push")));
        assert!(blocks("make deploy*", &argv("make -j 4 deploy-prod")));
        assert!(blocks("npm publish", &["npm".into(), ANY.to_string()]));
    }

    #[test]
    fn a_block_holds_for_options_in_every_spelling() {
        for (pattern, command) in [
            ("rm -rf node_modules", "rm -fr node_modules"),
            ("rm -rf node_modules", "rm -r -f node_modules"),
            ("rm -rf node_modules", "rm --recursive --force node_modules"),
            ("rm -rf node_modules", "rm -rf ./node_modules/"),
            ("rm -rf node_modules", "rm node_modules -rf"),
            ("rm -rf node_modules", "rm -rfv build node_modules"),
            ("cargo run --example danger", "cargo run --example=danger"),
            (
                "cargo run --example danger",
                "cargo run -q --example danger x",
            ),
            ("git commit --no-verify", "git commit -n"),
            ("git commit --no-verify", "git commit -nm x"),
            ("git commit --no-verify", "git commit -m x --no-verif"),
            ("git commit --no-verify", "git -C . commit -anm x"),
            ("git rebase -i", "git rebase --interactive"),
            ("git rebase -i", "git rebase main -i"),
            ("pytest -m slow", "pytest -m=slow"),
            ("pytest -m slow", "pytest -mslow"),
            ("pytest -m slow", "pytest tests -m slow"),
            ("tool --force x", "tool x --force"),
            ("tool -ab x", "tool -b -a x"),
            ("tool -level 3", "tool -level=3"),
            ("npm install left-pad", "npm install a left-pad"),
        ] {
            assert!(blocks(pattern, &argv(command)), "{pattern}: {command}");
        }
        for (pattern, command) in [
            ("rm -rf node_modules", "rm -r node_modules"),
            ("rm -rf node_modules", "rm -rf node_modules_old"),
            ("cargo run --example danger", "cargo run --example safe"),
            ("cargo run --example danger", "cargo test --example danger"),
            ("git commit --no-verify", "git commit -m -n"),
            ("git commit --no-verify", "git commit -mn"),
            ("git commit --no-verify", "git merge -n x"),
            ("git rebase -i", "git rebase main"),
            ("pytest -m slow", "pytest -m fast slow"),
            ("pytest -m slow", "pytest slow"),
            ("tool -level 3", "tool -l -e -v 3"),
        ] {
            assert!(!blocks(pattern, &argv(command)), "{pattern}: {command}");
        }
        let unknown = ["git", "commit", "-m"].map(str::to_owned);
        let message = [&unknown[..], &[ANY.to_string()]].concat();
        assert!(!blocks("git commit --no-verify", &message));
    }

    #[test]
    fn an_allow_names_every_word() {
        assert!(allows("make docs", &argv("make docs")));
        assert!(!allows("make docs", &argv("make docs install")));
        assert!(!allows("make docs", &argv("make -f x docs")));
        assert!(allows("make docs *", &argv("make docs a b")));
        assert!(allows("make docs *", &argv("make docs")));
        assert!(allows("make d?cs*", &argv("make docs-all")));
        for pattern in [
            "./scripts/gen.sh",
            "scripts/gen.sh",
            "./scripts/../scripts/*.sh",
        ] {
            assert!(allows(pattern, &argv("./scripts/gen.sh")), "{pattern}");
        }
        for pattern in ["gen.sh", "./gen.sh", "scripts/gen", "/scripts/gen.sh"] {
            assert!(!allows(pattern, &argv("./scripts/gen.sh")), "{pattern}");
        }
    }

    #[test]
    fn many_stars_take_no_longer_than_the_text_is() {
        let pattern = "*a".repeat(200);
        let word = "a".repeat(5_000) + "b";
        assert!(!like(&pattern, &word));
        assert!(like("*", "") && like("a*b?", "axxbc") && !like("a", "ab"));
    }
}
