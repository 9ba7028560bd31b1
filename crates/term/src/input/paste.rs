//! Pastes: marked as such for agents that asked for it, made harmless for those that did not.
//! Whether to ask the user first is decided by the caller, from [`inspect_paste`].

use super::super::cells::Modes;

const BEGIN: &[u8] = b"\x1b[200~";
const END: &[u8] = b"\x1b[201~";

/// How a paste will reach the agent, to decide whether to ask first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PasteKind {
    /// Marked as a paste: the agent takes it as one piece.
    Bracketed,
    /// As if typed, this many lines; each line break may act as Enter.
    Typed {
        /// Lines of text.
        lines: usize,
    },
}

/// Tells how `text` would be pasted.
pub fn inspect_paste(text: &str, modes: &Modes) -> PasteKind {
    if modes.bracketed_paste {
        return PasteKind::Bracketed;
    }
    let breaks = normalised(text).filter(|&ch| ch == '\r').count();
    PasteKind::Typed { lines: breaks + 1 }
}

/// The bytes for a paste of `text`: line breaks as Enter, other control characters dropped, so
/// that nothing in the text can end the paste or press a key.
pub fn encode_paste(text: &str, modes: &Modes) -> Vec<u8> {
    let body: String = normalised(text).collect();
    if !modes.bracketed_paste {
        return body.into_bytes();
    }
    [BEGIN, body.as_bytes(), END].concat()
}

fn normalised(text: &str) -> impl Iterator<Item = char> {
    let mut chars = text.chars().peekable();
    std::iter::from_fn(move || {
        loop {
            let ch = chars.next()?;
            match ch {
                '\r' => {
                    if chars.peek() == Some(&'\n') {
                        chars.next();
                    }
                    return Some('\r');
                }
                '\n' => return Some('\r'),
                '\t' => return Some('\t'),
                ch if ch.is_control() => {}
                ch => return Some(ch),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Modes = Modes {
        bracketed_paste: true,
        ..NOT_ASKED
    };
    const NOT_ASKED: Modes = Modes {
        bracketed_paste: false,
        mouse: crate::cells::MouseMode::None,
        sgr_mouse: false,
        alternate_scroll: false,
        app_cursor: false,
        app_keypad: false,
        alt_screen: false,
        focus_events: false,
        kitty_flags: 0,
        modify_other_keys: 0,
        sync_update: false,
    };

    #[test]
    fn marks_a_paste_only_if_asked() {
        assert_eq!(encode_paste("a\nb", &ASKED), b"\x1b[200~a\rb\x1b[201~");
        assert_eq!(encode_paste("a\r\nb\rc", &NOT_ASKED), b"a\rb\rc");
    }

    #[test]
    fn a_paste_cannot_press_keys_or_end_itself() {
        let text = "x\x1b[201~\x03y\u{9b}\tz\x7f";
        assert_eq!(encode_paste(text, &ASKED), b"\x1b[200~x[201~y\tz\x1b[201~");
        assert_eq!(encode_paste(text, &NOT_ASKED), b"x[201~y\tz");
    }

    #[test]
    fn counts_lines_that_would_be_typed() {
        assert_eq!(
            inspect_paste("a\nb\r\nc", &NOT_ASKED),
            PasteKind::Typed { lines: 3 }
        );
        assert_eq!(inspect_paste("a\nb", &ASKED), PasteKind::Bracketed);
    }
}
