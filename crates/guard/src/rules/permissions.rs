//! Modes, owners and attributes of files.
//!
//! What is in the files stays as it is; only which files they are is asked.

use super::files::all_targets;
use crate::policy::{Judged, Refusal, rule};
use crate::shell::state::State;
use crate::shell::walk::Walker;

pub(super) fn ownership(w: &mut Walker<'_>, name: &str, args: &[String], st: &State) -> Judged<()> {
    let mut operands: Vec<&String> = Vec::new();
    let mut reference = false;
    let mut skip = false;
    let mut mode_seen = false;
    for arg in args {
        if skip {
            skip = false;
            continue;
        }
        if arg.starts_with("--reference") {
            reference = true;
            skip = arg == "--reference";
        } else if name == "setfacl"
            && matches!(
                arg.as_str(),
                "-m" | "-x" | "-M" | "-X" | "--modify" | "--remove"
            )
        {
            skip = true;
            mode_seen = true;
        } else if is_mode_option(name, arg) {
            mode_seen = true;
        } else if arg.starts_with('-') && arg.len() > 1 {
            // -R, -v, --recursive …
        } else {
            operands.push(arg);
        }
    }
    let from = usize::from(!reference && !mode_seen);
    if let Some(mode) = operands.first().filter(|_| from == 1 && name == "chmod")
        && setuid(mode)
    {
        return Err(Refusal::new(
            rule::PRIVILEGE,
            "set-user-id programs are not made here; use a plain mode",
        ));
    }
    let list: Vec<String> = operands.into_iter().skip(from).cloned().collect();
    // What is in the files stays as it is.
    for path in &list {
        // In these most files are the project's.
        let shared = [".github", ".vscode"]
            .iter()
            .any(|folder| path.trim_end_matches('/').ends_with(folder));
        if !(shared && name == "chmod" && leaves_writable(args)) {
            w.keep_guard_files(path, st)?;
        }
    }
    let contents = (w.written.clone(), w.parts.clone(), w.earlier.clone());
    let result = all_targets(w, &list, st);
    (w.written, w.parts, w.earlier) = contents;
    w.files_withstand |= !(name == "chmod" && leaves_writable(args));
    result
}

/// Whether a mode surely leaves files to be written by their owner.
fn leaves_writable(args: &[String]) -> bool {
    let mode = args
        .iter()
        .find(|arg| !arg.starts_with("--") && *arg != "-R");
    mode.is_some_and(|mode| {
        let symbols = mode.chars().all(|c| "ugoa+rwxX,".contains(c));
        let owner = mode.trim_start_matches('0').bytes().next();
        let number = mode.len() >= 3 && mode.bytes().all(|c| c.is_ascii_digit());
        symbols || number && owner.is_some_and(|owner| matches!(owner, b'2' | b'3' | b'6' | b'7'))
    })
}

/// Options that are the mode themselves, so that no operand is.
fn is_mode_option(name: &str, arg: &str) -> bool {
    match name {
        "xattr" => arg.starts_with('-'),
        "chmod" => {
            arg.len() > 1
                && arg
                    .strip_prefix('-')
                    .is_some_and(|mode| mode.chars().all(|c| "rwxXst".contains(c)))
        }
        "chattr" => arg.starts_with(['-', '+', '=']) && arg != "-R",
        _ => false,
    }
}

fn setuid(mode: &str) -> bool {
    let octal = mode.len() >= 4
        && mode.bytes().all(|c| (b'0'..=b'7').contains(&c))
        && matches!(
            mode.as_bytes().get(mode.len() - 4),
            Some(b'2' | b'4' | b'6' | b'7')
        );
    octal || mode.contains(['+', '=']) && mode.contains('s')
}
