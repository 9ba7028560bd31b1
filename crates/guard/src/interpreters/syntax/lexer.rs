//! Characters to tokens.

use super::strings::{Body, Holes, closer, holes};
use super::{Family, Lexed, Part, Token};

/// Signs of several characters, longest first.
const LONG: &[&str] = &[
    "===", "!==", "...", "||=", "&&=", "??=", "<=>", "->", "=>", "::", ":=", "==", "!=", "+=",
    "-=", ".=", "*=", "/=", "&&", "||", "??", "?.", "**", "<<", ">>", "<=", ">=", "..", "=~", "!~",
];
const SHORT: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Characters looked through in vain for the ends of here-documents and patterns; behind that their signs
/// are taken for operators.
const SEARCHED: usize = 400_000;

struct Lexer {
    chars: Vec<char>,
    at: usize,
    family: Family,
    out: Lexed,
    searched: usize,
    /// Here-documents whose text starts on the next line: the word, and whether it holds code.
    waiting: Vec<(String, Holes)>,
}

/// Splits program text into tokens.
pub(in crate::interpreters) fn tokens(code: &str, family: Family) -> Lexed {
    let mut lexer = Lexer {
        chars: code.chars().collect(),
        at: 0,
        family,
        out: Lexed::default(),
        searched: 0,
        waiting: Vec::new(),
    };
    while lexer.at < lexer.chars.len() {
        lexer.token();
    }
    lexer.out
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn push(&mut self, token: Token) {
        self.out.tokens.push(token);
    }

    fn is(&self, families: &[Family]) -> bool {
        families.contains(&self.family)
    }

    fn token(&mut self) {
        let Some(c) = self.peek(0) else { return };
        let next = self.peek(1);
        match c {
            '\n' => self.line(),
            '\\' if next == Some('\n') => self.at += 2,
            c if c.is_whitespace() => self.at += 1,
            '#' if self.family != Family::JavaScript
                && !(self.family == Family::Perl
                    && self.at > 0
                    && self.chars.get(self.at - 1) == Some(&'$')) =>
            {
                self.skip_line();
            }
            '/' if next == Some('/') && self.is(&[Family::JavaScript, Family::Php]) => {
                self.skip_line();
            }
            '/' if next == Some('*') && self.is(&[Family::JavaScript, Family::Php]) => {
                self.at += 2;
                while self.at < self.chars.len()
                    && !(self.peek(0) == Some('*') && self.peek(1) == Some('/'))
                {
                    self.at += 1;
                }
                self.at += 2;
            }
            '/' if self.is(&[Family::JavaScript, Family::Perl, Family::Ruby])
                && self.expects_operand() =>
            {
                self.pattern();
            }
            '\'' | '"' | '`' => self.quoted(c),
            '%' if self.family == Family::Ruby && self.percent() => {}
            ':' if self.family == Family::Ruby
                && next.is_some_and(|c| c.is_alphabetic() || c == '_')
                && (self.at == 0 || self.chars.get(self.at - 1) != Some(&':')) =>
            {
                self.at += 1;
                let name = self.word();
                self.push(Token::Text(vec![Part::Text(name)]));
            }
            '<' if next == Some('<') && self.here_document() => {}
            c if c.is_ascii_digit() => {
                let number = self.word();
                self.push(Token::Number(number));
            }
            c if c.is_alphanumeric() || c == '_' => self.name(),
            '$' if self.family == Family::JavaScript => self.name(),
            _ => self.sign(),
        }
    }

    fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// The end of a line, and what only counts at the start of the next one.
    fn line(&mut self) {
        self.at += 1;
        self.push(Token::Line);
        for (word, kind) in std::mem::take(&mut self.waiting) {
            self.here_text(&word, kind);
        }
        // Documentation between `=begin` and `=end`, `=pod` and `=cut`.
        if self.is(&[Family::Perl, Family::Ruby])
            && self.peek(0) == Some('=')
            && self.peek(1).is_some_and(char::is_alphabetic)
        {
            let ends = ["=cut", "=end"];
            loop {
                let start = self.at;
                self.skip_line();
                let line: String = self
                    .chars
                    .get(start..self.at)
                    .unwrap_or_default()
                    .iter()
                    .collect();
                if ends.iter().any(|end| line.starts_with(end)) || self.at >= self.chars.len() {
                    return;
                }
                self.at += 1;
            }
        }
    }

    fn here_text(&mut self, word: &str, kind: Holes) {
        let start = self.at;
        loop {
            let from = self.at;
            self.skip_line();
            let line: String = self
                .chars
                .get(from..self.at)
                .unwrap_or_default()
                .iter()
                .collect();
            let ended = line.trim().trim_end_matches([';', ')', ',']) == word;
            if ended || self.at >= self.chars.len() {
                let body = self.chars.get(start..from).unwrap_or_default().to_vec();
                let read = Body {
                    chars: &body,
                    from: 0,
                    close: '\0',
                    open: None,
                    times: 1,
                    holes: kind,
                    escapes: kind != Holes::None,
                };
                let (parts, _, _) = read.read();
                self.push(Token::Text(parts));
                return;
            }
            self.at += 1;
        }
    }

    /// `<<WORD`, when its end exists further down.
    fn here_document(&mut self) -> bool {
        if !self.is(&[Family::Perl, Family::Ruby, Family::Php]) {
            return false;
        }
        let mut at = self.at + 2;
        while matches!(self.chars.get(at), Some('<' | '~' | '-')) {
            at += 1;
        }
        let quote = self
            .chars
            .get(at)
            .copied()
            .filter(|c| matches!(c, '\'' | '"' | '`'));
        at += usize::from(quote.is_some());
        let start = at;
        while self
            .chars
            .get(at)
            .is_some_and(|c| c.is_alphanumeric() || *c == '_')
        {
            at += 1;
        }
        let word: String = self
            .chars
            .get(start..at)
            .unwrap_or_default()
            .iter()
            .collect();
        if word.is_empty() || self.searched >= SEARCHED {
            return false;
        }
        at += usize::from(quote.is_some());
        let rest = self.chars.get(at..).unwrap_or_default();
        let mut lines = rest.split(|c| *c == '\n');
        let mut searched = lines.next().map_or(0, <[char]>::len);
        let found = lines.any(|line| {
            searched += line.len() + 1;
            let line: String = line.iter().take(word.len() + 200).collect();
            line.trim().trim_end_matches([';', ')', ',']) == word
        });
        self.searched += searched;
        self.out.unclear |= self.searched >= SEARCHED;
        if !found {
            return false;
        }
        let kind = match (self.family, quote) {
            (_, Some('\'')) => Holes::None,
            (Family::Ruby, _) => Holes::Hash,
            _ => Holes::Sigils,
        };
        if quote == Some('`') {
            // Its text would run.
            self.push(Token::Run(vec![Part::Code(String::new())]));
        }
        self.at = at;
        self.waiting.push((word, kind));
        true
    }

    fn word(&mut self) -> String {
        let start = self.at;
        while self.peek(0).is_some_and(|c| {
            c.is_alphanumeric() || c == '_' || c == '$' && self.family == Family::JavaScript
        }) {
            self.at += 1;
        }
        self.chars
            .get(start..self.at)
            .unwrap_or_default()
            .iter()
            .collect()
    }

    fn name(&mut self) {
        let name = self.word();
        if self.family == Family::Perl && self.perl_quote(&name) {
            return;
        }
        if matches!(name.as_str(), "__END__" | "__DATA__") && self.is(&[Family::Perl, Family::Ruby])
        {
            self.at = self.chars.len();
            return;
        }
        let quote = self.peek(0);
        if self.family == Family::Python
            && name.len() <= 2
            && name.chars().all(|c| "rRbBuUfFtT".contains(c))
            && let Some(quote @ ('\'' | '"')) = quote
        {
            self.string(quote, &name);
            return;
        }
        self.push(Token::Name(name));
    }

    /// `q()`, `qq()`, `qw()`, `qx()`, `m()`, `s()()`, `tr()()`.
    fn perl_quote(&mut self, name: &str) -> bool {
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
                } else if name == "s" {
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

    /// The text between the delimiter at the current place and its closing one.
    fn delimited(&mut self, open: char, kind: Holes) -> Vec<Part> {
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

    /// Ruby's `%w[]`, `%x()`, `%q()` and `%()`.
    fn percent(&mut self) -> bool {
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

    /// Whether a value is expected here, so that a slash starts a pattern.
    fn expects_operand(&self) -> bool {
        match self.out.tokens.last() {
            None | Some(Token::Line) => true,
            Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "}"),
            Some(Token::Name(name)) => matches!(
                name.as_str(),
                "return"
                    | "typeof"
                    | "case"
                    | "in"
                    | "of"
                    | "and"
                    | "or"
                    | "not"
                    | "if"
                    | "unless"
                    | "while"
                    | "until"
                    | "when"
                    | "split"
                    | "grep"
                    | "print"
                    | "puts"
                    | "then"
                    | "elsif"
                    | "do"
                    | "else"
                    | "yield"
                    | "await"
                    | "void"
                    | "delete"
                    | "new"
            ),
            Some(
                Token::Number(_)
                | Token::Text(_)
                | Token::Words(_)
                | Token::Run(_)
                | Token::Pattern(_),
            ) => false,
        }
    }

    fn pattern(&mut self) {
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

    fn quoted(&mut self, quote: char) {
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

    fn string(&mut self, quote: char, prefix: &str) {
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

    fn sign(&mut self) {
        let ahead: String = (0..3).filter_map(|at| self.peek(at)).collect();
        if let Some(long) = LONG.iter().find(|long| ahead.starts_with(**long)) {
            self.at += long.len();
            self.push(Token::Sign(long));
            return;
        }
        self.at += 1;
        let sign = ahead
            .chars()
            .next()
            .and_then(|c| SHORT.find(c))
            .and_then(|at| SHORT.get(at..=at));
        self.push(Token::Sign(sign.unwrap_or("?")));
    }
}
