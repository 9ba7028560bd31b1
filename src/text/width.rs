//! Terminal column arithmetic and the removal of characters that must never reach a terminal.
//!
//! Text from agents, mails, branches and files is hostile until it went through `sanitize_line`
//! or `sanitize_block`: control characters move the cursor, bidi overrides reorder what a person
//! reads. Cutting never splits a cluster (base character with its combining marks or joiners).

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ELLIPSIS: &str = "…";
const JOINER: char = '\u{200d}';

/// Returns how many terminal columns `text` occupies.
pub fn display_width(text: &str) -> usize {
    clusters(text).map(|(_, width)| width).sum()
}

/// Shortens `text` to at most `columns`, marking a cut with `…` at the end.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if display_width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut kept = String::new();
    let mut used = 0;
    for (cluster, width) in clusters(text) {
        if used + width > columns - 1 {
            break;
        }
        used += width;
        kept.push_str(cluster);
    }
    kept.push_str(ELLIPSIS);
    Cow::Owned(kept)
}

/// Shortens `text` to at most `columns` by dropping its beginning; paths stay recognisable that way.
pub fn truncate_start(text: &str, columns: usize) -> Cow<'_, str> {
    if display_width(text) <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let all: Vec<(&str, usize)> = clusters(text).collect();
    let mut used = 0;
    let mut kept: Vec<&str> = Vec::new();
    for (cluster, width) in all.iter().rev() {
        if used + width > columns - 1 {
            break;
        }
        used += width;
        kept.push(cluster);
    }
    kept.push(ELLIPSIS);
    kept.reverse();
    Cow::Owned(kept.concat())
}

/// Appends spaces until `text` is `columns` wide; longer text is returned unchanged.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(display_width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// Cuts or pads `text` to exactly `columns`.
pub fn fit(text: &str, columns: usize) -> String {
    pad(&truncate(text, columns), columns)
}

/// Makes hostile text safe on one line: line breaks and tabs become spaces, escape sequences,
/// control characters and bidi overrides disappear.
pub fn sanitize_line(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_harmless) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    strip_into(text, &mut clean, |c| match c {
        '\n' | '\t' => Some(' '),
        _ => None,
    });
    Cow::Owned(clean)
}

/// Makes hostile text safe as a block: line feeds stay, tabs become four spaces, the rest of the
/// control characters, escape sequences and bidi overrides disappear.
pub fn sanitize_block(text: &str) -> Cow<'_, str> {
    if text.chars().all(|c| c == '\n' || is_harmless(c)) {
        return Cow::Borrowed(text);
    }
    let expanded = text.replace('\t', "    ");
    let mut clean = String::with_capacity(expanded.len());
    strip_into(&expanded, &mut clean, |c| (c == '\n').then_some('\n'));
    Cow::Owned(clean)
}

/// Takes escape sequences and control characters out of text that otherwise stays as it was sent: line ends and tabs
/// stay, and what only some programs take for a line end becomes a line feed.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    let stays = |c: char| matches!(c, '\n' | '\t') || !c.is_control();
    if text.chars().all(stays) {
        return Cow::Borrowed(text);
    }
    let lines = text.split("\r\n").map(|line| {
        let mut clean = String::with_capacity(line.len());
        strip_into(line, &mut clean, |c| match c {
            '\r' | '\u{b}' | '\u{c}' | '\u{85}' => Some('\n'),
            _ => stays(c).then_some(c),
        });
        clean
    });
    Cow::Owned(lines.collect::<Vec<_>>().join("\r\n"))
}

fn strip_into(text: &str, out: &mut String, keep: impl Fn(char) -> Option<char>) {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            skip_escape(&mut chars);
        } else if c == '\u{9b}' {
            skip_csi(&mut chars);
        } else if let Some(replacement) = keep(c) {
            out.push(replacement);
        } else if is_harmless(c) {
            out.push(c);
        }
    }
}

/// Consumes what follows ESC, so that `[31m` does not remain as visible litter.
fn skip_escape(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.peek() {
        Some('[') => {
            chars.next();
            skip_csi(chars);
        }
        Some(']' | 'P' | '_' | '^' | 'X') => {
            chars.next();
            // A string sequence without its terminator must not swallow the rest of the text.
            let rest: String = chars.clone().take(4096).collect();
            if let Some(end) = rest.find(['\u{7}', '\u{9c}', '\u{1b}']) {
                for _ in 0..=rest[..end].chars().count() {
                    chars.next();
                }
                if chars.peek() == Some(&'\\') {
                    chars.next();
                }
            }
        }
        Some(c) if ('\u{20}'..='\u{7e}').contains(c) => {
            chars.next();
        }
        Some(_) | None => {}
    }
}

fn skip_csi(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(&c) = chars.peek() {
        if !('\u{20}'..='\u{7e}').contains(&c) {
            return;
        }
        chars.next();
        if ('\u{40}'..='\u{7e}').contains(&c) {
            return;
        }
    }
}

fn is_harmless(c: char) -> bool {
    let bidi = matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let separator = matches!(c, '\u{2028}' | '\u{2029}');
    let tag = matches!(c, '\u{e0001}' | '\u{feff}');
    !(c.is_control() || bidi || separator || tag)
}

/// Splits into unbreakable pieces with their widths. Not full grapheme segmentation, but enough
/// for marks, joiner sequences, skin tones and flags.
fn clusters(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let mut previous = first;
        let mut flags = usize::from(is_flag_letter(first));
        let end = chars
            .find_map(|(index, c)| {
                let joins = previous == JOINER && !c.is_ascii();
                let pairs = flags == 1 && is_flag_letter(c);
                if pairs {
                    flags = 2;
                }
                let extends = c.width() == Some(0) && !c.is_control();
                let tone = ('\u{1f3fb}'..='\u{1f3ff}').contains(&c);
                previous = c;
                (!(joins || pairs || extends || tone)).then_some(index)
            })
            .unwrap_or(rest.len());
        let (cluster, tail) = rest.split_at(end);
        rest = tail;
        Some((cluster, cluster.width().min(2)))
    })
}

fn is_flag_letter(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn wide_and_combining_characters_count_columns() {
        assert_eq!(display_width("abc"), 3);
        assert_eq!(display_width("世界"), 4);
        assert_eq!(display_width("e\u{301}"), 1);
        assert_eq!(display_width("👩\u{200d}💻"), 2);
        assert_eq!(display_width("🇩🇪🇫🇷"), 4);
    }

    #[test]
    fn truncation_never_splits_a_cluster() {
        assert_eq!(truncate("世界世界", 5), "世界…");
        assert_eq!(truncate("世界世界", 4), "世…");
        assert_eq!(truncate("abc", 3), "abc");
        assert_eq!(truncate("abc", 0), "");
        assert_eq!(truncate_start("src/very/long/path.rs", 8), "…path.rs");
    }

    #[test]
    fn escape_sequences_and_overrides_disappear() {
        assert_eq!(sanitize_line("a\x1b[31mred\x1b[0m\nb\tc"), "ared b c");
        assert_eq!(sanitize_line("x\x1b]0;title\x07y"), "xy");
        assert_eq!(sanitize_line("x\x1b]8;;http://e\x1b\\link"), "xlink");
        assert_eq!(sanitize_line("user\u{202e}cod.exe"), "usercod.exe");
        assert_eq!(sanitize_line("open\x1b]never closed"), "opennever closed");
        assert_eq!(sanitize_block("a\r\nb\tc\x00"), "a\nb    c");
    }

    proptest! {
        #[test]
        fn fit_is_exact(text in "\\PC{0,40}", columns in 0usize..30) {
            let fitted = fit(&text, columns);
            let width = display_width(&fitted);
            // A double-width cluster may leave one column, which padding fills.
            prop_assert_eq!(width, columns);
        }

        #[test]
        fn sanitized_text_is_inert(text in any::<String>()) {
            let line = sanitize_line(&text);
            prop_assert!(line.chars().all(is_harmless));
            prop_assert!(sanitize_block(&text).chars().all(|c| c == '\n' || is_harmless(c)));
        }
    }
}
