//! One side only broke lines inside brackets differently, as a formatter does, and the other one changed what
//! they say: what the other says, broken as it has it. Nothing is put together anew, so nothing can be
//! misread; all that goes is where a line ended. White space within a line is what a side says, as any word of it.

use crate::merge::lines::without;
use crate::merge::tokens::{is_significant, tokens};

use crate::merge::settle::pieces::{Contest, Piece, Woven};

/// Takes the side that changed the words. `None` unless the other one says word for word what the base does.
pub(in crate::merge::settle) fn rewrapped<'a>(contest: &Contest<'a>) -> Option<Vec<Piece<'a>>> {
    let says = |lines: &[&[u8]]| says(lines);
    let (base, ours, theirs) = (
        says(&contest.base)?,
        says(&contest.ours)?,
        says(&contest.theirs)?,
    );
    let (kept, broken) = match (are_same(&ours, &base), are_same(&theirs, &base)) {
        (true, false) => (&contest.theirs, &contest.ours),
        (false, true) => (&contest.ours, &contest.theirs),
        (true, true) | (false, false) => return None,
    };
    // How deep the first line is may mean something.
    if indent(&contest.base)? != indent(broken)? {
        return None;
    }
    Some(vec![Piece::Woven(Woven {
        base: contest.base.clone(),
        lines: without(broken, kept),
        result: kept.iter().map(|line| line.to_vec()).collect(),
    })])
}

fn indent<'a>(lines: &[&'a [u8]]) -> Option<&'a [u8]> {
    let first = lines.first()?;
    first.get(..first.len() - first.trim_ascii_start().len())
}

/// A word with what stands before it.
struct SpacedWord {
    /// White space; where a line ends inside of brackets, it says nothing.
    gap: String,
    is_inside: bool,
    word: String,
}

impl SpacedWord {
    fn is_break(&self) -> bool {
        self.is_inside && self.gap.trim_start_matches('\r').starts_with('\n')
    }

    /// Tells whether a line may end here for one and go on for the other.
    fn is_as(&self, other: &Self) -> bool {
        let may_be = |one: &Self| one.is_break() || !one.gap.contains('\n');
        self.gap == other.gap
            || (self.is_break() || other.is_break()) && may_be(self) && may_be(other)
    }
}

fn are_same(one: &[SpacedWord], two: &[SpacedWord]) -> bool {
    let is_same = |(one, two): (&SpacedWord, &SpacedWord)| one.word == two.word && one.is_as(two);
    one.len() == two.len() && one.iter().zip(two).all(is_same)
}

/// The words of some lines, strings whole, if no comment could swallow what is put on its line. A comma at the end
/// of a line after the last of several entries says nothing.
fn says(lines: &[&[u8]]) -> Option<Vec<SpacedWord>> {
    let text = String::from_utf8(lines.join(&b'\n')).ok()?;
    if ["//", "/*", "#", "--"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return None;
    }
    let mut said: Vec<SpacedWord> = Vec::new();
    // For each open bracket, how many commas were in it.
    let mut open: Vec<usize> = Vec::new();
    let mut gap = String::new();
    let mut rest = tokens(&text).into_iter();
    while let Some(token) = rest.next() {
        if !is_significant(token) {
            gap.push_str(token);
            continue;
        }
        let is_inside = !open.is_empty();
        let word = match token {
            "\"" | "'" | "`" => string(token, &mut rest)?,
            "(" | "[" | "{" => {
                open.push(0);
                token.to_owned()
            }
            ")" | "]" | "}" => {
                let commas = open.pop().unwrap_or(0);
                let is_last = |said: &SpacedWord| said.word == "," && said.gap.is_empty();
                if commas > 1 && gap.contains('\n') && said.last().is_some_and(is_last) {
                    said.pop();
                }
                token.to_owned()
            }
            "," => {
                if let Some(commas) = open.last_mut() {
                    *commas += 1;
                }
                token.to_owned()
            }
            word => word.to_owned(),
        };
        let gap = std::mem::take(&mut gap);
        said.push(SpacedWord {
            gap,
            is_inside,
            word,
        });
    }
    if let Some(last) = said.last_mut() {
        // What ends the last line belongs to nothing that follows.
        last.word.push_str(&gap);
    }
    (!said.is_empty()).then_some(said)
}

/// The rest of a string, which ends on its line.
fn string<'t>(quote: &str, rest: &mut impl Iterator<Item = &'t str>) -> Option<String> {
    let mut text = quote.to_owned();
    let mut escaped = false;
    for token in rest {
        if token.contains('\n') {
            return None;
        }
        text.push_str(token);
        if token == quote && !escaped {
            return Some(text);
        }
        escaped = token == "\\" && !escaped;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{are_same, says};

    fn same(one: &str, two: &str) -> bool {
        let says = |text: &str| says(&text.lines().map(str::as_bytes).collect::<Vec<_>>());
        match (says(one), says(two)) {
            (Some(one), Some(two)) => are_same(&one, &two),
            (Some(_), None) | (None, Some(_) | None) => false,
        }
    }

    #[test]
    fn only_line_ends_inside_brackets_say_nothing() {
        assert!(same("f(a, b) {", "f(\n    a,\n    b,\n) {"));
        assert!(same("x = [1, 2]", "x = [\n  1, 2\n]"));
        assert!(same("f(\"a  b\", c)", "f(\n  \"a  b\",\n  c)"));
        assert!(same("x = a\nf(b, c)", "x = a\nf(\n  b,\n  c,\n)"));
        for (one, two) in [
            ("f(a, b) {", "f(a, c) {"),
            ("f(\"a b\", c)", "f(\"a  b\", c)"),
            ("x = a\ny = b", "x = a y = b"),
            ("if a:\n  b", "if a:\nb"),
            ("a()\nb()", "a()\n\nb()"),
            ("f(a)", "f(\n  a,\n)"),
            ("f(a, // one\n b)", "f(a, // one b)"),
            ("f(ab)", "f(a b)"),
            ("f(a,b)", "f(a, b)"),
            ("f(\n  a,b\n)", "f(\n  a, b\n)"),
            ("key:value", "key: value"),
            ("rm -rf $D /tmp", "rm -rf $D/tmp"),
            ("First line", "First line  "),
            ("[a\nb]", "[a  \nb]"),
        ] {
            assert!(!same(one, two), "{one} / {two}");
        }
    }
}
