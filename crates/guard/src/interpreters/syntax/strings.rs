//! Strings: where they end, what their escapes mean, and which parts of them are code.

use super::{Family, Part};

/// The closing delimiter of an opening one.
pub(super) fn closer(open: char) -> char {
    match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        other => other,
    }
}

/// How code gets into a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holes {
    None,
    /// `{x}`, with `{{` for a brace.
    Braces,
    /// `${x}`
    Dollar,
    /// `#{x}`
    Hash,
    /// `$x`, `${x}`, `@{[x]}`, `{$x}`
    Sigils,
}

pub(super) fn holes(family: Family, quote: char, prefix: &str) -> Holes {
    match (family, quote) {
        (Family::Python, _) if prefix.contains(['f', 'F', 't', 'T']) => Holes::Braces,
        (Family::JavaScript, '`') => Holes::Dollar,
        (Family::Ruby, '"' | '`') => Holes::Hash,
        (Family::Perl | Family::Php, '"' | '`') => Holes::Sigils,
        _ => Holes::None,
    }
}

/// A string from behind its opening delimiter: its parts, where it ends, and whether it did.
pub(super) struct Body<'c> {
    pub(super) chars: &'c [char],
    pub(super) from: usize,
    pub(super) close: char,
    /// The opening delimiter when it nests.
    pub(super) open: Option<char>,
    /// How many closing delimiters end it.
    pub(super) times: usize,
    pub(super) holes: Holes,
    /// Whether backslashes mean something.
    pub(super) escapes: bool,
}

impl Body<'_> {
    pub(super) fn read(&self) -> (Vec<Part>, usize, bool) {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut at = self.from;
        let mut depth = 0_usize;
        while let Some(&c) = self.chars.get(at) {
            if c == '\\' {
                at = self.escape(at, &mut text);
                continue;
            }
            if c == self.close && depth == 0 {
                let end = at + self.times;
                let all = (at..end).all(|at| self.chars.get(at) == Some(&self.close));
                if all {
                    parts.push(Part::Text(text));
                    return (parts, end, true);
                }
            } else if c == self.close {
                depth -= 1;
            } else if self.open == Some(c) {
                depth += 1;
            }
            if let Some((code, end)) = self.hole(at) {
                parts.push(Part::Text(std::mem::take(&mut text)));
                parts.push(Part::Code(code));
                at = end;
                continue;
            }
            if self.holes == Holes::Braces && matches!(c, '{' | '}') {
                at += 1;
            }
            text.push(c);
            at += 1;
        }
        parts.push(Part::Text(text));
        (parts, at, false)
    }

    /// What a backslash at `at` stands for; gives the place behind it.
    fn escape(&self, at: usize, text: &mut String) -> usize {
        let next = self.chars.get(at + 1).copied();
        let Some(next) = next else {
            text.push('\\');
            return at + 1;
        };
        if !self.escapes {
            if next != self.close && next != '\\' {
                text.push('\\');
            }
            text.push(next);
            return at + 2;
        }
        let number = |from: usize, most: usize, radix: u32| -> (Option<char>, usize) {
            let digits: String = self
                .chars
                .get(from..)
                .unwrap_or_default()
                .iter()
                .take(most)
                .take_while(|c| c.is_digit(radix))
                .collect();
            let value = u32::from_str_radix(&digits, radix).ok();
            (value.and_then(char::from_u32), from + digits.len())
        };
        let (c, end) = match next {
            'n' => (Some('\n'), at + 2),
            't' => (Some('\t'), at + 2),
            'r' => (Some('\r'), at + 2),
            '\n' => return at + 2,
            'x' | 'u' | 'o' if self.chars.get(at + 2) == Some(&'{') => {
                let (c, end) = number(at + 3, 8, if next == 'o' { 8 } else { 16 });
                (c, end + 1)
            }
            'x' => number(at + 2, 2, 16),
            'u' => number(at + 2, 4, 16),
            'U' => number(at + 2, 8, 16),
            '0'..='7' => number(at + 1, 3, 8),
            other => (Some(other), at + 2),
        };
        text.extend(c);
        end
    }

    /// Code that starts at `at` inside the string.
    fn hole(&self, at: usize) -> Option<(String, usize)> {
        let c = self.chars.get(at).copied()?;
        let next = self.chars.get(at + 1).copied();
        let group = |open: usize| -> (usize, String) {
            let end = group_end(self.chars, open);
            let code = self.chars.get(open + 1..end.saturating_sub(1));
            (end, code.unwrap_or_default().iter().collect())
        };
        match (self.holes, c, next) {
            (Holes::Dollar, '$', Some('{')) | (Holes::Hash, '#', Some('{')) => {
                let (end, code) = group(at + 1);
                Some((code, end))
            }
            (Holes::Braces, '{', Some(next)) if next != '{' => {
                let (end, code) = group(at);
                // The format behind the expression is not code.
                let cut = format_start(&code);
                Some((code.get(..cut).unwrap_or_default().to_owned(), end))
            }
            (Holes::Sigils, '{', Some('$')) => {
                let (end, code) = group(at);
                Some((code, end))
            }
            (Holes::Sigils, '$' | '@', Some('{')) => {
                let (end, code) = group(at + 1);
                Some((code, end))
            }
            (Holes::Sigils, '$' | '@', Some(next)) if next.is_alphanumeric() || next == '_' => {
                let mut end = at + 1;
                while self
                    .chars
                    .get(end)
                    .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | ':'))
                {
                    end += 1;
                }
                while matches!(self.chars.get(end), Some('[' | '{')) {
                    let behind = group_end(self.chars, end);
                    end = behind.max(end + 1);
                }
                let code = self.chars.get(at..end).unwrap_or_default().iter().collect();
                Some((code, end))
            }
            _ => None,
        }
    }
}

/// The place behind the bracket that closes the one at `open`; strings inside are skipped.
fn group_end(chars: &[char], open: usize) -> usize {
    let mut depth = 0_i32;
    let mut at = open;
    let mut quote = None;
    while let Some(&c) = chars.get(at) {
        match (quote, c) {
            (_, '\\') => at += 1,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => {
                depth -= 1;
                if depth <= 0 {
                    return at + 1;
                }
            }
            (None, _) => {}
        }
        at += 1;
    }
    chars.len()
}

fn format_start(code: &str) -> usize {
    let mut depth = 0_i32;
    let bytes = code.as_bytes();
    for (at, c) in code.bytes().enumerate() {
        match c {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b':' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => return at,
            b'!' if depth == 0 && bytes.get(at + 1) != Some(&b'=') => return at,
            _ => {}
        }
    }
    code.len()
}
