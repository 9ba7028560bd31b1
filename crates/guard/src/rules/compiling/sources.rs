//! Source text of languages that are compiled, taken apart: what is code, what stands in quotes, and what is a comment.
//!
//! Where it is in doubt what is which, nothing is taken apart.

/// A source without its comments.
pub(super) struct Source {
    /// Without what stands in quotes.
    pub(super) code: String,
    /// With it.
    pub(super) spoken: String,
    /// The comments that document it.
    pub(super) documented: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Go,
    C,
}

struct Reader<'a> {
    chars: &'a [char],
    at: usize,
    language: Language,
    source: Source,
}

/// Takes a source apart; `None` for languages that are not known here, and for what other rules than these may decide.
pub(super) fn taken_apart(text: &str, ending: &str) -> Option<Source> {
    let language = match ending {
        "rs" => Language::Rust,
        "go" => Language::Go,
        "c" | "cc" | "cpp" | "cxx" => Language::C,
        _ => return None,
    };
    let doubtful = match language {
        // The comment before it is C.
        Language::Go => text.contains("\"C\"") || text.contains("`C`"),
        // Lines that go on, raw strings, numbers in parts.
        Language::C => {
            text.contains("\\\n")
                || text.contains("\\\r")
                || text.contains("R\"")
                || has_number_in_parts(text)
        }
        Language::Rust => false,
    };
    if doubtful {
        return None;
    }
    let chars: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        chars: &chars,
        at: 0,
        language,
        source: Source {
            code: String::with_capacity(text.len()),
            spoken: String::with_capacity(text.len()),
            documented: String::new(),
        },
    };
    reader.read();
    Some(reader.source)
}

/// `1'000` of C++, and other letters before a quote.
fn has_number_in_parts(text: &str) -> bool {
    let within = |trio: &[u8]| matches!(trio, [before, b'\'', behind] if before.is_ascii_alphanumeric() && behind.is_ascii_alphanumeric());
    text.as_bytes().windows(3).any(within)
}

impl Reader<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn read(&mut self) {
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('/')) => self.line_comment(),
                ('/', Some('*')) => self.block_comment(),
                ('"', _) => self.string(),
                ('`', _) if self.language == Language::Go => self.quoted_to("`"),
                ('\'', _) => self.letter(),
                ('r', Some('"' | '#')) if self.begins_raw() => self.raw(),
                _ => self.plain(c),
            }
        }
    }

    fn plain(&mut self, c: char) {
        self.source.code.push(c);
        self.source.spoken.push(c);
        self.at += 1;
    }

    fn line_comment(&mut self) {
        let rest = self.chars.get(self.at..).unwrap_or_default();
        let line: String = rest.iter().take_while(|c| **c != '\n').collect();
        self.at += line.chars().count();
        let documents = line.starts_with("///") || line.starts_with("//!");
        if self.language == Language::Rust && documents {
            self.source.documented.push_str(&line);
            self.source.documented.push('\n');
        }
        // `//go:generate` is followed.
        if self.language == Language::Go && line.starts_with("//go:") {
            self.source.code.push_str(&line);
            self.source.spoken.push_str(&line);
        }
    }

    /// Only those of Rust nest.
    fn block_comment(&mut self) {
        let from = self.at;
        let mut depth = 0_usize;
        while let Some(c) = self.peek(0) {
            match (c, self.peek(1)) {
                ('/', Some('*')) if depth == 0 || self.language == Language::Rust => {
                    depth += 1;
                    self.at += 2;
                }
                ('*', Some('/')) => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        if self.language == Language::Rust {
            let text = self.chars.get(from..self.at).unwrap_or_default();
            self.source.documented.extend(text);
        }
        self.source.code.push(' ');
        self.source.spoken.push(' ');
    }

    /// A string with escapes, which in Rust may go over several lines.
    fn string(&mut self) {
        self.source.code.push('"');
        self.source.spoken.push('"');
        self.at += 1;
        while let Some(c) = self.peek(0) {
            if c == '\n' && self.language != Language::Rust {
                return;
            }
            self.source.spoken.push(c);
            self.at += 1;
            match c {
                '"' => {
                    self.source.code.push('"');
                    return;
                }
                '\\' => {
                    self.source.spoken.extend(self.peek(0));
                    self.at += 1;
                }
                _ => {}
            }
        }
    }

    /// `'"'`, `'\''`; in Rust also the name of a lifetime.
    fn letter(&mut self) {
        let closes = if self.peek(1) == Some('\\') {
            let rest = self.chars.get(self.at + 3..).unwrap_or_default();
            let mut line = rest.iter().take_while(|c| **c != '\n');
            line.position(|c| *c == '\'').map(|at| at + 3)
        } else if self.language == Language::C {
            let rest = self.chars.get(self.at + 1..).unwrap_or_default();
            let mut line = rest.iter().take_while(|c| **c != '\n');
            line.position(|c| *c == '\'').map(|at| at + 1)
        } else {
            (self.peek(2) == Some('\'')).then_some(2)
        };
        match closes {
            Some(length) => {
                let text = self
                    .chars
                    .get(self.at..=self.at + length)
                    .unwrap_or_default();
                self.source.spoken.extend(text);
                self.at += length + 1;
            }
            None => self.plain('\''),
        }
    }

    /// Whether `r` begins a raw string here, and is not the end of a name.
    fn begins_raw(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).and_then(|at| self.chars.get(at));
        let in_name = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let prefixed = matches!(before(1), Some('b' | 'c')) && !in_name(before(2));
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let hashes = rest.iter().take_while(|c| **c == '#').count();
        self.language == Language::Rust
            && (!in_name(before(1)) || prefixed)
            && rest.get(hashes) == Some(&'"')
    }

    fn raw(&mut self) {
        let rest = self.chars.get(self.at + 1..).unwrap_or_default();
        let hashes = rest.iter().take_while(|c| **c == '#').count();
        self.at += 1 + hashes;
        self.quoted_to(&format!("\"{}", "#".repeat(hashes)));
    }

    /// Text without escapes, from its first sign to this end.
    fn quoted_to(&mut self, end: &str) {
        self.source.code.push('"');
        self.source.spoken.push('"');
        self.at += 1;
        let end: Vec<char> = end.chars().collect();
        while let Some(c) = self.peek(0) {
            let rest = self.chars.get(self.at..).unwrap_or_default();
            if rest.starts_with(&end) {
                self.at += end.len();
                break;
            }
            self.source.spoken.push(c);
            self.at += 1;
        }
        self.source.code.push('"');
        self.source.spoken.push('"');
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::taken_apart;

    #[test]
    fn quotes_in_comments_and_comments_in_quotes_end_where_the_compiler_has_them_end() {
        for (ending, text, code) in [
            ("rs", "a // \"\nb", "a \nb"),
            ("rs", "/* /* \" */ */ b \"//\" c", "  b \"\" c"),
            ("rs", "r#\"a\"b\"# c 'x' '\"' <'a>", "\"\" c   <'a>"),
            ("rs", "bar(\"a\") b'\"' c", "bar(\"\") b c"),
            ("go", "`/*` a '\\'' b", "\"\" a  b"),
            ("c", "/* /* */ a /* */ 'x' \"\\\"\" b", "  a    \"\" b"),
        ] {
            assert_eq!(taken_apart(text, ending).unwrap().code, code, "{text}");
        }
        assert!(taken_apart("// \\\nsystem", "c").is_none());
        assert!(taken_apart("int a = 1'000;", "cpp").is_none());
    }
}
