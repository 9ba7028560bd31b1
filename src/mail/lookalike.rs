//! Words that are spelled with other letters than they seem to be.

/// What follows `word` at the start of `text`, if it stands there to a reader's eye: capitals,
/// letters of other scripts that look the same, and invisible characters make no difference.
pub(super) fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let mut expected = word.chars().peekable();
    for (at, c) in text.char_indices() {
        if at > 0 && is_invisible(c) {
            continue;
        }
        match expected.peek() {
            None => return text.get(at..),
            Some(wanted) if plain(c) == *wanted => {
                expected.next();
            }
            Some(_) => return None,
        }
    }
    expected.peek().is_none().then_some("")
}

/// Takes no room of its own: joiners, marks of direction, accents, variants.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// The small ASCII letter or sign that a character looks like.
fn plain(c: char) -> char {
    let folded = match c {
        '\u{ff01}'..='\u{ff5e}' => shifted(c, 0xfee0),
        // Mathematical letters come in alphabets of 52.
        '\u{1d400}'..='\u{1d6a3}' => mathematical(c),
        '\u{24b6}'..='\u{24cf}' => shifted(c, 0x24b6 - 0x41),
        '\u{24d0}'..='\u{24e9}' => shifted(c, 0x24d0 - 0x61),
        '\u{2010}'..='\u{2015}'
        | '\u{2212}'
        | '\u{2043}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{2e3a}'
        | '\u{30fc}'
        | '\u{1806}'
        | '_' => '-',
        '\u{2039}' | '\u{2329}' | '\u{27e8}' | '\u{3008}' | '\u{fe64}' | '\u{276e}' | '\u{2c2}' => {
            '<'
        }
        '\u{2044}' | '\u{2215}' | '\u{29f8}' => '/',
        'а' | 'А' | 'α' | 'Α' | 'ɑ' => 'a',
        'е' | 'Е' | 'Ε' | 'ε' | 'ҽ' | '℮' => 'e',
        'ɡ' | 'ց' | 'ԍ' | 'Ԍ' => 'g',
        'і' | 'І' | 'ι' | 'Ι' | 'ı' | 'ⅰ' | 'Ⅰ' => 'i',
        'ӏ' | 'Ӏ' | 'ⅼ' | 'Ⅼ' | 'ꓲ' => 'l',
        'м' | 'М' | 'Μ' | 'ⅿ' | 'Ⅿ' => 'm',
        'о' | 'О' | 'ο' | 'Ο' | 'օ' => 'o',
        'г' | 'ᴦ' | 'ꮁ' => 'r',
        'ѕ' | 'Ѕ' | 'ꜱ' => 's',
        'т' | 'Т' | 'Τ' | 'τ' => 't',
        'ѵ' | 'Ѵ' | 'ν' | 'ᴠ' | 'ⅴ' | 'Ⅴ' => 'v',
        'у' | 'У' | 'Υ' | 'γ' => 'y',
        other => other,
    };
    folded.to_ascii_lowercase()
}

fn shifted(c: char, by: u32) -> char {
    char::from_u32(c as u32 - by).unwrap_or(c)
}

fn mathematical(c: char) -> char {
    let place = (c as u32 - 0x1d400) % 52;
    let letter = if place < 26 {
        0x41 + place
    } else {
        0x61 + place - 26
    };
    char::from_u32(letter).unwrap_or(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_are_left_alone() {
        for text in [
            "grove",
            "grove mail",
            "a grove-mail",
            "",
            "\u{200b}grove-mail",
            "gröv-mail",
        ] {
            assert_eq!(after_word(text, "grove-mail"), None, "{text}");
        }
        assert_eq!(after_word("grove-mail!", "grove-mail"), Some("!"));
        assert_eq!(after_word("Gro\u{200d}ve-mail", "grove-mail"), Some(""));
    }
}
