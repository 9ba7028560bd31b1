//! What `find -printf` prints: paths as they are, or names alone.

use crate::shell::text::{ANY, STAR, TOKEN};

/// What an expression with a format prints; `None` where it prints paths like any other.
pub(super) fn printed(expression: &[String]) -> Option<String> {
    let at = expression.iter().position(|arg| arg == "-printf")?;
    match expression.get(at + 1).map_or("", String::as_str) {
        "%p\\n" | "%p\n" => None,
        // Some name, which may be that of a link.
        "%f\\n" | "%f\n" if never_root(expression) => Some(format!("{STAR}{TOKEN}\n")),
        _ => Some(ANY.to_string()),
    }
}

/// Whether no root can be among what is found, also one that is called `..`.
fn never_root(expression: &[String]) -> bool {
    let joined = expression
        .iter()
        .any(|arg| matches!(arg.as_str(), "-o" | "-or" | "," | "!" | "-not" | "(" | ")"));
    let spared = expression.windows(2).any(|pair| match pair {
        [test, value] => match test.as_str() {
            "-name" | "-iname" => value.contains(char::is_alphanumeric) && !value.contains('['),
            "-type" => value == "f" || value == "l",
            "-mindepth" => value != "0",
            _ => false,
        },
        _ => false,
    });
    let once = expression.iter().filter(|arg| *arg == "-printf").count() == 1;
    spared && !joined && once
}
