//! Both sides put in the same, and one of them lets more of the program see what it defines: that is what the other one did,
//! and more. Pure.

use crate::merge::settle::pieces::{Contest, Piece, Woven, push_settled};

/// Who may see something, from the fewest.
const SEEN_BY: [&str; 4] = ["", "pub(super) ", "pub(crate) ", "pub "];

/// The lines of both as whoever shows more has them.
pub(in crate::merge::settle) fn opened<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let Contest {
        base, ours, theirs, ..
    } = contest;
    // What a version before had open, somebody may want to close.
    let was_open = |line: &&[u8]| seen(line).is_none_or(|(_, by, _)| by > 0);
    if ours.len() != theirs.len() || base.iter().any(was_open) {
        return None;
    }
    let mut pieces = Vec::new();
    for (mine, other) in ours.iter().zip(theirs) {
        if mine == other {
            push_settled(&mut pieces, &[mine]);
            continue;
        }
        let (one, two) = (seen(mine)?, seen(other)?);
        if (one.0, one.2) != (two.0, two.2) {
            return None;
        }
        let wider = if one.1 > two.1 { mine } else { other };
        pieces.push(Piece::Woven(Woven {
            base: Vec::new(),
            lines: vec![mine, other],
            result: vec![wider.to_vec()],
        }));
    }
    Some(pieces)
}

/// How deep a line is, who may see what it defines, and what that is.
fn seen(line: &[u8]) -> Option<(&str, usize, &str)> {
    let text = std::str::from_utf8(line).ok()?;
    let said = text.trim_start();
    let indent = text.get(..text.len() - said.len())?;
    let is_by = |by: &usize| SEEN_BY.get(*by).is_some_and(|word| said.starts_with(word));
    let by = (0..SEEN_BY.len()).rev().find(is_by)?;
    let (rest, by) = match said.strip_prefix("export ") {
        Some(rest) => (rest, SEEN_BY.len()),
        None => (said.strip_prefix(SEEN_BY.get(by)?)?, by),
    };
    (!rest.starts_with("default ") && !rest.starts_with("pub(")).then_some((indent, by, rest))
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn what_one_side_shows_to_more_is_shown_to_them() {
        for (one, two, both) in [
            ("mod b", "pub mod b", "pub mod b"),
            ("pub mod b", "pub(crate) mod b", "pub mod b"),
            (
                "mod b, pub mod c",
                "pub mod b, mod c",
                "pub mod b, pub mod c",
            ),
            ("const b = 1", "export const b = 1", "export const b = 1"),
        ] {
            for (ours, theirs) in [(one, two), (two, one)] {
                let [ours, theirs, both] = [ours, theirs, both].map(|new| format!("a, {new}, z"));
                assert_eq!(settled("a, z", &ours, &theirs), Some(both), "{one} / {two}");
            }
        }
    }

    #[test]
    fn what_one_side_closed_or_changed_besides_is_contested() {
        for (base, one, two) in [
            ("a, pub mod b, z", "a, pub(crate) mod b, z", "a, mod b, z"),
            ("a, z", "a, mod b = 1, z", "a, pub mod b = 2, z"),
            (
                "a, z",
                "a, const b = 1, z",
                "a, export default const b = 1, z",
            ),
        ] {
            for (ours, theirs) in [(one, two), (two, one)] {
                assert_eq!(settled(base, ours, theirs), None, "{one} / {two}");
            }
        }
    }
}
