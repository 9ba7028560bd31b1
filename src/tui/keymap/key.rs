//! One key press in the form that bindings are written in.
//!
//! Terminals report the same press in different ways; `from_event` removes the differences that
//! do not matter for bindings. Panes are given the original event, never this.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key with its modifiers, normalised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    pub code: KeyCode,
    pub mods: KeyModifiers,
}

const NAMES: [(&str, KeyCode, &str); 15] = [
    ("space", KeyCode::Char(' '), "Space"),
    ("enter", KeyCode::Enter, "Enter"),
    ("esc", KeyCode::Esc, "Esc"),
    ("tab", KeyCode::Tab, "Tab"),
    ("backspace", KeyCode::Backspace, "Backspace"),
    ("delete", KeyCode::Delete, "Del"),
    ("insert", KeyCode::Insert, "Ins"),
    ("pgup", KeyCode::PageUp, "PgUp"),
    ("pgdn", KeyCode::PageDown, "PgDn"),
    ("home", KeyCode::Home, "Home"),
    ("end", KeyCode::End, "End"),
    ("up", KeyCode::Up, "Up"),
    ("down", KeyCode::Down, "Down"),
    ("left", KeyCode::Left, "Left"),
    ("right", KeyCode::Right, "Right"),
];

impl Key {
    /// Normalises what the terminal reported.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "all other keys stay as they are"
    )]
    pub fn from_event(event: &KeyEvent) -> Self {
        let mut mods =
            event.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT);
        let code = match event.code {
            KeyCode::BackTab => {
                mods |= KeyModifiers::SHIFT;
                KeyCode::Tab
            }
            KeyCode::Char(c) if mods.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            KeyCode::Char(c) => {
                // The character already says whether shift was down.
                mods -= KeyModifiers::SHIFT;
                KeyCode::Char(c)
            }
            other => other,
        };
        Self { code, mods }
    }

    /// Reads the spelling of keymap files: `x`, `ctrl-q`, `shift-tab`, `f12`.
    pub fn parse(text: &str) -> Option<Self> {
        let mut mods = KeyModifiers::NONE;
        let mut rest = text;
        loop {
            let (prefix, bit) = match rest {
                r if r.starts_with("ctrl-") => ("ctrl-", KeyModifiers::CONTROL),
                r if r.starts_with("alt-") => ("alt-", KeyModifiers::ALT),
                r if r.starts_with("shift-") => ("shift-", KeyModifiers::SHIFT),
                _ => break,
            };
            mods |= bit;
            rest = rest.strip_prefix(prefix).unwrap_or(rest);
        }
        let code = if let Some((_, code, _)) = NAMES.iter().find(|n| n.0 == rest) {
            *code
        } else if let Some(n) = rest.strip_prefix('f').and_then(|n| n.parse::<u8>().ok()) {
            KeyCode::F(n)
        } else {
            let mut chars = rest.chars();
            let c = chars.next()?;
            if chars.next().is_some() {
                return None;
            }
            KeyCode::Char(c)
        };
        Some(Self::from_event(&KeyEvent::new(code, mods)))
    }

    /// Reads a sequence, keys separated by spaces.
    pub fn parse_sequence(text: &str) -> Option<Vec<Self>> {
        let keys: Option<Vec<_>> = text.split(' ').map(Self::parse).collect();
        keys.filter(|k| !k.is_empty())
    }

    /// Spells a sequence as hints show it: `g g`.
    pub fn show(keys: &[Self]) -> String {
        let words: Vec<_> = keys.iter().map(ToString::to_string).collect();
        words.join(" ")
    }

    /// Spells the key as hints show it; overlays match on this.
    pub(crate) fn name(&self) -> String {
        self.to_string()
    }

    /// Gives the character if the key is a plain one.
    pub fn plain_char(&self) -> Option<char> {
        if let KeyCode::Char(c) = self.code
            && self.mods.is_empty()
        {
            return Some(c);
        }
        None
    }

    /// Tells whether this is `ctrl` plus the given character.
    pub fn is_ctrl(&self, c: char) -> bool {
        self.mods == KeyModifiers::CONTROL && self.code == KeyCode::Char(c)
    }
}

impl std::fmt::Display for Key {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "rare keys show their plain name"
    )]
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.mods.contains(KeyModifiers::ALT) {
            f.write_str("Alt-")?;
        }
        if self.mods.contains(KeyModifiers::SHIFT) {
            f.write_str("Shift-")?;
        }
        let ctrl = self.mods.contains(KeyModifiers::CONTROL);
        if let Some((_, _, shown)) = NAMES.iter().find(|n| n.1 == self.code) {
            return write!(f, "{}{shown}", if ctrl { "Ctrl-" } else { "" });
        }
        match self.code {
            KeyCode::Char(c) if ctrl => write!(f, "^{}", c.to_ascii_uppercase()),
            KeyCode::Char(c) => write!(f, "{c}"),
            KeyCode::F(n) => write!(f, "{}F{n}", if ctrl { "Ctrl-" } else { "" }),
            other => write!(f, "{other:?}"),
        }
    }
}
