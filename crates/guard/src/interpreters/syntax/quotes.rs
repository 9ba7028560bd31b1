//! Text between quotes and other delimiters: strings, commands, lists of words, patterns.

use super::lexer::{Lexer, SEARCHED};
use super::strings::{Body, Holes, closer, holes};
use super::{Family, Part, Token};

/// A pattern in angle brackets is no longer than this.
const PATTERN: usize = 200;

impl Lexer {
    pub(super) fn quoted(&mut self, quote: char) {
        if quote == '`' && self.family == Family::Python {
            self.at += 1;
            return;
        }
        // Perl's old package separator and `$'` are no strings.
        if self.family == Family::Perl && self.at > 0 && self.chars.get(self.at - 1) == Some(&'$') {
            self.at += 1;
            return;
        }
        self.string(quote, "");
    }

    pub(super) fn string(&mut self, quote: char, prefix: &str) {
        let triple = self.family == Family::Python
            && self.peek(1) == Some(quote)
            && self.peek(2) == Some(quote);
        let times = if triple { 3 } else { 1 };
        let kind = holes(self.family, quote, prefix);
        let single = quote == '\'' && self.is(&[Family::Perl, Family::Ruby, Family::Php]);
        let raw = prefix.contains(['r', 'R']);
        let body = Body {
            chars: &self.chars,
            from: self.at + times,
            close: quote,
            open: None,
            times,
            holes: kind,
            escapes: !single && !raw,
        };
        let (parts, end, closed) = body.read();
        self.at = end;
        self.out.unclear |= !closed;
        let runs = quote == '`' && self.is(&[Family::Perl, Family::Ruby, Family::Php]);
        self.push(if runs {
            Token::Run(parts)
        } else {
            Token::Text(parts)
        });
    }

    /// The text between the delimiter at the current place and its closing one.
    pub(super) fn delimited(&mut self, open: char, kind: Holes) -> Vec<Part> {
        let close = closer(open);
        let body = Body {
            chars: &self.chars,
            from: self.at + 1,
            close,
            open: (close != open).then_some(open),
            times: 1,
            holes: kind,
            escapes: kind != Holes::None,
        };
        let (parts, end, closed) = body.read();
        self.at = end;
        self.out.unclear |= !closed;
        parts
    }

    /// `q()`, `qq()`, `qw()`, `qx()`, `m()`, `s()()`, `tr()()`.
    pub(super) fn perl_quote(&mut self, name: &str) -> bool {
        if !matches!(
            name,
            "q" | "qq" | "qw" | "qx" | "qr" | "m" | "s" | "tr" | "y"
        ) {
            return false;
        }
        let sigil = matches!(
            self.out.tokens.last(),
            Some(Token::Sign("$" | "@" | "%" | "&" | "->" | "::"))
        );
        let start = self.at;
        while name.starts_with('q') && self.peek(0).is_some_and(char::is_whitespace) {
            self.at += 1;
        }
        let open = self.peek(0);
        let plain = match open {
            None | Some(',' | ';' | '=' | ')' | '}') => true,
            Some('-') => self.peek(1) == Some('>'),
            Some(c) => c.is_whitespace() || c.is_alphanumeric() || c == '_',
        };
        let (Some(open), false) = (open, plain || sigil) else {
            self.at = start;
            return false;
        };
        let kind = match name {
            "qq" | "qx" if open != '\'' => Holes::Sigils,
            _ => Holes::None,
        };
        let first = self.delimited(open, kind);
        let plain_text = || -> String {
            first
                .iter()
                .map(|part| match part {
                    Part::Text(text) | Part::Code(text) => text.as_str(),
                })
                .collect()
        };
        match name {
            "q" | "qq" => self.push(Token::Text(first)),
            "qx" => self.push(Token::Run(first)),
            "qw" => {
                let words = plain_text().split_whitespace().map(str::to_owned).collect();
                self.push(Token::Words(words));
            }
            "s" | "tr" | "y" => {
                let pattern = plain_text();
                let mut second = open;
                if closer(open) == open {
                    self.at -= 1;
                } else {
                    while self.peek(0).is_some_and(char::is_whitespace) {
                        self.at += 1;
                    }
                    second = self.peek(0).unwrap_or(open);
                }
                let replacement = self.delimited(second, Holes::Sigils);
                let flags = self.word();
                self.push(Token::Pattern(pattern));
                if name == "s" && flags.contains('e') {
                    let code: String = replacement
                        .iter()
                        .map(|part| match part {
                            Part::Text(text) | Part::Code(text) => text.as_str(),
                        })
                        .collect();
                    self.push(Token::Sign(","));
                    self.push(Token::Text(vec![Part::Code(code)]));
                } else {
                    self.push(Token::Sign(","));
                    self.push(Token::Text(replacement));
                }
            }
            _ => {
                let pattern = plain_text();
                self.word();
                self.push(Token::Pattern(pattern));
            }
        }
        true
    }

    /// Ruby's `%w[]`, `%x()`, `%q()` and `%()`.
    pub(super) fn percent(&mut self) -> bool {
        let letter = self.peek(1).unwrap_or(' ');
        let (letter, skip) = if letter.is_ascii_alphabetic() {
            (letter, 2)
        } else {
            ('Q', 1)
        };
        let open = self.peek(skip).unwrap_or(' ');
        let literal = matches!(letter, 'w' | 'W' | 'i' | 'I' | 'x' | 'q' | 'Q' | 'r' | 's')
            && (matches!(open, '(' | '[' | '{' | '<')
                || skip == 2 && matches!(open, '|' | '!' | '/' | '"' | '\'' | '^' | '#'))
            && (skip == 2 || self.expects_operand());
        if !literal {
            return false;
        }
        self.at += skip;
        let kind = if matches!(letter, 'x' | 'Q' | 'W' | 'r') {
            Holes::Hash
        } else {
            Holes::None
        };
        let parts = self.delimited(open, kind);
        let text = || -> String {
            parts
                .iter()
                .map(|part| match part {
                    Part::Text(text) | Part::Code(text) => text.as_str(),
                })
                .collect()
        };
        let token = match letter {
            'x' => Token::Run(parts),
            'r' => Token::Pattern(text()),
            'w' | 'W' | 'i' | 'I' => {
                Token::Words(text().split_whitespace().map(str::to_owned).collect())
            }
            _ => Token::Text(parts),
        };
        self.push(token);
        true
    }

    /// `<src/*.c>` is what the pattern finds; `<STDIN>` and `<$file>` are lines that are read.
    pub(super) fn angled(&mut self) -> bool {
        let value = match self.out.tokens.as_slice() {
            [.., Token::Sign("$" | "@" | "%"), Token::Name(_)] => true,
            [.., Token::Name(_) | Token::Line] | [] => false,
            [.., Token::Sign(sign)] => matches!(*sign, ")" | "]" | "}"),
            [
                ..,
                Token::Number(_)
                | Token::Text(_)
                | Token::Words(_)
                | Token::Run(_)
                | Token::Pattern(_),
            ] => true,
        };
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let rest = rest.get(..rest.len().min(PATTERN)).unwrap_or_default();
        let end = rest
            .iter()
            .position(|c| matches!(c, '>' | '\n' | ';' | '='));
        let Some(inner) = end.and_then(|end| rest.get(..end)) else {
            return false;
        };
        let found = inner
            .iter()
            .any(|c| matches!(c, '*' | '?' | '.' | '/' | '~' | '{'));
        if value || !found || rest.get(inner.len()) != Some(&'>') {
            return false;
        }
        self.push(Token::Name("glob".to_owned()));
        let parts = self.delimited('<', Holes::Sigils);
        self.push(Token::Text(parts));
        true
    }

    pub(super) fn pattern(&mut self) {
        if self.searched >= SEARCHED {
            self.out.unclear = true;
            self.sign();
            return;
        }
        let mut end = self.at + 1;
        let mut class = false;
        while let Some(&c) = self.chars.get(end) {
            match c {
                '\\' => end += 1,
                '\n' => break,
                '[' => class = true,
                ']' => class = false,
                '/' if !class => break,
                _ => {}
            }
            end += 1;
        }
        if self.chars.get(end) != Some(&'/') {
            self.searched += end - self.at;
            self.sign();
            return;
        }
        let text: String = self
            .chars
            .get(self.at + 1..end)
            .unwrap_or_default()
            .iter()
            .collect();
        self.at = end + 1;
        self.word();
        self.push(Token::Pattern(text));
    }
}
