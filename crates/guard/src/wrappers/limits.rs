//! Programs that set limits or priorities: for the command behind them, or for a process that runs already; and
//! the files tracers write.

use super::options::operand_at;
use super::shapes::shape_of;
use crate::policy::Judged;
use crate::rules::flags::parse;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Whether a program of this kind changes a process that is not started by it.
pub(super) fn steers_another(name: &str, args: &[String]) -> bool {
    // What stands behind the first operand belongs to the command.
    let values = match name {
        "prlimit" => "p",
        "ionice" => "cnpPu",
        "choom" => "np",
        "cpulimit" => "lpPe",
        "chrt" => "TPD",
        _ => "",
    };
    let at = operand_at(
        args,
        values,
        &["--pid", "--pi", "--p", "--class", "--classdata", "--adjust"],
    );
    let own = || args.iter().take(at);
    let short = |letters: &[char]| {
        own().any(|arg| {
            arg.starts_with('-')
                && !arg.starts_with("--")
                && arg
                    .get(1..)
                    .unwrap_or("")
                    .chars()
                    .take_while(char::is_ascii_alphabetic)
                    .any(|c| letters.contains(&c))
        })
    };
    let long = |full: &str| {
        own().any(|arg| {
            let option = arg.split('=').next().unwrap_or(arg);
            option.len() > 3 && full.starts_with(option)
        })
    };
    let operands = || {
        args.iter()
            .skip(at)
            .filter(|arg| !arg.starts_with('-'))
            .count()
    };
    let process = short(&['p']) || long("--pid");
    match name {
        // A limit is given as `--cpu=1`, `-c1` or `--nofile=1:2`; without one the limits are shown.
        "prlimit" => {
            process
                && own().any(|arg| {
                    arg.starts_with('-')
                        && arg.contains('=')
                        && !"--pid".starts_with(arg.split('=').next().unwrap_or(""))
                        && !arg.starts_with("--output")
                        || arg.starts_with('-')
                            && !arg.starts_with("--")
                            && !arg.starts_with("-p")
                            && arg.bytes().any(|c| c.is_ascii_digit())
                })
        }
        // One operand asks, two change.
        "taskset" | "chrt" | "uclampset" | "schedtool" => process && operands() > 1,
        "ionice" => (process || short(&['P', 'u'])) && (short(&['c', 'n']) || long("--class")),
        "choom" => process && (short(&['n']) || long("--adjust")),
        "cpulimit" => process || short(&['P', 'e']) || long("--exe"),
        "py-spy" | "rbspy" | "austin" | "async-profiler" | "cdb" | "jdb" | "frida"
        | "frida-trace" => process || long("--attach"),
        "jcmd" | "jmap" | "jattach" | "nsenter" | "reptyr" | "injcode" => {
            operands() > 0
                && args
                    .iter()
                    .any(|arg| arg.bytes().all(|c| c.is_ascii_digit()))
                || short(&['t']) && name == "nsenter"
        }
        _ => false,
    }
}

impl Walker<'_> {
    /// `-o file`, `-ofile`, `--output=file` of what traces or times a command.
    pub(super) fn outputs_of_wrapper(
        &mut self,
        name: &str,
        args: &[String],
        st: &State,
    ) -> Judged<()> {
        // `-ao file`
        if let Some(shape) = shape_of(name) {
            let own = args.get(..operand_at(args, shape.short, shape.long).min(args.len()));
            let flags = parse(own.unwrap_or_default(), shape.short, shape.long);
            for file in flags.values(&["o", "output"]) {
                if !file.is_empty() && !file.starts_with(['|', '!']) {
                    self.write_path(file, st)?;
                }
            }
        }
        for (at, arg) in args.iter().enumerate() {
            let next = args.get(at + 1).map(String::as_str);
            let value = match arg.as_str() {
                "-o" | "--output" | "--output-append-mode" => next,
                // `--log-file=`, `--massif-out-file=`
                option if name == "valgrind" => option
                    .split_once('=')
                    .filter(|(key, _)| key.ends_with("-file"))
                    .map(|(_, value)| value),
                _ => arg
                    .strip_prefix("--output=")
                    .or_else(|| arg.strip_prefix("-o")),
            };
            if let Some(value) = value.filter(|value| !value.is_empty()) {
                let piped = name == "strace" && value.starts_with(['|', '!']);
                if !piped {
                    self.write_path(value, st)?;
                }
            } else if !arg.starts_with('-')
                && !args
                    .get(at.wrapping_sub(1))
                    .is_some_and(|before| before.starts_with('-'))
            {
                // The command itself has options of its own.
                return Ok(());
            }
        }
        Ok(())
    }
}
