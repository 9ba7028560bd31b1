//! Writes a terminal as the bytes that bring a fresh one into the same state.
//!
//! The rows are printed from the oldest line of scrollback down, letting long lines wrap by
//! themselves so that they reflow later as the originals do; then come cursors and modes. What
//! cannot be told in escape sequences is lost: the character a following REP would repeat, and
//! whether the last row is wrapped on a screen of two rows or two columns.

use std::io::Write as _;

use alacritty_terminal::grid::{Cursor, Dimensions, Grid};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::vte::ansi::{
    CharsetIndex, CursorShape, CursorStyle, NamedColor, StandardCharset,
};

use super::keyboard::FlagStack;
use super::pen::Pen;
use super::surface::Surface;
use super::tabs::TabStops;

/// The bytes for the whole of `surface`.
pub(super) fn write(surface: &Surface) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text("\x1bc");
    writer.colors(surface);
    writer.titles(surface);
    writer.tabs(surface);
    let mode = surface.mode();
    let alternate = surface.is_alternate();
    if !alternate && surface.keyboard.alternate != FlagStack::default() {
        writer.text("\x1b[?1049h");
        writer.keyboard(&surface.keyboard.alternate);
        writer.text("\x1b[?1049l");
    }
    writer.keyboard(&surface.keyboard.primary);
    if let Some(primary) = &surface.parked {
        writer.paint(primary);
        writer.saved_cursor(primary, &primary.cursor);
        writer.restore(&primary.cursor);
        writer.text("\x1b[?1049h");
        writer.reset_cursor_state();
        // The new screen was filled with the pen's background.
        writer.text("\x1b[2J\x1b[H");
        writer.keyboard(&surface.keyboard.alternate);
    }
    let grid = surface.term.grid();
    writer.paint(grid);
    if alternate || grid.saved_cursor != Cursor::default() {
        writer.saved_cursor(grid, &grid.saved_cursor);
        writer.reset_cursor_state();
    }
    writer.region(surface);
    if mode.contains(TermMode::ORIGIN) {
        writer.text("\x1b[?6h");
    }
    let row = row_of(&grid.cursor);
    if grid.cursor == grid.saved_cursor {
        writer.restore(&grid.saved_cursor);
    } else if !mode.contains(TermMode::ORIGIN) {
        writer.cursor(grid, &grid.cursor, Addressing::Absolute);
    } else if surface.region.contains(&row) {
        let top = surface.region.start;
        writer.cursor(grid, &grid.cursor, Addressing::Within(top));
    } else {
        writer.restore(&grid.saved_cursor);
        writer.reset_cursor_state();
        let from = row_of(&grid.saved_cursor);
        writer.cursor(grid, &grid.cursor, Addressing::From(from));
    }
    if surface.charset == CharsetIndex::G1 {
        writer.text("\x0e");
    }
    writer.style(surface.term.cursor_style());
    writer.modes(mode);
    if surface.keyboard.modify_other_keys != 0 {
        let level = surface.keyboard.modify_other_keys;
        writer.put(format_args!("\x1b[>4;{level}m"));
    }
    writer.out
}

/// How a cursor's row is reached.
#[derive(Clone, Copy)]
enum Addressing {
    Absolute,
    /// In origin mode, relative to this first row of the region.
    Within(usize),
    /// In origin mode but outside the region, where only a restored cursor gets: step by step
    /// from this row.
    From(usize),
}

#[derive(Default)]
struct Writer {
    out: Vec<u8>,
    pen: Pen,
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        if self.out.write_fmt(text).is_err() {
            debug_assert!(false, "a vector took no bytes");
        }
    }

    /// Back to the plain pen and character sets, as after a reset.
    fn reset_cursor_state(&mut self) {
        self.set_pen(Pen::default());
        self.text("\x1b(B\x1b)B\x1b*B\x1b+B");
    }

    fn set_pen(&mut self, pen: Pen) {
        pen.write_change(&self.pen, &mut self.out);
        self.pen = pen;
    }

    fn colors(&mut self, surface: &Surface) {
        let colors = surface.term.colors();
        let dynamic = [
            (NamedColor::Foreground, 10),
            (NamedColor::Background, 11),
            (NamedColor::Cursor, 12),
        ];
        for index in 0..=255_usize {
            if let Some(rgb) = colors[index] {
                let (r, g, b) = (rgb.r, rgb.g, rgb.b);
                self.put(format_args!(
                    "\x1b]4;{index};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"
                ));
            }
        }
        for (name, code) in dynamic {
            if let Some(rgb) = colors[name] {
                let (r, g, b) = (rgb.r, rgb.g, rgb.b);
                self.put(format_args!(
                    "\x1b]{code};rgb:{r:02x}/{g:02x}/{b:02x}\x1b\\"
                ));
            }
        }
    }

    fn titles(&mut self, surface: &Surface) {
        let titles = &surface.titles;
        for parked in titles.parked() {
            self.put(format_args!(
                "\x1b]2;{}\x1b\\\x1b[22t",
                parked.unwrap_or_default()
            ));
        }
        let current = titles.current();
        if current.is_some() || titles.parked().next().is_some() {
            self.put(format_args!("\x1b]2;{}\x1b\\", current.unwrap_or_default()));
        }
    }

    fn tabs(&mut self, surface: &Surface) {
        if surface.tabs == TabStops::new(surface.term.columns()) {
            return;
        }
        self.text("\x1b[3g");
        for col in surface.tabs.columns() {
            self.put(format_args!("\x1b[{}G\x1bH", col + 1));
        }
        self.text("\r");
    }

    fn keyboard(&mut self, stack: &FlagStack) {
        if *stack == FlagStack::default() {
            return;
        }
        let mut how = '=';
        for flags in stack.below().chain([stack.current()]) {
            self.put(format_args!("\x1b[{how}{flags}u"));
            how = '>';
        }
    }

    /// Prints every line of `grid`; the screen must be empty and the cursor at home.
    fn paint(&mut self, grid: &Grid<Cell>) {
        let cols = grid.columns();
        let last = grid.bottommost_line().0;
        let mut wrapped = false;
        for line in grid.topmost_line().0..=last {
            let row = &grid[Line(line)][..];
            let next = (line < last).then(|| &grid[Line(line + 1)][..]);
            let continued = wrapped;
            if !continued && line != grid.topmost_line().0 {
                // Scrolling fills the new row with the pen's background.
                self.set_pen(Pen::default());
                self.text("\r\n");
            }
            wrapped = is_wrapped(row) && next.is_some();
            let tinted = row
                .first()
                .is_some_and(|cell| !Pen::of(cell).is_plain_ground());
            let used = match (wrapped, continued) {
                (true, _) => cols,
                (false, true) if tinted => cols,
                (false, true) => used_cells(row).max(1),
                (false, false) => used_cells(row),
            };
            let next = next.filter(|_| wrapped);
            self.cells(row.get(..used).unwrap_or_default(), next);
        }
        self.wrap_last_row(grid);
        self.set_pen(Pen::default());
    }

    /// Prints cells; `next_row` is the row that continues this one, if any.
    fn cells(&mut self, cells: &[Cell], next_row: Option<&[Cell]>) {
        for (col, cell) in cells.iter().enumerate() {
            if col + 1 == cells.len()
                && cell.flags.contains(Flags::LEADING_WIDE_CHAR_SPACER)
                && cell.zerowidth().is_none_or(<[char]>::is_empty)
                && let Some(wide) = next_row.and_then(<[Cell]>::first)
                && wide.flags.contains(Flags::WIDE_CHAR)
                && Pen::of(wide) == Pen::of(cell)
            {
                // Printing the wide character there leaves this spacer behind by itself.
                return;
            }
            self.cell(cell);
        }
    }

    fn cell(&mut self, cell: &Cell) {
        if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            return;
        }
        self.set_pen(Pen::of(cell));
        let mut buffer = [0; 4];
        self.text(cell.c.encode_utf8(&mut buffer));
        for mark in cell.zerowidth().unwrap_or_default() {
            self.text(mark.encode_utf8(&mut buffer));
        }
    }

    /// Marks the last row as continuing below the screen. Outside a scroll region wrapping leads
    /// back to the start of the same row, whose first cell is then printed once more.
    fn wrap_last_row(&mut self, grid: &Grid<Cell>) {
        let rows = grid.screen_lines();
        let row = &grid[grid.bottommost_line()][..];
        if rows < 3 || !is_wrapped(row) {
            return;
        }
        self.put(format_args!("\x1b[1;{}r\x1b[{rows}H", rows - 1));
        self.cells(row, None);
        if let Some(first) = row.first() {
            self.cell(first);
        }
        self.text("\x1b[r");
    }

    /// Makes `cursor` the saved one, on a screen without scroll region.
    fn saved_cursor(&mut self, grid: &Grid<Cell>, cursor: &Cursor<Cell>) {
        self.cursor(grid, cursor, Addressing::Absolute);
        self.text("\x1b7");
    }

    /// Goes to the saved cursor, which is `saved`.
    fn restore(&mut self, saved: &Cursor<Cell>) {
        self.text("\x1b8");
        self.pen = Pen::of(&saved.template);
    }

    fn region(&mut self, surface: &Surface) {
        if surface.region != (0..surface.term.screen_lines()) {
            let (top, bottom) = (surface.region.start + 1, surface.region.end);
            self.put(format_args!("\x1b[{top};{bottom}r"));
        }
    }

    /// Takes the cursor to where `cursor` is, with its pen and character sets.
    fn cursor(&mut self, grid: &Grid<Cell>, cursor: &Cursor<Cell>, addressing: Addressing) {
        let row = row_of(cursor);
        let cells = &grid[Line(row as i32)][..];
        let last = grid.columns() - 1;
        let wide = cells
            .get(last)
            .is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR_SPACER));
        let pending = cursor.input_needs_wrap;
        let col = match (pending, is_wrapped(cells)) {
            // A wrap is pending only after printing, so the last character is printed again.
            (true, false) => last - usize::from(wide),
            (true, true) => last,
            (false, _) => cursor.point.column.0,
        };
        match addressing {
            Addressing::Absolute => self.put(format_args!("\x1b[{};{}H", row + 1, col + 1)),
            Addressing::Within(top) => {
                self.put(format_args!("\x1b[{};{}H", row - top + 1, col + 1));
            }
            Addressing::From(start) => {
                self.put(format_args!("\x1b[{}G", col + 1));
                if row < start {
                    self.put(format_args!("\x1b[{}A", start - row));
                } else if row > start {
                    self.put(format_args!("\x1b[{}B", row - start));
                }
            }
        }
        if pending && is_wrapped(cells) {
            // Printing would unmark the row as wrapped. A wide character that finds no room, not
            // even on the next line, leaves the pending wrap and nothing else.
            self.text("\x1b[?7l世\x1b[?7h");
        } else if let Some(cell) = cells.get(col).filter(|_| pending) {
            self.cell(cell);
        }
        self.set_pen(Pen::of(&cursor.template));
        let sets = [
            (CharsetIndex::G0, '('),
            (CharsetIndex::G1, ')'),
            (CharsetIndex::G2, '*'),
            (CharsetIndex::G3, '+'),
        ];
        for (index, introducer) in sets {
            match cursor.charsets[index] {
                StandardCharset::Ascii => {}
                StandardCharset::SpecialCharacterAndLineDrawing => {
                    self.put(format_args!("\x1b{introducer}0"));
                }
            }
        }
    }

    fn style(&mut self, style: CursorStyle) {
        if style == CursorStyle::default() {
            return;
        }
        let number = match style.shape {
            CursorShape::Block | CursorShape::HollowBlock | CursorShape::Hidden => 2,
            CursorShape::Underline => 4,
            CursorShape::Beam => 6,
        };
        let number = if style.blinking { number - 1 } else { number };
        self.put(format_args!("\x1b[{number} q"));
    }

    fn modes(&mut self, mode: TermMode) {
        let set = [
            (TermMode::APP_CURSOR, "\x1b[?1h"),
            (TermMode::APP_KEYPAD, "\x1b="),
            (TermMode::MOUSE_REPORT_CLICK, "\x1b[?1000h"),
            (TermMode::MOUSE_DRAG, "\x1b[?1002h"),
            (TermMode::MOUSE_MOTION, "\x1b[?1003h"),
            (TermMode::FOCUS_IN_OUT, "\x1b[?1004h"),
            (TermMode::UTF8_MOUSE, "\x1b[?1005h"),
            (TermMode::SGR_MOUSE, "\x1b[?1006h"),
            (TermMode::BRACKETED_PASTE, "\x1b[?2004h"),
            (TermMode::INSERT, "\x1b[4h"),
            (TermMode::LINE_FEED_NEW_LINE, "\x1b[20h"),
        ];
        let unset = [
            (TermMode::SHOW_CURSOR, "\x1b[?25l"),
            (TermMode::LINE_WRAP, "\x1b[?7l"),
            (TermMode::ALTERNATE_SCROLL, "\x1b[?1007l"),
            (TermMode::URGENCY_HINTS, "\x1b[?1042l"),
        ];
        for (flag, text) in set {
            if mode.contains(flag) {
                self.text(text);
            }
        }
        for (flag, text) in unset {
            if !mode.contains(flag) {
                self.text(text);
            }
        }
    }
}

fn row_of(cursor: &Cursor<Cell>) -> usize {
    cursor.point.line.0.max(0) as usize
}

fn is_wrapped(row: &[Cell]) -> bool {
    row.last()
        .is_some_and(|cell| cell.flags.contains(Flags::WRAPLINE))
}

/// How many cells there are up to the last that is not as in an empty row.
fn used_cells(row: &[Cell]) -> usize {
    row.iter()
        .rposition(|cell| {
            cell.c != ' '
                || cell.zerowidth().is_some_and(|marks| !marks.is_empty())
                || Pen::of(cell) != Pen::default()
        })
        .map_or(0, |at| at + 1)
}

#[cfg(test)]
#[path = "tests/snapshot.rs"]
mod tests;
