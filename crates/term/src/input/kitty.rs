//! Keys in the kitty keyboard protocol, by the flags the agent has in force.
//!
//! One deviation: Ctrl with a letter stays the classic byte unless all keys are wanted as
//! sequences, because every program that speaks the protocol understands that too.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "crossterm lists every key there is; each rule concerns a few"
)]

use crossterm::event::{
    KeyCode, KeyEvent, KeyEventKind, KeyEventState, KeyModifiers, MediaKeyCode, ModifierKeyCode,
};

use super::keys::{Sequence, control_byte, modifier_number, sequence};

const EVENT_TYPES: u8 = 2;
const ALTERNATE_KEYS: u8 = 4;
const ALL_KEYS: u8 = 8;
const TEXT: u8 = 16;

/// The bytes for `key`; empty if the flags leave this event out.
pub(super) fn encode(key: &KeyEvent, flags: u8) -> Vec<u8> {
    let all = flags & ALL_KEYS != 0;
    let release = key.kind == KeyEventKind::Release;
    if release && flags & EVENT_TYPES == 0 {
        return Vec::new();
    }
    if !all && let Some(bytes) = plain(key) {
        // Keys that give text have no release of their own.
        return if release { Vec::new() } else { bytes };
    }
    let modifiers = modifiers(key, flags);
    // F3's letter would read as a cursor report here.
    if key.code != KeyCode::F(3)
        && let Some(fixed) = sequence(key.code)
    {
        return match (fixed, modifiers.is_empty()) {
            (Sequence::Letter(letter), true) => vec![0x1b, b'[', letter],
            (Sequence::Letter(letter), false) => {
                format!("\x1b[1;{modifiers}{}", char::from(letter)).into_bytes()
            }
            (Sequence::Number(number), true) => format!("\x1b[{number}~").into_bytes(),
            (Sequence::Number(number), false) => format!("\x1b[{number};{modifiers}~").into_bytes(),
        };
    }
    if key.code == KeyCode::F(3) {
        let separator = if modifiers.is_empty() { "" } else { ";" };
        return format!("\x1b[13{separator}{modifiers}~").into_bytes();
    }
    let Some(code) = code(key) else {
        return Vec::new();
    };
    let shifted = shifted_code(key).filter(|_| flags & ALTERNATE_KEYS != 0);
    let typed = typed_text(key).filter(|_| flags & TEXT != 0 && all && !release);
    let shifted = shifted.map_or_else(String::new, |shifted| format!(":{shifted}"));
    let rest = match typed {
        Some(typed) => format!(";{modifiers};{}", u32::from(typed)),
        None if modifiers.is_empty() => String::new(),
        None => format!(";{modifiers}"),
    };
    format!("\x1b[{code}{shifted}{rest}u").into_bytes()
}

/// Keys that keep their classic bytes as long as not all keys are wanted as sequences.
fn plain(key: &KeyEvent) -> Option<Vec<u8>> {
    let none = key.modifiers.is_empty();
    let shift_at_most = KeyModifiers::SHIFT.contains(key.modifiers);
    match key.code {
        KeyCode::Enter if none => Some(vec![b'\r']),
        KeyCode::Tab if none => Some(vec![b'\t']),
        KeyCode::Backspace if none => Some(vec![0x7f]),
        KeyCode::Char(character) if shift_at_most => Some(character.to_string().into_bytes()),
        KeyCode::Char(character) if key.modifiers == KeyModifiers::CONTROL => {
            // Those that equal Tab, Enter and Escape are what the protocol is for.
            let ambiguous = matches!(character, 'i' | 'm' | '[' | '3');
            control_byte(character)
                .filter(|_| !ambiguous)
                .map(|byte| vec![byte])
        }
        _ => None,
    }
}

/// The modifier field, empty where it may be left out.
fn modifiers(key: &KeyEvent, flags: u8) -> String {
    let mut number = modifier_number(key.modifiers);
    if key.state.contains(KeyEventState::CAPS_LOCK) && flags & ALL_KEYS != 0 {
        number = number.saturating_add(64);
    }
    let event = match key.kind {
        KeyEventKind::Press => 1,
        KeyEventKind::Repeat => 2,
        KeyEventKind::Release => 3,
    };
    if flags & EVENT_TYPES != 0 && event > 1 {
        format!("{number}:{event}")
    } else if number > 1 {
        number.to_string()
    } else {
        String::new()
    }
}

fn typed_text(key: &KeyEvent) -> Option<char> {
    match key.code {
        KeyCode::Char(character) if KeyModifiers::SHIFT.contains(key.modifiers) => Some(character),
        _ => None,
    }
}

/// The key as it is without Shift.
fn unshifted(character: char) -> char {
    let mut lower = character.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(single), None) => single,
        _ => character,
    }
}

fn shifted_code(key: &KeyEvent) -> Option<u32> {
    match key.code {
        KeyCode::Char(character)
            if key.modifiers.contains(KeyModifiers::SHIFT) && unshifted(character) != character =>
        {
            Some(u32::from(character))
        }
        _ => None,
    }
}

fn code(key: &KeyEvent) -> Option<u32> {
    if key.state.contains(KeyEventState::KEYPAD)
        && let Some(code) = keypad_code(key.code)
    {
        return Some(code);
    }
    Some(match key.code {
        KeyCode::Char(character) => u32::from(unshifted(character)),
        KeyCode::Esc => 27,
        KeyCode::Enter => 13,
        KeyCode::Tab | KeyCode::BackTab => 9,
        KeyCode::Backspace => 127,
        KeyCode::CapsLock => 57358,
        KeyCode::ScrollLock => 57359,
        KeyCode::NumLock => 57360,
        KeyCode::PrintScreen => 57361,
        KeyCode::Pause => 57362,
        KeyCode::Menu => 57363,
        KeyCode::F(number @ 13..=35) => 57376 + u32::from(number - 13),
        KeyCode::Media(media) => media_code(media),
        KeyCode::Modifier(modifier) => modifier_code(modifier),
        KeyCode::Null => 32,
        _ => return None,
    })
}

fn keypad_code(code: KeyCode) -> Option<u32> {
    match code {
        KeyCode::Enter => Some(57414),
        KeyCode::Char(character) => match character {
            '0'..='9' => Some(57399 + u32::from(character) - u32::from('0')),
            '.' => Some(57409),
            '/' => Some(57410),
            '*' => Some(57411),
            '-' => Some(57412),
            '+' => Some(57413),
            '=' => Some(57415),
            ',' => Some(57416),
            _ => None,
        },
        _ => None,
    }
}

fn media_code(media: MediaKeyCode) -> u32 {
    57428
        + match media {
            MediaKeyCode::Play => 0,
            MediaKeyCode::Pause => 1,
            MediaKeyCode::PlayPause => 2,
            MediaKeyCode::Reverse => 3,
            MediaKeyCode::Stop => 4,
            MediaKeyCode::FastForward => 5,
            MediaKeyCode::Rewind => 6,
            MediaKeyCode::TrackNext => 7,
            MediaKeyCode::TrackPrevious => 8,
            MediaKeyCode::Record => 9,
            MediaKeyCode::LowerVolume => 10,
            MediaKeyCode::RaiseVolume => 11,
            MediaKeyCode::MuteVolume => 12,
        }
}

fn modifier_code(modifier: ModifierKeyCode) -> u32 {
    57441
        + match modifier {
            ModifierKeyCode::LeftShift => 0,
            ModifierKeyCode::LeftControl => 1,
            ModifierKeyCode::LeftAlt => 2,
            ModifierKeyCode::LeftSuper => 3,
            ModifierKeyCode::LeftHyper => 4,
            ModifierKeyCode::LeftMeta => 5,
            ModifierKeyCode::RightShift => 6,
            ModifierKeyCode::RightControl => 7,
            ModifierKeyCode::RightAlt => 8,
            ModifierKeyCode::RightSuper => 9,
            ModifierKeyCode::RightHyper => 10,
            ModifierKeyCode::RightMeta => 11,
            ModifierKeyCode::IsoLevel3Shift => 12,
            ModifierKeyCode::IsoLevel5Shift => 13,
        }
}
