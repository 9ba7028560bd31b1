//! Drawing text that is being edited.

use ratatui::layout::{Position, Rect};

use super::Canvas;
use crate::tui::label;
use crate::tui::state::{TAB, TextField};
use crate::tui::theme::Token;

/// Draws a field of one line; the end of the text stays in sight. Sets the cursor if focused.
pub(crate) fn draw_field(canvas: &mut Canvas<'_>, area: Rect, field: &TextField, focused: bool) {
    if area.width == 0 || area.height == 0 {
        return;
    }
    let (_, col) = field.cursor();
    let width = usize::from(area.width);
    let skip = (col + 1).saturating_sub(width);
    let text = from_column(&label::clean(&field.text()), skip);
    canvas.say(area.x, area.y, area.width, &text, Token::Text);
    if focused {
        let x = area.x + (col - skip.min(col)).min(width - 1) as u16;
        canvas.drawn.cursor = Some(Position::new(x, area.y));
    }
}

/// Draws a field of several lines, wrapped; the line with the cursor stays in sight.
pub(crate) fn draw_text_area(
    canvas: &mut Canvas<'_>,
    area: Rect,
    field: &TextField,
    focused: bool,
) {
    if area.width < 2 || area.height == 0 {
        return;
    }
    let width = usize::from(area.width);
    let (row, col) = field.cursor();
    let mut rows = Vec::new();
    let mut cursor = (0, 0);
    for (i, line) in field.lines().iter().enumerate() {
        let start = rows.len();
        let line = line.replace('\t', &" ".repeat(TAB));
        let line = label::clean(&line);
        rows.extend(hard_wrap(&line, width));
        if i == row {
            let below = (col / width).min(rows.len() - 1 - start);
            cursor = (start + below, (col - below * width).min(width - 1));
        }
    }
    let height = usize::from(area.height);
    let first = (cursor.0 + 1).saturating_sub(height);
    for (y, text) in rows.iter().skip(first).take(height).enumerate() {
        canvas.say(area.x, area.y + y as u16, area.width, text, Token::Text);
    }
    if focused {
        let at = Position::new(area.x + cursor.1 as u16, area.y + (cursor.0 - first) as u16);
        canvas.drawn.cursor = Some(at);
    }
}

/// Breaks exactly at the column, so that the place of the cursor can be computed.
fn hard_wrap(line: &str, width: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for c in line.chars() {
        let w = label::width(c.encode_utf8(&mut [0; 4]));
        if used + w > width {
            rows.push(String::new());
            used = 0;
        }
        used += w;
        if let Some(last) = rows.last_mut() {
            last.push(c);
        }
    }
    rows
}

fn from_column(text: &str, column: usize) -> String {
    let mut used = 0;
    text.chars()
        .skip_while(|c| {
            let before = used;
            used += label::width(c.encode_utf8(&mut [0; 4]));
            before < column
        })
        .collect()
}
