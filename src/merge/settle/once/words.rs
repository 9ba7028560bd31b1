//! The words of a line, for those who read names from it. Pure.

/// Whether a character may be in a name.
pub(super) fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The name that a text begins with, and the rest.
pub(super) fn name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let begins = text.starts_with(|c: char| is_part(c) && !c.is_ascii_digit());
    begins.then(|| text.split_at(end))
}

/// What follows a word that a text begins with.
pub(super) fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let rest = text.strip_prefix(word)?;
    let is_whole = !rest.starts_with(is_part) || !word.ends_with(is_part);
    is_whole.then(|| rest.trim_start())
}

/// The same for one of several words, in any case.
pub(super) fn after_any<'t>(text: &'t str, words: &[&str]) -> Option<&'t str> {
    words.iter().find_map(|word| {
        let head = text.get(..word.len())?;
        let rest = text.get(word.len()..)?;
        let is_whole = head.eq_ignore_ascii_case(word) && !rest.starts_with(is_part);
        is_whole.then(|| rest.trim_start())
    })
}

/// A text without the words of a list that it begins with.
pub(super) fn without<'t>(text: &'t str, words: &[&str]) -> &'t str {
    let mut rest = text;
    while let Some(next) = words.iter().find_map(|word| after(rest, word)) {
        rest = next;
    }
    rest
}

/// A text without what says who sees it: `pub`, `pub(crate)`, `pub(in …)`.
pub(super) fn without_visibility(text: &str) -> &str {
    let Some(rest) = after(text, "pub") else {
        return text;
    };
    let inner = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    inner.map_or(rest, |(_, rest)| rest.trim_start())
}

/// Tells whether a text has this word.
pub(in crate::merge::settle) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + word.len()..).unwrap_or_default();
        !before.ends_with(is_part) && !behind.starts_with(is_part)
    })
}

/// A name, a text in quotes or one other character, and where it begins.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else if first == '"' || first == '\'' || first == '`' {
            let inner = rest.get(1..).unwrap_or_default();
            inner.find(first).map_or(1, |end| end + 2)
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        found.push(token);
        rest = after.trim_start();
    }
    found
}

/// What a text in quotes says.
pub(super) fn unquoted(text: &str) -> &str {
    text.trim_matches(|c| matches!(c, '"' | '\'' | '`' | '[' | ']'))
}
