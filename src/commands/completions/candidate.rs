//! What is offered to a shell: one line each, `value`, a tab, a few words about it.

use super::powershell;
use crate::text::{sanitize_line, truncate};

/// Words about a value are cut to this width.
const WIDTH: usize = 60;

/// The line that tells a script to complete file names itself.
const FILES: &str = ":files";

/// One thing that fits at the cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) value: String,
    pub(super) about: String,
}

impl Candidate {
    pub(super) fn new(value: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            about: about.into(),
        }
    }
}

/// The answer to a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Offer {
    Values(Vec<Candidate>),
    Files,
}

impl Offer {
    pub(super) fn nothing() -> Self {
        Self::Values(Vec::new())
    }
}

/// The text of an offer. Values come from stores that others write: one that could break the
/// line, or a terminal, is left out.
pub(super) fn lines(offer: &Offer, shell: &str) -> String {
    let values = match offer {
        Offer::Files => return format!("{FILES}\n"),
        Offer::Values(values) => values,
    };
    let mut text = String::new();
    for candidate in values {
        let value = &candidate.value;
        if value.is_empty() || value.starts_with(':') || value.chars().any(char::is_control) {
            continue;
        }
        let about = truncate(&sanitize_line(&candidate.about), WIDTH).into_owned();
        text.push_str(value);
        if shell == "powershell" {
            text.push('\t');
            text.push_str(&powershell::word(value));
        }
        if !about.is_empty() {
            text.push('\t');
            text.push_str(&about);
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_values_never_reach_the_shell() {
        let offer = Offer::Values(vec![
            Candidate::new("good", "a\tb\nc\u{1b}[2J"),
            Candidate::new("two\nlines", ""),
            Candidate::new("\u{1b}]0;x\u{7}", ""),
            Candidate::new(":files", ""),
            Candidate::new("", "nothing"),
        ]);
        let text = lines(&offer, "fish");
        assert_eq!(text.lines().count(), 1, "{text:?}");
        assert!(text.starts_with("good\t"), "{text:?}");
        assert_eq!(text.matches('\t').count(), 1, "{text:?}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
    }

    #[test]
    fn powershell_hears_how_a_value_is_written() {
        let offer = Offer::Values(vec![
            Candidate::new("first steps", "a group"),
            Candidate::new("plain", ""),
        ]);
        assert_eq!(
            lines(&offer, "powershell"),
            "first steps\t'first steps'\ta group\nplain\tplain\n"
        );
    }
}
