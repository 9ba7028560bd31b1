//! Characters that are not seen and change what is: marks and turns of direction, joiners, spaces of no width, tags.
//!
//! A person reads past them, and a model reads what they spell or hide.

use std::borrow::Cow;

/// The text with a sign in place of each of them. Joiners stay where a script or an emoji needs them.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let stays = !is_unseen(c) || joins(before, c, rest.clone().next());
        out.push(if stays {
            c
        } else {
            char::REPLACEMENT_CHARACTER
        });
        // Variants and tones of skin stand between an emoji and its joiner.
        if !is_of_emoji(c) {
            before = Some(c);
        }
    }
    Cow::Owned(out)
}

fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// A sign that changes how an emoji before it looks.
fn is_of_emoji(c: char) -> bool {
    matches!(c, '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Whether a joiner, or what keeps letters apart, is at work between these.
fn joins(before: Option<char>, c: char, after: Option<char>) -> bool {
    let both = |is: fn(char) -> bool| before.is_some_and(is) && after.is_some_and(is);
    match c {
        '\u{200d}' => both(is_emoji) || both(is_joining_letter),
        '\u{200c}' => both(is_joining_letter),
        _ => false,
    }
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

/// Letters and marks of scripts in which joiners are spelling: Arabic and its kin, those of India and around it.
fn is_joining_letter(c: char) -> bool {
    matches!(c,
        '\u{620}'..='\u{6ff}' | '\u{700}'..='\u{77f}' | '\u{7c0}'..='\u{7ff}' | '\u{840}'..='\u{8ff}'
        | '\u{900}'..='\u{dff}' | '\u{f00}'..='\u{109f}' | '\u{1780}'..='\u{18aa}'
        | '\u{fb50}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_shown() {
        for (text, shown) in [
            ("user\u{202e}cod.exe", "user\u{fffd}cod.exe"),
            (
                "a\u{2066}b\u{2069}c\u{200e}d\u{200f}",
                "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}",
            ),
            (
                "pu\u{200b}sh \u{feff}it\u{2060}",
                "pu\u{fffd}sh \u{fffd}it\u{fffd}",
            ),
            (
                "ok\u{e0070}\u{e0075}\u{e007f}",
                "ok\u{fffd}\u{fffd}\u{fffd}",
            ),
            ("pu\u{200d}sh pu\u{200c}sh", "pu\u{fffd}sh pu\u{fffd}sh"),
            ("\u{200d}👩\u{200d}", "\u{fffd}👩\u{fffd}"),
            ("👩\u{200d}\u{202e}💻", "👩\u{fffd}\u{fffd}💻"),
        ] {
            assert_eq!(visible(text), shown, "{text:?}");
        }
    }

    #[test]
    fn joiners_stay_in_emoji_and_in_scripts_that_spell_with_them() {
        for text in [
            "plain ü 日本 e\u{301}",
            "👩\u{200d}💻 👨\u{1f3fd}\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈",
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष क\u{94d}\u{200c}ष",
        ] {
            assert_eq!(visible(text), text);
        }
    }
}
