//! The themes that ship inside the binary.
//!
//! Adding one is adding a file under `themes/` and a line here.

use super::Depth;
use super::load::{Theme, ThemeError};

/// Name and text of every bundled theme, in the order in which they are offered.
pub const BUNDLED: [(&str, &str); 10] = [
    (
        "grove-dark",
        include_str!("../../../themes/grove-dark.toml"),
    ),
    (
        "grove-light",
        include_str!("../../../themes/grove-light.toml"),
    ),
    (
        "high-contrast",
        include_str!("../../../themes/high-contrast.toml"),
    ),
    ("okabe-ito", include_str!("../../../themes/okabe-ito.toml")),
    (
        "catppuccin-mocha",
        include_str!("../../../themes/catppuccin-mocha.toml"),
    ),
    (
        "tokyo-night",
        include_str!("../../../themes/tokyo-night.toml"),
    ),
    (
        "gruvbox-dark",
        include_str!("../../../themes/gruvbox-dark.toml"),
    ),
    (
        "solarized-light",
        include_str!("../../../themes/solarized-light.toml"),
    ),
    ("ansi", include_str!("../../../themes/ansi.toml")),
    ("mono", include_str!("../../../themes/mono.toml")),
];

/// What every theme inherits from in the end.
const BASE: &str = include_str!("../../../themes/base.toml");

/// Finds the text of a bundled theme.
pub(super) fn text_of(name: &str) -> Option<&'static str> {
    if name == "base" {
        return Some(BASE);
    }
    BUNDLED.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
}

/// Loads a bundled theme for a colour depth.
pub(crate) fn bundled(name: &str, depth: Depth) -> Result<Theme, ThemeError> {
    let text = text_of(name).ok_or_else(|| ThemeError::Unknown {
        name: name.to_owned(),
    })?;
    Theme::parse(text, depth).map(|(theme, _)| theme)
}
