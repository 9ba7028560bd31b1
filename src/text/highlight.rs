//! What the parts of a line of code are: comment, text, number, keyword, name. Colours are for others
//! to choose. The grammars are loaded when the first line is asked for, which takes a moment: not for
//! the thread that draws.

/// What a stretch of code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ink {
    Plain,
    Comment,
    Text,
    Number,
    Keyword,
    Name,
}

/// A stretch of a line, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    pub length: usize,
    pub ink: Ink,
}

/// Longer lines stay plain, and so does everything after them.
#[cfg(feature = "highlight")]
const LONGEST_LINE: usize = 1000;

/// Finds the parts of some consecutive lines of a file; nothing for a language that is not known.
#[cfg(not(feature = "highlight"))]
pub fn highlight(_path: &str, lines: &[&str]) -> Vec<Vec<Run>> {
    vec![Vec::new(); lines.len()]
}

#[cfg(feature = "highlight")]
pub use grammar::highlight;

#[cfg(feature = "highlight")]
mod grammar {
    use super::{Ink, LONGEST_LINE, Run};
    use std::path::Path;
    use std::sync::OnceLock;
    use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

    fn grammars() -> &'static SyntaxSet {
        static SET: OnceLock<SyntaxSet> = OnceLock::new();
        SET.get_or_init(two_face::syntax::extra_newlines)
    }

    /// Scopes by their beginnings; the innermost that is listed decides.
    fn inks() -> &'static [(Scope, Ink)] {
        static INKS: OnceLock<Vec<(Scope, Ink)>> = OnceLock::new();
        INKS.get_or_init(|| {
            [
                ("comment", Ink::Comment),
                ("string", Ink::Text),
                ("constant", Ink::Number),
                ("keyword.operator", Ink::Plain),
                ("keyword", Ink::Keyword),
                ("storage", Ink::Keyword),
                ("entity.name", Ink::Name),
                ("support", Ink::Name),
                ("markup.heading", Ink::Keyword),
                ("markup.raw", Ink::Text),
            ]
            .into_iter()
            .filter_map(|(name, ink)| Some((Scope::new(name).ok()?, ink)))
            .collect()
        })
    }

    fn language(path: &str) -> Option<&'static SyntaxReference> {
        let path = Path::new(path);
        let name = path.file_name()?.to_str()?;
        let extension = path.extension().and_then(|e| e.to_str());
        let set = grammars();
        set.find_syntax_by_extension(name)
            .or_else(|| set.find_syntax_by_extension(extension?))
    }

    fn ink(stack: &ScopeStack) -> Ink {
        stack
            .as_slice()
            .iter()
            .rev()
            .find_map(|scope| {
                let known = inks().iter().find(|(start, _)| start.is_prefix_of(*scope));
                known.map(|(_, ink)| *ink)
            })
            .unwrap_or(Ink::Plain)
    }

    pub fn highlight(path: &str, lines: &[&str]) -> Vec<Vec<Run>> {
        let mut found = vec![Vec::new(); lines.len()];
        let Some(syntax) = language(path) else {
            return found;
        };
        let mut parser = ParseState::new(syntax);
        let mut stack = ScopeStack::new();
        for (line, runs) in lines.iter().zip(&mut found) {
            if line.len() > LONGEST_LINE {
                break;
            }
            let with_end = format!("{line}\n");
            let Ok(ops) = parser.parse_line(&with_end, grammars()) else {
                break;
            };
            let mut at = 0;
            for (place, op) in ops {
                push(runs, place.min(line.len()).saturating_sub(at), ink(&stack));
                at = at.max(place.min(line.len()));
                if stack.apply(&op).is_err() {
                    return found;
                }
            }
            push(runs, line.len().saturating_sub(at), ink(&stack));
        }
        found
    }

    fn push(runs: &mut Vec<Run>, length: usize, ink: Ink) {
        match runs.last_mut() {
            _ if length == 0 => {}
            Some(last) if last.ink == ink => last.length += length,
            Some(_) | None => runs.push(Run { length, ink }),
        }
    }
}

#[cfg(all(test, feature = "highlight"))]
mod tests {
    use super::*;

    fn parts<'a>(path: &str, line: &'a str) -> Vec<(&'a str, Ink)> {
        let mut at = 0;
        let runs = highlight(path, &[line]).remove(0);
        runs.into_iter()
            .map(|run| {
                let part = &line[at..at + run.length];
                at += run.length;
                (part, run.ink)
            })
            .collect()
    }

    #[test]
    fn code_has_its_parts_in_common_languages() {
        let rust = parts("src/a.rs", "let n = 1; // one");
        assert!(rust.contains(&("let", Ink::Keyword)), "{rust:?}");
        assert!(rust.contains(&("1", Ink::Number)), "{rust:?}");
        assert!(rust.contains(&("// one", Ink::Comment)), "{rust:?}");
        let script = parts("a.ts", "const s: string = 'x';");
        assert!(script.contains(&("'x'", Ink::Text)), "{script:?}");
        for path in [
            "Cargo.toml",
            "a.py",
            "a.go",
            "Dockerfile",
            "a.yml",
            "a.sh",
            "a.json",
        ] {
            assert!(!parts(path, "# x = \"y\"").is_empty(), "{path}");
        }
    }

    #[test]
    fn a_comment_goes_on_over_lines_and_every_byte_is_covered() {
        let lines = ["/* é", "still", "*/ fn f() {}"];
        let runs = highlight("a.rs", &lines);
        assert_eq!(
            runs[1],
            [Run {
                length: 5,
                ink: Ink::Comment
            }]
        );
        for (line, runs) in lines.iter().zip(&runs) {
            assert_eq!(runs.iter().map(|run| run.length).sum::<usize>(), line.len());
        }
        assert_eq!(highlight("no.idea", &lines), vec![Vec::new(); 3]);
    }
}
