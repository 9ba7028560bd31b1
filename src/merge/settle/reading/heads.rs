//! What a line stands below: the line above it that is less deep, or in texts without depth the directive whose end has
//! not come yet (`#if`, `{% if %}`, `ifdef`). And what ends the lines below it (`end`, `fi`, `</div>`). Pure.

use crate::merge::lines::is_blank;

use super::pairs::{Closing, MOST_OPEN, could_open, goes_on};

/// For each line of a text the one that it stands below.
pub(in crate::merge::settle) struct Heads(Vec<Option<usize>>);

impl Heads {
    /// The head of a line, by its number.
    pub(in crate::merge::settle) fn of(&self, line: usize) -> Option<usize> {
        self.0.get(line).copied().flatten()
    }
}

/// Heads by how deep lines are. A comment or a directive is nobody's head: it stands as deep as its author likes.
pub(in crate::merge::settle) fn depths(lines: &[&[u8]]) -> Heads {
    let mut above: Vec<(usize, usize)> = Vec::new();
    let mut heads = Vec::with_capacity(lines.len());
    for (number, line) in lines.iter().enumerate() {
        if is_blank(line) {
            heads.push(None);
            continue;
        }
        let depth = depth(line);
        while above.last().is_some_and(|(known, _)| *known >= depth) && !is_aside(line) {
            above.pop();
        }
        let head = above.iter().rev().find(|(known, _)| *known < depth);
        heads.push(head.map(|(_, head)| *head));
        if !is_aside(line) {
            above.push((depth, number));
        }
    }
    Heads(heads)
}

/// For each line with deeper ones below it the line that ends these, where that is one that does nothing else.
pub(in crate::merge::settle) fn ends(lines: &[&[u8]]) -> Heads {
    let mut ends = vec![None; lines.len()];
    // Lines whose end has not come, the deepest last.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let said = lines.iter().enumerate().filter(|(_, line)| !is_blank(line));
    for (number, line) in said.filter(|(_, line)| !is_aside(line)) {
        let depth = depth(line);
        let mut has_deeper = false;
        while let Some((_, at)) = open.pop_if(|(known, _)| *known >= depth) {
            // The first one that is as deep, if anything was below it.
            if let Some(end) = ends.get_mut(at).filter(|_| has_deeper && is_end(line)) {
                *end = Some(number);
            }
            has_deeper = true;
        }
        open.push((depth, number));
    }
    Heads(ends)
}

/// Tells whether a line ends what is above it, or goes on with it.
fn is_end(line: &[u8]) -> bool {
    let said = std::str::from_utf8(line).unwrap_or_default().trim();
    let word = said.split(|c: char| !c.is_alphabetic()).next();
    let ends = [
        "end",
        "fi",
        "done",
        "esac",
        "endif",
        "endforeach",
        "endfunction",
        "else",
    ];
    let goes_on = ["elif", "elsif", "elseif", "rescue", "ensure", "when", "in"];
    said.starts_with("</")
        || word.is_some_and(|word| ends.contains(&word) || goes_on.contains(&word))
}

/// Columns that a tab stands for.
const TAB: usize = 8;

fn depth(line: &[u8]) -> usize {
    let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    indent
        .map(|byte| if *byte == b'\t' { TAB } else { 1 })
        .sum()
}

fn is_aside(line: &[u8]) -> bool {
    let begins = [
        &b"#"[..],
        b"//",
        b"/*",
        b"*",
        b"--",
        b"<!--",
        b"{%",
        b"{#",
        b";",
    ];
    let said = line.trim_ascii_start();
    begins.iter().any(|begin| said.starts_with(begin))
}

/// For each line that has an end of its own, wherever that stands, this end.
pub(in crate::merge::settle) fn ends_of_blocks(lines: &[&[u8]]) -> Heads {
    let Heads(heads) = blocks(lines);
    let mut ends = vec![None; lines.len()];
    for (number, head) in heads.into_iter().enumerate() {
        let is_end = lines
            .get(number)
            .is_some_and(|line| Closing::of(line).is_some());
        if let Some(end) = head.filter(|_| is_end).and_then(|head| ends.get_mut(head)) {
            *end = Some(number);
        }
    }
    Heads(ends)
}

/// Heads by lines that have an end of their own, wherever they stand: `#if` and `#endif`, `<ul>` and `</ul>`. That end
/// has the line that it ends.
pub(in crate::merge::settle) fn blocks(lines: &[&[u8]]) -> Heads {
    let mut heads = vec![None; lines.len()];
    // Lines that may have an end, each with those below it that go on with it.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let begin = Closing::of(line).and_then(|closing| {
            let of_it =
                |(at, _): &(usize, _)| lines.get(*at).is_some_and(|line| closing.is_of(line));
            let last = open.len().saturating_sub(MOST_OPEN);
            open.get(last..)?
                .iter()
                .rposition(of_it)
                .map(|at| last + at)
        });
        if let Some(begin) = begin {
            for (head, more) in open.drain(begin..).take(1) {
                fill(&mut heads, head, &more, number);
                if let Some(end) = heads.get_mut(number) {
                    *end = Some(head);
                }
            }
        } else if goes_on(line) {
            if let Some((_, more)) = open.last_mut() {
                more.push(number);
            }
        } else if could_open(line) {
            open.push((number, Vec::new()));
        }
    }
    Heads(heads)
}

/// Gives the lines of a block their head, but for those that have one in it; what goes on with it has its first line.
fn fill(heads: &mut [Option<usize>], head: usize, more: &[usize], end: usize) {
    let mut below = head;
    for number in head + 1..end {
        let is_next = more.contains(&number);
        if let Some(of) = heads.get_mut(number) {
            of.get_or_insert(if is_next { head } else { below });
        }
        if is_next {
            below = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(read: fn(&[&[u8]]) -> Heads, text: &str) -> Vec<Option<usize>> {
        let lines: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        let heads = read(&lines);
        (0..lines.len()).map(|at| heads.of(at)).collect()
    }

    #[test]
    fn a_line_stands_below_the_last_one_that_is_less_deep() {
        let text = "def f():\n    a()\n\n# note\n    if x:\n\tb()\n    c()\nd()\n";
        let expected = [None, Some(0), None, None, Some(0), Some(4), Some(0), None];
        assert_eq!(heads(depths, text), expected);
    }

    #[test]
    fn a_line_stands_in_the_directive_whose_end_has_not_come() {
        let text = "a\n#if X\nb\n# if Y\nc\n#endif\n#else\nd\n#endif\ne\n";
        let expected = [
            None,
            None,
            Some(1),
            Some(1),
            Some(3),
            Some(3),
            Some(1),
            Some(6),
            Some(1),
            None,
        ];
        assert_eq!(heads(blocks, text), expected);
        assert_eq!(
            heads(blocks, "ifdef A\nx = 1\nendif\ny = 1\n"),
            [None, Some(0), Some(0), None]
        );
        let text = "{% if a %}\n<p>\n{% endif %}\n";
        assert_eq!(heads(blocks, text), [None, Some(0), Some(0)]);
        assert_eq!(heads(ends_of_blocks, text), [Some(2), None, None]);
    }
}
