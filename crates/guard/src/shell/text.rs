//! Values the guard computes with: plain text in which private-use characters stand for the parts that
//! are not known, so that flags, paths and program names can still be compared as text.

/// Any text at all, also none, also several words.
pub(crate) const ANY: char = '\u{10FF00}';
/// One plain word: no slash, no white space, no leading dash (a number, a date, a hash).
pub(crate) const TOKEN: char = '\u{10FF01}';
/// One relative path that does not climb (what `find .` or `git ls-files` prints).
pub(crate) const PATH: char = '\u{10FF02}';
/// An active `*`.
pub(crate) const STAR: char = '\u{10FF03}';
/// An active `?`.
pub(crate) const QUEST: char = '\u{10FF04}';
/// An active `[` that starts a bracket expression.
pub(crate) const BRACKET: char = '\u{10FF05}';

/// The process number of this very command or of a job it started; also the number of a container it started.
pub(crate) const JOB: char = '\u{10FF06}';

/// Behind an unknown part: it holds a credential of the environment, or a file that is not of the project.
pub(crate) const SECRET: char = '\u{10FF07}';

/// Behind an unknown part: it came from the network as it is.
pub(crate) const FETCHED: char = '\u{10FF08}';

/// Behind an unknown part: it is what a file for process numbers in the worktree held before this command.
pub(crate) const NUMBER: char = '\u{10FF09}';

/// Before a path: no part of it is a link.
pub(crate) const SOLID: char = '\u{10FF0A}';

/// Before a path: it may be anything that is there, `.git` as well.
pub(crate) const WHOLE: char = '\u{10FF0B}';

/// Before a path twice: git looks after it, so that it may be one of the links that are there, also where there is too
/// much to look through.
pub(crate) const TRACKED: &str = "\u{10FF0A}\u{10FF0A}";

/// Behind an unknown part: there is always more of it.
pub(crate) const ENDLESS: char = '\u{10FF0C}';

/// Around the names of programs, behind an unknown part: it is one of them, unless the environment that a person has set
/// up names another one.
pub(crate) const CHOICE: char = '\u{10FF0D}';

/// A backslash of a value that was not quoted, in a word with a pattern: it is gone where the pattern finds something.
pub(crate) const ESCAPE: char = '\u{10FF0E}';

const FIRST: char = '\u{10FF00}';
const LAST: char = '\u{10FF0F}';
/// The home directory, of which only one thing is known: it is not inside the worktree.
pub(crate) const HOME: &str = "/~home";

/// The folder for temporary files, where a program asks for it and does not name it.
pub(crate) const TEMP: &str = "/~temp";

/// How a part that may be anything is shown.
pub const UNKNOWN: &str = "<unknown>";

/// Whether the text already holds one of the private characters, which input must never do.
pub(crate) fn is_forged(text: &str) -> bool {
    is_marked(text) && text.chars().any(|c| (FIRST..=LAST).contains(&c))
}

/// Whether the text may hold a private character: each of them starts with the same byte, which ordinary
/// text does not contain.
fn is_marked(text: &str) -> bool {
    text.as_bytes().contains(&0xF4)
}

/// Whether every character is known.
pub(crate) fn is_known(text: &str) -> bool {
    !is_forged(text)
}

/// Whether the text may be anything at all in some part.
pub(crate) fn is_any(text: &str) -> bool {
    is_marked(text) && text.contains(ANY)
}

/// Whether the text may hold credentials of the environment.
pub(crate) fn is_secret(text: &str) -> bool {
    is_marked(text) && text.contains(SECRET)
}

/// Whether the text came from the network and nothing has looked at it since.
pub(crate) fn is_fetched(text: &str) -> bool {
    is_marked(text) && text.contains(FETCHED)
}

/// Whether the text never ends.
pub(crate) fn is_endless(text: &str) -> bool {
    is_marked(text) && text.contains(ENDLESS)
}

/// An unknown text that is one of these programs; `None` where one of them cannot be the name of a program.
pub(crate) fn one_of(names: &[&str]) -> Option<String> {
    let mut out = String::from_iter([ANY, CHOICE]);
    for (at, name) in names.iter().enumerate() {
        if !is_program_word(name) || at >= MOST_CHOICES {
            return None;
        }
        if !names.iter().take(at).any(|before| before == name) {
            out.push_str(name);
            out.push(CHOICE);
        }
    }
    (!names.is_empty()).then_some(out)
}

/// The programs that an unknown text may be, where it is nothing else.
pub(crate) fn programs(text: &str) -> Option<Vec<&str>> {
    if !is_marked(text) {
        return None;
    }
    let names = text
        .trim_start_matches(ANY)
        .strip_prefix(CHOICE)?
        .strip_suffix(CHOICE)?;
    let names: Vec<&str> = names.split(CHOICE).collect();
    let plain = text.starts_with(ANY) && names.iter().all(|name| is_program_word(name));
    plain.then_some(names)
}

/// More programs than this are not told apart.
const MOST_CHOICES: usize = 6;

/// Whether a word may name a program, and is nothing that a shell would take apart.
fn is_program_word(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '+' | '-' | '/');
    !word.is_empty() && !word.starts_with('-') && word.chars().all(plain)
}

/// Whether the text is, as a whole, what a file for process numbers held.
pub(crate) fn is_number(text: &str) -> bool {
    text.trim()
        .strip_suffix(NUMBER)
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c == ANY))
}

/// The value of a variable of the environment that nothing is known about but its name.
pub(crate) fn inherited(name: &str) -> String {
    if names_credential(name) {
        format!("{ANY}{SECRET}")
    } else {
        ANY.to_string()
    }
}

/// Whether a variable of this name holds a credential, as far as names tell.
fn names_credential(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    let whole = upper.split('_').any(|part| {
        matches!(
            part,
            "KEY" | "APIKEY" | "PAT" | "PASS" | "PASSWD" | "PASSPHRASE" | "PWD" | "AUTH" | "CREDS"
        )
    });
    // `PWD` by itself is the directory.
    upper.contains('_') && whole
        || [
            "TOKEN",
            "SECRET",
            "PASSWORD",
            "CREDENTIAL",
            "API_KEY",
            "APIKEY",
            "PRIVATE_KEY",
        ]
        .iter()
        .any(|part| upper.contains(part))
}

/// What a program makes of credentials it reads is one too, unless it is known.
pub(crate) fn still_secret(input: Option<&str>, out: String) -> String {
    if input.is_some_and(is_secret) {
        secret(out)
    } else {
        out
    }
}

/// Marks what is not known of a text as holding credentials.
pub(crate) fn secret(mut out: String) -> String {
    if is_any(&out) && !is_secret(&out) {
        out.push(SECRET);
    }
    out
}

/// A part of an unknown text: where the whole came from is all that is known of it.
pub(crate) fn part_of(whole: &str) -> String {
    let mut part = still_secret(Some(whole), ANY.to_string());
    if is_fetched(whole) {
        part.push(FETCHED);
    }
    if is_number(whole) {
        part.push(NUMBER);
    }
    part
}

/// Whether an expanded word may have been none or several: a pattern, paths that something printed, or unknown
/// text that was split, which [`split`](super::fields::split) writes twice.
pub(crate) fn is_loose(text: &str) -> bool {
    has_glob(text)
        || is_marked(text) && (text.contains(PATH) || text.contains(&format!("{ANY}{ANY}")))
}

/// Whether the text holds a path that something printed.
pub(crate) fn is_listed(text: &str) -> bool {
    is_marked(text) && text.contains(PATH)
}

/// Whether the text holds an active pattern.
pub(crate) fn has_glob(text: &str) -> bool {
    is_marked(text) && text.contains([STAR, QUEST, BRACKET])
}

/// Marks the pattern characters of unquoted text as active.
pub(crate) fn activate(text: &str) -> String {
    if !text.bytes().any(|byte| matches!(byte, b'*' | b'?' | b'[')) {
        return text.to_owned();
    }
    let last_close = text.rfind(']');
    text.char_indices()
        .map(|(at, c)| match c {
            '*' => STAR,
            '?' => QUEST,
            '[' if last_close.is_some_and(|close| close > at + 1) => BRACKET,
            other => other,
        })
        .collect()
}

/// Marks the pattern characters of a value that is used as a pattern; a backslash keeps the one behind it as it is.
pub(crate) fn activate_value(value: &str) -> String {
    if !value.contains('\\') {
        return activate(value);
    }
    // What is kept as it is hides behind a sign of its own meanwhile.
    let mut kept = Vec::new();
    let mut hidden = String::with_capacity(value.len());
    let mut chars = value.chars();
    while let Some(c) = chars.next() {
        if c == '\\' {
            kept.push(chars.next().unwrap_or('\\'));
            hidden.push(ESCAPE);
        } else {
            hidden.push(c);
        }
    }
    let mut kept = kept.into_iter();
    activate(&hidden)
        .chars()
        .map(|c| {
            if c == ESCAPE {
                kept.next().unwrap_or(c)
            } else {
                c
            }
        })
        .collect()
}

/// Whether the word has backslashes that a pattern takes away.
pub(crate) fn has_escape(text: &str) -> bool {
    is_marked(text) && text.contains(ESCAPE)
}

/// The word as a pattern finds files: without those backslashes.
pub(crate) fn as_found(text: &str) -> String {
    let pair = String::from_iter([ESCAPE, ESCAPE]);
    text.replace(&pair, "\\").replace(ESCAPE, "")
}

/// The word as it stays where the pattern finds nothing.
pub(crate) fn as_written(text: &str) -> String {
    text.replace(ESCAPE, "\\")
}

/// The text as a person would write it.
pub(crate) fn show(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ANY if out.ends_with(UNKNOWN) => {}
            ANY => out.push_str(UNKNOWN),
            TOKEN => out.push_str("<word>"),
            JOB => out.push_str("<job>"),
            SECRET | FETCHED | NUMBER | SOLID | WHOLE | ENDLESS => {}
            PATH => out.push_str("<path>"),
            CHOICE => out.push('|'),
            ESCAPE => out.push('\\'),
            STAR => out.push('*'),
            QUEST => out.push('?'),
            BRACKET => out.push('['),
            other => out.push(other),
        }
    }
    match out.strip_prefix(HOME) {
        Some(rest) => format!("~{rest}"),
        None => out,
    }
}

/// The text shortened for a one-line reason.
pub(crate) fn brief(text: &str) -> String {
    let shown = show(text).replace(['\n', '\r', '\t'], " ");
    if shown.chars().count() <= 60 {
        return shown;
    }
    let mut cut: String = shown.chars().take(57).collect();
    cut.push_str("...");
    cut
}

/// The same, keeping the end: of a path it says the most.
pub(crate) fn brief_end(text: &str) -> String {
    let shown = show(text).replace(['\n', '\r', '\t'], " ");
    let count = shown.chars().count();
    if count <= 60 {
        return shown;
    }
    let end: String = shown.chars().skip(count - 57).collect();
    format!("...{end}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Read from this very file, so that a mark that is added later counts as well.
    #[test]
    fn every_mark_is_another_character_and_none_may_come_from_outside() {
        let marks: Vec<(&str, char)> = include_str!("text.rs")
            .lines()
            .filter_map(|line| {
                line.strip_prefix("pub(crate) const ")?
                    .split_once(": char = '\\u{")
            })
            .map(|(name, rest)| {
                let code = rest.split('}').next().unwrap();
                (
                    name,
                    char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap(),
                )
            })
            .collect();
        assert!(marks.len() >= 12, "{marks:?}");
        for (at, (name, mark)) in marks.iter().enumerate() {
            let same = marks.iter().skip(at + 1).find(|(_, other)| other == mark);
            assert_eq!(same, None, "{name}");
            assert!((FIRST..=LAST).contains(mark), "{name}");
            assert!(is_forged(&mark.to_string()), "{name}");
            // Nothing of it is left in what a person reads.
            let shown = show(&format!("a{mark}"));
            assert!(!is_forged(&shown), "{name}: {shown}");
        }
    }
}
