//! Tables of keys and the bytes they become.

use super::*;

const NONE: KeyModifiers = KeyModifiers::NONE;
const SHIFT: KeyModifiers = KeyModifiers::SHIFT;
const ALT: KeyModifiers = KeyModifiers::ALT;
const CTRL: KeyModifiers = KeyModifiers::CONTROL;

fn sent(code: KeyCode, modifiers: KeyModifiers, modes: Modes) -> String {
    let key = KeyEvent::new(code, modifiers);
    String::from_utf8(encode_key(&key, &modes)).unwrap()
}

fn kitty(flags: u8) -> Modes {
    Modes {
        kitty_flags: flags,
        ..Modes::default()
    }
}

#[test]
fn classic_keys() {
    let table = [
        (KeyCode::Char('a'), NONE, "a"),
        (KeyCode::Char('a'), SHIFT, "A"),
        (KeyCode::Char('ä'), SHIFT, "Ä"),
        (KeyCode::Char('ß'), SHIFT, "ß"),
        (KeyCode::Char('世'), NONE, "世"),
        (KeyCode::Char('a'), ALT, "\x1ba"),
        (KeyCode::Char('c'), CTRL, "\x03"),
        (KeyCode::Char('C'), CTRL | SHIFT, "\x03"),
        (KeyCode::Char('c'), CTRL | ALT, "\x1b\x03"),
        (KeyCode::Char(' '), CTRL, "\0"),
        (KeyCode::Char('4'), CTRL, "\x1c"),
        (KeyCode::Char('7'), CTRL, "\x1f"),
        (KeyCode::Char('/'), CTRL, "\x1f"),
        (KeyCode::Char('?'), CTRL, "\x7f"),
        (KeyCode::Char(';'), CTRL, ";"),
        (KeyCode::Enter, NONE, "\r"),
        (KeyCode::Enter, SHIFT, "\n"),
        (KeyCode::Enter, ALT, "\x1b\r"),
        (KeyCode::Tab, NONE, "\t"),
        (KeyCode::BackTab, SHIFT, "\x1b[Z"),
        (KeyCode::BackTab, NONE, "\x1b[Z"),
        (KeyCode::Tab, SHIFT, "\x1b[Z"),
        (KeyCode::Backspace, NONE, "\x7f"),
        (KeyCode::Backspace, CTRL, "\x08"),
        (KeyCode::Backspace, ALT, "\x1b\x7f"),
        (KeyCode::Esc, NONE, "\x1b"),
        (KeyCode::Up, NONE, "\x1b[A"),
        (KeyCode::Left, CTRL, "\x1b[1;5D"),
        (KeyCode::Right, ALT | SHIFT, "\x1b[1;4C"),
        (KeyCode::Home, NONE, "\x1b[H"),
        (KeyCode::End, SHIFT, "\x1b[1;2F"),
        (KeyCode::PageUp, NONE, "\x1b[5~"),
        (KeyCode::PageDown, SHIFT, "\x1b[6;2~"),
        (KeyCode::Insert, NONE, "\x1b[2~"),
        (KeyCode::Delete, CTRL, "\x1b[3;5~"),
        (KeyCode::F(1), NONE, "\x1bOP"),
        (KeyCode::F(4), CTRL, "\x1b[1;5S"),
        (KeyCode::F(5), NONE, "\x1b[15~"),
        (KeyCode::F(6), NONE, "\x1b[17~"),
        (KeyCode::F(10), NONE, "\x1b[21~"),
        (KeyCode::F(11), NONE, "\x1b[23~"),
        (KeyCode::F(12), ALT, "\x1b[24;3~"),
        (KeyCode::F(13), NONE, "\x1b[1;2P"),
        (KeyCode::F(24), NONE, "\x1b[24;2~"),
        (KeyCode::F(24), CTRL, "\x1b[24;6~"),
        (KeyCode::CapsLock, NONE, ""),
        (KeyCode::Char('c'), KeyModifiers::SUPER, ""),
    ];
    for (code, modifiers, expected) in table {
        let got = sent(code, modifiers, Modes::default());
        assert_eq!(got, expected, "{code:?} with {modifiers:?}");
    }
}

#[test]
fn application_modes_change_cursor_keys_and_keypad() {
    let modes = Modes {
        app_cursor: true,
        app_keypad: true,
        ..Modes::default()
    };
    assert_eq!(sent(KeyCode::Up, NONE, modes), "\x1bOA");
    assert_eq!(sent(KeyCode::Home, NONE, modes), "\x1bOH");
    assert_eq!(sent(KeyCode::Up, SHIFT, modes), "\x1b[1;2A");
    assert_eq!(sent(KeyCode::Char('5'), NONE, modes), "5");
    let mut key = KeyEvent::new(KeyCode::Char('5'), NONE);
    key.state = KeyEventState::KEYPAD;
    assert_eq!(encode_key(&key, &modes), b"\x1bOu");
    assert_eq!(encode_key(&key, &Modes::default()), b"5");
}

#[test]
fn modify_other_keys() {
    let modes = |level| Modes {
        modify_other_keys: level,
        ..Modes::default()
    };
    let table = [
        (KeyCode::Enter, SHIFT, 1, "\x1b[27;2;13~"),
        (KeyCode::Enter, CTRL, 2, "\x1b[27;5;13~"),
        (KeyCode::Enter, NONE, 2, "\r"),
        (KeyCode::Tab, SHIFT, 2, "\x1b[Z"),
        (KeyCode::Tab, CTRL, 1, "\x1b[27;5;9~"),
        (KeyCode::Char('c'), CTRL, 2, "\x03"),
        (KeyCode::Char(';'), CTRL, 1, "\x1b[27;5;59~"),
        (KeyCode::Char('x'), ALT, 1, "\x1bx"),
        (KeyCode::Char('x'), ALT, 2, "\x1b[27;3;120~"),
        (KeyCode::Char('a'), SHIFT, 2, "A"),
        (KeyCode::Esc, NONE, 2, "\x1b"),
        (KeyCode::Up, CTRL, 2, "\x1b[1;5A"),
    ];
    for (code, modifiers, level, expected) in table {
        let got = sent(code, modifiers, modes(level));
        assert_eq!(got, expected, "{code:?} with {modifiers:?} at {level}");
    }
}

#[test]
fn kitty_disambiguates() {
    let table = [
        (KeyCode::Esc, NONE, 1, "\x1b[27u"),
        (KeyCode::Enter, NONE, 1, "\r"),
        (KeyCode::Enter, SHIFT, 1, "\x1b[13;2u"),
        (KeyCode::Tab, SHIFT, 1, "\x1b[9;2u"),
        (KeyCode::Backspace, ALT, 1, "\x1b[127;3u"),
        (KeyCode::Char('a'), NONE, 1, "a"),
        (KeyCode::Char('a'), SHIFT, 1, "A"),
        (KeyCode::Char('a'), ALT, 1, "\x1b[97;3u"),
        (KeyCode::Char('c'), CTRL, 1, "\x03"),
        (KeyCode::Char('i'), CTRL, 1, "\x1b[105;5u"),
        (KeyCode::Char('C'), CTRL | SHIFT, 1, "\x1b[99;6u"),
        (KeyCode::Char('C'), CTRL | SHIFT, 5, "\x1b[99:67;6u"),
        (KeyCode::Up, NONE, 1, "\x1b[A"),
        (KeyCode::F(1), NONE, 1, "\x1b[P"),
        (KeyCode::F(3), CTRL, 1, "\x1b[13;5~"),
        (KeyCode::F(13), NONE, 1, "\x1b[57376u"),
        (KeyCode::Delete, SHIFT, 1, "\x1b[3;2~"),
        (KeyCode::Char('a'), NONE, 8, "\x1b[97u"),
        (KeyCode::Char('c'), CTRL, 9, "\x1b[99;5u"),
        (KeyCode::Enter, NONE, 8, "\x1b[13u"),
        (KeyCode::Char('A'), SHIFT, 24, "\x1b[97;2;65u"),
        (KeyCode::Char('a'), NONE, 24, "\x1b[97;;97u"),
        (KeyCode::Char('v'), KeyModifiers::SUPER, 1, "\x1b[118;9u"),
    ];
    for (code, modifiers, flags, expected) in table {
        let got = sent(code, modifiers, kitty(flags));
        assert_eq!(got, expected, "{code:?} with {modifiers:?} under {flags}");
    }
}

#[test]
fn the_keypad_has_numbers_of_its_own_only_if_all_keys_do() {
    let mut key = KeyEvent::new(KeyCode::Enter, NONE);
    key.state = KeyEventState::KEYPAD;
    assert_eq!(encode_key(&key, &kitty(1)), b"\r");
    assert_eq!(encode_key(&key, &kitty(8)), b"\x1b[57414u");
    key.code = KeyCode::Char('7');
    assert_eq!(encode_key(&key, &kitty(1)), b"7");
    assert_eq!(encode_key(&key, &kitty(9)), b"\x1b[57406u");
}

#[test]
fn releases_are_sent_only_if_asked_for() {
    let mut key = KeyEvent::new(KeyCode::Up, NONE);
    key.kind = KeyEventKind::Release;
    assert!(encode_key(&key, &Modes::default()).is_empty());
    assert!(encode_key(&key, &kitty(1)).is_empty());
    assert_eq!(encode_key(&key, &kitty(3)), b"\x1b[1;1:3A");
    key.code = KeyCode::Char('a');
    assert!(encode_key(&key, &kitty(3)).is_empty());
    assert_eq!(encode_key(&key, &kitty(11)), b"\x1b[97;1:3u");
    key.kind = KeyEventKind::Repeat;
    assert_eq!(encode_key(&key, &kitty(1)), b"a");
}
