//! Editable text of one or several lines.
//!
//! Keeps text and cursor only; how it is drawn and what `Enter` means is its owner's business.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::tui::keymap::Key;

/// Columns that a tab takes while it is edited.
pub(crate) const TAB: usize = 4;

/// A text with a cursor, measured in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TextField {
    lines: Vec<String>,
    row: usize,
    col: usize,
    multi: bool,
}

impl TextField {
    /// Makes a field of one line.
    pub(crate) fn single(text: &str) -> Self {
        Self::with(text, false)
    }

    /// Makes a field of several lines.
    pub(crate) fn multi(text: &str) -> Self {
        Self::with(text, true)
    }

    fn with(text: &str, multi: bool) -> Self {
        let mut field = Self {
            lines: vec![String::new()],
            row: 0,
            col: 0,
            multi,
        };
        field.insert(text);
        field
    }

    /// Puts the cursor before the first character.
    pub(crate) fn go_to_start(&mut self) {
        (self.row, self.col) = (0, 0);
    }

    /// Gives the whole text.
    pub(crate) fn text(&self) -> String {
        self.lines.join("\n")
    }

    /// Gives the lines.
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Tells whether nothing but white space was written.
    pub(crate) fn is_blank(&self) -> bool {
        self.lines.iter().all(|l| l.trim().is_empty())
    }

    /// Gives the cursor as line and display column.
    pub(crate) fn cursor(&self) -> (usize, usize) {
        let before: String = self.line().chars().take(self.col).collect();
        // A tab is drawn as `TAB` columns, wherever it is.
        let tabs = before.matches('\t').count();
        (self.row, before.replace('\t', "").width() + tabs * TAB)
    }

    fn line(&self) -> &str {
        self.lines.get(self.row).map_or("", String::as_str)
    }

    fn line_len(&self) -> usize {
        self.line().chars().count()
    }

    /// Inserts typed or pasted text; line ends become spaces where there is only one line.
    pub(crate) fn insert(&mut self, text: &str) {
        for c in text.replace("\r\n", "\n").chars() {
            match c {
                '\n' | '\r' if self.multi => self.break_line(),
                '\t' if self.multi => self.insert_char('\t'),
                '\n' | '\r' | '\t' => self.insert_char(' '),
                c if c.width().is_some() => self.insert_char(c),
                _ => {}
            }
        }
    }

    fn insert_char(&mut self, c: char) {
        let at = self.byte(self.col);
        if let Some(line) = self.lines.get_mut(self.row) {
            line.insert(at, c);
            self.col += 1;
        }
    }

    fn break_line(&mut self) {
        let at = self.byte(self.col);
        if let Some(line) = self.lines.get_mut(self.row) {
            let rest = line.split_off(at);
            self.lines.insert(self.row + 1, rest);
            self.row += 1;
            self.col = 0;
        }
    }

    fn byte(&self, col: usize) -> usize {
        let line = self.line();
        line.char_indices().nth(col).map_or(line.len(), |(i, _)| i)
    }

    /// Applies an editing key; tells whether it was one.
    pub(crate) fn key(&mut self, key: Key) -> bool {
        if let Some(c) = key.plain_char() {
            self.insert_char(c);
            return true;
        }
        match key.name().as_str() {
            "Enter" | "Shift-Enter" | "Alt-Enter" if self.multi => self.break_line(),
            "Backspace" => self.backspace(),
            "Del" => self.delete(),
            "Left" => self.left(),
            "Right" => self.right(),
            "Up" if self.multi && self.row > 0 => self.go(self.row - 1),
            "Down" if self.multi && self.row + 1 < self.lines.len() => self.go(self.row + 1),
            "Home" => self.col = 0,
            "End" => self.col = self.line_len(),
            "^A" => self.col = 0,
            "^E" => self.col = self.line_len(),
            "^U" => self.cut(0, self.col),
            "^K" => self.cut(self.col, self.line_len()),
            "^W" | "Alt-Backspace" | "Ctrl-Backspace" => self.cut(self.word_start(), self.col),
            _ => return false,
        }
        true
    }

    fn go(&mut self, row: usize) {
        self.row = row;
        self.col = self.col.min(self.line_len());
    }

    fn left(&mut self) {
        if self.col > 0 {
            self.col -= 1;
        } else if self.row > 0 {
            self.row -= 1;
            self.col = self.line_len();
        }
    }

    fn right(&mut self) {
        if self.col < self.line_len() {
            self.col += 1;
        } else if self.row + 1 < self.lines.len() {
            self.row += 1;
            self.col = 0;
        }
    }

    fn backspace(&mut self) {
        if self.col == 0 && self.row == 0 {
            return;
        }
        self.left();
        self.delete();
    }

    fn delete(&mut self) {
        if self.col < self.line_len() {
            self.cut(self.col, self.col + 1);
        } else if self.row + 1 < self.lines.len() {
            let next = self.lines.remove(self.row + 1);
            if let Some(line) = self.lines.get_mut(self.row) {
                line.push_str(&next);
            }
        }
    }

    fn word_start(&self) -> usize {
        let before: Vec<char> = self.line().chars().take(self.col).collect();
        let end = before.iter().rposition(|c| *c != ' ').map_or(0, |i| i + 1);
        let word = before.iter().take(end).rposition(|c| *c == ' ');
        word.map_or(0, |i| i + 1)
    }

    fn cut(&mut self, from: usize, to: usize) {
        let (start, end) = (self.byte(from), self.byte(to));
        if let Some(line) = self.lines.get_mut(self.row) {
            line.replace_range(start..end, "");
            self.col = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn keys(field: &mut TextField, names: &[&str]) {
        for name in names {
            field.key(Key::parse(name).unwrap());
        }
    }

    #[test]
    fn editing_in_the_middle_of_wide_text() {
        let mut field = TextField::single("日本x");
        keys(&mut field, &["left", "left", "backspace", "z"]);
        assert_eq!(field.text(), "z本x");
        assert_eq!(field.cursor(), (0, 1));
    }

    #[test]
    fn words_and_lines_are_cut() {
        let mut field = TextField::single("one two  ");
        keys(&mut field, &["ctrl-w"]);
        assert_eq!(field.text(), "one ");
        keys(&mut field, &["ctrl-u"]);
        assert!(field.is_blank());
    }

    #[test]
    fn one_line_stays_one_line() {
        let mut field = TextField::single("");
        field.insert("a\r\nb\tc\x1b");
        assert_eq!(field.text(), "a b c");
        assert!(!field.key(Key::parse("enter").unwrap()));
    }

    #[test]
    fn lines_are_joined_from_both_sides() {
        let mut field = TextField::multi("ab\ncd");
        keys(&mut field, &["home", "backspace"]);
        assert_eq!((field.text().as_str(), field.cursor()), ("abcd", (0, 2)));
        keys(&mut field, &["enter", "left", "delete"]);
        assert_eq!(field.text(), "abcd");
    }

    proptest! {
        #[test]
        fn the_cursor_never_leaves_the_text(
            text in "[a-z日\n ]{0,20}",
            moves in proptest::collection::vec(0usize..11, 0..40),
        ) {
            let names = ["left", "right", "up", "down", "home", "end", "delete",
                "backspace", "enter", "ctrl-w", "ctrl-k"];
            let mut field = TextField::multi(&text);
            for m in moves {
                field.key(Key::parse(names[m]).unwrap());
                let (row, col) = field.cursor();
                prop_assert!(row < field.lines().len());
                prop_assert!(col <= field.lines()[row].width());
            }
        }
    }
}
