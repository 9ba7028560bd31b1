//! Files that Lua opens by a name that is written out; whatever else it may do is looked at as of any other language.

use super::foreign;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

const OPENS: &str = "io.open";

/// What may come again and again: files are then not looked at one by one.
const AGAIN: &[&str] = &["while", "repeat", "goto", "function"];

pub(super) fn is_lua(name: &str) -> bool {
    let base = name.rsplit('/').next().unwrap_or(name);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-')) == "lua"
        || base == "luajit"
}

impl Walker<'_> {
    /// Judges the files that Lua opens; gives back the code without that.
    pub(super) fn opened_by_lua(&mut self, source: &str, st: &State) -> Judged<String> {
        if hands_on_library(source) {
            return Err(foreign::unknown());
        }
        let mut words = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        if words.any(|word| AGAIN.contains(&word)) {
            return Ok(source.to_owned());
        }
        let mut left = String::new();
        let mut rest = source;
        let mut all = true;
        while let Some((before, behind)) = rest.split_once(OPENS) {
            left.push_str(before);
            let Some((path, mode, behind)) = opened(behind) else {
                left.push_str(OPENS);
                rest = behind;
                all = false;
                continue;
            };
            if matches!(mode, "r" | "rb") {
                self.read_path(path, st)?;
            } else {
                self.write_path(path, st)?;
            }
            left.push_str(" print ");
            rest = behind;
        }
        left.push_str(rest);
        // Only a file can be written to in this way, and all of them are known.
        Ok(if all && left.len() != source.len() {
            left.replace(":write(", ":print(")
        } else {
            left
        })
    }
}

/// The name and the mode of a call that consists of nothing else, and what is behind it.
fn opened(code: &str) -> Option<(&str, &str, &str)> {
    let (path, rest) = quoted(code.trim_start().strip_prefix('(')?)?;
    let rest = rest.trim_start();
    if let Some(behind) = rest.strip_prefix(')') {
        return Some((path, "r", behind));
    }
    let (mode, rest) = quoted(rest.strip_prefix(',')?)?;
    Some((path, mode, rest.trim_start().strip_prefix(')')?))
}

/// A string in which no sign stands for another one, and which is none of code between two strings.
fn quoted(code: &str) -> Option<(&str, &str)> {
    let code = code.trim_start();
    let quote = code.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (inner, rest) = code.strip_prefix(quote)?.split_once(quote)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    let code = [
        "os.", "io.", "load", "dofile", "require", "debug.", "package.",
    ];
    let named = !inner.is_empty() && inner.chars().all(plain);
    (named && !code.iter().any(|word| inner.contains(word))).then_some((inner, rest))
}

/// Whether a library is handed on as a whole: then its functions may go by any name.
fn hands_on_library(code: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    ["os", "io", "debug", "package"].into_iter().any(|library| {
        code.match_indices(library).any(|(at, _)| {
            let (before, behind) = code.split_at(at);
            let behind = behind.strip_prefix(library).unwrap_or_default();
            !behind.starts_with(is_part)
                && before.trim_end().ends_with(['(', ',', '=', '{'])
                && !behind.trim_start().starts_with(['.', ':'])
        })
    })
}
