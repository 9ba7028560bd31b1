//! Lists on one line, and what both sides put into one at the same place. Pure.

use super::words::is_significant;

/// Tells whether what both put in before the token `at` are entries of a list on this line whose order says nothing.
pub(super) fn are_entries(base: &[&str], at: usize, ours: &[&str], theirs: &[&str]) -> bool {
    let before = base.get(..at).unwrap_or_default();
    let both = [ours, theirs];
    let has_letters = |new: &[&str]| new.iter().any(|token| has_letters(token));
    if !both.iter().all(|new| has_letters(new)) {
        return false;
    }
    let begin_with = |mark: &str| {
        both.iter().all(|new| {
            let first = new.iter().find(|token| is_significant(token));
            first == Some(&mark)
        })
    };
    let end_with = |mark: &str| both.iter().all(|new| new.last() == Some(&mark));
    if begin_with(",") {
        is_list_of_names(base, before) || ends_quoted_list(before)
    } else if end_with(",") {
        ends_quoted_list(before)
    } else {
        begin_with("|") && has_alternatives(before) && both.iter().all(|new| has_alternatives(new))
    }
}

fn has_letters(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}

/// A list on one line whose entries stand for themselves: in braces or square brackets, or of an import or a derive.
/// The order of arguments means something.
fn is_list_of_names(base: &[&str], before: &[&str]) -> bool {
    let mut words = base.iter().filter(|token| has_letters(token));
    let first = words.next().copied();
    let is_list = matches!(first, Some("use" | "import" | "from" | "export" | "derive"));
    match open_bracket(before) {
        Some("(") | None => is_list,
        Some(_) => true,
    }
}

/// The innermost bracket that is open at the end.
fn open_bracket<'t>(tokens: &[&'t str]) -> Option<&'t str> {
    let mut open: Vec<&str> = Vec::new();
    for token in tokens {
        match *token {
            "{" | "[" | "(" => open.push(token),
            "}" | "]" | ")" => {
                open.pop();
            }
            _other => {}
        }
    }
    open.pop()
}

/// So many words in quotes show an enumeration.
const LEAST_QUOTED: usize = 3;

/// At the end stand words in quotes with commas between: an enumeration, in code or in prose.
fn ends_quoted_list(tokens: &[&str]) -> bool {
    let mut rest: Vec<&str> = tokens
        .iter()
        .copied()
        .filter(|token| is_significant(token))
        .collect();
    if rest.last() == Some(&",") {
        rest.pop();
    }
    (0..LEAST_QUOTED).all(|entry| (entry == 0 || rest.pop() == Some(",")) && take_quoted(&mut rest))
}

/// Takes a word in quotes off the end.
fn take_quoted(rest: &mut Vec<&str>) -> bool {
    let Some(quote) = rest.pop().filter(|last| ["\"", "'", "`"].contains(last)) else {
        return false;
    };
    let Some(open) = rest.iter().rposition(|token| *token == quote) else {
        return false;
    };
    let inner = rest.split_off(open);
    inner.iter().any(|token| has_letters(token)) && !inner.contains(&",")
}

/// Alternatives stand before, with one bar between: of a pattern, or a set of flags. Two bars are a condition.
fn has_alternatives(before: &[&str]) -> bool {
    let is_bar = |at: usize| before.get(at) == Some(&"|");
    let mut bars = (0..before.len()).filter(|at| is_bar(*at)).peekable();
    bars.peek().is_some() && bars.all(|at| !is_bar(at + 1))
}
