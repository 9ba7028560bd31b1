//! The answers a terminal gives to a program's questions, as bytes.
//!
//! Pure: who may answer, and when, is decided in `surface.rs` and `engine.rs`.

use alacritty_terminal::term::TermMode;
use alacritty_terminal::vte::ansi::{
    Mode, NamedColor, NamedMode, NamedPrivateMode, PrivateMode, Rgb,
};

use super::size::Size;

/// Light grey on black: what an agent is told the terminal's own colours are.
const FOREGROUND: Rgb = Rgb {
    r: 0xd0,
    g: 0xd0,
    b: 0xd0,
};
const BACKGROUND: Rgb = Rgb { r: 0, g: 0, b: 0 };
/// Pixels per cell, for programs that insist on knowing.
const CELL_PIXELS: (u32, u32) = (8, 16);

/// DA1: a VT220 with colour.
pub(super) fn primary_attributes() -> Vec<u8> {
    b"\x1b[?62;22c".to_vec()
}

/// DA2: terminal type and version.
pub(super) fn secondary_attributes() -> Vec<u8> {
    let mut parts = env!("CARGO_PKG_VERSION")
        .split('.')
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let mut part = || parts.next().unwrap_or(0);
    let version = part() * 10_000 + part() * 100 + part();
    format!("\x1b[>1;{version};0c").into_bytes()
}

/// DA3: no unit number.
pub(super) fn tertiary_attributes() -> Vec<u8> {
    b"\x1bP!|00000000\x1b\\".to_vec()
}

/// XTVERSION.
pub(super) fn version() -> Vec<u8> {
    concat!("\x1bP>|grove ", env!("CARGO_PKG_VERSION"), "\x1b\\")
        .as_bytes()
        .to_vec()
}

/// DSR 5: in order.
pub(super) fn status_ok() -> Vec<u8> {
    b"\x1b[0n".to_vec()
}

/// DSR 6: the cursor, counted from one.
pub(super) fn cursor_position(row: usize, col: usize) -> Vec<u8> {
    format!("\x1b[{row};{col}R").into_bytes()
}

/// `CSI ? 996 n`: dark.
pub(super) fn color_scheme() -> Vec<u8> {
    b"\x1b[?997;1n".to_vec()
}

/// `CSI ? u`: the active flags of the kitty keyboard protocol.
pub(super) fn keyboard_flags(flags: u8) -> Vec<u8> {
    format!("\x1b[?{flags}u").into_bytes()
}

/// `CSI ? 4 m`: the level of modifyOtherKeys.
pub(super) fn modify_other_keys(level: u8) -> Vec<u8> {
    format!("\x1b[>4;{level}m").into_bytes()
}

/// `CSI 18 t` and `CSI 14 t`.
pub(super) fn text_area(size: Size, pixels: bool) -> Vec<u8> {
    let (kind, width, height) = if pixels {
        (4, CELL_PIXELS.0, CELL_PIXELS.1)
    } else {
        (8, 1, 1)
    };
    let (rows, cols) = (u32::from(size.rows) * height, u32::from(size.cols) * width);
    format!("\x1b[{kind};{rows};{cols}t").into_bytes()
}

/// DECRQSS and XTGETTCAP: not available. Programs only need an answer in order to go on.
pub(super) fn string_query(query: &[u8]) -> Option<Vec<u8>> {
    match query.get(..2)? {
        b"$q" => Some(b"\x1bP0$r\x1b\\".to_vec()),
        b"+q" => Some(b"\x1bP0+r\x1b\\".to_vec()),
        _ => None,
    }
}

/// OSC 4, 10, 11, 12: a colour, `set` if the program chose one itself.
pub(super) fn color(prefix: &str, index: usize, set: Option<Rgb>, terminator: &str) -> Vec<u8> {
    let Rgb { r, g, b } = set.unwrap_or_else(|| own_color(index));
    format!("\x1b]{prefix};rgb:{r:02x}{r:02x}/{g:02x}{g:02x}/{b:02x}{b:02x}{terminator}")
        .into_bytes()
}

/// The usual 256-colour palette, and the fixed default colours above it.
fn own_color(index: usize) -> Rgb {
    const BASE: [(u8, u8, u8); 16] = [
        (0x00, 0x00, 0x00),
        (0xcd, 0x31, 0x31),
        (0x0d, 0xbc, 0x79),
        (0xe5, 0xe5, 0x10),
        (0x24, 0x72, 0xc8),
        (0xbc, 0x3f, 0xbc),
        (0x11, 0xa8, 0xcd),
        (0xd0, 0xd0, 0xd0),
        (0x66, 0x66, 0x66),
        (0xf1, 0x4c, 0x4c),
        (0x23, 0xd1, 0x8b),
        (0xf5, 0xf5, 0x43),
        (0x3b, 0x8e, 0xea),
        (0xd6, 0x70, 0xd6),
        (0x29, 0xb8, 0xdb),
        (0xff, 0xff, 0xff),
    ];
    let level = |step: usize| match step {
        0 => 0,
        step => (55 + 40 * step) as u8,
    };
    match index {
        0..=15 => {
            let (r, g, b) = BASE.get(index).copied().unwrap_or_default();
            Rgb { r, g, b }
        }
        16..=231 => {
            let cube = index - 16;
            Rgb {
                r: level(cube / 36),
                g: level(cube / 6 % 6),
                b: level(cube % 6),
            }
        }
        232..=255 => {
            let grey = (8 + 10 * (index - 232)) as u8;
            Rgb {
                r: grey,
                g: grey,
                b: grey,
            }
        }
        _ if index == NamedColor::Background as usize => BACKGROUND,
        _ => FOREGROUND,
    }
}

/// DECRQM for an ANSI mode.
pub(super) fn ansi_mode(mode: Mode, active: TermMode) -> Vec<u8> {
    let state = match mode {
        Mode::Named(NamedMode::Insert) => on_off(active.contains(TermMode::INSERT)),
        Mode::Named(NamedMode::LineFeedNewLine) => {
            on_off(active.contains(TermMode::LINE_FEED_NEW_LINE))
        }
        Mode::Unknown(_) => 0,
    };
    format!("\x1b[{};{state}$y", mode.raw()).into_bytes()
}

/// DECRQM for a private mode; `sync` is whether a synchronized update is under way.
pub(super) fn private_mode(
    mode: PrivateMode,
    active: TermMode,
    blinking: bool,
    sync: bool,
) -> Vec<u8> {
    let has = |flag| on_off(active.contains(flag));
    let state = match mode {
        PrivateMode::Named(named) => match named {
            NamedPrivateMode::CursorKeys => has(TermMode::APP_CURSOR),
            NamedPrivateMode::Origin => has(TermMode::ORIGIN),
            NamedPrivateMode::LineWrap => has(TermMode::LINE_WRAP),
            NamedPrivateMode::BlinkingCursor => on_off(blinking),
            NamedPrivateMode::ShowCursor => has(TermMode::SHOW_CURSOR),
            NamedPrivateMode::ReportMouseClicks => has(TermMode::MOUSE_REPORT_CLICK),
            NamedPrivateMode::ReportCellMouseMotion => has(TermMode::MOUSE_DRAG),
            NamedPrivateMode::ReportAllMouseMotion => has(TermMode::MOUSE_MOTION),
            NamedPrivateMode::ReportFocusInOut => has(TermMode::FOCUS_IN_OUT),
            NamedPrivateMode::Utf8Mouse => has(TermMode::UTF8_MOUSE),
            NamedPrivateMode::SgrMouse => has(TermMode::SGR_MOUSE),
            NamedPrivateMode::AlternateScroll => has(TermMode::ALTERNATE_SCROLL),
            NamedPrivateMode::UrgencyHints => has(TermMode::URGENCY_HINTS),
            NamedPrivateMode::SwapScreenAndSetRestoreCursor => has(TermMode::ALT_SCREEN),
            NamedPrivateMode::BracketedPaste => has(TermMode::BRACKETED_PASTE),
            NamedPrivateMode::SyncUpdate => on_off(sync),
            NamedPrivateMode::ColumnMode => 0,
        },
        PrivateMode::Unknown(47 | 1047) => has(TermMode::ALT_SCREEN),
        PrivateMode::Unknown(_) => 0,
    };
    format!("\x1b[?{};{state}$y", mode.raw()).into_bytes()
}

fn on_off(on: bool) -> u8 {
    if on { 1 } else { 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_the_usual_palette() {
        let text = |index| String::from_utf8(color("4", index, None, "\x07")).unwrap();
        assert_eq!(text(16), "\x1b]4;rgb:0000/0000/0000\x07");
        assert_eq!(text(196), "\x1b]4;rgb:ffff/0000/0000\x07");
        assert_eq!(text(255), "\x1b]4;rgb:eeee/eeee/eeee\x07");
        assert_eq!(
            text(NamedColor::Foreground as usize),
            "\x1b]4;rgb:d0d0/d0d0/d0d0\x07"
        );
        assert_eq!(
            text(NamedColor::Background as usize),
            "\x1b]4;rgb:0000/0000/0000\x07"
        );
        let set = color("10", 256, Some(Rgb { r: 1, g: 2, b: 3 }), "\x1b\\");
        assert_eq!(set, b"\x1b]10;rgb:0101/0202/0303\x1b\\");
    }

    #[test]
    fn sizes_are_given_in_cells_and_pixels() {
        let size = Size::new(80, 24);
        assert_eq!(text_area(size, false), b"\x1b[8;24;80t");
        assert_eq!(text_area(size, true), b"\x1b[4;384;640t");
    }
}
