//! Colour values and their nearest relatives in smaller palettes.
//!
//! Pure arithmetic; which depth the terminal has is decided elsewhere.

use ratatui::style::Color;

/// How many colours the terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    None,
    Ansi16,
    Indexed256,
    TrueColor,
}

impl Depth {
    /// Works out the depth from the environment's usual announcements.
    pub fn detect(no_color: Option<&str>, colorterm: Option<&str>, term: Option<&str>) -> Self {
        if no_color.is_some_and(|v| !v.is_empty()) {
            return Self::None;
        }
        let term = term.unwrap_or("");
        match colorterm {
            Some("truecolor" | "24bit") => Self::TrueColor,
            _ if term.contains("direct") => Self::TrueColor,
            _ if term.contains("256color") => Self::Indexed256,
            _ if term == "dumb" => Self::None,
            _ => Self::Ansi16,
        }
    }

    /// Limits a colour to this depth.
    pub fn limit(self, colour: Color) -> Color {
        match self {
            Self::TrueColor => colour,
            Self::Indexed256 => {
                if let Color::Rgb(r, g, b) = colour {
                    Color::Indexed(nearest_256([r, g, b]))
                } else {
                    colour
                }
            }
            Self::Ansi16 => match (colour, rgb(colour)) {
                (Color::Rgb(..), Some(c)) => ANSI_NAMES.get(nearest_16(c)).map_or(colour, |n| n.1),
                (Color::Indexed(16..), Some(c)) => {
                    ANSI_NAMES.get(nearest_16(c)).map_or(colour, |n| n.1)
                }
                _ => colour,
            },
            Self::None => Color::Reset,
        }
    }
}

/// The sixteen colours with the names theme files use and the values most terminals give them.
pub(super) const ANSI_NAMES: [(&str, Color, [u8; 3]); 16] = [
    ("black", Color::Black, [0, 0, 0]),
    ("red", Color::Red, [205, 49, 49]),
    ("green", Color::Green, [13, 188, 121]),
    ("yellow", Color::Yellow, [229, 229, 16]),
    ("blue", Color::Blue, [36, 114, 200]),
    ("magenta", Color::Magenta, [188, 63, 188]),
    ("cyan", Color::Cyan, [17, 168, 205]),
    ("white", Color::Gray, [229, 229, 229]),
    ("bright-black", Color::DarkGray, [102, 102, 102]),
    ("bright-red", Color::LightRed, [241, 76, 76]),
    ("bright-green", Color::LightGreen, [35, 209, 139]),
    ("bright-yellow", Color::LightYellow, [245, 245, 67]),
    ("bright-blue", Color::LightBlue, [59, 142, 234]),
    ("bright-magenta", Color::LightMagenta, [214, 112, 214]),
    ("bright-cyan", Color::LightCyan, [41, 184, 219]),
    ("bright-white", Color::White, [255, 255, 255]),
];

const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// Gives the value of a colour if it has a fixed or usual one.
fn rgb(colour: Color) -> Option<[u8; 3]> {
    if let Color::Rgb(r, g, b) = colour {
        return Some([r, g, b]);
    }
    let Color::Indexed(index) = colour else {
        return ANSI_NAMES.iter().find(|n| n.1 == colour).map(|n| n.2);
    };
    match index {
        0..=15 => ANSI_NAMES.get(usize::from(index)).map(|n| n.2),
        16..=231 => {
            let i = usize::from(index - 16);
            let level = |n: usize| CUBE.get(n % 6).copied().unwrap_or(0);
            Some([level(i / 36), level(i / 6), level(i)])
        }
        232.. => {
            let v = 8 + (index - 232) * 10;
            Some([v, v, v])
        }
    }
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    // Weighted so that differences the eye sees best count most.
    a.iter()
        .zip(b)
        .zip([3, 6, 1])
        .map(|((&x, y), weight)| weight * u32::from(x.abs_diff(y)).pow(2))
        .sum()
}

fn nearest_16(c: [u8; 3]) -> usize {
    ANSI_NAMES
        .iter()
        .enumerate()
        .min_by_key(|(_, n)| distance(c, n.2))
        .map_or(7, |(i, _)| i)
}

fn nearest_256(c: [u8; 3]) -> u8 {
    // Index 0–15 are skipped: their values are the user's.
    (16..=255u8)
        .min_by_key(|i| rgb(Color::Indexed(*i)).map_or(u32::MAX, |v| distance(c, v)))
        .unwrap_or(16)
}

#[cfg(test)]
fn luminance(c: [u8; 3]) -> f64 {
    let [r, g, b] = c.map(|v| {
        let v = f64::from(v) / 255.0;
        if v <= 0.039_28 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    });
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

#[cfg(test)]
/// Computes the contrast ratio of two colours as WCAG defines it, where both have known values.
pub(crate) fn contrast(a: Color, b: Color) -> Option<f64> {
    let (a, b) = (luminance(rgb(a)?), luminance(rgb(b)?));
    Some((a.max(b) + 0.05) / (a.min(b) + 0.05))
}
