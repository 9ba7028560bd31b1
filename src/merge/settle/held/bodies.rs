//! Heads that all versions have lines below, and the merged text has none: each side took away what the other one left. Pure.

use std::collections::{BTreeMap, HashMap};

use crate::merge::settle::reading::heads::depths;

use super::headed::{Placed, Text, heads};

/// Adds the places of what stood below heads that have nothing left, and have to.
pub(super) fn emptied(text: &Text<'_>, lost: &mut BTreeMap<usize, usize>) {
    let [ours, theirs] = &text.sides;
    let [merged, old, ours, theirs] =
        [&text.merged, &text.old, ours, theirs].map(|lines| bodies(lines));
    for placed in text.merged.iter().filter(|(line, _)| needs_a_body(line)) {
        let has_one = |bodies: &Bodies<'_>| bodies.contains_key(placed);
        if has_one(&merged) || !has_one(&ours) || !has_one(&theirs) {
            continue;
        }
        let gone = old.get(placed).into_iter().flatten();
        text.leave(gone.copied(), lost);
    }
}

/// The places of the lines below each head.
type Bodies<'t> = HashMap<Placed<'t>, Vec<usize>>;

fn bodies<'t>(lines: &[Placed<'t>]) -> Bodies<'t> {
    let heads = heads(depths, lines);
    let mut bodies = Bodies::new();
    for (number, (_, place)) in lines.iter().enumerate() {
        if let Some(head) = heads.of(number).and_then(|head| lines.get(head)) {
            bodies.entry(*head).or_default().push(*place);
        }
    }
    bodies
}

/// Tells whether nothing may stand as deep as such a line before something deeper: it ends with what only begins.
fn needs_a_body(line: &[u8]) -> bool {
    let text = std::str::from_utf8(line).unwrap_or_default().trim();
    let last = text.rsplit([' ', ';']).next().unwrap_or_default();
    text.ends_with(':') || ["then", "do", "else"].contains(&last)
}

#[cfg(test)]
mod tests {
    use crate::merge::settle::tested::settled;

    #[test]
    fn a_head_that_would_have_nothing_below_it_is_held() {
        for (head, end) in [
            ("if x:", "return x"),
            ("try:", "except E:,   pass"),
            ("if x; then", "fi"),
            ("while x; do", "done"),
            ("class A:", "b()"),
        ] {
            let base = format!("a, {head},   one,   two, {end}");
            let [one, two] = [",   one", ",   two"].map(|line| base.replacen(line, "", 1));
            assert_eq!(settled(&base, &one, &two), None, "{head}");
            assert_eq!(settled(&base, &two, &one), None, "{head}");
        }
        // Something is left; nothing has to be.
        let base = "a, if x:,   one,   two,   three, b";
        let (one, two) = ("a, if x:,   one,   three, b", "a, if x:,   two,   three, b");
        assert_eq!(
            settled(base, one, two).as_deref(),
            Some("a, if x:,   three, b")
        );
        let (base, one, two) = (
            "f() {,   one,   two, }",
            "f() {,   one, }",
            "f() {,   two, }",
        );
        assert_eq!(settled(base, one, two).as_deref(), Some("f() {, }"));
    }
}
