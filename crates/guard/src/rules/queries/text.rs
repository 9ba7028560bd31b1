//! The words of statements for a database, without comments and without what stands between quotes.
//!
//! Databases differ in what they take for a comment and for a quoted text. Text that would hide a statement from one
//! of them is not read at all.

/// A word, a parenthesis, or an equals sign.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// In small letters; a command of a client with its `.` or `\`.
    pub(super) text: String,
    /// A name between quotes is never a word of the language.
    pub(super) quoted: bool,
}

/// The words of each statement; `None` if databases disagree about where a text ends.
pub(super) fn statements(sql: &str) -> Option<Vec<Vec<Word>>> {
    let mut text = Text {
        left: sql.chars().collect(),
        at: 0,
    };
    let mut found = vec![Vec::new()];
    let mut command = false;
    while let Some(c) = text.peek(0) {
        match c {
            ';' => {
                text.at += 1;
                found.push(Vec::new());
            }
            '\n' if command => {
                command = false;
                text.at += 1;
                found.push(Vec::new());
            }
            '\'' => text.quoted(c)?,
            '"' | '`' => {
                let from = text.at + 1;
                text.quoted(c)?;
                let name: String = text.between(from, text.at.saturating_sub(1));
                push(&mut found, name.to_lowercase(), true);
            }
            '-' if text.peek(1) == Some('-') => text.line_comment(),
            '/' if text.peek(1) == Some('*') => text.comment()?,
            '$' => text.dollar()?,
            '(' | '=' => {
                text.at += 1;
                push(&mut found, c.to_string(), false);
            }
            // A command of a client ends with its line.
            '.' | '\\' if found.last().is_some_and(Vec::is_empty) => {
                command = true;
                text.at += 1;
                let name = text.word();
                push(&mut found, format!("{c}{name}"), false);
            }
            '\\' => {
                text.at += 1;
                let name = text.word();
                push(&mut found, format!("\\{name}"), false);
            }
            _ if is_of_word(c) => {
                let name = text.word();
                push(&mut found, name, false);
            }
            _ => text.at += 1,
        }
    }
    Some(found)
}

fn push(found: &mut [Vec<Word>], text: String, quoted: bool) {
    if let Some(last) = found.last_mut() {
        last.push(Word { text, quoted });
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Text {
    left: Vec<char>,
    at: usize,
}

impl Text {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.left.get(self.at + ahead).copied()
    }

    fn between(&self, from: usize, to: usize) -> String {
        self.left.get(from..to).unwrap_or_default().iter().collect()
    }

    fn word(&mut self) -> String {
        let from = self.at;
        while self.peek(0).is_some_and(is_of_word) {
            self.at += 1;
        }
        self.between(from, self.at).to_lowercase()
    }

    fn line(&mut self) {
        while self.peek(0).is_some_and(|c| c != '\n') {
            self.at += 1;
        }
    }

    /// Skips a text between quotes. Behind a backslash one database ends it and another does not.
    fn quoted(&mut self, quote: char) -> Option<()> {
        self.at += 1;
        let mut before = quote;
        while let Some(c) = self.peek(0) {
            self.at += 1;
            if c == quote {
                return (before != '\\').then_some(());
            }
            before = c;
        }
        // What is not closed is an error everywhere.
        Some(())
    }

    /// `-- text`; without a blank behind it some take it for a sum, so that the words behind it count.
    fn line_comment(&mut self) {
        if self.peek(2).is_none_or(char::is_whitespace) {
            self.line();
        } else {
            self.at += 2;
        }
    }

    /// `/* text */`; what stands in `/*! */` is run by some, and not all nest one in another.
    fn comment(&mut self) -> Option<()> {
        self.at += 2;
        if matches!(self.peek(0), Some('!' | 'M' | 'm')) && self.runs() {
            return None;
        }
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('*', Some('/')) => {
                    self.at += 2;
                    return Some(());
                }
                ('/', Some('*')) => return None,
                _ => self.at += 1,
            }
        }
        None
    }

    fn runs(&self) -> bool {
        self.peek(0) == Some('!') || self.peek(1) == Some('!')
    }

    /// Skips `$$text$$` and `$name$text$name$`. What would be a statement of its own in it is hidden from some only.
    fn dollar(&mut self) -> Option<()> {
        let mut end = self.at + 1;
        while self.left.get(end).copied().is_some_and(is_of_word) {
            end += 1;
        }
        if self.left.get(end) != Some(&'$') {
            self.at += 1;
            return Some(());
        }
        let mark: Vec<char> = self.left.get(self.at..=end)?.to_vec();
        let body = self.left.get(end + 1..)?;
        let length = body
            .windows(mark.len())
            .position(|window| window == mark.as_slice())?;
        if body.iter().take(length).any(|c| *c == ';') {
            return None;
        }
        self.at = end + 1 + length + mark.len();
        Some(())
    }
}
