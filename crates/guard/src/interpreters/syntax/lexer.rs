//! Characters to tokens: names, numbers, signs and lines. What stands between quotes is read beside this file.

use super::strings::Holes;
use super::{Family, Lexed, Part, Token};

/// Signs of several characters, longest first.
const LONG: &[&str] = &[
    "===", "!==", "...", "||=", "&&=", "??=", "<=>", "->", "=>", "::", ":=", "==", "!=", "+=",
    "-=", ".=", "*=", "/=", "&&", "||", "??", "?.", "**", "<<", ">>", "<=", ">=", "..", "=~", "!~",
];
const SHORT: &str = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/// Characters looked through in vain for the ends of here-documents and patterns; behind that their signs
/// are taken for operators.
pub(super) const SEARCHED: usize = 200_000;

/// Tokens one program may have; longer ones are put in a file.
pub(in crate::interpreters) const MOST_TOKENS: usize = 12_000;

pub(super) struct Lexer {
    pub(super) chars: Vec<char>,
    pub(super) at: usize,
    pub(super) family: Family,
    pub(super) out: Lexed,
    pub(super) searched: usize,
    /// Here-documents whose text starts on the next line: the word, and whether it holds code.
    pub(super) waiting: Vec<(String, Holes)>,
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
    while lexer.at < lexer.chars.len() && !lexer.out.is_cut() {
        lexer.token();
    }
    lexer.out
}

/// Code inside of a string is read like a program of its own.
const HOLE: usize = 3;
/// Words of a list that weigh as much as one token.
const WORDS: usize = 4;

fn weight(token: &Token) -> usize {
    let is_code = |part: &&Part| matches!(part, Part::Code(_));
    match token {
        Token::Text(parts) | Token::Run(parts) => 1 + HOLE * parts.iter().filter(is_code).count(),
        Token::Words(words) => 1 + words.len() / WORDS,
        Token::Name(_) | Token::Number(_) | Token::Pattern(_) | Token::Sign(_) | Token::Line => 1,
    }
}

impl Lexer {
    pub(super) fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    pub(super) fn push(&mut self, token: Token) {
        self.out.weight += weight(&token);
        self.out.tokens.push(token);
    }

    pub(super) fn is(&self, families: &[Family]) -> bool {
        families.contains(&self.family)
    }

    pub(super) fn token(&mut self) {
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
            '<' if self.family == Family::Perl && self.angled() => {}
            c if c.is_ascii_digit() => {
                let number = self.word();
                self.push(Token::Number(number));
            }
            c if c.is_alphanumeric() || c == '_' => self.name(),
            '$' if self.family == Family::JavaScript => self.name(),
            _ => self.sign(),
        }
    }

    pub(super) fn skip_line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// The end of a line, and what only counts at the start of the next one.
    pub(super) fn line(&mut self) {
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

    pub(super) fn word(&mut self) -> String {
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

    pub(super) fn name(&mut self) {
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

    /// Whether a value is expected here, so that a slash starts a pattern.
    pub(super) fn expects_operand(&self) -> bool {
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

    pub(super) fn sign(&mut self) {
        let ahead = [self.peek(0), self.peek(1), self.peek(2)];
        if matches!(
            ahead[1],
            Some('=' | '.' | '>' | ':' | '&' | '|' | '?' | '*' | '<' | '~')
        ) && let Some(long) = LONG
            .iter()
            .find(|long| long.chars().zip(ahead).all(|(c, at)| at == Some(c)))
        {
            self.at += long.len();
            self.push(Token::Sign(long));
            return;
        }
        self.at += 1;
        let sign = ahead[0]
            .and_then(|c| SHORT.find(c))
            .and_then(|at| SHORT.get(at..=at));
        self.push(Token::Sign(sign.unwrap_or("?")));
    }
}
