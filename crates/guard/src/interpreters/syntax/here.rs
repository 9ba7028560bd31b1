//! Here-documents of Perl, Ruby and PHP.

use super::lexer::{Lexer, SEARCHED};
use super::strings::{Body, Holes};
use super::{Family, Part, Token};

impl Lexer {
    pub(super) fn here_text(&mut self, word: &str, kind: Holes) {
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
    pub(super) fn here_document(&mut self) -> bool {
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
}
