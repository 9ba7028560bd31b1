//! What programs that list files print: patterns for the names in a folder, paths below one.
//!
//! A name that is printed may be that of a link; whether there are such links is asked where the name is used.

use super::expand::place_text;
use super::programs::operands;
use super::state::State;
use super::text::{self, ANY, BRACKET, PATH, SOLID, STAR, TOKEN, WHOLE};

/// The names of a folder that begin with a dot, other than `.` and `..`, as a pattern.
fn hidden() -> String {
    format!(".{BRACKET}!.]{STAR}")
}

/// What `ls` prints.
pub(super) fn names(args: &[String], st: &State) -> String {
    let letters = || {
        let short = args.iter().filter(|arg| !arg.starts_with("--"));
        short
            .filter_map(|arg| arg.strip_prefix('-'))
            .collect::<String>()
    };
    let letters = letters();
    if letters.contains(['l', 's', 'i', 'Z', 'g', 'o', 'n']) {
        return ANY.to_string();
    }
    let long = |full: &str| args.iter().any(|arg| arg == full);
    let itself = letters.contains('d') || long("--directory");
    let all = letters.contains(['a', 'f']) || long("--all");
    let mut whole = format!("{STAR}\n");
    if all || letters.contains('A') || long("--almost-all") {
        whole.push_str(&hidden());
        whole.push('\n');
    }
    if all {
        whole.push_str(".\n..\n");
    }
    let paths = operands(args);
    if paths.is_empty() {
        return if itself { ".\n".to_owned() } else { whole };
    }
    let here = place_text(&st.cwd);
    let mut out = String::new();
    for path in paths {
        let plain = path.trim_end_matches('/');
        if itself {
            out.push_str(&format!("{path}\n"));
        } else if matches!(plain, "." | "./.") || plain == here {
            out.push_str(&whole);
        } else {
            // A file, or the names in another folder.
            out.push_str(&format!("{path}\n{STAR}{TOKEN}\n"));
        }
    }
    out
}

/// Some of the lines: what was all names of a folder is no longer all of them.
pub(super) fn some(input: &str) -> String {
    if !text::has_glob(input) {
        return input.to_owned();
    }
    let all = STAR.to_string();
    let lines = input.split('\n').map(|line| {
        if line == all {
            format!("{STAR}{TOKEN}")
        } else {
            line.to_owned()
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Names of files that match, when that is what is printed; lines of the input when they pass through.
pub(super) fn searched(name: &str, args: &[String], stdin: Option<&str>) -> String {
    let has = |short: char, long: &str| {
        args.iter().any(|arg| {
            arg == long || arg.starts_with('-') && !arg.starts_with("--") && arg.contains(short)
        })
    };
    let files = name == "rg" && args.iter().any(|arg| arg == "--files");
    let without = has('L', "--files-without-match") && name != "rg";
    let lists = has('l', "--files-with-matches") || without || files;
    let recursive = name == "rg" || has('r', "--recursive") || has('R', "--dereference-recursive");
    let patterns = patterns(args);
    if lists {
        let follows = if name == "rg" {
            has('L', "--follow")
        } else {
            has('R', "--dereference-recursive")
        };
        if follows {
            return ANY.to_string();
        }
        let every = without || patterns.iter().any(|pattern| !names_letters(pattern));
        let mark = if every && name != "rg" {
            WHOLE.to_string()
        } else {
            String::new()
        };
        let paths = operands(args);
        let skip = usize::from(!args.iter().any(|arg| arg == "-e" || arg == "--files"));
        let roots: String = paths
            .iter()
            .skip(skip)
            .map(|path| found_in(path, recursive, &mark))
            .collect();
        return if roots.is_empty() {
            found_in(".", true, &mark)
        } else {
            roots
        };
    }
    let changes = has('o', "--only-matching")
        || has('c', "--count")
        || has('n', "--line-number")
        || has('r', "--recursive");
    match stdin {
        Some(input) if !changes && operands(args).len() <= 1 => {
            let inverted = has('v', "--invert-match");
            let spares = if inverted {
                patterns.iter().any(|pattern| pattern.contains("git"))
            } else {
                !patterns.is_empty() && patterns.iter().all(|pattern| spares_git(pattern))
            };
            let input = if spares {
                without_git(input)
            } else {
                input.to_owned()
            };
            let every = !inverted && patterns.iter().any(|pattern| !names_letters(pattern));
            if every { input } else { some(&input) }
        }
        Some(_) | None => ANY.to_string(),
    }
}

/// What a search prints for one of its roots. Links on the way are not followed, one that is the root is.
fn found_in(path: &str, recursive: bool, mark: &str) -> String {
    let plain = path.trim_end_matches('/');
    let below = format!("{plain}/{mark}{SOLID}{PATH}\n");
    if text::has_glob(path) || text::is_listed(path) || !recursive {
        format!("{path}\n")
    } else if matches!(plain, "" | "." | "..") || plain.len() < path.len() {
        below
    } else {
        format!("{path}\n{below}")
    }
}

/// The patterns of a search.
fn patterns(args: &[String]) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        if arg == "-e" {
            found.extend(args.get(at + 1).map(String::as_str));
        } else if let Some(pattern) = arg.strip_prefix("-e").or(arg.strip_prefix("--regexp=")) {
            found.push(pattern);
        }
    }
    if found.is_empty() {
        found.extend(operands(args).first().map(|first| first.as_str()));
    }
    found
}

/// Letters that a line must hold, in each alternative of the pattern: `None` where that cannot be told.
fn needed(pattern: &str) -> Option<Vec<String>> {
    // Options, and signs given by their numbers or classes, are not worked out.
    if [
        ")*", ")?", "){", ")\\{", "(?", "\\x", "\\u", "\\U", "\\p", "\\P", "\\o", "\\N",
    ]
    .iter()
    .any(|open| pattern.contains(open))
    {
        return None;
    }
    let alternatives = pattern.split('|').map(|alternative| {
        let chars: Vec<char> = alternative.chars().collect();
        let mut letters = String::new();
        let mut at = 0;
        while let Some(c) = chars.get(at) {
            at += 1;
            match c {
                '\\' => at += 1,
                '[' => {
                    at += 1;
                    while chars.get(at).is_some_and(|c| *c != ']') {
                        at += 1;
                    }
                }
                c if c.is_alphanumeric() => {
                    let optional = matches!(chars.get(at), Some('*' | '?' | '{' | '\\'))
                        && !matches!(chars.get(at..at + 2), Some(['\\', '.' | '/' | '-' | '$']));
                    if !optional {
                        letters.push(*c);
                    }
                }
                _ => {}
            }
        }
        letters
    });
    Some(alternatives.collect())
}

/// Whether the pattern needs some letter at all.
fn names_letters(pattern: &str) -> bool {
    needed(pattern).is_some_and(|all| all.iter().all(|letters| !letters.is_empty()))
}

/// Whether no line that ends in `.git` needs to fit the pattern: each alternative has a letter that is not of it.
pub(crate) fn spares_git(pattern: &str) -> bool {
    needed(pattern).is_some_and(|all| {
        all.iter()
            .all(|letters| letters.chars().any(|c| !"gitGIT".contains(c)))
    })
}

/// The lines without those that stand for `.git` as well.
fn without_git(input: &str) -> String {
    let hidden = hidden();
    let lines = input.split('\n').filter(|line| *line != hidden);
    lines
        .map(|line| line.replace(WHOLE, ""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_spares_git_where_it_needs_other_letters() {
        for pattern in [r"\.pyc$", r"\.(o|a)$", "log", "^./src/", r"x\.tmp"] {
            assert!(spares_git(pattern), "{pattern}");
        }
        for pattern in [
            "", ".", "git", "a*", "(a)*", "a|", r"\w", "[a-z]", "x?", "^", r"\x2egit", "(?s).*",
        ] {
            assert!(!spares_git(pattern), "{pattern}");
        }
    }
}
