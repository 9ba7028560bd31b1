//! One line of code: number, sign, and the text with what its parts are. Whatever could move the
//! cursor or turn the direction of text is written out instead.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::engine::review::{CodeLine, Ink};
use crate::tui::label;
use crate::tui::state::TAB;
use crate::tui::theme::Token;
use crate::tui::widgets::Canvas;

/// How a line is drawn.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner {
    pub token: Token,
    /// The style of changed words; `None` marks nothing.
    pub word: Option<Token>,
}

/// What stands in front of a line.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    /// Its number, if it is known.
    Line(Option<usize>),
    /// It is one of the base.
    Base,
}

impl Number {
    fn text(self) -> String {
        match self {
            Self::Line(Some(line)) => format!("{line:>5} "),
            Self::Line(None) => "      ".to_owned(),
            Self::Base => " base ".to_owned(),
        }
    }
}

/// A line with everything in front of it.
pub(super) struct Row<'a> {
    pub number: Number,
    pub sign: &'a str,
    pub line: &'a CodeLine,
    pub manner: Manner,
}

/// Where a line goes, and how many of its columns are left of the frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spot {
    pub x: u16,
    pub y: u16,
    pub width: u16,
    pub shift: usize,
}

impl Spot {
    /// A row of an area.
    pub(super) fn row(area: Rect, y: u16, shift: usize) -> Self {
        Self {
            x: area.x,
            y,
            width: area.width,
            shift,
        }
    }
}

/// Draws a line.
pub(super) fn draw(canvas: &mut Canvas<'_>, spot: Spot, row: &Row<'_>) {
    let (y, end) = (spot.y, spot.x + spot.width);
    let at = canvas.say(spot.x, y, spot.width, &row.number.text(), Token::Muted);
    let base = canvas.style(row.manner.token);
    let cut = spot.shift > 0 && !row.line.text.is_empty();
    let gap = if cut { canvas.g().left } else { " " };
    let sign = format!("{}{gap}", row.sign);
    let mut at = canvas.put(at, y, end.saturating_sub(at), &sign, base);
    let mut hidden = spot.shift;
    let mut parts = parts(canvas, row.line, row.manner, base)
        .into_iter()
        .map(|(part, style)| (behind(&visible(part), &mut hidden).to_owned(), style))
        .filter(|(text, _)| !text.is_empty())
        .peekable();
    while let Some((text, style)) = parts.next() {
        let room = end.saturating_sub(at);
        if room == 0 {
            break;
        }
        // A line that is cut between two parts is as cut as any other.
        let fills = label::width(&text) == usize::from(room);
        let text = match parts.peek().filter(|_| fills) {
            Some((next, _)) => text + next,
            None => text,
        };
        at = canvas.put(at, y, room, &text, style);
    }
}

/// Gives what of a text is behind so many columns, and takes them off.
fn behind<'a>(text: &'a str, hidden: &mut usize) -> &'a str {
    for (at, c) in text.char_indices() {
        if *hidden == 0 {
            return text.get(at..).unwrap_or_default();
        }
        *hidden = hidden.saturating_sub(label::width(c.encode_utf8(&mut [0; 4])));
    }
    ""
}

/// Counts the columns of a line as it is drawn.
pub(super) fn columns(line: &CodeLine) -> usize {
    label::width(&visible(&line.text))
}

fn parts<'a>(
    canvas: &Canvas<'_>,
    line: &'a CodeLine,
    manner: Manner,
    base: Style,
) -> Vec<(&'a str, Style)> {
    let text = line.text.as_str();
    let mut cuts = vec![0, text.len()];
    let mut at = 0;
    for run in &line.runs {
        at += run.length;
        cuts.push(at);
    }
    let word = manner.word.map(|token| canvas.style(token));
    if word.is_some() {
        cuts.extend(
            line.changed
                .iter()
                .flat_map(|range| [range.start, range.end]),
        );
    }
    cuts.sort_unstable();
    cuts.dedup();
    // Where only a few colours exist the difference is worth more than the syntax.
    let inked = manner.token == Token::DiffContext || base.bg.is_some();
    cuts.windows(2)
        .filter_map(|pair| {
            let (from, to) = (*pair.first()?, *pair.last()?);
            let part = text.get(from..to)?;
            let changed = line.changed.iter().any(|r| r.start <= from && to <= r.end);
            let style = match word.filter(|_| changed) {
                Some(style) => style,
                None if inked => {
                    ink_at(line, from).map_or(base, |token| base.patch(canvas.style(token)))
                }
                None => base,
            };
            Some((part, style))
        })
        .collect()
}

fn ink_at(line: &CodeLine, place: usize) -> Option<Token> {
    let mut at = 0;
    let run = line.runs.iter().find(|run| {
        at += run.length;
        place < at
    })?;
    match run.ink {
        Ink::Plain => None,
        Ink::Comment => Some(Token::CodeComment),
        Ink::Text => Some(Token::CodeText),
        Ink::Number => Some(Token::CodeNumber),
        Ink::Keyword => Some(Token::CodeKeyword),
        Ink::Name => Some(Token::CodeName),
    }
}

/// Writes out what a terminal would act on or not show: two versions must not look alike when they
/// are not.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\t' => out.push_str(&" ".repeat(TAB)),
            c if (c as u32) < 0x20 => {
                out.push('^');
                out.push(char::from((c as u8) + 0x40));
            }
            '\u{7f}' => out.push_str("^?"),
            c if crate::tui::label::is_drawable(c) => out.push(c),
            c => out.push_str(&format!("<{:x}>", c as u32)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{behind, visible};

    #[test]
    fn a_line_goes_on_behind_the_columns_that_are_left_of_the_frame() {
        let mut hidden = 3;
        assert_eq!(behind("ab", &mut hidden), "");
        assert_eq!(behind("cdef", &mut hidden), "def");
        assert_eq!(behind("gh", &mut hidden), "gh");
        // Half of a wide character is not shown.
        assert_eq!(behind("漢字", &mut 1), "字");
    }

    #[test]
    fn what_a_terminal_would_act_on_is_written_out() {
        assert_eq!(visible("a\x1b[2J\tb\r"), "a^[[2J    b^M");
        assert_eq!(visible("x\u{202e}y\u{200b}\u{9b}"), "x<202e>y<200b><9b>");
    }
}
