//! `${name/pattern/text}` in all its forms: anchored, everywhere, with patterns.

use super::ast::{Piece, Word};
use super::glob;
use super::state::State;
use super::text::{self, BRACKET, QUEST, STAR};
use super::walk::Walker;
use crate::policy::Judged;

/// Longer values are not searched.
const LONGEST: usize = 4096;

/// Where the pattern has to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    First,
    Everywhere,
    Start,
    End,
}

impl Walker<'_> {
    /// What replacing makes of a value; `None` when that is not known.
    pub(super) fn replaced(
        &mut self,
        operand: &Word,
        all: bool,
        value: Option<String>,
        st: &mut State,
    ) -> Judged<Option<String>> {
        let (anchor, from, to) = apart(operand, all);
        let from = self.pattern(&from, st)?;
        let to = self.scalar(&to, st)?;
        let Some(value) = value else {
            return Ok(None);
        };
        self.charge(value.len() / 8)?;
        // `&` is what was found in some shells and itself in others; case counts unless it is told not to.
        let forms_a_path = all && begins_with_slash(operand) && to.contains(['/', '.']);
        let is_ambiguous = self.ignores_case || to.contains('&') || forms_a_path;
        let is_unknown = !text::is_known(&to) || text::is_any(&from) || text::is_any(&value);
        if is_ambiguous || is_unknown || value.len().max(from.len()) > LONGEST {
            return Ok(None);
        }
        if text::is_known(&value) {
            self.charge(value.len())?;
            return Ok(replace(&value, &from, &to, anchor));
        }
        Ok(in_unknown(&value, &from, &to, anchor))
    }
}

/// Whether the pattern begins with a slash that is not quoted: it is part of the pattern in one shell, in another it
/// ends an empty one.
fn begins_with_slash(operand: &Word) -> bool {
    matches!(operand.pieces.first(), Some(Piece::Text { text, quoted: false }) if text.starts_with('/'))
}

/// The anchor, the pattern, and the text that takes its place: the first slash that is not quoted divides them,
/// other than one that is the first sign of the pattern.
fn apart(operand: &Word, all: bool) -> (Anchor, Word, Word) {
    let mut pieces = operand.pieces.clone();
    let anchor = match pieces.first_mut() {
        _ if all => Anchor::Everywhere,
        Some(Piece::Text {
            text,
            quoted: false,
        }) if text.starts_with(['#', '%']) => {
            let end = text.starts_with('%');
            text.remove(0);
            if end { Anchor::End } else { Anchor::Start }
        }
        Some(_) | None => Anchor::First,
    };
    let divider = pieces
        .iter()
        .enumerate()
        .find_map(|(at, piece)| match piece {
            Piece::Text {
                text,
                quoted: false,
            } => {
                let first = usize::from(at == 0 && all && begins_with_slash(operand));
                let slash = text.get(first..).and_then(|rest| rest.find('/'));
                slash.map(|slash| (at, first + slash))
            }
            Piece::Text { .. }
            | Piece::Tilde(_)
            | Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => None,
        });
    let Some((at, slash)) = divider else {
        return (anchor, Word { pieces }, Word::default());
    };
    let mut to = pieces.split_off(at + 1);
    if let Some(Piece::Text { text, .. }) = pieces.last_mut() {
        let behind = text.split_off(slash);
        let text = behind.get(1..).unwrap_or_default().to_owned();
        to.insert(
            0,
            Piece::Text {
                text,
                quoted: false,
            },
        );
    }
    (anchor, Word { pieces }, Word { pieces: to })
}

/// Replaces in a value that is known. Classes and extended patterns are not worked out.
fn replace(value: &str, from: &str, to: &str, anchor: Anchor) -> Option<String> {
    if from.is_empty() {
        return Some(match anchor {
            Anchor::Start => format!("{to}{value}"),
            Anchor::End => format!("{value}{to}"),
            Anchor::First | Anchor::Everywhere => value.to_owned(),
        });
    }
    if from.contains([BRACKET, '(']) || !text::is_known(&from.replace([STAR, QUEST], "")) {
        return None;
    }
    let pattern: Vec<char> = from.chars().collect();
    let chars: Vec<char> = value.chars().collect();
    let literal = !from.contains(STAR);
    // The longest part that matches, from a place on.
    let found = |at: usize| {
        let lengths = if literal {
            pattern.len()..=pattern.len()
        } else {
            1..=chars.len().saturating_sub(at)
        };
        lengths.rev().find(|length| {
            chars
                .get(at..at + length)
                .is_some_and(|part| glob::run(&pattern, part))
        })
    };
    let of = |part: Option<&[char]>| part.unwrap_or_default().iter().collect::<String>();
    match anchor {
        Anchor::Start => Some(match found(0) {
            Some(length) => format!("{to}{}", of(chars.get(length..))),
            None => value.to_owned(),
        }),
        Anchor::End => {
            let at = (0..chars.len()).find(|at| {
                chars
                    .get(*at..)
                    .is_some_and(|part| glob::run(&pattern, part))
            });
            Some(match at {
                Some(at) => format!("{}{to}", of(chars.get(..at))),
                None => value.to_owned(),
            })
        }
        Anchor::First | Anchor::Everywhere => {
            // Every place is tried with every length: too much for long values.
            if !literal && chars.len() > 256 {
                return None;
            }
            let mut out = String::new();
            let mut at = 0;
            while let Some(c) = chars.get(at) {
                match found(at) {
                    Some(length) => {
                        out.push_str(to);
                        at += length;
                        if anchor == Anchor::First {
                            break;
                        }
                    }
                    None => {
                        out.push(*c);
                        at += 1;
                    }
                }
            }
            out.push_str(&of(chars.get(at..)));
            Some(out)
        }
    }
}

/// Replaces in a value with parts that are not known: at an end that is known, or by text that makes no path.
fn in_unknown(value: &str, from: &str, to: &str, anchor: Anchor) -> Option<String> {
    if !text::is_known(from) || from.contains('(') {
        return None;
    }
    let harmless = !to.contains(['/', '.']);
    let unchanged = || harmless.then(|| value.to_owned());
    match anchor {
        Anchor::Start => (value.strip_prefix(from))
            .map(|rest| format!("{to}{rest}"))
            .or_else(unchanged),
        Anchor::End => (value.strip_suffix(from))
            .map(|rest| format!("{rest}{to}"))
            .or_else(unchanged),
        Anchor::First | Anchor::Everywhere if from.is_empty() => Some(value.to_owned()),
        Anchor::First => harmless.then(|| value.replacen(from, to, 1)),
        Anchor::Everywhere => harmless.then(|| value.replace(from, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::text::activate;

    fn made(value: &str, from: &str, to: &str, anchor: Anchor) -> Option<String> {
        replace(value, &activate(from), to, anchor)
    }

    #[test]
    fn replacing_gives_what_bash_gives() {
        for (value, from, to, anchor, wanted) in [
            ("src", "src", "..", Anchor::End, ".."),
            ("src", "src", "..", Anchor::Start, ".."),
            ("srcx", "src", "..", Anchor::End, "srcx"),
            ("a/src", "src", "..", Anchor::Start, "a/src"),
            ("x", "", "../", Anchor::Start, "../x"),
            (".", "", ".", Anchor::End, ".."),
            ("x", "", "y", Anchor::First, "x"),
            ("src", "s?c", "..", Anchor::First, ".."),
            ("asrcs", "s*c", "", Anchor::First, "as"),
            ("a.b.c", ".", "_", Anchor::Everywhere, "a_b_c"),
            ("a.b.c", ".*", "", Anchor::End, "a"),
            ("a.b.c", "*.", "", Anchor::Start, "c"),
            ("aaa", "a", "b", Anchor::First, "baa"),
        ] {
            let found = made(value, from, to, anchor);
            assert_eq!(found.as_deref(), Some(wanted), "{value} {from} {anchor:?}");
        }
        assert_eq!(made("src", "[s]rc", "..", Anchor::First), None);
        assert_eq!(made("src", "@(src)", "..", Anchor::First), None);
    }

    #[test]
    fn an_end_that_is_known_is_replaced_where_the_rest_is_not() {
        let name = format!("{STAR}.txt");
        let end = in_unknown(&name, ".txt", ".md", Anchor::End);
        assert_eq!(end, Some(format!("{STAR}.md")));
        assert_eq!(in_unknown(&name, "a", "../", Anchor::Start), None);
        assert_eq!(in_unknown(&name, "a", "../", Anchor::Everywhere), None);
        assert_eq!(
            in_unknown(&name, "", ".bak", Anchor::End),
            Some(format!("{name}.bak"))
        );
    }
}
