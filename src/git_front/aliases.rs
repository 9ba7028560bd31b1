//! For what a call by an alias of git's settings needs a view.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, Stdio};

use super::words::{self, Call, Need};

/// Git follows more, but nobody writes them.
pub(super) const DEEPEST: usize = 8;

/// Follows the alias that `call` is made by, to the command that it stands for in the end, and for what that needs a
/// view; `said` says what an alias stands for.
pub(super) fn followed(
    call: &Call<'_>,
    said: impl Fn(&str) -> Option<String>,
) -> (String, Vec<OsString>, Need) {
    let mut command = call.command.to_owned();
    let mut arguments = call.arguments.to_vec();
    for _ in 0..DEEPEST {
        if let Some(need) = words::need(&command, &arguments) {
            return (command, arguments, need);
        }
        let Some(mut words) = said(&command)
            .and_then(|text| split(&text))
            .map(Vec::into_iter)
        else {
            break;
        };
        let Some(first) = words.next() else {
            break;
        };
        command = first;
        arguments = words.map(OsString::from).chain(arguments).collect();
    }
    (command, arguments, Need::Nothing)
}

/// Whether git has a command of this name, so that no alias can have it.
pub(super) fn is_own(command: &str) -> bool {
    words::need(command, &[]).is_some()
}

/// Asks git, with the settings that the call itself names in its `options`.
pub(super) fn asked(git: &Path, options: &[OsString], name: &str) -> Option<String> {
    let answer = Command::new(git)
        .args(options)
        .args(["config", "--get", &format!("alias.{name}")])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8(answer.stdout).ok()?;
    (answer.status.success()).then_some(text)
}

/// The words of an alias, as git splits them; `None` for one that the shell runs, whose calls of git are calls of
/// their own, and for one that git refuses.
pub(super) fn split(text: &str) -> Option<Vec<String>> {
    let text = text.trim();
    if text.starts_with('!') {
        return None;
    }
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ' | '\t' | '\n') => {
                if words.last().is_some_and(|word| !word.is_empty()) {
                    words.push(String::new());
                }
            }
            (None, '"' | '\'') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (_, letter) => {
                let is_escape = letter == '\\' && quote != Some('\'');
                let letter = if is_escape { letters.next()? } else { letter };
                words.last_mut()?.push(letter);
            }
        }
    }
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn need_of(line: &str) -> Need {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let call = words::read(&words).unwrap();
        let said = |name: &str| {
            let text = match name {
                "ci" => "commit -v",
                "save" => "'stash'   push",
                "wip" => "save --keep-index",
                "what" => "show",
                "gone" => "branch \"-D\"",
                "loop" => "loop",
                "shell" => "!git stash",
                "open" => "'stash",
                "empty" => "",
                _ => return None,
            };
            Some(format!("{text}\n"))
        };
        followed(&call, said).2
    }

    #[test]
    fn an_alias_needs_what_its_command_needs() {
        for (line, expected) in [
            ("ci -m x", Need::State),
            ("save", Need::Stash),
            ("wip", Need::Stash),
            ("what stash@{1}", Need::Stash),
            ("what HEAD", Need::Nothing),
            ("gone x", Need::Branches),
        ] {
            assert_eq!(need_of(line), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_alias_for_a_command_of_git_needs_nothing() {
        for line in ["loop", "shell", "open", "empty", "unknown"] {
            assert_eq!(need_of(line), Need::Nothing, "{line}");
        }
    }
}
