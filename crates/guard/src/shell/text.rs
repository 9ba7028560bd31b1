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

/// The process number of a job this very command started.
pub(crate) const JOB: char = '\u{10FF06}';

/// Behind an unknown part: it holds variables of the environment, of which some are credentials.
pub(crate) const SECRET: char = '\u{10FF07}';

const FIRST: char = '\u{10FF00}';
const LAST: char = '\u{10FF0F}';
/// The home directory, of which only one thing is known: it is not inside the worktree.
pub(crate) const HOME: &str = "/~home";

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

/// What a program makes of credentials it reads is one too, unless it is known.
pub(crate) fn still_secret(input: Option<&str>, mut out: String) -> String {
    if is_any(&out) && !is_secret(&out) && input.is_some_and(is_secret) {
        out.push(SECRET);
    }
    out
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

/// The text as a person would write it.
pub(crate) fn show(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            ANY => out.push_str(UNKNOWN),
            TOKEN => out.push_str("<word>"),
            JOB => out.push_str("<job>"),
            SECRET => {}
            PATH => out.push_str("<path>"),
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
