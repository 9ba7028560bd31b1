//! How PowerShell reads words: what has to be quoted, and what a quoted word means.

/// Characters that end a text in single quotes: PowerShell takes typographic quotes for plain ones.
const SINGLE: [char; 5] = ['\'', '\u{2018}', '\u{2019}', '\u{201a}', '\u{201b}'];
/// The same for double quotes.
const DOUBLE: [char; 4] = ['"', '\u{201c}', '\u{201d}', '\u{201e}'];

/// A word that PowerShell hands to a program as exactly this value.
pub(super) fn word(value: &str) -> String {
    if is_plain(value) {
        return value.to_owned();
    }
    let mut quoted = String::from("'");
    for c in value.chars() {
        quoted.push(c);
        if SINGLE.contains(&c) {
            quoted.push(c);
        }
    }
    quoted.push('\'');
    quoted
}

/// Whether nothing in it means anything to PowerShell. `@all` would be a variable, `a,b` two words,
/// and a dot ends an option.
fn is_plain(value: &str) -> bool {
    let mut chars = value.chars();
    let is_option = value.starts_with('-');
    let first = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let later = |c: char| {
        c.is_ascii_alphanumeric() || c == '_' || c == '-' || (!is_option && "./=:".contains(c))
    };
    chars.next().is_some_and(first) && chars.all(later)
}

/// What a word of the line means, also while its last quote is missing. Variables stay as written.
pub(super) fn meant(word: &str) -> String {
    let mut out = String::new();
    let mut chars = word.chars().peekable();
    let mut open: Option<&[char]> = None;
    while let Some(c) = chars.next() {
        match open {
            Some(quotes) if quotes.contains(&c) => {
                if chars.next_if(|next| quotes.contains(next)).is_some() {
                    out.push(c);
                } else {
                    open = None;
                }
            }
            // A backtick protects the next character, but not between single quotes.
            None | Some(['"', ..]) if c == '`' => out.extend(chars.next()),
            None if SINGLE.contains(&c) => open = Some(&SINGLE),
            None if DOUBLE.contains(&c) => open = Some(&DOUBLE),
            Some(_) | None => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_words_that_mean_something_else_are_quoted() {
        for (value, quoted) in [
            ("builder-auth", "builder-auth"),
            ("overstory/b/t-1", "overstory/b/t-1"),
            ("--priority", "--priority"),
            ("run-2026-03-01", "run-2026-03-01"),
            ("--run=x", "'--run=x'"),
            ("-a.b", "'-a.b'"),
            ("@all", "'@all'"),
            ("a,b", "'a,b'"),
            ("first steps", "'first steps'"),
            ("it's", "'it''s'"),
            ("it\u{2019}s", "'it\u{2019}\u{2019}s'"),
            ("say \"x\"", "'say \"x\"'"),
            ("$HOME", "'$HOME'"),
            ("$(rm x)", "'$(rm x)'"),
            ("a`b", "'a`b'"),
            ("a;b|c&d", "'a;b|c&d'"),
            ("#x", "'#x'"),
            ("ünï", "'ünï'"),
            ("", "''"),
        ] {
            assert_eq!(word(value), quoted);
            assert_eq!(meant(quoted), value, "{quoted}");
        }
    }

    #[test]
    fn a_word_is_understood_while_it_is_written() {
        for (typed, meaning) in [
            ("'first st", "first st"),
            ("\"first st", "first st"),
            ("\"a`\"b", "a\"b"),
            ("'a`b", "a`b"),
            ("first` st", "first st"),
            ("'it''", "it'"),
            ("--to='b", "--to=b"),
            ("a`", "a"),
        ] {
            assert_eq!(meant(typed), meaning, "{typed}");
        }
    }

    proptest! {
        #[test]
        fn every_value_survives(value in "\\PC{0,12}") {
            prop_assert_eq!(meant(&word(&value)), value);
        }
    }
}
