//! Processes without an end: loops that start one job after the other and wait for none, scripts that start
//! themselves, input that never ends.
//!
//! A single job, a loop over what is there and a loop that waits are ordinary work and none of this.

use super::state::State;
use super::text;
use super::walk::Walker;
use crate::commands::Call;
use crate::policy::{Judged, Refusal, rule};

/// A shorter time than this is no pause, in seconds.
const PAUSE: f64 = 0.1;

/// More processes at a time than this are no limit.
const AT_ONCE: usize = 1_000;

/// What was started and what was waited for so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    /// Jobs that run on beside the shell.
    pub(crate) jobs: usize,
    rests: usize,
    breaks: usize,
    returns: usize,
    exits: usize,
    /// Turns of a loop that were ended before their end; the next one comes all the same.
    skips: usize,
}

impl Pace {
    /// Only the jobs of this count beside what was before: who waited was somebody else.
    pub(super) fn beside(self, before: Self) -> Self {
        Self {
            jobs: self.jobs,
            ..before
        }
    }

    /// A process of its own has ended, or a subshell: it left nothing but itself.
    pub(crate) fn within_process(self, before: Self) -> Self {
        Self {
            jobs: self.jobs,
            rests: self.rests,
            ..before
        }
    }

    /// A function has ended.
    pub(crate) fn within_function(self, before: Self) -> Self {
        Self {
            returns: before.returns,
            ..self
        }
    }

    /// A loop has ended.
    pub(super) fn within_loop(self, before: Self) -> Self {
        Self {
            breaks: before.breaks,
            skips: before.skips,
            ..self
        }
    }

    /// What is judged, but never runs: it waits for nothing and leaves nothing.
    pub(super) fn without_effect(self, before: Self) -> Self {
        self.beside(before)
    }

    /// Whether something since may have left what comes behind it.
    pub(super) fn leaves(self, before: Self) -> bool {
        Self {
            jobs: before.jobs,
            rests: before.rests,
            ..self
        } != before
    }

    /// Whether jobs were started since, and nothing else that counts.
    fn only_started(self, before: Self) -> bool {
        self.jobs > before.jobs && self.goes_on(before)
    }

    /// Whether nothing was waited for since, and nothing left.
    pub(super) fn goes_on(self, before: Self) -> bool {
        Self {
            jobs: before.jobs,
            skips: before.skips,
            ..self
        } == before
    }
}

impl Walker<'_> {
    /// Takes note of a command that waits, or leaves a loop.
    pub(crate) fn paced(&mut self, name: &str, call: &Call, st: &State) {
        let first = call.args().first().map_or("", String::as_str);
        let pace = &mut self.pace;
        match name {
            "sleep" => pace.rests += usize::from(is_pause(call.args())),
            "usleep" => {
                pace.rests +=
                    usize::from(!first.parse().is_ok_and(|pause: f64| pause < PAUSE * 1e6));
            }
            "wait" | "inotifywait" | "inotifywatch" | "fswatch" | "watchman-wait" | "pidwait" => {
                pace.rests += 1;
            }
            "read" => {
                let endless = call.stdin.as_deref().or(st.stdin.as_deref());
                let waits = !endless.is_some_and(text::is_endless) && !only_looks(call.args());
                pace.rests += usize::from(waits);
            }
            "break" => pace.breaks += 1,
            "continue" => pace.skips += 1,
            "return" => pace.returns += 1,
            "exit" | "logout" => pace.exits += 1,
            _ => {}
        }
    }

    /// What was judged since `before` runs beside the shell.
    pub(crate) fn leaves_job(&mut self, before: Pace) {
        self.pace = self.pace.beside(before);
        self.pace.jobs += 1;
    }

    /// Refuses what has only started jobs since `before` and would go on with it.
    pub(crate) fn comes_to_an_end(&self, before: Pace) -> Judged<()> {
        if self.pace.only_started(before) {
            return Err(bomb());
        }
        Ok(())
    }

    /// Refuses input without an end for a program that is started once for each part of it, so many at a time.
    pub(crate) fn started_for_each(
        &self,
        input: &str,
        at_once: Option<&str>,
        before: Pace,
    ) -> Judged<()> {
        if !text::is_endless(input) {
            return Ok(());
        }
        // A part of the processors is one per processor and more.
        let all_at_once = at_once.is_some_and(|number| {
            number.ends_with('%') || number.parse::<usize>().is_ok_and(|n| n == 0 || n > AT_ONCE)
        });
        if all_at_once {
            return Err(bomb());
        }
        self.comes_to_an_end(before)
    }
}

/// Whether the operands of `sleep` are a pause, or not known.
fn is_pause(args: &[String]) -> bool {
    let mut all = 0.0;
    for arg in args.iter().filter(|arg| !arg.starts_with("--")) {
        let Some(seconds) = seconds(arg) else {
            return true;
        };
        all += seconds;
    }
    all >= PAUSE
}

/// A time as `sleep` takes it, in seconds: `0.5`, `2m`.
fn seconds(text: &str) -> Option<f64> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h', 'd']) {
        Some(number) => (number, text.chars().last()),
        None => (text, None),
    };
    let each = match unit {
        Some('m') => 60.0,
        Some('h') => 3_600.0,
        Some('d') => 86_400.0,
        Some(_) | None => 1.0,
    };
    number.parse::<f64>().ok().map(|number| number * each)
}

/// `read -t 0`: whether there is input, without waiting for it.
fn only_looks(args: &[String]) -> bool {
    let limit = args.iter().enumerate().find_map(|(at, arg)| {
        let flags = arg.strip_prefix('-')?;
        let (_, value) = flags.split_once('t')?;
        if value.is_empty() {
            args.get(at + 1).map(String::as_str)
        } else {
            Some(value)
        }
    });
    limit.and_then(seconds).is_some_and(|limit| limit < PAUSE)
}

/// Whether `watch` begins again with next to no pause.
pub(crate) fn watches_without_pause(args: &[String]) -> bool {
    let limit = args.iter().enumerate().find_map(|(at, arg)| {
        let value = arg
            .strip_prefix("--interval")
            .or_else(|| arg.strip_prefix("-n"))?;
        match value.trim_start_matches('=') {
            "" => args.get(at + 1).map(String::as_str),
            value => Some(value),
        }
    });
    limit.and_then(seconds).is_some_and(|limit| limit <= PAUSE)
}

/// Refuses a script that starts itself beside itself: `$0 & $0 &`, `$0 | $0`.
pub(crate) fn not_itself(name: &str, st: &State) -> Judged<()> {
    let shell = st.zero.rsplit('/').next().unwrap_or_default();
    if st.beside && name == &*st.zero && !crate::interpreters::is_known(shell) {
        return Err(bomb());
    }
    Ok(())
}

/// The refusal of what starts processes without an end.
pub(crate) fn bomb() -> Refusal {
    Refusal::new(
        rule::PROCESS,
        "processes would be started without an end; loop over a list, or wait for each before the next",
    )
}

/// What a program prints, marked where there is always more of it.
pub(crate) fn goes_on(name: &str, args: &[String], stdin: Option<&str>, out: String) -> String {
    let begins = match name {
        "yes" => !args
            .iter()
            .any(|arg| matches!(arg.as_str(), "--help" | "--version")),
        "seq" => args.iter().any(|arg| arg.starts_with("inf")),
        "cat" => args.iter().any(|arg| is_endless_file(arg)),
        _ => false,
    };
    let passes = || match name {
        "cat" | "tr" | "cut" | "nl" | "tee" | "paste" | "fold" | "rev" | "fmt" | "base64"
        | "od" | "xxd" | "hexdump" | "strings" | "uniq" | "pv" | "xargs" | "iconv" => true,
        "sed" => !args.iter().any(|arg| arg.contains(['q', 'Q'])),
        "awk" | "gawk" | "mawk" => !args.iter().any(|arg| arg.contains("exit")),
        "grep" => !args
            .iter()
            .any(|arg| arg.starts_with("-m") || arg.starts_with("--max") || arg.starts_with("-q")),
        _ => false,
    };
    let mut out = if text::is_endless(&out) {
        out.replace(text::ENDLESS, "")
    } else {
        out
    };
    if begins || stdin.is_some_and(text::is_endless) && passes() {
        out.push(text::ENDLESS);
    }
    out
}

/// Devices of which there is always more to read.
pub(crate) fn is_endless_file(path: &str) -> bool {
    matches!(path, "/dev/zero" | "/dev/urandom" | "/dev/random")
}
