//! The other reading of text that `sh` runs: where that is a shell without the words of bash, some of them are
//! programs that are not there, and what stands behind them runs.
//!
//! Such a text is spelled as bash would have to be given it. Only what is plainly forbidden in it counts: which shell
//! `sh` is decides the system, and most texts are meant for both.

use super::parser;
use super::state::State;
use super::walk::Walker;
use crate::policy::{Judged, rule};
use crate::rules::{fragments, is_known};

/// Words that begin a command, after which another one begins.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "while", "until", "do", "!", "{",
];

/// Words of bash that are no commands elsewhere.
const FOREIGN: &[&str] = &[
    "[[",
    "declare",
    "typeset",
    "let",
    "mapfile",
    "readarray",
    "builtin",
    "shopt",
    "coproc",
];

/// Lines taken off the end of a text until the rest can be read: a shell runs what stands before its mistake.
const MOST_TAKEN: usize = 8;
/// Longer texts are read once.
const LONG: usize = 16_384;

impl Walker<'_> {
    /// Judges text as a shell without the words of bash reads it, where that is another text.
    pub(super) fn as_dash(&mut self, code: &str, st: &State) -> Judged<()> {
        if !st.plain || st.dash {
            return Ok(());
        }
        let spelled = spelled(code);
        let without = st.without_handed();
        if spelled.is_none() && without.is_none() {
            return Ok(());
        }
        let text = spelled.unwrap_or_else(|| code.to_owned());
        // Where a program stands behind the name of a function, it is that one that runs.
        let strict = without.is_some() && st.handed.keys().any(|name| is_known(name));
        let mut inner = without.unwrap_or_else(|| st.clone());
        inner.dash = true;
        let shown = self.trace.as_ref().map_or(0, Vec::len);
        self.beginning(&text, strict, &mut inner)?;
        if let Some(trace) = &mut self.trace {
            trace.truncate(shown);
        }
        Ok(())
    }

    /// Judges as much of a text as can be read, command by command.
    fn beginning(&mut self, text: &str, strict: bool, st: &mut State) -> Judged<()> {
        let mut text = text;
        let tries = if text.len() > LONG { 1 } else { MOST_TAKEN };
        for _ in 0..tries {
            self.charge(2 + text.len() / 64)?;
            if let Ok(list) = parser::parse(text, self.depth) {
                for item in &list.items {
                    if st.dead {
                        break;
                    }
                    let judged = self.nested(|walker| walker.item(item, st));
                    match judged {
                        Err(refusal) if strict && refusal.rule == rule::READ_ONLY => {
                            return Err(refusal);
                        }
                        judged => fragments::definite(judged)?,
                    }
                }
                return Ok(());
            }
            match text.trim_end().rsplit_once('\n') {
                Some((before, _)) => text = before,
                None => break,
            }
        }
        Ok(())
    }
}

/// The text as such a shell reads it, spelled for bash; `None` where both read the same.
pub(super) fn spelled(code: &str) -> Option<String> {
    let differs = [
        "((", "[[", "$'", "&>", "+=", "echo", "function", "de", "let", "ty", "-v",
    ];
    if !differs.iter().any(|mark| code.contains(mark)) {
        return None;
    }
    let mut out = String::with_capacity(code.len() + 16);
    let mut rest = code;
    let mut at_command = true;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or("");
        match c {
            '\'' => {
                let end = tail.find('\'').map_or(rest.len(), |end| end + 2);
                let quoted = rest.get(..end).unwrap_or(rest);
                out.push_str(quoted);
                rest = rest.get(end..).unwrap_or("");
                at_command = false;
            }
            '"' => {
                let end = 1 + quoted_end(tail);
                let quoted = rest.get(..end).unwrap_or(rest);
                out.push_str(quoted);
                rest = rest.get(end..).unwrap_or("");
                at_command = false;
            }
            '\\' => {
                let next = tail.chars().next().map_or(0, char::len_utf8);
                out.push_str(rest.get(..1 + next).unwrap_or(rest));
                rest = tail.get(next..).unwrap_or("");
                at_command = false;
            }
            '$' if tail.starts_with(['\'', '"']) => {
                // A program of such a name is not there.
                out.push_str(if at_command { "false \\$" } else { "\\$" });
                rest = tail;
                at_command = false;
            }
            '$' if tail.starts_with('(') => {
                let arithmetic = tail.starts_with("((");
                let taken = if arithmetic { 2 } else { 1 };
                out.push_str(rest.get(..1 + taken).unwrap_or(rest));
                rest = tail.get(taken..).unwrap_or("");
                at_command = !arithmetic;
            }
            '&' if tail.starts_with('>') => {
                out.push_str("& ");
                rest = tail;
            }
            '(' if at_command && tail.starts_with('(') => {
                out.push_str("( ");
                rest = tail;
            }
            '#' if out.is_empty() || out.ends_with([' ', '\n', ';', '\t', '&', '|', '(']) => {
                let end = rest.find('\n').unwrap_or(rest.len());
                out.push_str(rest.get(..end).unwrap_or(rest));
                rest = rest.get(end..).unwrap_or("");
            }
            ';' | '&' | '|' | '(' | '\n' | '`' => {
                out.push(c);
                rest = tail;
                at_command = true;
            }
            c if c.is_whitespace() => {
                out.push(c);
                rest = tail;
            }
            _ => {
                let end = word_end(rest);
                let word = rest.get(..end).unwrap_or(rest);
                let after = rest.get(end..).unwrap_or("");
                if at_command {
                    at_command = KEYWORDS.contains(&word);
                    let variable = word == "printf" && after.trim_start().starts_with("-v");
                    if word == "function" {
                        // What follows its line runs, up to the brace that closes nothing.
                        let end = after.find(['{', '(', '\n']).unwrap_or(after.len());
                        let name = after.get(..end).unwrap_or(after);
                        let body = after.get(end..).unwrap_or("");
                        let body = body.strip_prefix("()").unwrap_or(body);
                        out.push_str(&format!("false function{};", name.trim_end()));
                        rest = body;
                        at_command = true;
                        continue;
                    }
                    if FOREIGN.contains(&word) || variable || adds(word) {
                        out.push_str("false ");
                    }
                }
                out.push_str(word);
                rest = after;
            }
        }
    }
    // `echo` of such shells knows escapes.
    let escapes = code.contains('\\') && code.contains("echo");
    (out != code || escapes).then_some(out)
}

/// The end of a text in double quotes, behind the closing one.
fn quoted_end(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn word_end(text: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || "'\"\\$;&|()`".contains(c);
    let first = text.chars().next().map_or(0, char::len_utf8);
    text.get(first..)
        .and_then(|rest| rest.find(ends))
        .map_or(text.len(), |end| first + end)
}

/// `name+=value`
fn adds(word: &str) -> bool {
    word.split_once("+=").is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::spelled;

    #[test]
    fn words_of_bash_are_spelled_as_other_shells_read_them() {
        for (code, other) in [
            ("((git push))", "( (git push))"),
            ("[[ a || rm == x ]]", "false [[ a || rm == x ]]"),
            ("d+=x; ls $d", "false d+=x; ls $d"),
            ("a &> f", "a & > f"),
            (r"echo $'a\'; ls", r"echo \$'a\'; ls"),
            ("function f {\nls\n}", "false function f;{\nls\n}"),
            ("if [[ a ]]; then ls; fi", "if false [[ a ]]; then ls; fi"),
        ] {
            assert_eq!(spelled(code).as_deref(), Some(other), "{code}");
        }
        for same in [
            "echo '((a)) [[ b ]]' # c+=d &> e",
            "x=$((1+2)); echo \"[[ $x ]]\"",
            "git commit -m 'function a'",
            "ls [[ a",
        ] {
            assert_eq!(spelled(same), None, "{same}");
        }
    }
}
