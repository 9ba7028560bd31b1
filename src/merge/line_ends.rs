//! The ends of an answer's lines. CLIs print one line end more than the model wrote, models leave out the last
//! one or write all of them in the other system's way, or drop the mark that a file begins with; none of that is a
//! change anybody wanted. Pure.

use std::collections::HashMap;

/// The byte order mark.
const MARK: char = '\u{feff}';

/// The two ways to end a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Unix,
    Dos,
}

impl End {
    const fn text(self) -> &'static str {
        match self {
            Self::Unix => "\n",
            Self::Dos => "\r\n",
        }
    }
}

/// The answer with the line ends of the sides: their common kind, where they have one; else each line
/// with the end it has there, and a new line with the end it came with. At the end of the file stand
/// as many as the sides have there, and at its beginning a byte order mark where both have one.
pub(super) fn with_their_line_ends(ours: &str, theirs: &str, answer: &str) -> String {
    let known = Known::of([ours, theirs]);
    let unmarked = answer.trim_start_matches(MARK);
    let is_marked = match [ours, theirs].map(|side| side.starts_with(MARK)) {
        [true, true] => true,
        [false, false] => false,
        [true, false] | [false, true] => unmarked.len() < answer.len(),
    };
    let answer = if is_marked {
        format!("{MARK}{unmarked}")
    } else {
        unmarked.to_owned()
    };
    let answer = answer.as_str();
    let body = answer.trim_end_matches(['\r', '\n']);
    let mut text = String::with_capacity(answer.len());
    let mut last = known.only.unwrap_or(End::Unix);
    for (line, end) in split(body) {
        text.push_str(line);
        // The last line of the body has its ends below.
        if let Some(end) = end {
            last = known.end(line).unwrap_or(end);
            text.push_str(last.text());
        } else {
            last = known.end(line).unwrap_or(last);
        }
    }
    let (ours, theirs) = (ends(ours), ends(theirs));
    let wanted = ends(answer).clamp(ours.min(theirs), ours.max(theirs));
    text.push_str(&last.text().repeat(wanted));
    text
}

/// The number of line ends at the end of a text.
fn ends(text: &str) -> usize {
    let body = text.trim_end_matches(['\r', '\n']).len();
    let end = text.get(body..).unwrap_or_default();
    end.matches('\n').count()
}

/// Lines with their ends; the last one may have none.
fn split(text: &str) -> impl Iterator<Item = (&str, Option<End>)> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix("\r\n") {
            Some(line) => (line, Some(End::Dos)),
            None => match line.strip_suffix('\n') {
                Some(line) => (line, Some(End::Unix)),
                None => (line, None),
            },
        })
}

/// How lines end in the two sides.
struct Known<'t> {
    /// The kind that every line has.
    only: Option<End>,
    /// The kind of each line; `None` for one that is there both ways.
    lines: HashMap<&'t str, Option<End>>,
}

impl<'t> Known<'t> {
    fn of(sides: [&'t str; 2]) -> Self {
        let mut lines: HashMap<&str, Option<End>> = HashMap::new();
        let (mut unix, mut dos) = (false, false);
        for (line, end) in sides.into_iter().flat_map(split) {
            let Some(end) = end else { continue };
            unix |= end == End::Unix;
            dos |= end == End::Dos;
            lines
                .entry(line)
                .and_modify(|known| *known = known.filter(|known| *known == end))
                .or_insert(Some(end));
        }
        let only = match (unix, dos) {
            (true, false) => Some(End::Unix),
            (false, true) => Some(End::Dos),
            (true, true) | (false, false) => None,
        };
        Self { only, lines }
    }

    fn end(&self, line: &str) -> Option<End> {
        self.only
            .or_else(|| self.lines.get(line).copied().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_printed_with_a_line_end_more_or_less_is_the_same_answer() {
        let end = |text: &str| with_their_line_ends("a\nb\n", "a\nc\n", text);
        for printed in ["a\nb\nc", "a\nb\nc\n", "a\nb\nc\n\n", "a\nb\nc\r\n\r\n"] {
            assert_eq!(end(printed), "a\nb\nc\n");
        }
        let blank = |text: &str| with_their_line_ends("a\n\n", "a", text);
        assert_eq!(blank("a\n\n"), "a\n\n");
        assert_eq!(blank("a\n\n\n"), "a\n\n");
        assert_eq!(blank("a"), "a");
    }

    #[test]
    fn an_answer_cannot_change_the_line_ends_of_a_file() {
        let unix = |text: &str| with_their_line_ends("a\nb\n", "a\nc\n", text);
        assert_eq!(unix("a\r\nb\r\nc\r\n"), "a\nb\nc\n");
        assert_eq!(unix("a\r\nb\nc\n"), "a\nb\nc\n");
        let dos = |text: &str| with_their_line_ends("a\r\nb\r\n", "a\r\nc\r\n", text);
        assert_eq!(dos("a\nb\nc\n"), "a\r\nb\r\nc\r\n");
        assert_eq!(dos("a\r\nb\r\nc\r\n"), "a\r\nb\r\nc\r\n");
        assert_eq!(dos("a\r\nb\r\nc"), "a\r\nb\r\nc\r\n");
    }

    #[test]
    fn an_answer_without_the_byte_order_mark_gets_it_back() {
        let marked = |text: &str| with_their_line_ends("\u{feff}a\r\n", "\u{feff}b\r\n", text);
        assert_eq!(marked("a\nb\n"), "\u{feff}a\r\nb\r\n");
        assert_eq!(marked("\u{feff}a\nb\n"), "\u{feff}a\r\nb\r\n");
        assert_eq!(with_their_line_ends("a\n", "b\n", "\u{feff}a\n"), "a\n");
        for answer in ["\u{feff}a\n", "a\n"] {
            assert_eq!(with_their_line_ends("\u{feff}a\n", "b\n", answer), answer);
        }
    }

    #[test]
    fn where_a_file_has_both_kinds_each_line_keeps_its_own() {
        let mixed = |text: &str| with_their_line_ends("a\nb\r\n", "a\nc\r\n", text);
        assert_eq!(mixed("a\nb\nnew\nc\n"), "a\nb\r\nnew\nc\r\n");
        assert_eq!(mixed("a\r\nb\r\nnew\r\nc\r\n"), "a\nb\r\nnew\r\nc\r\n");
        assert_eq!(with_their_line_ends("a\n", "b\r\n", "a\nb\n"), "a\nb\r\n");
    }
}
