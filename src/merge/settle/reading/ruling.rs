//! A line that says when or with what the lines below it are done: the head of a block, a condition, a label. Who puts
//! something below has read the head that was there, so it is not put below another one. Pure.

use crate::merge::lines::is_blank;
use crate::merge::tokens::tokens;

use super::leaning::{ENDS, indent, leans_up};
use super::names::defined_name;
use super::units::{bound, closes};

/// How a head ends, beside brackets and words.
const OPENS: [&str; 4] = [":", "=>", "->", ": |"];
const OPENING_WORDS: [&str; 3] = ["then", "do", "begin"];

/// Words that begin a condition for all that stands as deep, and a stage of a build.
const CONDITIONS: [&str; 4] = ["if:", "when:", "unless:", "FROM"];

/// What holds something for the lines below: another hold lets them do something else.
const HOLDS: [&str; 8] = [
    "lock", "unlock", "rlock", "runlock", "Lock", "Unlock", "RLock", "RUnlock",
];

/// Tells whether some lines speak of what a statement gave a name, which it does no more.
pub(in crate::merge::settle) fn renames(old: &[&[u8]], new: &[&[u8]], lines: &[&[u8]]) -> bool {
    let known = words_of(new);
    // `a::b` gives nothing a name.
    let is_path = |line: &[u8]| {
        let text = std::str::from_utf8(line).unwrap_or_default().trim();
        let rest = text.split_once(['=', ':']).map_or("", |(_, rest)| rest);
        rest.starts_with([':', '=']) && !text.contains("use ")
    };
    let named = old.iter().filter(|line| !is_path(line));
    let went: Vec<&str> = named
        .flat_map(|line| bound(line))
        .filter(|name| !known.contains(name))
        .collect();
    lines.iter().any(|line| has_any(line, &went))
}

/// Tells whether a line that was reworded, the last of those that became others, decides what becomes of `lines`, which
/// were put in directly below the old wording; `below` is what follows in the base.
pub(in crate::merge::settle) fn rules_over(
    gone: &[&[u8]],
    made: &[&[u8]],
    lines: &[&[u8]],
    below: &[&[u8]],
) -> bool {
    let (Some(was), Some(is)) = (gone.last(), made.last()) else {
        return false;
    };
    let (Some(old), Some(new)) = (said(was), said(is)) else {
        return true;
    };
    if old == new {
        // Only a comment is another.
        return false;
    }
    let [old_words, new_words] = [old, new].map(words);
    let is_other = |list: &[&str]| {
        let has = |words: &[&str], word: &str| words.contains(&word);
        list.iter()
            .any(|word| has(&old_words, word) != has(&new_words, word))
    };
    if is_other(&HOLDS) || is_other(&ENDS) {
        return true;
    }
    let first = lines.iter().find(|line| !is_blank(line));
    let Some(first) = first.filter(|first| !leans_up(lines) && !closes(first)) else {
        return false;
    };
    if CONDITIONS.iter().any(|word| old.starts_with(word)) {
        return indent(first) >= indent(was);
    }
    let next = below.iter().find(|line| !is_blank(line));
    let is_deeper = |line: &[u8]| indent(line) > indent(was);
    let opens = [old, new].into_iter().any(opens) || next.is_some_and(|next| is_deeper(next));
    if !opens || indent(first) < indent(was) {
        return false;
    }
    let defines = |lines: &[&[u8]]| lines.first().is_some_and(|it| defined_name(it).is_some());
    if defines(gone) && defines(made) {
        // What is done there is told by the name; what it is given, by names of its own.
        let known = words_of(made);
        let went: Vec<&str> = words_of(gone)
            .into_iter()
            .filter(|word| !known.contains(word))
            .collect();
        return lines.iter().any(|line| has_any(line, &went));
    }
    true
}

fn opens(text: &str) -> bool {
    let last = text.split_whitespace().next_back().unwrap_or_default();
    text.ends_with(['{', '(', '['])
        || OPENS.iter().any(|end| text.ends_with(end))
        || OPENING_WORDS.contains(&last)
}

/// What a line says, without a comment at its end.
fn said(line: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(line).ok()?;
    let ends = [" // ", " # ", " -- "];
    let end = ends.iter().filter_map(|mark| text.find(mark)).min();
    text.get(..end.unwrap_or(text.len())).map(str::trim)
}

fn words(text: &str) -> Vec<&str> {
    let mut words = tokens(text);
    words.retain(|word| word.contains(char::is_alphabetic));
    words
}

fn words_of<'a>(lines: &[&'a [u8]]) -> Vec<&'a str> {
    let texts = lines
        .iter()
        .filter_map(|line| std::str::from_utf8(line).ok());
    texts.flat_map(words).collect()
}

fn has_any(line: &[u8], names: &[&str]) -> bool {
    std::str::from_utf8(line).is_ok_and(|text| words(text).iter().any(|word| names.contains(word)))
}
