//! Padding and cutting measured in UTF-16 code units, as the contract's text output counts.
//!
//! Only contract text uses this; our own screens use terminal columns (`width`).

/// Returns the number of UTF-16 code units in `text`.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Keeps the first `units` code units; a surrogate pair cut in half leaves U+FFFD.
pub fn truncate_utf16(text: &str, units: usize) -> String {
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let length = c.len_utf16();
        if used + length > units {
            if used < units {
                kept.push('\u{fffd}');
            }
            break;
        }
        used += length;
        kept.push(c);
    }
    kept
}

/// Appends spaces until `text` has `units` code units.
pub fn pad_end_utf16(text: &str, units: usize) -> String {
    format!(
        "{text}{}",
        " ".repeat(units.saturating_sub(utf16_len(text)))
    )
}

/// Prepends spaces until `text` has `units` code units.
pub fn pad_start_utf16(text: &str, units: usize) -> String {
    format!(
        "{}{text}",
        " ".repeat(units.saturating_sub(utf16_len(text)))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_count_twice() {
        assert_eq!(utf16_len("a🚀"), 3);
        assert_eq!(pad_end_utf16("🚀", 4), "🚀  ");
        assert_eq!(pad_start_utf16("é", 3), "  é");
    }

    #[test]
    fn half_a_pair_becomes_a_replacement() {
        assert_eq!(truncate_utf16("a🚀b", 2), "a\u{fffd}");
        assert_eq!(truncate_utf16("a🚀b", 3), "a🚀");
        assert_eq!(truncate_utf16("ab", 9), "ab");
    }
}
