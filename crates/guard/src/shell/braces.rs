//! Brace expansion: `{a,b}` and `{1..3}` on words before anything else is expanded.
//!
//! Bounded: an expansion into too many words leaves the word as one unknown value.

use super::ast::{Piece, Word};

const LIMIT: usize = 256;
/// A word with more groups than this is not expanded.
const GROUPS: usize = 512;

enum Atom {
    Char(char),
    Opaque(Piece),
}

/// The words a word expands to, or `None` when there are too many.
pub(crate) fn expand(word: &Word) -> Option<Vec<Word>> {
    let has_brace = word
        .pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Text { text, quoted: false } if text.contains('{')));
    if !has_brace {
        return Some(vec![word.clone()]);
    }
    let groups = word.pieces.iter().map(|piece| match piece {
        Piece::Text { text, .. } => text.matches('{').count(),
        Piece::Tilde(_)
        | Piece::Param { .. }
        | Piece::Command { .. }
        | Piece::Process { .. }
        | Piece::Arithmetic(_) => 0,
    });
    if groups.sum::<usize>() > GROUPS {
        return None;
    }
    let mut atoms = Vec::new();
    for piece in &word.pieces {
        match piece {
            Piece::Text {
                text,
                quoted: false,
            } => atoms.extend(text.chars().map(Atom::Char)),
            Piece::Text { .. }
            | Piece::Tilde(_)
            | Piece::Param { .. }
            | Piece::Command { .. }
            | Piece::Process { .. }
            | Piece::Arithmetic(_) => atoms.push(Atom::Opaque(piece.clone())),
        }
    }
    let mut out = Vec::new();
    expand_atoms(&atoms, 0, &mut out)?;
    Some(out.iter().map(|atoms| rebuild(atoms)).collect())
}

type Expanded<'a> = Vec<&'a Atom>;

fn expand_atoms(atoms: &[Atom], depth: usize, out: &mut Vec<Vec<Piece>>) -> Option<()> {
    let refs: Expanded<'_> = atoms.iter().collect();
    for words in expand_refs(&refs, depth)? {
        out.push(words);
    }
    Some(())
}

fn expand_refs(atoms: &[&Atom], depth: usize) -> Option<Vec<Vec<Piece>>> {
    if depth > 16 {
        return None;
    }
    let Some((open, close, commas)) = find_group(atoms) else {
        return Some(vec![pieces(atoms)]);
    };
    if commas.len() >= LIMIT {
        return None;
    }
    let before = pieces(atoms.get(..open)?);
    let inner = atoms.get(open + 1..close)?;
    let after = expand_refs(atoms.get(close + 1..)?, depth + 1)?;
    let mut middles: Vec<Vec<Piece>> = Vec::new();
    if commas.is_empty() {
        for text in range(inner)? {
            middles.push(vec![Piece::Text {
                text,
                quoted: false,
            }]);
        }
    } else {
        let mut from = open + 1;
        for comma in commas.iter().copied().chain([close]) {
            middles.extend(expand_refs(atoms.get(from..comma)?, depth + 1)?);
            from = comma + 1;
        }
    }
    if middles.len().saturating_mul(after.len()) > LIMIT {
        return None;
    }
    let mut out = Vec::new();
    for middle in &middles {
        for tail in &after {
            let mut word = before.clone();
            word.extend(middle.iter().cloned());
            word.extend(tail.iter().cloned());
            out.push(word);
        }
    }
    Some(out)
}

/// The first group that expands: its braces and the commas at its own level.
fn find_group(atoms: &[&Atom]) -> Option<(usize, usize, Vec<usize>)> {
    // One pass with a stack of open braces keeps this linear.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut best: Option<(usize, usize, Vec<usize>)> = None;
    for (at, atom) in atoms.iter().enumerate() {
        let Atom::Char(c) = atom else { continue };
        match c {
            '{' => open.push((at, Vec::new())),
            ',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            '}' => {
                let Some((start, commas)) = open.pop() else {
                    continue;
                };
                let expands = !commas.is_empty()
                    || atoms
                        .get(start + 1..at)
                        .is_some_and(|inner| range(inner).is_some());
                if expands && best.as_ref().is_none_or(|(first, _, _)| start < *first) {
                    best = Some((start, at, commas));
                }
                if open.is_empty() && best.is_some() {
                    return best;
                }
            }
            _ => {}
        }
    }
    best
}

fn range(inner: &[&Atom]) -> Option<Vec<String>> {
    if inner.len() > 24 {
        return None;
    }
    let mut text = String::new();
    for atom in inner {
        match atom {
            Atom::Char(c) => text.push(*c),
            Atom::Opaque(_) => return None,
        }
    }
    let mut parts = text.split("..");
    let (first, last) = (parts.next()?, parts.next()?);
    let step = parts.next().unwrap_or("1").parse::<i64>().ok()?;
    let step = step.unsigned_abs().max(1) as usize;
    if let (Ok(a), Ok(b)) = (first.parse::<i64>(), last.parse::<i64>()) {
        if a.abs_diff(b) / step as u64 > LIMIT as u64 {
            return None;
        }
        let width = first.len().max(last.len());
        let padded = first.starts_with('0') && first.len() > 1;
        let one = |n: i64| {
            if padded {
                format!("{n:0width$}")
            } else {
                n.to_string()
            }
        };
        return Some(if a <= b {
            (a..=b).step_by(step).map(one).collect()
        } else {
            (b..=a).rev().step_by(step).map(one).collect()
        });
    }
    let (mut a, mut b) = (first.chars(), last.chars());
    match (a.next(), a.next(), b.next(), b.next()) {
        (Some(a), None, Some(b), None) if a.is_ascii_alphabetic() && b.is_ascii_alphabetic() => {
            Some(if a <= b {
                (a..=b).step_by(step).map(String::from).collect()
            } else {
                (b..=a).rev().step_by(step).map(String::from).collect()
            })
        }
        _ => None,
    }
}

fn pieces(atoms: &[&Atom]) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Char(c) => {
                if let Some(Piece::Text {
                    text,
                    quoted: false,
                }) = out.last_mut()
                {
                    text.push(*c);
                } else {
                    out.push(Piece::Text {
                        text: c.to_string(),
                        quoted: false,
                    });
                }
            }
            Atom::Opaque(piece) => out.push(piece.clone()),
        }
    }
    out
}

fn rebuild(pieces: &[Piece]) -> Word {
    Word {
        pieces: pieces.to_vec(),
    }
}
