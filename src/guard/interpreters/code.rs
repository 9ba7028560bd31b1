//! Program text of any scripting language as a flat run of tokens: names, strings, numbers, signs.
//!
//! Knows strings and comments of each language family and nothing else.

/// The language family, which decides comments, quotes and what backquotes mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Other,
}

/// One token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    /// A string; `true` when it may hold computed parts.
    Text(String, bool),
    /// Text that the language runs as a command.
    Run(String, bool),
    Sign(char),
    Line,
}

/// Splits program text into tokens.
pub(super) fn tokens(code: &str, family: Family) -> Vec<Token> {
    let chars: Vec<char> = code.chars().collect();
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(&c) = chars.get(at) {
        let next = chars.get(at + 1).copied();
        match c {
            '\n' => {
                out.push(Token::Line);
                at += 1;
            }
            c if c.is_whitespace() => at += 1,
            '#' if family != Family::JavaScript
                && !(family == Family::Perl && at > 0 && chars.get(at - 1) == Some(&'$')) =>
            {
                at = line_end(&chars, at);
            }
            '/' if next == Some('/') && matches!(family, Family::JavaScript | Family::Php) => {
                at = line_end(&chars, at);
            }
            '/' if next == Some('*') && matches!(family, Family::JavaScript | Family::Php) => {
                at += 2;
                while at < chars.len()
                    && !(chars.get(at) == Some(&'*') && chars.get(at + 1) == Some(&'/'))
                {
                    at += 1;
                }
                at += 2;
            }
            '`' if family == Family::JavaScript => {
                let (text, end) = string(&chars, at + 1, '`', false);
                let computed = text.contains("${");
                // A tag named `$` is how shell libraries spell a command.
                out.push(if out.last() == Some(&Token::Sign('$')) {
                    Token::Run(text, computed)
                } else {
                    Token::Text(text, computed)
                });
                at = end;
            }
            '`' => {
                let (text, end) = string(&chars, at + 1, '`', false);
                let computed = text.contains(['$', '#']);
                out.push(Token::Run(text, computed));
                at = end;
            }
            '\'' | '"' => {
                let (token, end) = quoted(&chars, at, family, out.last());
                if matches!(out.last(), Some(Token::Name(prefix)) if family == Family::Python && is_prefix(prefix))
                {
                    out.pop();
                }
                out.push(token);
                at = end;
            }
            '%' if family == Family::Ruby && next == Some('x') => {
                let (text, end) = delimited(&chars, at + 2);
                let computed = text.contains("#{");
                out.push(Token::Run(text, computed));
                at = end;
            }
            c if c.is_alphanumeric() || c == '_' => {
                let start = at;
                while chars
                    .get(at)
                    .is_some_and(|c| c.is_alphanumeric() || *c == '_')
                {
                    at += 1;
                }
                let name: String = chars.get(start..at).unwrap_or_default().iter().collect();
                if family == Family::Perl
                    && matches!(name.as_str(), "q" | "qq" | "qx")
                    && chars
                        .get(at)
                        .is_some_and(|c| !c.is_whitespace() && !matches!(c, ',' | ';' | '=' | ')'))
                {
                    let (text, end) = delimited(&chars, at);
                    let computed = name != "q" && text.contains(['$', '@']);
                    out.push(if name == "qx" {
                        Token::Run(text, computed)
                    } else {
                        Token::Text(text, computed)
                    });
                    at = end;
                } else {
                    out.push(Token::Name(name));
                }
            }
            other => {
                out.push(Token::Sign(other));
                at += 1;
            }
        }
    }
    out
}

fn line_end(chars: &[char], from: usize) -> usize {
    let mut at = from;
    while chars.get(at).is_some_and(|c| *c != '\n') {
        at += 1;
    }
    at
}

fn is_prefix(name: &str) -> bool {
    name.len() <= 2 && name.chars().all(|c| "rRbBuUfF".contains(c))
}

/// A string that starts with the quote at `at`.
fn quoted(chars: &[char], at: usize, family: Family, before: Option<&Token>) -> (Token, usize) {
    let quote = chars.get(at).copied().unwrap_or('"');
    let prefix = match before {
        Some(Token::Name(name)) if family == Family::Python && is_prefix(name) => name.as_str(),
        _ => "",
    };
    let raw = prefix.contains(['r', 'R']);
    let triple = family == Family::Python
        && chars.get(at + 1) == Some(&quote)
        && chars.get(at + 2) == Some(&quote);
    if triple {
        let mut end = at + 3;
        let mut text = String::new();
        while let Some(&c) = chars.get(end) {
            if c == quote
                && chars.get(end + 1) == Some(&quote)
                && chars.get(end + 2) == Some(&quote)
            {
                break;
            }
            text.push(c);
            end += 1;
        }
        let computed = prefix.contains(['f', 'F']) && text.contains('{');
        return (Token::Text(text, computed), end + 3);
    }
    let (text, end) = string(chars, at + 1, quote, raw);
    let computed = match family {
        Family::Python => prefix.contains(['f', 'F']) && text.contains('{'),
        Family::Perl => quote == '"' && text.contains(['$', '@']),
        Family::Php => quote == '"' && text.contains('$'),
        Family::Ruby => quote == '"' && text.contains("#{"),
        Family::JavaScript | Family::Other => false,
    };
    (Token::Text(text, computed), end)
}

fn string(chars: &[char], from: usize, quote: char, raw: bool) -> (String, usize) {
    let mut raw_text = String::new();
    let mut at = from;
    while let Some(&c) = chars.get(at) {
        if c == quote {
            break;
        }
        if c == '\\' {
            raw_text.push(c);
            at += 1;
            if let Some(&escaped) = chars.get(at) {
                raw_text.push(escaped);
            }
            at += 1;
            continue;
        }
        raw_text.push(c);
        at += 1;
    }
    let text = if raw {
        raw_text
    } else {
        crate::guard::shell::output::decode_escapes(&raw_text)
    };
    (text, at + 1)
}

fn delimited(chars: &[char], at: usize) -> (String, usize) {
    let open = chars.get(at).copied().unwrap_or('{');
    let close = match open {
        '(' => ')',
        '{' => '}',
        '[' => ']',
        '<' => '>',
        other => other,
    };
    let mut depth = 1;
    let mut end = at + 1;
    let mut text = String::new();
    while let Some(&c) = chars.get(end) {
        if c == close {
            depth -= 1;
            if depth == 0 {
                break;
            }
        } else if c == open {
            depth += 1;
        }
        text.push(c);
        end += 1;
    }
    (text, end + 1)
}
