//! A table of rows with a cursor.
//!
//! Columns have a fixed width or share what is left; what is not needed is dropped by the caller.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Canvas;
use crate::tui::hit::Target;
use crate::tui::state::row::first_visible;
use crate::tui::theme::Token;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub title: &'static str,
    /// 0 takes what the others leave.
    pub width: u16,
}

/// The rows of a table, each a cell per column with its style.
pub(crate) struct ListView<'a> {
    pub columns: &'a [Column],
    pub rows: Vec<Vec<(String, Style)>>,
    pub selected: Option<usize>,
    /// A rule is drawn above this row.
    pub rule_above: Option<usize>,
    /// The list has the keys.
    pub focused: bool,
}

/// Draws a table with its header; the selected row is marked by glyph and by colour.
pub(crate) fn draw_list(canvas: &mut Canvas<'_>, area: Rect, view: &ListView<'_>) {
    if area.height == 0 || area.width < 4 {
        return;
    }
    let widths = widths(view.columns, area.width - 3);
    let has_header = view.columns.iter().any(|c| !c.title.is_empty());
    let mut y = area.y;
    if has_header {
        let style = canvas.style(Token::Muted);
        let titles = view.columns.iter().map(|c| (c.title.to_owned(), style));
        draw_cells(canvas, area.x + 2, y, &widths, titles);
        y += 1;
    }
    let rule = view
        .rule_above
        .filter(|at| *at > 0 && *at < view.rows.len());
    let height = usize::from(area.bottom().saturating_sub(y));
    // The rule may take a row of them; where it is out of sight it does not.
    let height = height - usize::from(rule.is_some() && height > 1);
    let first = first_visible(view.selected.unwrap_or(0), view.rows.len(), height);
    for (index, row) in view.rows.iter().enumerate().skip(first) {
        let ruled = rule == Some(index) && index > first;
        if y + u16::from(ruled) >= area.bottom() {
            break;
        }
        if ruled {
            canvas.rule(area.x + 1, y, area.width - 2);
            y += 1;
        }
        let line = Rect::new(area.x, y, area.width, 1);
        draw_cells(canvas, area.x + 2, y, &widths, row.iter().cloned());
        if view.selected == Some(index) {
            let caret = canvas.g().caret;
            canvas.say(area.x, y, 1, caret, Token::Accent);
            if view.focused {
                canvas.tint(line, Token::Selection);
            }
        }
        canvas.hit(line, Target::Row(index));
        y += 1;
    }
}

fn draw_cells(
    canvas: &mut Canvas<'_>,
    mut x: u16,
    y: u16,
    widths: &[u16],
    cells: impl Iterator<Item = (String, Style)>,
) {
    for (width, (text, style)) in widths.iter().zip(cells) {
        if *width > 0 {
            canvas.put(x, y, *width, &text, style);
            x += width + 1;
        }
    }
}

fn widths(columns: &[Column], total: u16) -> Vec<u16> {
    let gaps = columns.len().saturating_sub(1) as u16;
    let fixed: u16 = columns.iter().map(|c| c.width).sum();
    let open = columns.iter().filter(|c| c.width == 0).count().max(1) as u16;
    let share = total.saturating_sub(fixed + gaps) / open;
    columns
        .iter()
        .map(|c| if c.width == 0 { share } else { c.width })
        .collect()
}
