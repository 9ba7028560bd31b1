//! The project's own rules: patterns that allow or block commands.
//!
//! A pattern is matched against the words of each command that would run, after quotes, variables, wrappers
//! and nested shells have been worked out; never against the text of the call. Where the two differ in
//! doubt, `block` matches more and `allow` less.

use super::policy::Policy;
use super::shell::text::{self, ANY};
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
            .any(|argv| meant.iter().any(|words| blocks(words, argv)))
    });
    found.map(String::as_str)
}

/// Whether a pattern of `guard.allow` names exactly this command.
pub(super) fn allowed(policy: &Policy, argv: &[String]) -> bool {
    policy.allow.iter().any(|pattern| allows(pattern, argv))
}

/// Options before and between the named words do not hide a command, and more words may follow.
fn blocks(pattern: &[String], argv: &[String]) -> bool {
    let mut words = pattern.iter().map(String::as_str).peekable();
    let Some((program, mut rest)) = argv.split_first() else {
        return false;
    };
    if !words.next().is_some_and(|word| like(word, program)) {
        return false;
    }
    while let Some(word) = words.next() {
        if word == "*" && words.peek().is_none() {
            return true;
        }
        // A word that is not known before it runs could be this one.
        let matches = |arg: &String| like(word, arg) || text::is_any(arg);
        let mut skipped_option = false;
        loop {
            match rest.split_first() {
                Some((arg, more)) if matches(arg) => {
                    rest = more;
                    break;
                }
                Some((arg, more)) if arg.starts_with('-') => {
                    skipped_option = true;
                    rest = more;
                }
                // The value of the option before.
                Some((_, more)) if skipped_option => {
                    skipped_option = false;
                    rest = more;
                }
                Some(_) | None => return false,
            }
        }
    }
    true
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
        && words
            .iter()
            .zip(argv)
            .all(|(word, arg)| !arg.contains(ANY) && like(word, arg))
}

/// Whether a word is like the pattern: `*` is any text, `?` one character.
fn like(pattern: &str, word: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let word: Vec<char> = word.chars().collect();
    let (mut p, mut w) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while w < word.len() {
        match pattern.get(p) {
            Some('*') => {
                back = Some((p, w));
                p += 1;
            }
            Some(c) if *c == '?' || word.get(w) == Some(c) => {
                p += 1;
                w += 1;
            }
            _ => match back {
                Some((star, from)) => {
                    back = Some((star, from + 1));
                    p = star + 1;
                    w = from + 1;
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn blocks(pattern: &str, argv: &[String]) -> bool {
        super::blocks(&self::argv(pattern), argv)
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
    fn an_allow_names_every_word() {
        assert!(allows("make docs", &argv("make docs")));
        assert!(!allows("make docs", &argv("make docs install")));
        assert!(!allows("make docs", &argv("make -f x docs")));
        assert!(allows("make docs *", &argv("make docs a b")));
        assert!(allows("make docs *", &argv("make docs")));
        assert!(allows("make d?cs*", &argv("make docs-all")));
    }

    #[test]
    fn many_stars_take_no_longer_than_the_text_is() {
        let pattern = "*a".repeat(200);
        let word = "a".repeat(5_000) + "b";
        assert!(!like(&pattern, &word));
        assert!(like("*", "") && like("a*b?", "axxbc") && !like("a", "ab"));
    }
}
