//! `ed`: its commands are one letter behind addresses; what runs or writes stands behind it.

use super::editors::{doubtful, unknown_script};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Judges a script of commands.
pub(super) fn judge(w: &mut Walker<'_>, script: &str, st: &State) -> Judged<()> {
    if text::is_any(script) {
        return Err(unknown_script());
    }
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        w.charge(1)?;
        if command(w, line, st, 0)? {
            // Text up to a line with a dot alone.
            for text in lines.by_ref() {
                if text == "." {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// What is left of a command behind its addresses.
fn behind_addresses(line: &str) -> &str {
    let mut rest = line.trim_start_matches([' ', '\t']);
    loop {
        let next = match rest.chars().next() {
            Some(c) if c.is_ascii_digit() || ".$,;+-^%* \t".contains(c) => rest.get(1..),
            Some('\'') => rest
                .char_indices()
                .nth(2)
                .map(|(at, _)| at)
                .or(Some(rest.len()))
                .and_then(|at| rest.get(at..)),
            Some(delimiter @ ('/' | '?')) => Some(after(rest.get(1..).unwrap_or(""), delimiter)),
            Some(_) | None => return rest,
        };
        rest = next.unwrap_or("");
    }
}

/// The text behind the next delimiter that is not escaped.
pub(super) fn after(text: &str, delimiter: char) -> &str {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' {
            escaped = true;
        } else if c == delimiter {
            return text.get(at + c.len_utf8()..).unwrap_or("");
        }
    }
    ""
}

/// Judges one command; whether lines of text follow it.
fn command(w: &mut Walker<'_>, line: &str, st: &State, depth: usize) -> Judged<bool> {
    let rest = behind_addresses(line);
    let Some(verb) = rest.chars().next() else {
        return Ok(false);
    };
    let tail = rest.get(verb.len_utf8()..).unwrap_or("");
    match verb {
        '!' => w.script(tail, &mut st.for_program()).map(|_| false),
        'a' | 'i' | 'c' => Ok(true),
        'g' | 'v' | 'G' | 'V' if depth < 4 => {
            let Some(delimiter) = tail.chars().next() else {
                return Ok(false);
            };
            let inner = after(tail.get(delimiter.len_utf8()..).unwrap_or(""), delimiter);
            let inner = inner.trim_end_matches('\\');
            // The default is to print.
            if inner.trim().is_empty() {
                return Ok(false);
            }
            command(w, inner, st, depth + 1).map(|_| false)
        }
        'e' | 'E' | 'r' | 'w' | 'W' | 'f' => {
            let tail = tail
                .strip_prefix('q')
                .filter(|_| verb == 'w')
                .unwrap_or(tail);
            let path = tail.trim();
            if let Some(code) = path.strip_prefix('!') {
                return w.script(code, &mut st.for_program()).map(|_| false);
            }
            if verb == 'r' {
                w.read_path(&crate::tool_paths::home(path), st)?;
            } else if !path.is_empty() {
                w.write_path(path, st)?;
            }
            Ok(false)
        }
        'd' | 'h' | 'H' | 'j' | 'k' | 'l' | 'm' | 'n' | 'p' | 'P' | 'q' | 'Q' | 's' | 't' | 'u'
        | 'x' | 'y' | 'z' | '=' | '#' => Ok(false),
        _ => Err(doubtful(rest)),
    }
}
