//! The emulated terminal: alacritty's grid and modes, plus the state alacritty keeps to itself
//! or gets wrong; the gaps are closed on top of this, in `forward.rs`.
//!
//! Owned here: the primary grid while the alternate one is shown, scroll region, tab stops,
//! character set, titles, keyboard protocols. No parsing, no bytes out except through events.

use std::mem;
use std::ops::Range;

use alacritty_terminal::event::VoidListener;
use alacritty_terminal::grid::{Cursor as GridCursor, Dimensions, Grid, Scroll};
use alacritty_terminal::index::{Column, Line};
use alacritty_terminal::term::cell::{Cell as GridCell, Flags};
use alacritty_terminal::term::{Config, Osc52, Term, TermMode};
use alacritty_terminal::vte::ansi::{CharsetIndex, Color as GridColor, Handler};
use unicode_width::UnicodeWidthChar;

use super::keyboard::Keyboard;
use super::notices::TermEvent;
use super::size::Size;
use super::tabs::TabStops;
use super::titles::Titles;

/// Combining characters kept per cell; more is an attack on memory, not text.
const MOST_MARKS: usize = 16;

pub(super) struct Surface {
    pub(super) term: Term<VoidListener>,
    /// The primary screen while the alternate one is shown.
    pub(super) parked: Option<Grid<GridCell>>,
    /// Scroll region, first row inclusive, last exclusive.
    pub(super) region: Range<usize>,
    pub(super) charset: CharsetIndex,
    pub(super) tabs: TabStops,
    pub(super) titles: Titles,
    pub(super) keyboard: Keyboard,
    /// Whether a synchronized update is under way, as a program may ask.
    pub(super) sync: bool,
    pub(super) answers: bool,
    pub(super) events: Vec<TermEvent>,
}

impl Dimensions for Size {
    fn total_lines(&self) -> usize {
        usize::from(self.rows)
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.rows)
    }

    fn columns(&self) -> usize {
        usize::from(self.cols)
    }
}

impl Surface {
    pub(super) fn new(size: Size, history: usize, answers: bool) -> Self {
        let config = Config {
            scrolling_history: history,
            // Both are handled here.
            kitty_keyboard: false,
            osc52: Osc52::Disabled,
            ..Config::default()
        };
        Self {
            term: Term::new(config, &size, VoidListener),
            parked: None,
            region: 0..usize::from(size.rows),
            charset: CharsetIndex::default(),
            tabs: TabStops::new(usize::from(size.cols)),
            titles: Titles::default(),
            keyboard: Keyboard::default(),
            sync: false,
            answers,
            events: Vec::new(),
        }
    }

    pub(super) fn size(&self) -> Size {
        Size::new(self.term.columns() as u16, self.term.screen_lines() as u16)
    }

    pub(super) fn mode(&self) -> TermMode {
        *self.term.mode()
    }

    pub(super) fn is_alternate(&self) -> bool {
        self.parked.is_some()
    }

    pub(super) fn cursor(&self) -> &GridCursor<GridCell> {
        &self.term.grid().cursor
    }

    pub(super) fn cursor_mut(&mut self) -> &mut GridCursor<GridCell> {
        &mut self.term.grid_mut().cursor
    }

    pub(super) fn row(&self) -> usize {
        self.cursor().point.line.0.max(0) as usize
    }

    pub(super) fn col(&self) -> usize {
        self.cursor().point.column.0
    }

    /// Moves the cursor without regard to origin mode, ending any pending wrap.
    pub(super) fn place(&mut self, row: usize, col: usize) {
        let row = row.min(self.term.screen_lines() - 1);
        let col = col.min(self.term.columns() - 1);
        let cursor = self.cursor_mut();
        cursor.point.line = Line(row as i32);
        cursor.point.column = Column(col);
        cursor.input_needs_wrap = false;
    }

    pub(super) fn reply(&mut self, bytes: Vec<u8>) {
        if self.answers {
            self.events.push(TermEvent::Reply(bytes));
        }
    }

    /// Reports the title if `changed`.
    pub(super) fn announce_title(&mut self, changed: bool) {
        if changed {
            let title = self.titles.current().unwrap_or_default().to_owned();
            self.events.push(TermEvent::Title(title));
        }
    }

    pub(super) fn resize(&mut self, size: Size) {
        if size == self.size() {
            return;
        }
        let (rows, cols) = (usize::from(size.rows), usize::from(size.cols));
        let before = self.term.history_size();
        self.term.resize(size);
        if let Some(primary) = &mut self.parked {
            settle_cursors(self.term.grid_mut());
            let before = primary.history_size();
            primary.resize::<GridColor>(true, rows, cols);
            settle_cursors(primary);
            refill(primary, before);
            primary.saved_cursor = primary.cursor.clone();
            // Without reflow a wide character can be cut in half at the edge.
            for row in 0..rows {
                self.mend(row, cols);
            }
        } else {
            settle_cursors(self.term.grid_mut());
            refill(self.term.grid_mut(), before);
        }
        self.region = 0..rows;
        self.tabs.resize(cols);
    }

    /// Shows the alternate screen, empty, with the cursor where it was.
    ///
    /// alacritty would hide the primary grid; parking it here keeps it within a snapshot's reach.
    pub(super) fn enter_alternate(&mut self) {
        if self.is_alternate() {
            return;
        }
        let (rows, cols) = (self.term.screen_lines(), self.term.columns());
        let blank = Grid::new(rows, cols, 0);
        let mut primary = mem::replace(self.term.grid_mut(), blank);
        primary.scroll_display(Scroll::Bottom);
        primary.saved_cursor = primary.cursor.clone();
        self.term.grid_mut().cursor = primary.cursor.clone();
        self.term.swap_alt();
        self.term.grid_mut().saved_cursor = primary.cursor.clone();
        self.parked = Some(primary);
    }

    /// Shows the primary screen again, as it was left.
    pub(super) fn leave_alternate(&mut self) {
        if let Some(primary) = self.parked.take() {
            self.term.swap_alt();
            *self.term.grid_mut() = primary;
        }
    }

    /// Clears what a cut through a wide character between `col - 1` and `col` leaves of it.
    /// With `col` past the last column, a wide character's half at the edge.
    pub(super) fn mend(&mut self, row: usize, col: usize) {
        let line = &mut self.term.grid_mut()[Line(row as i32)];
        let cells = &mut line[..];
        let right_is_spacer = cells
            .get(col)
            .is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR_SPACER));
        let left = col.checked_sub(1).and_then(|left| cells.get_mut(left));
        let left_is_wide = left
            .as_ref()
            .is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR));
        if left_is_wide == right_is_spacer {
            return;
        }
        match left {
            Some(left) if left_is_wide => left.clear_wide(),
            _ => {
                if let Some(right) = cells.get_mut(col) {
                    right.flags.remove(Flags::WIDE_CHAR_SPACER);
                }
            }
        }
    }

    /// Prints a character that may be combining, or in insert mode.
    #[inline(never)]
    pub(super) fn input_with_care(&mut self, c: char) {
        if c.width() == Some(0) && self.marks_are_full() {
            return;
        }
        self.term.input(c);
        if self.mode().contains(TermMode::INSERT) {
            for col in 1..=self.term.columns() {
                self.mend(self.row(), col);
            }
        }
    }

    /// Whether one more combining character would be too many where it would go.
    fn marks_are_full(&self) -> bool {
        let cursor = self.cursor();
        let col = self
            .col()
            .saturating_sub(usize::from(!cursor.input_needs_wrap));
        let line = &self.term.grid()[cursor.point.line];
        let mut cell = line[..].get(col);
        if cell.is_some_and(|cell| cell.flags.contains(Flags::WIDE_CHAR_SPACER)) {
            cell = col.checked_sub(1).and_then(|col| line[..].get(col));
        }
        cell.and_then(GridCell::zerowidth)
            .is_some_and(|marks| marks.len() >= MOST_MARKS)
    }
}

/// A pending wrap only exists in the last column; a wider screen resolves it.
fn settle_cursors(grid: &mut Grid<GridCell>) {
    let last = grid.columns() - 1;
    for cursor in [&mut grid.cursor, &mut grid.saved_cursor] {
        if cursor.input_needs_wrap && cursor.point.column.0 < last {
            cursor.input_needs_wrap = false;
            cursor.point.column += 1;
        }
    }
}

/// Takes lines back that reflow pushed into the scrollback although there was room below the
/// cursor. Growing pulls them in from above, shrinking drops blank rows from below.
fn refill(grid: &mut Grid<GridCell>, history_before: usize) {
    let (rows, cols) = (grid.screen_lines(), grid.columns());
    let pushed = grid.history_size().saturating_sub(history_before);
    let below = (grid.cursor.point.line.0 + 1)..rows as i32;
    let blank = below
        .rev()
        .take_while(|&line| grid[Line(line)].is_clear())
        .count();
    let back = pushed.min(blank);
    if back > 0 {
        grid.resize::<GridColor>(true, rows + back, cols);
        grid.resize::<GridColor>(true, rows, cols);
    }
}
