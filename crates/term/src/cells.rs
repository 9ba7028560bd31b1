//! Plain values that describe what is on a screen: cells, colours, cursor, modes.
//!
//! They are grove's own, so that nothing above this module depends on the emulator's types.
//! No drawing and no escape sequences here.

use alacritty_terminal::term::cell::{Cell as GridCell, Flags};
use alacritty_terminal::vte::ansi::{Color as GridColor, NamedColor};

/// A colour as the agent chose it; it is mapped to the user's terminal only when drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Color {
    /// The terminal's own foreground or background.
    #[default]
    Default,
    /// One of the 256 palette colours.
    Indexed(u8),
    /// A true colour.
    Rgb(u8, u8, u8),
}

/// How a cell is underlined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Underline {
    /// Not at all.
    #[default]
    None,
    /// One line.
    Single,
    /// Two lines.
    Double,
    /// A wave.
    Curly,
    /// Dots.
    Dotted,
    /// Dashes.
    Dashed,
}

/// The attributes of a cell besides its colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attrs {
    /// Bold text.
    pub bold: bool,
    /// Dimmed text.
    pub dim: bool,
    /// Italic text.
    pub italic: bool,
    /// Foreground and background swapped.
    pub inverse: bool,
    /// Text not shown.
    pub hidden: bool,
    /// Struck through.
    pub strikeout: bool,
    /// The underline, if any.
    pub underline: Underline,
}

/// Which part of a character a cell holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CellWidth {
    /// A whole character.
    #[default]
    Narrow,
    /// The left half of a wide character, which carries the text.
    Wide,
    /// The right half of a wide character, which carries nothing.
    Spacer,
}

/// The target of a clickable cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Hyperlink {
    /// Groups cells that belong to one link.
    pub id: String,
    /// Where it leads; written by the agent, never trusted.
    pub uri: String,
}

/// One cell of a screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The character; a space where there is none.
    pub ch: char,
    /// Combining characters drawn over it.
    pub marks: Vec<char>,
    /// Text colour.
    pub fg: Color,
    /// Background colour.
    pub bg: Color,
    /// Colour of the underline, where it differs from the text.
    pub underline_color: Color,
    /// Bold, italic and so on.
    pub attrs: Attrs,
    /// Whole character, or which half of a wide one.
    pub width: CellWidth,
    /// The link under this cell.
    pub link: Option<Hyperlink>,
}

impl Cell {
    /// The text of the cell: empty for the right half of a wide character.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.width != CellWidth::Spacer {
            text.push(self.ch);
            text.extend(&self.marks);
        }
        text
    }
}

/// The form of the text cursor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CursorShape {
    /// A filled cell.
    #[default]
    Block,
    /// A line under the cell.
    Underline,
    /// A line before the cell.
    Bar,
}

/// Where the cursor is and how it looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Row on the shown screen; beyond the last row when scrolled out of sight.
    pub row: u16,
    /// Column on the screen.
    pub col: u16,
    /// Whether it is to be drawn.
    pub visible: bool,
    /// Its form.
    pub shape: CursorShape,
    /// Whether the agent asked for a blinking one.
    pub blinking: bool,
}

/// Which mouse events an agent wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MouseMode {
    /// None.
    #[default]
    None,
    /// Presses and releases.
    Click,
    /// Also movement with a button held.
    Drag,
    /// All movement.
    Motion,
}

/// What the agent asked the terminal to do with input and drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// Pastes are to be marked as such.
    pub bracketed_paste: bool,
    /// Mouse events wanted.
    pub mouse: MouseMode,
    /// Mouse events in the modern notation.
    pub sgr_mouse: bool,
    /// Wheel becomes arrow keys on the alternate screen.
    pub alternate_scroll: bool,
    /// Arrow keys in application notation.
    pub app_cursor: bool,
    /// Keypad in application notation.
    pub app_keypad: bool,
    /// The alternate screen is shown.
    pub alt_screen: bool,
    /// Focus changes wanted.
    pub focus_events: bool,
    /// Active flags of the kitty keyboard protocol.
    pub kitty_flags: u8,
    /// Level of xterm's `modifyOtherKeys`: 0, 1 or 2.
    pub modify_other_keys: u8,
    /// A synchronized update is under way: keep showing the last frame.
    pub sync_update: bool,
}

pub(super) fn color(color: GridColor) -> Color {
    match color {
        GridColor::Spec(rgb) => Color::Rgb(rgb.r, rgb.g, rgb.b),
        GridColor::Indexed(index) => Color::Indexed(index),
        GridColor::Named(named) => named_color(named),
    }
}

fn named_color(named: NamedColor) -> Color {
    match named as usize {
        index @ 0..=15 => Color::Indexed(index as u8),
        // Foreground, background, cursor; the dim variants never come from escape sequences.
        _ => Color::Default,
    }
}

pub(super) fn attrs(flags: Flags) -> Attrs {
    let underline = if flags.contains(Flags::DOUBLE_UNDERLINE) {
        Underline::Double
    } else if flags.contains(Flags::UNDERCURL) {
        Underline::Curly
    } else if flags.contains(Flags::DOTTED_UNDERLINE) {
        Underline::Dotted
    } else if flags.contains(Flags::DASHED_UNDERLINE) {
        Underline::Dashed
    } else if flags.contains(Flags::UNDERLINE) {
        Underline::Single
    } else {
        Underline::None
    };
    Attrs {
        bold: flags.contains(Flags::BOLD),
        dim: flags.contains(Flags::DIM),
        italic: flags.contains(Flags::ITALIC),
        inverse: flags.contains(Flags::INVERSE),
        hidden: flags.contains(Flags::HIDDEN),
        strikeout: flags.contains(Flags::STRIKEOUT),
        underline,
    }
}

pub(super) fn width(flags: Flags) -> CellWidth {
    if flags.contains(Flags::WIDE_CHAR) {
        CellWidth::Wide
    } else if flags.contains(Flags::WIDE_CHAR_SPACER) {
        CellWidth::Spacer
    } else {
        CellWidth::Narrow
    }
}

pub(super) fn cell(cell: &GridCell) -> Cell {
    Cell {
        ch: cell.c,
        marks: cell.zerowidth().unwrap_or_default().to_vec(),
        fg: color(cell.fg),
        bg: color(cell.bg),
        underline_color: cell.underline_color().map(color).unwrap_or_default(),
        attrs: attrs(cell.flags),
        width: width(cell.flags),
        link: cell.hyperlink().map(|link| Hyperlink {
            id: link.id().to_owned(),
            uri: link.uri().to_owned(),
        }),
    }
}

/// Appends the text of a row of cells, without trailing blanks.
pub(super) fn push_row_text(row: &[GridCell], out: &mut String) {
    let start = out.len();
    let mut kept = start;
    for cell in row {
        if width(cell.flags) == CellWidth::Spacer {
            continue;
        }
        out.push(cell.c);
        out.extend(cell.zerowidth().unwrap_or_default());
        if cell.c != ' ' || cell.zerowidth().is_some_and(|marks| !marks.is_empty()) {
            kept = out.len();
        }
    }
    out.truncate(kept);
}
