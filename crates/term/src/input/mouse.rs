//! Mouse and focus events in the notation the agent asked for, in its own coordinates.
//! Where on the agent's screen an event is, the caller says; this only writes it down.

use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::super::cells::{Modes, MouseMode};

const MOVED: u8 = 32;
const NO_BUTTON: u8 = 3;
/// The old notation adds this to every number and has no room above 255.
const LEGACY_OFFSET: u16 = 32;

/// The bytes for a mouse event at `row`, `col` of the agent's screen; none if the agent did not
/// ask for events of this kind. The position in the event itself is ignored.
pub fn encode_mouse(event: &MouseEvent, row: u16, col: u16, modes: &Modes) -> Option<Vec<u8>> {
    if !is_wanted(event.kind, modes.mouse) {
        return None;
    }
    let (button, released) = button_code(event.kind);
    let modifiers = [
        (KeyModifiers::SHIFT, 4),
        (KeyModifiers::ALT, 8),
        (KeyModifiers::CONTROL, 16),
    ];
    let held: u8 = modifiers
        .iter()
        .filter(|(modifier, _)| event.modifiers.contains(*modifier))
        .map(|(_, code)| code)
        .sum();
    let (x, y) = (col.saturating_add(1), row.saturating_add(1));
    if modes.sgr_mouse {
        let end = if released { 'm' } else { 'M' };
        return Some(format!("\x1b[<{};{x};{y}{end}", button + held).into_bytes());
    }
    // The old notation does not say which button was released.
    let button = if released { NO_BUTTON } else { button };
    let code = u8::try_from(LEGACY_OFFSET).ok()? + button + held;
    let x = u8::try_from(x.saturating_add(LEGACY_OFFSET)).ok()?;
    let y = u8::try_from(y.saturating_add(LEGACY_OFFSET)).ok()?;
    Some(vec![0x1b, b'[', b'M', code, x, y])
}

/// The bytes for the wheel where the agent did not ask for the mouse but shows the alternate
/// screen, which has no scrollback: arrow keys. None where the wheel is grove's to scroll with.
pub fn encode_scroll(up: bool, lines: u16, modes: &Modes) -> Option<Vec<u8>> {
    if modes.mouse != MouseMode::None || !modes.alt_screen || !modes.alternate_scroll {
        return None;
    }
    let introducer = if modes.app_cursor { b'O' } else { b'[' };
    let arrow = if up { b'A' } else { b'B' };
    Some([0x1b, introducer, arrow].repeat(usize::from(lines)))
}

/// The bytes for gaining or losing focus; none if the agent did not ask.
pub fn encode_focus(gained: bool, modes: &Modes) -> Option<&'static [u8]> {
    match (modes.focus_events, gained) {
        (false, _) => None,
        (true, true) => Some(b"\x1b[I"),
        (true, false) => Some(b"\x1b[O"),
    }
}

fn is_wanted(kind: MouseEventKind, mode: MouseMode) -> bool {
    let needed = match kind {
        MouseEventKind::Moved => MouseMode::Motion,
        MouseEventKind::Drag(_) => MouseMode::Drag,
        MouseEventKind::Down(_)
        | MouseEventKind::Up(_)
        | MouseEventKind::ScrollDown
        | MouseEventKind::ScrollUp
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => MouseMode::Click,
    };
    rank(mode) >= rank(needed)
}

fn rank(mode: MouseMode) -> u8 {
    match mode {
        MouseMode::None => 0,
        MouseMode::Click => 1,
        MouseMode::Drag => 2,
        MouseMode::Motion => 3,
    }
}

/// The button's number and whether it was let go.
fn button_code(kind: MouseEventKind) -> (u8, bool) {
    let number = |button| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    match kind {
        MouseEventKind::Down(button) => (number(button), false),
        MouseEventKind::Up(button) => (number(button), true),
        MouseEventKind::Drag(button) => (number(button) + MOVED, false),
        MouseEventKind::Moved => (NO_BUTTON + MOVED, false),
        MouseEventKind::ScrollUp => (64, false),
        MouseEventKind::ScrollDown => (65, false),
        MouseEventKind::ScrollLeft => (66, false),
        MouseEventKind::ScrollRight => (67, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(kind: MouseEventKind, modifiers: KeyModifiers) -> MouseEvent {
        MouseEvent {
            kind,
            column: 0,
            row: 0,
            modifiers,
        }
    }

    fn modes(mouse: MouseMode, sgr_mouse: bool) -> Modes {
        Modes {
            mouse,
            sgr_mouse,
            ..Modes::default()
        }
    }

    #[test]
    fn writes_both_notations() {
        let none = KeyModifiers::NONE;
        let left = MouseButton::Left;
        let down = event(MouseEventKind::Down(left), none);
        let up = event(
            MouseEventKind::Up(MouseButton::Right),
            KeyModifiers::CONTROL,
        );
        let drag = event(MouseEventKind::Drag(left), KeyModifiers::SHIFT);
        let wheel = event(MouseEventKind::ScrollDown, none);
        let sgr = modes(MouseMode::Motion, true);
        let old = modes(MouseMode::Motion, false);
        let table: [(&MouseEvent, &Modes, &[u8]); 6] = [
            (&down, &sgr, b"\x1b[<0;10;5M"),
            (&up, &sgr, b"\x1b[<18;10;5m"),
            (&drag, &sgr, b"\x1b[<36;10;5M"),
            (&wheel, &sgr, b"\x1b[<65;10;5M"),
            (&down, &old, b"\x1b[M \x2a\x25"),
            (&up, &old, b"\x1b[M\x33\x2a\x25"),
        ];
        for (event, modes, expected) in table {
            assert_eq!(encode_mouse(event, 4, 9, modes).as_deref(), Some(expected));
        }
        assert_eq!(encode_mouse(&down, 4, 300, &old), None);
    }

    #[test]
    fn the_wheel_becomes_arrows_where_nothing_else_scrolls() {
        let mut modes = Modes {
            alt_screen: true,
            alternate_scroll: true,
            ..Modes::default()
        };
        let up = encode_scroll(true, 2, &modes);
        assert_eq!(up.as_deref(), Some(&b"\x1b[A\x1b[A"[..]));
        modes.app_cursor = true;
        let down = encode_scroll(false, 1, &modes);
        assert_eq!(down.as_deref(), Some(&b"\x1bOB"[..]));
        modes.mouse = MouseMode::Click;
        assert_eq!(encode_scroll(true, 1, &modes), None);
        modes.mouse = MouseMode::None;
        modes.alt_screen = false;
        assert_eq!(encode_scroll(true, 1, &modes), None);
    }

    #[test]
    fn sends_only_what_was_asked_for() {
        let moved = event(MouseEventKind::Moved, KeyModifiers::NONE);
        let drag = event(MouseEventKind::Drag(MouseButton::Left), KeyModifiers::NONE);
        let down = event(MouseEventKind::Down(MouseButton::Left), KeyModifiers::NONE);
        let sent = |event, mouse| encode_mouse(event, 0, 0, &modes(mouse, true)).is_some();
        assert!(!sent(&down, MouseMode::None));
        assert!(sent(&down, MouseMode::Click) && !sent(&drag, MouseMode::Click));
        assert!(sent(&drag, MouseMode::Drag) && !sent(&moved, MouseMode::Drag));
        assert!(sent(&moved, MouseMode::Motion));
        assert_eq!(encode_focus(true, &Modes::default()), None);
        let asked = Modes {
            focus_events: true,
            ..Modes::default()
        };
        assert_eq!(encode_focus(true, &asked), Some(&b"\x1b[I"[..]));
        assert_eq!(encode_focus(false, &asked), Some(&b"\x1b[O"[..]));
    }
}
