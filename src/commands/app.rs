//! From argv to exit code: parse, dispatch, report.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind as ClapKind;
use serde_json::json;

use super::list::Command;
use super::parser::{self, CommandLine};
use crate::cli::{
    CliError, CliResult, Context, Outcome, Printer, Words, reword_usage, unknown_option,
};
use crate::db::take_notices;
use crate::process::bound;

/// Runs one command line and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let started = Instant::now();
    bound::may_start_this_program();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if super::completions::answered(&arguments) {
        return ExitCode::SUCCESS;
    }
    // Errors are JSON when the word is anywhere, because parsing itself can fail.
    let given = |name: &str| arguments.iter().skip(1).any(|argument| argument == name);
    let out = Printer::new(given("--json"), given("--quiet") || given("-q"));
    let parsed = match parse(&arguments, &out) {
        Ok(Parsed::Command(cli)) => cli,
        Ok(Parsed::Shown(outcome)) => return code(outcome),
        Err(error) => {
            out.error(&error);
            return ExitCode::FAILURE;
        }
    };
    let command = parsed.command.as_ref();
    let out = out.plainly(command.is_some_and(Command::tells_of_merges));
    let result = execute(*parsed, out.clone());
    for notice in take_notices() {
        out.note(notice);
    }
    if given("--timing") {
        out.note(elapsed(started.elapsed().as_millis()));
    }
    result.map(code).unwrap_or_else(|error| {
        out.error(&error);
        ExitCode::from(error.exit)
    })
}

fn code(outcome: Outcome) -> ExitCode {
    match outcome {
        Outcome::Done => ExitCode::SUCCESS,
        Outcome::Failed => ExitCode::FAILURE,
        Outcome::Code(code) => ExitCode::from(code),
    }
}

enum Parsed {
    Command(Box<CommandLine>),
    /// Help or a usage error has been printed.
    Shown(Outcome),
}

fn parse(arguments: &[OsString], out: &Printer) -> CliResult<Parsed> {
    match read(&mut parser::quick(), arguments) {
        Ok(Read::Right(line)) => Ok(Parsed::Command(line)),
        Ok(Read::Misplaced(_)) | Err(_) => explain(arguments, out),
    }
}

/// A command line that a parser has taken.
enum Read {
    Right(Box<CommandLine>),
    /// An option that the command's own parser would refuse.
    Misplaced(String),
}

fn read(parser: &mut clap::Command, arguments: &[OsString]) -> Result<Read, clap::Error> {
    let matches = parser.try_get_matches_from_mut(arguments)?;
    let mut line = CommandLine::from_matches(&matches)?;
    let words = Words::new(arguments, parser);
    if let Some(option) = words.misplaced() {
        return Ok(Read::Misplaced(option.to_owned()));
    }
    // Before the command's name these two are accepted and mean nothing.
    if words.command().is_some() {
        line.own.globals.json &= words.says("--json");
        line.own.globals.verbose &= words.says("--verbose");
    }
    Ok(Read::Right(Box::new(line)))
}

/// Reads the command line with the whole parser, which has the help and the words for what is wrong.
fn explain(arguments: &[OsString], out: &Printer) -> CliResult<Parsed> {
    let mut command = parser::whole();
    let parsed = read(&mut command, arguments);
    let words = Words::new(arguments, &command);
    match parsed {
        Ok(Read::Right(line)) => Ok(Parsed::Command(line)),
        Ok(Read::Misplaced(option)) => Ok(complain(unknown_option(&option, &words), &words, out)),
        Err(error) if error.kind() == ClapKind::DisplayHelp => {
            out.text(&error.render().to_string())?;
            Ok(Parsed::Shown(Outcome::Done))
        }
        Err(error)
            if matches!(
                error.kind(),
                ClapKind::DisplayHelpOnMissingArgumentOrSubcommand | ClapKind::MissingSubcommand
            ) =>
        {
            out.note(error.render().to_string().trim_end());
            Ok(Parsed::Shown(Outcome::Failed))
        }
        Err(error) if error.kind() == ClapKind::InvalidUtf8 => {
            Ok(complain(not_text(arguments), &words, out))
        }
        Err(error) => Ok(complain(
            reword_usage(&error, &command, &words),
            &words,
            out,
        )),
    }
}

/// Names the word that is no UTF-8.
fn not_text(arguments: &[OsString]) -> CliError {
    let place = arguments.iter().position(|word| word.to_str().is_none());
    let word = place.and_then(|place| arguments.get(place));
    CliError::usage(format!(
        "argument {} is not UTF-8: {}",
        place.unwrap_or_default(),
        word.map(|word| word.to_string_lossy()).unwrap_or_default()
    ))
}

/// Usage errors are told to people, on stderr; parsers of their own tell them a second time. The next
/// step follows: at a terminal, and where no contract settles every line.
fn complain(error: CliError, words: &Words<'_>, out: &Printer) -> Parsed {
    if words.has_own_parser() {
        out.note(&error.message);
        out.error(&error.tip(words.next_step()));
    } else if words.is_new() {
        out.complaint(&error.hint(words.next_step()));
    } else {
        out.complaint(&error.tip(words.next_step()));
    }
    Parsed::Shown(Outcome::Failed)
}

fn execute(line: CommandLine, out: Printer) -> CliResult {
    let CommandLine { own, command } = line;
    if own.version {
        version(&out)?;
        return Ok(Outcome::Done);
    }
    let cwd = std::env::current_dir()
        .map_err(|error| CliError::new(format!("the current directory cannot be used: {error}")))?;
    let context = Context {
        out: out.answering(own.globals.json),
        globals: own.globals,
        cwd,
    };
    match command {
        Some(command) => command.run(&context),
        None => super::open::run(&context),
    }
}

fn version(out: &Printer) -> CliResult<()> {
    let number = env!("CARGO_PKG_VERSION");
    if !out.is_json() {
        return out.line(number);
    }
    out.json_bare(&json!({
        "name": env!("CARGO_PKG_NAME"),
        "version": number,
        "runtime": "native",
        "platform": format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
    }))
}

fn elapsed(milliseconds: u128) -> String {
    if milliseconds < 1000 {
        return format!("Done in {milliseconds}ms");
    }
    format!("Done in {:.2}s", milliseconds as f64 / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        assert_eq!(elapsed(12), "Done in 12ms");
        assert_eq!(elapsed(1500), "Done in 1.50s");
    }
}
