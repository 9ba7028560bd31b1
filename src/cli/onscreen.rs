//! Texts on a terminal: what others have written must not move, clear, retitle or colour it.

use std::borrow::Cow;

use crate::text::visible;

/// The text without sequences. Colours and other styles are left out: they would reach beyond the
/// text that holds them, and one of them hides what follows. Every other control character, and
/// whatever turns the direction of a line or ends it, or is not seen, is shown as U+FFFD, so that nothing acts and it is
/// seen that something is there.
pub(super) fn harmless(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = style_length(rest) {
            rest = rest.get(length..).unwrap_or_default();
            continue;
        }
        // The line end of Windows is one like another.
        let ends_line = rest.starts_with("\r\n");
        out.push(if acts(c) && !ends_line {
            char::REPLACEMENT_CHARACTER
        } else {
            c
        });
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    match visible(&out) {
        Cow::Borrowed(_) => out,
        Cow::Owned(shown) => shown,
    }
}

/// Whether a character does something instead of being seen. Line feeds and tabs are welcome.
fn acts(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_control || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The length of the style sequence that the text begins with: `ESC [`, parameters, `m`.
fn style_length(text: &str) -> Option<usize> {
    let body = text.strip_prefix("\u{1b}[")?;
    let end = body.find(|c: char| !matches!(c, '0'..='?'))?;
    let is_style = body.get(end..)?.starts_with('m');
    is_style.then(|| text.len() - body.len() + end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn styles_are_left_out_and_other_sequences_do_nothing() {
        for (text, shown) in [
            ("\u{1b}[1mbold\u{1b}[0m end", "bold end"),
            ("\u{1b}[8mhidden\u{1b}[38:2::1:2:3mred\u{1b}[m", "hiddenred"),
            ("\u{9b}31mred", "\u{fffd}31mred"),
            (
                "\u{1b}[2Jx\u{1b}]0;t\u{7}y\r",
                "\u{fffd}[2Jx\u{fffd}]0;t\u{fffd}y\u{fffd}",
            ),
            ("cut \u{1b}[31", "cut \u{fffd}[31"),
            (
                "a\u{202e}txt.exe\u{2066}b\u{2069}c\u{2028}d\u{2029}",
                "a\u{fffd}txt.exe\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}",
            ),
            ("a\tb\r\nc ü 日 👩\u{200d}💻", "a\tb\r\nc ü 日 👩\u{200d}💻"),
            ("pu\u{200b}sh\u{feff}", "pu\u{fffd}sh\u{fffd}"),
        ] {
            assert_eq!(harmless(text), shown, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_control_is_left(text in "[\u{1b}\u{9b}\\[0-9;:m\u{7}\u{80}-\u{9f}ab\n\t\r\u{2028}-\u{202e}\u{2066}-\u{2069}]{0,40}") {
            let shown = harmless(&text);
            prop_assert!(!shown.replace("\r\n", "\n").contains(acts), "{shown:?}");
            prop_assert_eq!(harmless(&shown), shown);
        }
    }
}
