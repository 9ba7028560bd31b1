//! Debuggers and tracers: whether they start a program or take hold of a running one.

use crate::policy::{Refusal, rule};

/// Whether a debugger or tracer is told to take hold of a running process. What stands behind the
/// program to start is that program's business.
pub(super) fn attaches(name: &str, args: &[String]) -> bool {
    let mut value = false;
    for arg in args {
        if value {
            value = false;
            continue;
        }
        match arg.as_str() {
            "--args" | "--" => return false,
            "-n" if name == "lldb" => return true,
            "-o" | "-e" | "-s" | "-ex" | "-x" | "-b" | "-E" | "-u" | "-F" | "-c" => value = true,
            _ if arg.starts_with("--pid") || arg.starts_with("--attach") => return true,
            _ if arg.starts_with("-p") => return true,
            _ if arg.starts_with('-') => {}
            // `gdb program 123` attaches, `strace program` starts it.
            _ => {
                let process = args.last().filter(|last| *last != arg);
                return name == "gdb" && process.is_some_and(|last| is_number(last));
            }
        }
    }
    false
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

pub(super) fn attaching(name: &str) -> Refusal {
    Refusal::new(
        rule::PROCESS,
        format!("{name} takes hold of a process that may not be yours; start the program under it"),
    )
}
