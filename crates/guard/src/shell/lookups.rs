//! `type` and `hash`: where the shell finds a program.

use super::state::State;
use super::text::{self, ANY};

/// Commands of the shell itself, of which `type -p` prints nothing.
const OF_SHELL: &[&str] = &[
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "cd",
    "command",
    "compgen",
    "complete",
    "continue",
    "declare",
    "dirs",
    "disown",
    "echo",
    "enable",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];

/// What `type` or `hash` prints with these words.
pub(super) fn printed(name: &str, args: &[String], st: &State) -> String {
    let options = args.iter().take_while(|arg| arg.starts_with('-'));
    let (mut short, mut count) = (String::new(), 0);
    for option in options {
        count += 1;
        if option == "--" {
            break;
        }
        short.push_str(option.get(1..).unwrap_or_default());
    }
    let words = args.get(count..).unwrap_or_default();
    let paths = || -> String { words.iter().map(|word| path(word)).collect() };
    match name {
        "hash" if short.contains('t') && words.len() == 1 => paths(),
        "hash" if short.is_empty() && !words.is_empty() || short == "r" => String::new(),
        "type" if short.contains('P') => paths(),
        "type" if short.contains('p') => {
            let own = |word: &String| {
                OF_SHELL.contains(&word.as_str())
                    || st.functions.contains_key(word)
                    || st.aliases.contains_key(word)
            };
            if words.iter().any(own) {
                ANY.to_string()
            } else {
                paths()
            }
        }
        _ => ANY.to_string(),
    }
}

/// As `which` has it.
fn path(word: &str) -> String {
    if text::is_known(word) && !word.contains('/') {
        format!("/usr/bin/{word}\n")
    } else {
        format!("{ANY}\n")
    }
}
