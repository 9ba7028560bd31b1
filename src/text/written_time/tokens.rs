//! What such a text is made of: numbers, words and signs.

/// Digits that count in a number.
pub(super) const DIGITS: usize = 9;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Zones that have a name, in hours east of UTC.
const ZONES: [(&str, i64); 12] = [
    ("z", 0),
    ("ut", 0),
    ("utc", 0),
    ("gmt", 0),
    ("est", -5),
    ("edt", -4),
    ("cst", -6),
    ("cdt", -5),
    ("mst", -7),
    ("mdt", -6),
    ("pst", -8),
    ("pdt", -7),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    Number {
        value: i64,
        digits: usize,
    },
    /// 1 for a plus, -1 for a minus.
    Sign(i64),
    Colon,
    Dot,
    /// A parenthesis that closes nothing.
    Close,
    Word(Word),
    Space,
    /// What means nothing: punctuation, what stands in parentheses.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// From 1.
    Month(i64),
    /// The hours before this half of the day.
    Half(i64),
    /// The zone that is one letter.
    Z,
    /// Hours east of UTC.
    Zone(i64),
    T,
    Unknown,
}

pub(super) fn tokens(text: &str) -> Vec<Token> {
    // For the program that set the rules a zero byte is the end.
    let mut rest = text.split('\0').next().unwrap_or_default();
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '0'..='9' => number(rest),
            '+' => (Token::Sign(1), 1),
            '-' => (Token::Sign(-1), 1),
            ':' => (Token::Colon, 1),
            '.' => (Token::Dot, 1),
            ')' => (Token::Close, 1),
            '(' => (Token::Other, parenthesised(rest)),
            c if is_space(c) => (Token::Space, c.len_utf8()),
            'A'.. => word(rest),
            _ => (Token::Other, 1),
        };
        found.push(token);
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

fn number(text: &str) -> (Token, usize) {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let all = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let significant = all.trim_start_matches('0');
    let counted = significant.get(..DIGITS).unwrap_or(significant);
    let number = Token::Number {
        value: counted.parse().unwrap_or(0),
        digits: all.len(),
    };
    (number, all.len())
}

/// Every character from `A` on belongs to a word, those of other scripts as well.
fn word(text: &str) -> (Token, usize) {
    let end = text.find(|c: char| c < 'A' || is_space(c));
    let all = text.get(..end.unwrap_or(text.len())).unwrap_or(text);
    let is = |name: &str| all.eq_ignore_ascii_case(name);
    let starts = |name: &&str| {
        all.get(..3)
            .is_some_and(|start| start.eq_ignore_ascii_case(name))
    };
    let word = if let Some(month) = MONTHS.iter().position(starts) {
        Word::Month(month as i64 + 1)
    } else if let Some((name, hours)) = ZONES.iter().find(|(name, _)| is(name)) {
        if *name == "z" {
            Word::Z
        } else {
            Word::Zone(*hours)
        }
    } else if is("am") {
        Word::Half(0)
    } else if is("pm") {
        Word::Half(12)
    } else if is("t") {
        Word::T
    } else {
        Word::Unknown
    };
    (Token::Word(word), all.len())
}

/// How far the parenthesis reaches that the text begins with; to the end when it is not closed.
fn parenthesised(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return at + 1;
        }
    }
    text.len()
}

fn is_space(c: char) -> bool {
    let is_none = matches!(c, '\u{b}' | '\u{85}' | '\u{2028}' | '\u{2029}');
    (c.is_whitespace() && !is_none) || c == '\u{feff}'
}
