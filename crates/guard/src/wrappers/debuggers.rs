//! Debuggers and tracers: whether they start a program or take hold of a running one, and what their scripts do.
//!
//! A command may be shortened; one that is not known to look only is refused.

use super::debugger_words::{calls, only_looks};
use super::options::unproven;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};
use crate::rules::streams::program_file;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

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

/// A debugger being told what to do.
struct Session<'c> {
    name: &'c str,
    call: &'c Call,
    program: String,
    arguments: String,
}

impl Walker<'_> {
    /// Judges the commands a debugger is given by options, files and its input.
    pub(super) fn debugged(&mut self, name: &str, call: &Call, st: &State) -> Judged<()> {
        let args = call.args();
        let end = args
            .iter()
            .position(|arg| arg == "--args" || arg == "--")
            .unwrap_or(args.len());
        let mut scripts = Vec::new();
        let mut files = Vec::new();
        let mut operands = Vec::new();
        let mut own = args.iter().take(end);
        while let Some(arg) = own.next() {
            let Some(plain) = arg.strip_prefix("--").or_else(|| arg.strip_prefix('-')) else {
                operands.push(arg.clone());
                continue;
            };
            let (option, attached) = match plain.split_once('=') {
                Some((option, value)) => (option, Some(value.to_owned())),
                None => (plain, None),
            };
            let mut value = || {
                attached
                    .clone()
                    .or_else(|| own.next().cloned())
                    .unwrap_or_default()
            };
            let long = |full: &str| option.len() > 2 && full.starts_with(option);
            match (name, option) {
                ("gdb", "ex" | "iex" | "eval-command" | "init-eval-command") => {
                    scripts.push(value());
                }
                ("gdb", "x" | "ix" | "command" | "init-command") => files.push(value()),
                (
                    "gdb",
                    "cd" | "d" | "directory" | "s" | "symbols" | "e" | "exec" | "se" | "c" | "core"
                    | "data-directory" | "D" | "tty" | "t" | "i" | "interpreter" | "b" | "l",
                ) => drop(value()),
                ("gdb", _) if long("eval-command") || long("init-eval-command") => {
                    scripts.push(value());
                }
                ("gdb", _) if long("command") || long("init-command") => files.push(value()),
                (
                    "lldb",
                    "o"
                    | "O"
                    | "k"
                    | "K"
                    | "one-line"
                    | "one-line-before-file"
                    | "one-line-on-crash",
                ) => {
                    scripts.push(value());
                }
                ("lldb", "s" | "S" | "source" | "source-before-file" | "source-on-crash") => {
                    files.push(value());
                }
                ("lldb", "f" | "file" | "c" | "core" | "a" | "arch" | "l" | "script-language") => {
                    drop(value());
                }
                _ => {
                    // `-xfile`, `-exCOMMAND` are no options of gdb; they are taken for files here.
                    if let Some(file) = plain.strip_prefix('x').filter(|_| name == "gdb") {
                        files.push(file.to_owned());
                    }
                }
            }
        }
        let mut session = Session {
            name,
            call,
            program: operands.first().cloned().unwrap_or_default(),
            arguments: String::new(),
        };
        for script in &scripts {
            self.debugger_script(script, &mut session, st, 0)?;
        }
        for file in &files {
            if let Some(script) = program_file(self, file, call, st)? {
                self.debugger_script(&script, &mut session, st, 0)?;
            }
        }
        if let Some(input) = &call.stdin {
            self.debugger_script(input, &mut session, st, 0)?;
        }
        Ok(())
    }

    fn debugger_script(
        &mut self,
        script: &str,
        session: &mut Session<'_>,
        st: &State,
        depth: usize,
    ) -> Judged<()> {
        if text::is_any(script) || depth > 4 {
            return Err(unproven(session.name));
        }
        for line in script.lines() {
            self.charge(2)?;
            self.debugger_command(line.trim(), session, st, depth)?;
        }
        Ok(())
    }

    fn debugger_command(
        &mut self,
        line: &str,
        session: &mut Session<'_>,
        st: &State,
        depth: usize,
    ) -> Judged<()> {
        if line.is_empty() || line.starts_with('#') {
            return Ok(());
        }
        let end = line
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_')))
            .unwrap_or(line.len());
        let (verb, rest) = line.split_at(end);
        let words = rest.trim();
        let lower: Vec<&str> = words.split_whitespace().collect();
        match (verb, lower.as_slice()) {
            // Runs the program, through a shell.
            ("r" | "ru" | "run" | "start" | "starti" | "process", _) => {
                let words = match lower.as_slice() {
                    ["launch", more @ ..] if verb == "process" => more.join(" "),
                    _ if verb == "process" => return Err(unproven(session.name)),
                    _ => words.to_owned(),
                };
                let given = words.trim_start_matches("--").trim();
                let arguments = if given.is_empty() {
                    session.arguments.clone()
                } else {
                    given.to_owned()
                };
                if session.program.is_empty() {
                    return Ok(());
                }
                let code = format!(
                    "{} {arguments}",
                    crate::shell::walk::quote(&session.program)
                );
                self.script(&code, &mut st.for_program()).map(|_| ())
            }
            ("set", ["args", ..]) => {
                words
                    .trim_start_matches("args")
                    .trim()
                    .clone_into(&mut session.arguments);
                Ok(())
            }
            ("settings", ["set", "target.run-args" | "target.run-args:", more @ ..]) => {
                session.arguments = more.join(" ");
                Ok(())
            }
            ("settings", ["show" | "list", ..]) => Ok(()),
            ("set", ["logging", "file", path @ ..]) => self.write_path(&path.join(" "), st),
            ("set", [option, value @ ..]) => {
                let harmless = matches!(
                    *option,
                    "pagination"
                        | "confirm"
                        | "print"
                        | "p"
                        | "width"
                        | "height"
                        | "verbose"
                        | "style"
                        | "logging"
                        | "breakpoint"
                        | "listsize"
                        | "disassembly-flavor"
                        | "follow-fork-mode"
                        | "scheduler-locking"
                        | "detach-on-fork"
                        | "debuginfod"
                        | "non-stop"
                        | "disable-randomization"
                        | "language"
                        | "max-value-size"
                        | "backtrace"
                        | "unwindonsignal"
                        | "step-mode"
                        | "can-use-hw-watchpoints"
                        | "trace-commands"
                        | "solib-search-path"
                        | "sysroot"
                        | "substitute-path"
                        | "output-radix"
                        | "input-radix"
                ) || option.starts_with('$')
                    || matches!(*option, "var" | "variable");
                if harmless && !calls(&value.join(" ")) {
                    Ok(())
                } else {
                    Err(unproven(session.name))
                }
            }
            // `thread apply all bt` and its kin run the rest.
            ("thread" | "th" | "frame" | "f", ["apply", _, more @ ..]) => {
                self.debugger_script(&more.join(" "), session, st, depth + 1)
            }
            ("taas" | "faas" | "tfaas", more) => {
                self.debugger_script(&more.join(" "), session, st, depth + 1)
            }
            (
                "target" | "ta" | "tar",
                [
                    "create" | "list" | "select" | "modules" | "variable" | "symbols" | "stop-hook",
                    ..,
                ],
            ) if session.name == "lldb" && !words.starts_with("stop-hook") => Ok(()),
            ("target" | "ta" | "tar", [kind, ..]) => {
                let local = matches!(*kind, "core" | "exec" | "record-core")
                    || matches!(*kind, "remote" | "extended-remote") && !words.contains('|');
                if local {
                    Ok(())
                } else {
                    Err(unproven(session.name))
                }
            }
            ("save", [_, path]) | ("generate-core-file" | "gcore", [path]) => {
                self.write_path(path, st)
            }
            ("dump", [.., path, _, _] | [.., path, _]) => self.write_path(path, st),
            ("source", ["list" | "info", ..]) if session.name == "lldb" => Ok(()),
            ("command" | "com", ["source", ..]) | ("source" | "so", _)
                if verb != "command" || session.name == "lldb" =>
            {
                let call = session.call.clone();
                let path = lower.last().copied().unwrap_or("");
                match program_file(self, path, &call, st)? {
                    Some(script) => self.debugger_script(&script, session, st, depth + 1),
                    None => Ok(()),
                }
            }
            ("info" | "inf" | "i", _) => Ok(()),
            // The text of these is not computed.
            (
                "echo" | "help" | "h" | "show" | "b" | "br" | "break" | "breakpoint" | "tbreak"
                | "rbreak" | "list" | "l",
                _,
            ) if !words.contains("if ") && !words.contains("command") => Ok(()),
            ("memory" | "mem", ["write" | "save", ..]) => Err(unproven(session.name)),
            ("memory" | "mem", more) if more.contains(&"--outfile") || more.contains(&"-o") => {
                Err(unproven(session.name))
            }
            ("command" | "com", _) if session.name == "lldb" => Err(unproven(session.name)),
            (verb, _) if only_looks(verb) && !calls(words) && !words.contains("command add") => {
                Ok(())
            }
            _ => Err(unproven(session.name)),
        }
    }
}
