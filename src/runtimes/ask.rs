//! Asking an agent CLI one question, bounded in time and output, with everything it starts.

use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::one_shot::one_shot;
use super::reach::Model;
use crate::platform::env;
use crate::process::find_program;
use crate::process::shell::{Bounded, Cancel, Ended};

/// A longer answer, in bytes, is not one file.
const LARGEST_ANSWER: usize = 8 * 1024 * 1024;

/// Runs a command to its end, in a sandbox or without.
pub type Runner<'a> = dyn Fn(Bounded<'_>) -> io::Result<Ended> + 'a;

/// One question to one CLI.
pub struct Question<'a> {
    /// ov's name of the runtime.
    pub runtime: &'a str,
    /// The program to start instead of the one on PATH.
    pub program: Option<PathBuf>,
    pub model: &'a Model,
    pub prompt: &'a str,
    /// The folder it is asked in.
    pub dir: &'a Path,
    pub time_limit: Duration,
    pub cancel: Option<&'a Cancel>,
    pub run: &'a Runner<'a>,
}

/// Asks and returns what was answered.
///
/// # Errors
/// A sentence that names the CLI: it is not there, did not start, failed, took longer than the limit
/// or printed more than 8 MiB.
pub fn ask(question: Question<'_>) -> Result<String, String> {
    let call = one_shot(
        question.runtime,
        question.model.name.as_deref(),
        question.prompt,
    )
    .map_err(|error| error.to_string())?;
    let (name, args) = call.argv.split_first().ok_or("nothing to run")?;
    let printed = answer_of(Program {
        name,
        path: question.program,
        args,
        dir: question.dir,
        model: Some(question.model),
        stdin: call.stdin.as_deref(),
        time_limit: question.time_limit,
        cancel: question.cancel,
        run: question.run,
    })?;
    Ok(call.answer(printed))
}

/// Tells whether the program of a runtime is not there, so that it cannot be asked.
pub fn is_missing(runtime: &str, program: Option<&Path>) -> bool {
    if let Some(program) = program {
        return !program.exists();
    }
    let name = one_shot(runtime, None, "")
        .ok()
        .and_then(|call| call.argv.into_iter().next());
    name.is_some_and(|name| find_program(&name, None).is_none())
}

/// A program that is given a text and prints one.
pub struct Program<'a> {
    pub name: &'a str,
    /// Where it is, instead of on PATH.
    pub path: Option<PathBuf>,
    pub args: &'a [String],
    pub dir: &'a Path,
    /// The model it needs to reach, if it is a model's CLI.
    pub model: Option<&'a Model>,
    pub stdin: Option<&'a str>,
    pub time_limit: Duration,
    pub cancel: Option<&'a Cancel>,
    pub run: &'a Runner<'a>,
}

/// Runs the program and returns what it has printed; the error is a sentence.
pub fn answer_of(program: Program<'_>) -> Result<String, String> {
    let name = program.name;
    let path = program
        .path
        .or_else(|| find_program(name, None))
        .ok_or_else(|| format!("'{name}' is not installed or not on PATH"))?;
    let mut command = Command::new(path);
    command.args(program.args).current_dir(program.dir);
    if let Some(model) = program.model {
        model.equip(&mut command, &env::var);
    }
    let ended = (program.run)(Bounded {
        command,
        stdin: program.stdin.map(|text| text.as_bytes().to_vec()),
        keeps_open: None,
        time_limit: program.time_limit,
        keep: LARGEST_ANSWER,
        errors_apart: true,
        cancel: program.cancel,
        may_clean_up: false,
    })
    .map_err(|error| format!("'{name}' could not be started: {error}"))?;
    judge(name, &ended, program.time_limit)?;
    Ok(ended.tail)
}

/// The last two lines of what a program complained of: many say what to do in the last one, and why in the one before.
fn last_words(errors: &str) -> String {
    let lines = errors.lines().map(str::trim);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    let last = lines.len().saturating_sub(2);
    lines.get(last..).unwrap_or_default().join(" ")
}

fn judge(name: &str, ended: &Ended, time_limit: Duration) -> Result<(), String> {
    let Some(status) = ended.status else {
        if ended.called_off {
            return Err(format!("'{name}' was ended before it had answered"));
        }
        return Err(format!(
            "'{name}' did not answer within {} s",
            time_limit.as_secs()
        ));
    };
    if !status.success() {
        let said = match last_words(&ended.errors) {
            said if said.is_empty() => said,
            said => format!(": {said}"),
        };
        return Err(format!("'{name}' failed ({status}){said}"));
    }
    if ended.dropped > 0 {
        return Err(format!("'{name}' printed more than a file can be"));
    }
    Ok(())
}
