//! The pen: colours, attributes and link that printed characters get, and the sequences that
//! change it. Part of writing snapshots only.

use std::io::Write as _;

use alacritty_terminal::term::cell::{Cell, Flags, Hyperlink};
use alacritty_terminal::vte::ansi::{Color, NamedColor};

/// The flags that belong to the layout of a row, not to the pen.
const LAYOUT: Flags = Flags::WRAPLINE
    .union(Flags::WIDE_CHAR)
    .union(Flags::WIDE_CHAR_SPACER)
    .union(Flags::LEADING_WIDE_CHAR_SPACER);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pen {
    fg: Color,
    bg: Color,
    underline: Option<Color>,
    flags: Flags,
    link: Option<Hyperlink>,
}

impl Default for Pen {
    fn default() -> Self {
        Self::of(&Cell::default())
    }
}

impl Pen {
    /// The pen that printed `cell`.
    pub(super) fn of(cell: &Cell) -> Self {
        Self {
            fg: cell.fg,
            bg: cell.bg,
            underline: cell.underline_color(),
            flags: cell.flags.difference(LAYOUT),
            link: cell.hyperlink(),
        }
    }

    /// Whether the background is the terminal's own.
    pub(super) fn is_plain_ground(&self) -> bool {
        self.bg == Color::Named(NamedColor::Background)
    }

    /// Appends what turns the pen `from` into this one.
    pub(super) fn write_change(&self, from: &Self, out: &mut Vec<u8>) {
        if self.link != from.link {
            let written = match &self.link {
                Some(link) => write!(out, "\x1b]8;id={};{}\x1b\\", link.id(), link.uri()),
                None => write!(out, "\x1b]8;;\x1b\\"),
            };
            debug_assert!(written.is_ok(), "a vector took no bytes");
        }
        let same = self.fg == from.fg
            && self.bg == from.bg
            && self.underline == from.underline
            && self.flags == from.flags;
        if same {
            return;
        }
        out.extend(b"\x1b[0");
        for (flag, code) in [
            (Flags::BOLD, ";1"),
            (Flags::DIM, ";2"),
            (Flags::ITALIC, ";3"),
            (Flags::UNDERLINE, ";4"),
            (Flags::DOUBLE_UNDERLINE, ";4:2"),
            (Flags::UNDERCURL, ";4:3"),
            (Flags::DOTTED_UNDERLINE, ";4:4"),
            (Flags::DASHED_UNDERLINE, ";4:5"),
            (Flags::INVERSE, ";7"),
            (Flags::HIDDEN, ";8"),
            (Flags::STRIKEOUT, ";9"),
        ] {
            if self.flags.contains(flag) {
                out.extend(code.as_bytes());
            }
        }
        write_color(self.fg, 30, out);
        write_color(self.bg, 40, out);
        if let Some(color) = self.underline {
            write_color(color, 50, out);
        }
        out.push(b'm');
    }
}

/// `base` is 30 for text, 40 for background, 50 for underline.
fn write_color(color: Color, base: u8, out: &mut Vec<u8>) {
    let extended = base + 8;
    let written = match color {
        Color::Spec(rgb) => write!(out, ";{extended};2;{};{};{}", rgb.r, rgb.g, rgb.b),
        Color::Indexed(index) => write!(out, ";{extended};5;{index}"),
        Color::Named(name) => match name as usize {
            index @ 0..=7 => write!(out, ";{}", usize::from(base) + index),
            index @ 8..=15 => write!(out, ";{}", usize::from(base) + 60 + index - 8),
            // The terminal's own colour, which the leading reset has set.
            _ => Ok(()),
        },
    };
    debug_assert!(written.is_ok(), "a vector took no bytes");
}
