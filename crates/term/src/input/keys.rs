//! Keys in xterm's classic encoding, with `modifyOtherKeys`; agents that asked for the kitty
//! protocol get that of `kitty.rs`.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "crossterm lists every key there is; most have no encoding here"
)]

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers};

use super::super::cells::Modes;
use super::kitty;

/// The bytes for a key; empty if this key means nothing to the agent.
pub fn encode_key(key: &KeyEvent, modes: &Modes) -> Vec<u8> {
    let key = canonical(key);
    if modes.kitty_flags != 0 {
        return kitty::encode(&key, modes.kitty_flags);
    }
    // Without the kitty protocol an agent cannot know of releases, nor of the command key.
    let unknown = KeyModifiers::SUPER | KeyModifiers::HYPER;
    if key.kind == KeyEventKind::Release || key.modifiers.intersects(unknown) {
        return Vec::new();
    }
    if modes.app_keypad
        && key.state.contains(KeyEventState::KEYPAD)
        && let Some(letter) = keypad_letter(key.code)
    {
        return vec![0x1b, b'O', letter];
    }
    if modes.modify_other_keys > 0
        && let Some(bytes) = other_key(&key, modes.modify_other_keys)
    {
        return bytes;
    }
    classic(&key, modes)
}

/// Shift-Tab and capital letters come in different spellings from different terminals.
fn canonical(key: &KeyEvent) -> KeyEvent {
    let mut key = *key;
    match key.code {
        KeyCode::BackTab => {
            key.code = KeyCode::Tab;
            key.modifiers |= KeyModifiers::SHIFT;
        }
        KeyCode::Char(letter) if letter.is_lowercase() => {
            let mut upper = letter.to_uppercase();
            if let (true, Some(single), None) = (
                key.modifiers.contains(KeyModifiers::SHIFT),
                upper.next(),
                upper.next(),
            ) {
                key.code = KeyCode::Char(single);
            }
        }
        _ => {}
    }
    key
}

/// xterm's number for a set of modifiers: 1 for none.
pub(super) fn modifier_number(modifiers: KeyModifiers) -> u8 {
    let bits = [
        (KeyModifiers::SHIFT, 1),
        (KeyModifiers::ALT, 2),
        (KeyModifiers::CONTROL, 4),
        (KeyModifiers::SUPER, 8),
        (KeyModifiers::HYPER, 16),
        (KeyModifiers::META, 32),
    ];
    let held = bits
        .iter()
        .filter(|(modifier, _)| modifiers.contains(*modifier));
    1 + held.map(|(_, bit)| bit).sum::<u8>()
}

/// The control character of Ctrl with a character, as keyboards have had it since the VT100.
pub(super) fn control_byte(character: char) -> Option<u8> {
    let byte = u8::try_from(character).ok()?;
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => Some(byte & 0x1f),
        b' ' | b'@' | b'2' => Some(0x00),
        b'[' | b'3' => Some(0x1b),
        b'\\' | b'4' => Some(0x1c),
        b']' | b'5' => Some(0x1d),
        b'^' | b'6' | b'~' => Some(0x1e),
        b'_' | b'7' | b'/' | b'-' => Some(0x1f),
        b'?' | b'8' => Some(0x7f),
        _ => None,
    }
}

/// How a key with a fixed sequence is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// `CSI letter`, or `CSI 1 ; modifiers letter`.
    Letter(u8),
    /// `CSI number ~`, or `CSI number ; modifiers ~`.
    Number(u8),
}

/// The fixed sequences both encodings share.
pub(super) fn sequence(code: KeyCode) -> Option<Sequence> {
    use Sequence::{Letter, Number};
    Some(match code {
        KeyCode::Up => Letter(b'A'),
        KeyCode::Down => Letter(b'B'),
        KeyCode::Right => Letter(b'C'),
        KeyCode::Left => Letter(b'D'),
        KeyCode::KeypadBegin => Letter(b'E'),
        KeyCode::End => Letter(b'F'),
        KeyCode::Home => Letter(b'H'),
        KeyCode::F(1) => Letter(b'P'),
        KeyCode::F(2) => Letter(b'Q'),
        KeyCode::F(3) => Letter(b'R'),
        KeyCode::F(4) => Letter(b'S'),
        KeyCode::Insert => Number(2),
        KeyCode::Delete => Number(3),
        KeyCode::PageUp => Number(5),
        KeyCode::PageDown => Number(6),
        KeyCode::F(number @ 5..=12) => Number(match number {
            5 => 15,
            6..=10 => number + 11,
            _ => number + 12,
        }),
        _ => return None,
    })
}

fn classic(key: &KeyEvent, modes: &Modes) -> Vec<u8> {
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let escape = key
        .modifiers
        .intersects(KeyModifiers::ALT | KeyModifiers::META);
    let plain = match key.code {
        KeyCode::Char(character) => match control_byte(character).filter(|_| control) {
            Some(byte) => vec![byte],
            None => character.to_string().into_bytes(),
        },
        // Ctrl-J: what agents without better protocols read as "new line, do not send".
        KeyCode::Enter if shift => vec![b'\n'],
        KeyCode::Enter => vec![b'\r'],
        KeyCode::Tab if shift => b"\x1b[Z".to_vec(),
        KeyCode::Tab => vec![b'\t'],
        KeyCode::Backspace if control => vec![0x08],
        KeyCode::Backspace => vec![0x7f],
        KeyCode::Esc => vec![0x1b],
        KeyCode::Null => vec![0],
        code => return function(code, key.modifiers, modes),
    };
    if escape {
        [&[0x1b], plain.as_slice()].concat()
    } else {
        plain
    }
}

fn function(code: KeyCode, modifiers: KeyModifiers, modes: &Modes) -> Vec<u8> {
    // F13 to F24 have been Shift with F1 to F12 since keyboards lost them.
    let (code, modifiers) = match code {
        KeyCode::F(number @ 13..=24) => (KeyCode::F(number - 12), modifiers | KeyModifiers::SHIFT),
        code => (code, modifiers),
    };
    let number = modifier_number(modifiers);
    match (sequence(code), number) {
        (None, _) => Vec::new(),
        (Some(Sequence::Letter(letter)), 1) => {
            let application = match letter {
                b'P'..=b'S' => true,
                _ => modes.app_cursor,
            };
            vec![0x1b, if application { b'O' } else { b'[' }, letter]
        }
        (Some(Sequence::Letter(letter)), _) => {
            format!("\x1b[1;{number}{}", char::from(letter)).into_bytes()
        }
        (Some(Sequence::Number(key)), 1) => format!("\x1b[{key}~").into_bytes(),
        (Some(Sequence::Number(key)), _) => format!("\x1b[{key};{number}~").into_bytes(),
    }
}

fn keypad_letter(code: KeyCode) -> Option<u8> {
    match code {
        KeyCode::Enter => Some(b'M'),
        KeyCode::Char(character) => match character {
            '0'..='9' => Some(b'p' + (u8::try_from(character).ok()? - b'0')),
            '*' => Some(b'j'),
            '+' => Some(b'k'),
            ',' => Some(b'l'),
            '-' => Some(b'm'),
            '.' => Some(b'n'),
            '/' => Some(b'o'),
            '=' => Some(b'X'),
            _ => None,
        },
        _ => None,
    }
}

/// `CSI 27 ; modifiers ; code ~` for combinations that have no bytes of their own. Plain Ctrl
/// with a letter keeps its byte at every level: programs that ask for more understand both.
fn other_key(key: &KeyEvent, level: u8) -> Option<Vec<u8>> {
    let shift_only = key.modifiers == KeyModifiers::SHIFT;
    let control_only = key.modifiers.difference(KeyModifiers::SHIFT) == KeyModifiers::CONTROL;
    let code = match key.code {
        KeyCode::Enter => 13,
        KeyCode::Tab if !shift_only => 9,
        KeyCode::Backspace if level > 1 => 127,
        KeyCode::Esc if level > 1 => 27,
        KeyCode::Char(character) if !shift_only => {
            let has_byte = control_only && control_byte(character).is_some();
            if has_byte || (level == 1 && !key.modifiers.contains(KeyModifiers::CONTROL)) {
                return None;
            }
            u32::from(character)
        }
        _ => return None,
    };
    let number = modifier_number(key.modifiers);
    (number > 1).then(|| format!("\x1b[27;{number};{code}~").into_bytes())
}

#[cfg(test)]
#[path = "../tests/keys.rs"]
mod tests;
