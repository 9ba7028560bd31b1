//! Scripts of `ex` and Vim: ranges and modifiers are taken off, names may be shortened, and a command that is
//! not known to be harmless is refused.

use super::ed::after;
use super::editors::{doubtful, unknown_script};
use super::ex_commands::{Kind, kind};
use super::ex_expressions::{is_harmless_setting, only_computes};
use super::streams::program_file;
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Commands inside commands, deeper than which nobody writes.
const DEEPEST: usize = 8;

/// Judges a script; `st` moves with the directory it changes to.
pub(super) fn judge(w: &mut Walker<'_>, script: &str, st: &mut State) -> Judged<()> {
    if text::is_any(script) {
        return Err(unknown_script());
    }
    lines(w, script, st, 0)
}

/// Steps that go into a command, besides those of what it does.
const COMMAND: usize = 4;

fn lines(w: &mut Walker<'_>, script: &str, st: &mut State, depth: usize) -> Judged<()> {
    if depth > DEEPEST {
        return Err(doubtful(script));
    }
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        let mut rest = line;
        let mut text = false;
        while !rest.is_empty() {
            w.charge(COMMAND)?;
            (rest, text) = command(w, rest, st, depth)?;
        }
        if text {
            for line in lines.by_ref() {
                if line.trim() == "." {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// What is left of a command behind its range.
fn behind_range(line: &str) -> &str {
    let mut rest = line;
    loop {
        let next = match rest.chars().next() {
            Some(c) if c.is_ascii_digit() || ":.$,;+-% \t".contains(c) => rest.get(1..),
            Some('\'') => rest
                .char_indices()
                .nth(2)
                .map_or(Some(""), |(at, _)| rest.get(at..)),
            // `*` is the visual range, and a register elsewhere.
            Some(delimiter @ ('/' | '?')) => Some(after(rest.get(1..).unwrap_or(""), delimiter)),
            // `\/`: the last pattern.
            Some('\\') => rest.get(2..),
            Some(_) | None => return rest,
        };
        rest = next.unwrap_or("");
    }
}

/// The words of a command up to the next bar, and what stands behind it.
fn up_to_bar(text: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' || c == '\u{16}' {
            escaped = true;
        } else if c == '|' {
            return (
                text.get(..at).unwrap_or(""),
                text.get(at + 1..).unwrap_or(""),
            );
        }
    }
    (text, "")
}

/// Judges the first command of a line. Gives what stands behind it, and whether lines of text follow.
fn command<'t>(
    w: &mut Walker<'_>,
    line: &'t str,
    st: &mut State,
    depth: usize,
) -> Judged<(&'t str, bool)> {
    w.charge(1)?;
    let rest = behind_range(line);
    let Some(first) = rest.chars().next() else {
        return Ok(("", false));
    };
    match first {
        // A comment.
        '"' => return Ok(("", false)),
        '|' => return Ok((rest.get(1..).unwrap_or(""), false)),
        '!' => {
            program(w, rest.get(1..).unwrap_or(""), st)?;
            return Ok(("", false));
        }
        _ => {}
    }
    let letters = rest
        .find(|c: char| !c.is_ascii_alphabetic())
        .unwrap_or(rest.len());
    let name = rest.get(..letters.max(first.len_utf8())).unwrap_or("");
    // `ka` sets a mark, and `s` may stand before flags or a delimiter.
    let marks = name.starts_with('k') && name.len() == 2;
    let Some(kind) = kind(if marks { "k" } else { name }) else {
        return Err(doubtful(rest));
    };
    let tail = rest.get(name.len()..).unwrap_or("");
    match kind {
        Kind::Modifier => Ok((
            tail.trim_start_matches('!')
                .trim_start_matches(|c: char| c.is_ascii_digit()),
            false,
        )),
        Kind::Harmless => {
            let (words, rest) = up_to_bar(tail);
            // `put =system('…')`
            if words.contains('=') && !only_computes(words) {
                return Err(doubtful(words));
            }
            Ok((rest, false))
        }
        Kind::Text => {
            let (_, rest) = up_to_bar(tail);
            Ok((rest, rest.is_empty()))
        }
        Kind::Each => lines(w, tail, st, depth + 1).map(|()| ("", false)),
        Kind::Global => {
            let tail = tail.trim_start_matches('!').trim_start();
            let Some(delimiter) = tail.chars().next() else {
                return Ok(("", false));
            };
            let inner = after(tail.get(delimiter.len_utf8()..).unwrap_or(""), delimiter);
            lines(w, inner, st, depth + 1).map(|()| ("", false))
        }
        Kind::Substitute => substitute(tail).map(|rest| (rest, false)),
        Kind::Keys => keys(tail.strip_prefix('!').unwrap_or(tail)).map(|()| ("", false)),
        Kind::Set => {
            let (words, rest) = up_to_bar(tail);
            match words
                .split_whitespace()
                .find(|word| !is_harmless_setting(word))
            {
                Some(setting) => Err(doubtful(setting)),
                None => Ok((rest, false)),
            }
        }
        Kind::Expression => {
            let (words, rest) = up_to_bar(tail);
            // An option or a register may be run later.
            let target = words.trim_start();
            let hidden = name == "let" && target.starts_with(['&', '@', '$', '[']);
            if hidden || words.contains("->") || words.contains("=<<") || !only_computes(words) {
                return Err(doubtful(words));
            }
            Ok((rest, false))
        }
        Kind::Read | Kind::Write | Kind::Directory | Kind::Source => {
            file(w, kind, tail, st, depth).map(|rest| (rest, false))
        }
    }
}

/// `/pattern/text/flags`; gives what stands behind the next bar.
fn substitute(tail: &str) -> Judged<&str> {
    let delimiter = match tail.chars().next() {
        Some(c) if !c.is_alphanumeric() && !matches!(c, '|' | '"' | ' ' | '&' | '\\') => c,
        Some(_) | None => return Ok(up_to_bar(tail).1),
    };
    let replacement = after(tail.get(delimiter.len_utf8()..).unwrap_or(""), delimiter);
    let flags = after(replacement, delimiter);
    let text = replacement
        .get(..replacement.len() - flags.len())
        .unwrap_or(replacement);
    // What stands behind `\=` is computed.
    if text.contains("\\=") && !only_computes(text) {
        return Err(doubtful(text));
    }
    Ok(up_to_bar(flags).1)
}

/// Keys run nothing unless a command line is entered and ended, a register is run, or a program is looked up.
fn keys(keys: &str) -> Judged<()> {
    let control = keys.chars().any(|c| c.is_control() && c != '\t');
    let looks_up =
        keys.contains(['@', 'K', ':', '!']) || keys.contains("gx") || keys.contains("gf");
    if control || looks_up {
        return Err(doubtful(keys));
    }
    Ok(())
}

/// Text that is handed to a shell: `%` stands for the file, which may be cut to a folder above it.
fn program(w: &mut Walker<'_>, code: &str, st: &State) -> Judged<()> {
    if cuts_name(code) {
        return Err(doubtful(code));
    }
    w.script(code.trim(), &mut st.for_program()).map(|_| ())
}

/// Whether the name of the file is taken apart in a way that may leave its folder.
fn cuts_name(text: &str) -> bool {
    let signs = text.bytes().any(|byte| matches!(byte, b'%' | b'#' | b'<'));
    signs
        && ["%:", "#:", "##", "<cfile>", "<sfile>"].iter().any(|sign| {
            text.split(sign)
                .skip(1)
                .any(|rest| !sign.ends_with(':') || !rest.starts_with(['r', 't', 'e']))
        })
}

/// Commands that name files.
fn file<'t>(
    w: &mut Walker<'_>,
    kind: Kind,
    tail: &'t str,
    st: &mut State,
    depth: usize,
) -> Judged<&'t str> {
    let forced = tail.starts_with('!');
    let bang = tail.strip_prefix('!').unwrap_or(tail).trim_start();
    // `w !command` and `r!command`; `w!file` only insists.
    let shell = tail.trim_start().strip_prefix('!');
    if let Some(code) = shell.filter(|_| kind == Kind::Read || kind == Kind::Write && !forced) {
        program(w, code, st)?;
        return Ok("");
    }
    let (words, rest) = up_to_bar(bang);
    if words.contains('`') || cuts_name(words) {
        return Err(doubtful(words));
    }
    let mut names = words.trim();
    while let Some(option) = names.strip_prefix('+') {
        // `++enc=utf-8` says how, `+command` is run there.
        let end = option.find(' ').unwrap_or(option.len());
        let (option, more) = option.split_at(end);
        let plain = option.bytes().all(|c| c.is_ascii_digit()) || option.starts_with('/');
        if !option.starts_with('+') && !plain {
            lines(w, &option.replace("\\ ", " "), st, depth + 1)?;
        }
        names = more.trim_start();
    }
    let names = names.trim_start_matches('>').trim();
    if names.is_empty() {
        if kind == Kind::Directory {
            w.enter(text::HOME, st);
        }
        return Ok(rest);
    }
    match kind {
        Kind::Read => w.read_path(&crate::tool_paths::home(names), st)?,
        Kind::Directory => w.enter(&crate::tool_paths::home(names), st),
        Kind::Source => {
            let call = Call {
                argv: Vec::new(),
                env: Vec::new(),
                stdin: None,
            };
            if let Some(script) = program_file(w, names, &call, st)? {
                if text::is_any(&script) {
                    return Err(unknown_script());
                }
                lines(w, &script, st, depth + 1)?;
            }
        }
        Kind::Write
        | Kind::Harmless
        | Kind::Modifier
        | Kind::Each
        | Kind::Global
        | Kind::Substitute
        | Kind::Keys
        | Kind::Text
        | Kind::Set
        | Kind::Expression => {
            // Names of several files, or one with blanks in it.
            for name in names.split_whitespace() {
                w.charge(COMMAND)?;
                // `redir END`, `redir @a`
                if !matches!(name, "END" | "%" | "#") && !name.starts_with('@') && name != "=>" {
                    w.write_path(&crate::tool_paths::home(name), st)?;
                }
            }
        }
    }
    Ok(rest)
}
