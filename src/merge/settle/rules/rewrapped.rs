//! One side only broke lines inside brackets differently, as a formatter does, and the other one changed what
//! they say: what the other says, broken as it has it. Nothing is put together anew, so nothing can be
//! misread; all that goes is where a line ended.

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
    let (kept, broken) = match (ours == base, theirs == base) {
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

/// The words of some lines, strings whole, if no comment could swallow what is put on its line. Outside of brackets, where
/// a line ends and how deep the next one is says something, too. A comma after the last of several entries does not.
fn says(lines: &[&[u8]]) -> Option<Vec<String>> {
    let text = String::from_utf8(lines.join(&b'\n')).ok()?;
    if ["//", "/*", "#", "--"]
        .iter()
        .any(|mark| text.contains(mark))
    {
        return None;
    }
    let mut said = Vec::new();
    // For each open bracket, how many commas were in it.
    let mut open: Vec<usize> = Vec::new();
    let mut rest = tokens(&text).into_iter();
    while let Some(token) = rest.next() {
        match token {
            "\"" | "'" | "`" => {
                said.push(string(token, &mut rest)?);
                continue;
            }
            "(" | "[" | "{" => open.push(0),
            ")" | "]" | "}" => {
                let commas = open.pop().unwrap_or(0);
                if commas > 1 && said.last().is_some_and(|last| last == ",") {
                    said.pop();
                }
            }
            "," => {
                if let Some(commas) = open.last_mut() {
                    *commas += 1;
                }
            }
            space if space.contains('\n') && open.is_empty() => {
                said.push(space.to_owned());
                continue;
            }
            _word => {}
        }
        if is_significant(token) {
            said.push(token.to_owned());
        }
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
    use super::says;

    fn same(one: &str, two: &str) -> bool {
        let says = |text: &'static str| says(&text.lines().map(str::as_bytes).collect::<Vec<_>>());
        let texts = [one, two].map(|text| &*text.to_owned().leak());
        let [one, two] = texts.map(says);
        one.is_some() && one == two
    }

    #[test]
    fn only_white_space_and_line_ends_inside_brackets_say_nothing() {
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
        ] {
            assert!(!same(one, two), "{one} / {two}");
        }
    }
}
