//! Matching of shell patterns, for values with active pattern characters and for `${name%pattern}`.
//!
//! Errs towards a match: character classes it does not know match anything.

use super::text::{ANY, BRACKET, FETCHED, NUMBER, PATH, QUEST, SECRET, SOLID, STAR, TOKEN, WHOLE};

/// Longer patterns are not tried.
const LONGEST: usize = 4096;

/// Whether an active pattern can match `name`. A leading dot needs a literal dot unless `dots`.
pub(crate) fn matches(pattern: &str, name: &str, dots: bool) -> bool {
    if pattern.len() > LONGEST {
        return true;
    }
    // Most patterns are told from most names by how they begin or end.
    let differ = |sign: Option<char>, letter: Option<char>| {
        sign.is_some_and(|sign| !is_active(sign) && sign != ']' && Some(sign) != letter)
    };
    if differ(pattern.chars().next(), name.chars().next())
        || differ(pattern.chars().next_back(), name.chars().next_back())
    {
        return false;
    }
    // And the others by having more letters than the name; what is in brackets is not one by one.
    let letters = pattern.chars().take_while(|c| *c != BRACKET);
    let more = letters.filter(|c| !is_active(*c)).nth(name.chars().count());
    if more.is_some() {
        return false;
    }
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    if name.first() == Some(&'.')
        && !dots
        && matches!(pattern.first(), Some(&(STAR | QUEST | BRACKET)))
    {
        return false;
    }
    run(&pattern, &name)
}

/// Whether a character stands for others.
fn is_active(sign: char) -> bool {
    matches!(
        sign,
        STAR | QUEST | BRACKET | ANY | PATH | TOKEN | SECRET | FETCHED | NUMBER | SOLID | WHOLE
    )
}

/// Iterative matching with one backtrack point, linear in practice and quadratic at worst.
pub(super) fn run(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < name.len() {
        let step = match pattern.get(p) {
            Some(&(STAR | ANY | PATH | TOKEN | SECRET | FETCHED | NUMBER | SOLID | WHOLE)) => {
                back = Some((p, n));
                p += 1;
                continue;
            }
            Some(&QUEST) => Some(p + 1),
            Some(&BRACKET) => bracket(pattern, p, name.get(n).copied()),
            Some(c) if Some(c) == name.get(n) => Some(p + 1),
            _ => None,
        };
        match (step, back) {
            (Some(next), _) => {
                p = next;
                n += 1;
            }
            (None, Some((star, from))) => {
                p = star + 1;
                n = from + 1;
                back = Some((star, from + 1));
            }
            (None, None) => return false,
        }
    }
    pattern.get(p..).unwrap_or_default().iter().all(|c| {
        matches!(
            *c,
            STAR | ANY | PATH | TOKEN | SECRET | FETCHED | NUMBER | SOLID | WHOLE
        )
    })
}

/// Where the pattern goes on after a bracket expression that accepts `c`.
fn bracket(pattern: &[char], at: usize, c: Option<char>) -> Option<usize> {
    let c = c?;
    let mut i = at + 1;
    let negated = matches!(pattern.get(i), Some('!' | '^'));
    if negated {
        i += 1;
    }
    let start = i;
    let mut hit = false;
    loop {
        let item = *pattern.get(i)?;
        if item == ']' && i > start {
            break;
        }
        if matches!(item, '[' | BRACKET) && pattern.get(i + 1) == Some(&':') {
            // A named class: taken as a match either way.
            while *pattern.get(i)? != ']' {
                i += 1;
            }
            return pattern.get(i + 1).map(|_| i + 2);
        }
        if pattern.get(i + 1) == Some(&'-') && pattern.get(i + 2).is_some_and(|end| *end != ']') {
            let end = *pattern.get(i + 2)?;
            hit |= (item..=end).contains(&c);
            i += 3;
        } else {
            hit |= item == c;
            i += 1;
        }
    }
    (hit != negated).then_some(i + 1)
}

/// The pattern text of `${name%pattern}` with its unquoted characters active.
pub(crate) fn cut(value: &str, pattern: &str, prefix: bool, longest: bool) -> Option<String> {
    let pattern: Vec<char> = pattern.chars().collect();
    let chars: Vec<char> = value.chars().collect();
    if chars.len() > LONGEST || pattern.len() > LONGEST {
        return None;
    }
    // An unknown part of the value may hold the separator that the pattern looks for.
    let unknown = |part: &[char]| part.iter().any(|c| matches!(*c, ANY | PATH));
    let mut cuts: Vec<usize> = (0..=chars.len()).collect();
    // Shortest cut first for a prefix is 0, for a suffix the whole length.
    if prefix == longest {
        cuts.reverse();
    }
    for at in cuts {
        let (head, tail) = chars.split_at(at);
        let (removed, kept) = if prefix { (head, tail) } else { (tail, head) };
        if run(&pattern, removed) {
            if unknown(removed) && (unknown(kept) || kept.is_empty()) {
                return None;
            }
            return Some(kept.iter().collect());
        }
    }
    Some(value.to_owned())
}
