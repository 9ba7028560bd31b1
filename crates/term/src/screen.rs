//! Draws an [`Engine`] with ratatui: the adapter to `tui-term`'s widget, and the window onto a
//! screen that is larger than its pane.
//!
//! The only file here that knows ratatui. It decides how cells look; where panes are and what
//! frames them is the interface's business.

use alacritty_terminal::term::cell::Cell as GridCell;
use ratatui::buffer::Cell as BufferCell;
use ratatui::style::{Color as DrawColor, Modifier, Style};
use tui_term::widget::{Cell as WidgetCell, CursorShape as WidgetCursor, Screen};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::cells::{self, CellWidth, Color, CursorShape, Underline};
use super::engine::Engine;
use super::size::Size;

/// The top left corner of the part of a screen that a pane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Viewport {
    /// First row shown.
    pub top: u16,
    /// First column shown.
    pub left: u16,
}

impl Viewport {
    /// Where a cell of the slot is on the agent's screen: row, column.
    pub fn to_screen(self, row: u16, col: u16) -> (u16, u16) {
        (self.top.saturating_add(row), self.left.saturating_add(col))
    }
}

/// The part of the screen to show in a slot: all of it if it fits, else the used part around
/// the cursor.
pub fn viewport_for(engine: &Engine, slot: Size) -> Viewport {
    let size = engine.size();
    let cursor = engine.cursor();
    Viewport {
        top: top_for(engine, slot.rows.max(1), size.rows, cursor.row),
        left: left_for(slot.cols.max(1), size.cols, cursor.col),
    }
}

fn top_for(engine: &Engine, slot: u16, rows: u16, cursor: u16) -> u16 {
    if slot >= rows {
        return 0;
    }
    let last_used = (0..rows)
        .rev()
        .find(|&row| !engine.row_text(row).is_empty())
        .unwrap_or(0);
    let offset = engine.scroll_offset();
    if offset > 0 {
        // Near the oldest line the window moves up too, so that the oldest can be seen.
        let left = engine.history_len().saturating_sub(offset);
        return (rows - slot).min(u16::try_from(left).unwrap_or(u16::MAX));
    }
    let end = last_used.max(cursor) + 1;
    end.saturating_sub(slot).min(cursor).min(rows - slot)
}

/// Moves in half-slot steps, so that typing past the edge does not shift the text at every key.
fn left_for(slot: u16, cols: u16, cursor: u16) -> u16 {
    if slot >= cols || cursor < slot {
        return 0;
    }
    let step = (slot / 2).max(1);
    let beyond = cursor - slot + 1;
    (beyond.div_ceil(step) * step).min(cols - slot)
}

/// What a pane shows of a terminal, ready for `tui_term::widget::PseudoTerminal`.
pub struct ScreenView<'a> {
    cells: Vec<ViewCell<'a>>,
    slot: Size,
    cursor: (u16, u16),
    cursor_shape: WidgetCursor,
    cursor_visible: bool,
}

impl<'a> ScreenView<'a> {
    /// Takes the window of `engine` that begins at `viewport` and fills `slot`.
    pub fn new(engine: &'a Engine, viewport: Viewport, slot: Size) -> Self {
        let size = engine.size();
        let slot = Size::new(
            slot.cols.min(size.cols.saturating_sub(viewport.left)),
            slot.rows.min(size.rows.saturating_sub(viewport.top)),
        );
        let mut view = Vec::with_capacity(usize::from(slot.cols) * usize::from(slot.rows));
        for row in viewport.top..viewport.top + slot.rows {
            let cells = engine.shown_row(row).unwrap_or_default();
            let window = cells.iter().skip(usize::from(viewport.left));
            let last = slot.cols.saturating_sub(1);
            view.extend(
                window
                    .take(usize::from(slot.cols))
                    .zip(0_u16..)
                    .map(|(cell, col)| ViewCell {
                        cell,
                        at_right_edge: col == last,
                    }),
            );
        }
        let cursor = engine.cursor();
        let inside = cursor.row >= viewport.top
            && cursor.row < viewport.top + slot.rows
            && cursor.col >= viewport.left
            && cursor.col < viewport.left + slot.cols;
        Self {
            cells: view,
            slot,
            cursor: (
                cursor.row.saturating_sub(viewport.top),
                cursor.col.saturating_sub(viewport.left),
            ),
            cursor_shape: match (cursor.shape, cursor.blinking) {
                (CursorShape::Block, true) => WidgetCursor::BlinkingBlock,
                (CursorShape::Block, false) => WidgetCursor::SteadyBlock,
                (CursorShape::Underline, true) => WidgetCursor::BlinkingUnderline,
                (CursorShape::Underline, false) => WidgetCursor::SteadyUnderline,
                (CursorShape::Bar, true) => WidgetCursor::BlinkingBar,
                (CursorShape::Bar, false) => WidgetCursor::SteadyBar,
            },
            cursor_visible: cursor.visible && inside,
        }
    }

    /// The cursor within the slot, where the real terminal's cursor belongs: row, column.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        self.cursor_visible.then_some(self.cursor)
    }
}

impl<'a> Screen for ScreenView<'a> {
    type C = ViewCell<'a>;

    fn cell(&self, row: u16, col: u16) -> Option<&Self::C> {
        if row >= self.slot.rows || col >= self.slot.cols {
            return None;
        }
        let index = usize::from(row) * usize::from(self.slot.cols) + usize::from(col);
        self.cells.get(index)
    }

    fn hide_cursor(&self) -> bool {
        !self.cursor_visible
    }

    fn cursor_position(&self) -> (u16, u16) {
        self.cursor
    }

    fn cursor_shape(&self) -> WidgetCursor {
        self.cursor_shape
    }
}

/// One cell of a [`ScreenView`].
pub struct ViewCell<'a> {
    cell: &'a GridCell,
    at_right_edge: bool,
}

impl WidgetCell for ViewCell<'_> {
    fn has_contents(&self) -> bool {
        self.cell.c != ' ' && cells::width(self.cell.flags) != CellWidth::Spacer
    }

    fn apply(&self, target: &mut BufferCell) {
        target.reset();
        target.set_style(style(self.cell));
        match cells::width(self.cell.flags) {
            CellWidth::Narrow => set_symbol(self.cell, 1, target),
            // Half a character cannot be drawn: at the edge of a window it is left out.
            CellWidth::Wide if self.at_right_edge => {}
            CellWidth::Wide => set_symbol(self.cell, 2, target),
            // Covered by its left half, or blank where that is outside the window.
            CellWidth::Spacer => {}
        }
    }
}

/// Sets the text, unless the user's terminal would draw it at another width than the emulator
/// counted: then without its marks.
fn set_symbol(cell: &GridCell, width: usize, target: &mut BufferCell) {
    let marks = cell.zerowidth().unwrap_or_default();
    if cell.c == ' ' && marks.is_empty() {
        return;
    }
    if !marks.is_empty() {
        let mut symbol = String::from(cell.c);
        symbol.extend(marks.iter().filter(|&&mark| is_drawable_mark(mark)));
        if symbol.as_str().width() == width {
            target.set_symbol(&symbol);
            return;
        }
    }
    if cell.c.width() == Some(width) {
        target.set_char(cell.c);
    }
}

/// Direction overrides and other invisible formatting could disturb what is outside the pane.
fn is_drawable_mark(mark: char) -> bool {
    !matches!(mark,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn style(cell: &GridCell) -> Style {
    let attrs = cells::attrs(cell.flags);
    let mut modifiers = Modifier::empty();
    modifiers.set(Modifier::BOLD, attrs.bold);
    modifiers.set(Modifier::DIM, attrs.dim);
    modifiers.set(Modifier::ITALIC, attrs.italic);
    modifiers.set(Modifier::REVERSED, attrs.inverse);
    modifiers.set(Modifier::HIDDEN, attrs.hidden);
    modifiers.set(Modifier::CROSSED_OUT, attrs.strikeout);
    // ratatui knows one kind of underline; the colour tells the others apart where it is set.
    modifiers.set(Modifier::UNDERLINED, attrs.underline != Underline::None);
    let mut style = Style::default()
        .fg(draw_color(cells::color(cell.fg)))
        .bg(draw_color(cells::color(cell.bg)))
        .add_modifier(modifiers);
    if let Some(color) = cell.underline_color() {
        style = style.underline_color(draw_color(cells::color(color)));
    }
    style
}

fn draw_color(color: Color) -> DrawColor {
    match color {
        Color::Default => DrawColor::Reset,
        Color::Indexed(index) => DrawColor::Indexed(index),
        Color::Rgb(r, g, b) => DrawColor::Rgb(r, g, b),
    }
}

#[cfg(test)]
#[path = "tests/screen.rs"]
mod tests;
