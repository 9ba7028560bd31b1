//! Prints plain text in bulk. A flood of output is mostly printable ASCII and line ends; writing
//! those straight into the grid is several times faster than character by character.
//!
//! Only what the emulator would do with the same bytes, and only where it is certain; everything
//! else is left to it. `LONG` is how much plain text makes the detour worthwhile.

use alacritty_terminal::grid::Dimensions;
use alacritty_terminal::index::Column;
use alacritty_terminal::term::TermMode;
use alacritty_terminal::term::cell::Flags;
use alacritty_terminal::vte::ansi::{Handler, StandardCharset};

use super::surface::Surface;

/// Shorter stretches of text go the ordinary way.
pub(super) const LONG: usize = 64;

const HALVES: Flags = Flags::WIDE_CHAR.union(Flags::WIDE_CHAR_SPACER);

/// What the beginning of a stretch of text is.
pub(super) enum Piece<'a> {
    /// Printable ASCII.
    Text(&'a [u8]),
    /// CR.
    Return,
    /// LF.
    LineFeed,
    /// Anything else, with the byte after it: that byte shows the parser that a broken character
    /// ends there.
    Other(&'a [u8]),
}

/// Splits the first piece off.
pub(super) fn split(bytes: &[u8]) -> Option<(Piece<'_>, &[u8])> {
    let (&first, rest) = bytes.split_first()?;
    match first {
        b'\r' => return Some((Piece::Return, rest)),
        b'\n' => return Some((Piece::LineFeed, rest)),
        _ => {}
    }
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~');
    if is_text(&first) {
        let end = bytes.iter().position(|byte| !is_text(byte));
        let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
        return Some((Piece::Text(text), rest));
    }
    let plain = |byte: &u8| is_text(byte) || matches!(byte, b'\r' | b'\n');
    let end = bytes.iter().position(plain);
    let (other, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
    Some((Piece::Other(other), rest))
}

/// Where the last printable character is: the parser must see it itself, to know what a REP
/// after it repeats.
pub(super) fn last_text(bytes: &[u8]) -> usize {
    let is_text = |byte: &u8| matches!(byte, b' '..=b'~');
    bytes.iter().rposition(is_text).unwrap_or(0)
}

impl Surface {
    /// Prints ASCII at the cursor.
    pub(super) fn print_text(&mut self, mut text: &[u8]) {
        let charset = self.cursor().charsets[self.charset];
        let ordinary = charset == StandardCharset::Ascii && !self.mode().contains(TermMode::INSERT);
        while !text.is_empty() {
            let room = self.term.columns() - self.col();
            let fits = room.min(text.len());
            let (now, later) = text.split_at(fits);
            if ordinary && !self.cursor().input_needs_wrap && self.print_within_row(now) {
                text = later;
            } else if let Some((&byte, rest)) = text.split_first() {
                self.input(char::from(byte));
                text = rest;
            }
        }
    }

    /// Prints what fits into the rest of the row, unless a wide character is in the way.
    fn print_within_row(&mut self, text: &[u8]) -> bool {
        let (col, cols) = (self.col(), self.term.columns());
        let grid = self.term.grid_mut();
        let (line, pen) = (grid.cursor.point.line, grid.cursor.template.clone());
        let end = col + text.len();
        let cells = &mut grid[line][Column(col)..Column(end)];
        if cells.iter().any(|cell| cell.flags.intersects(HALVES)) {
            return false;
        }
        for (cell, &byte) in cells.iter_mut().zip(text) {
            cell.c = char::from(byte);
            cell.fg = pen.fg;
            cell.bg = pen.bg;
            cell.flags = pen.flags;
            cell.extra.clone_from(&pen.extra);
        }
        let cursor = &mut grid.cursor;
        cursor.point.column = Column(end.min(cols - 1));
        cursor.input_needs_wrap = end == cols;
        true
    }
}
