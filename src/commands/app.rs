//! From argv to exit code: parse, dispatch, report.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind as ClapKind;
use clap::{ArgAction, CommandFactory, FromArgMatches, Parser};
use serde_json::json;

use super::list::Command;
use crate::cli::{
    CliError, CliResult, Context, Globals, Outcome, Printer, Words, reword_usage, unknown_option,
};
use crate::db::take_notices;

/// A terminal workspace for a team of coding agents
#[derive(Debug, Parser)]
#[command(
    name = "grove",
    disable_version_flag = true,
    subcommand_required = false,
    disable_help_subcommand = true,
    after_help = "Examples:\n  grove init\n  grove sling auth-1 --capability builder --spec auth.md\n  grove                    # the full screen\n\n'grove <command> --help' shows more examples."
)]
struct Cli {
    /// Print the version
    #[arg(short = 'v', long = "version")]
    version: bool,
    #[command(flatten)]
    globals: Globals,
    #[command(subcommand)]
    command: Option<Command>,
}

/// Builds the argument parser, also for completions and documentation.
pub fn build() -> clap::Command {
    lenient(Cli::command())
}

/// Options as the contract's parser takes them: whatever follows one is its value, and of several the
/// last one counts.
fn lenient(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|argument| {
        let id = argument.get_id().clone();
        let last_counts = matches!(
            argument.get_action(),
            ArgAction::Set | ArgAction::SetTrue | ArgAction::SetFalse
        );
        let takes_value = !argument.is_positional() && argument.get_action().takes_values();
        // One that takes several ends at the next option, there as here.
        let takes_several = argument
            .get_num_args()
            .is_some_and(|number| number.max_values() > 1);
        let argument = if takes_value && !takes_several {
            argument.allow_hyphen_values(true)
        } else {
            argument
        };
        if last_counts && !argument.is_positional() {
            argument.overrides_with(id)
        } else {
            argument
        }
    });
    command.mut_subcommands(lenient)
}

/// Runs one command line and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let started = Instant::now();
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
    }
}

enum Parsed {
    Command(Box<Cli>),
    /// Help or a usage error has been printed.
    Shown(Outcome),
}

fn parse(arguments: &[OsString], out: &Printer) -> CliResult<Parsed> {
    let mut command = build();
    let parsed = command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let words = Words::new(arguments, &command);
    match parsed {
        Ok(mut cli) => {
            if let Some(option) = words.misplaced() {
                return Ok(complain(unknown_option(option, &words), &words, out));
            }
            // Before the command's name these two are accepted and mean nothing.
            if words.command().is_some() {
                cli.globals.json &= words.says("--json");
                cli.globals.verbose &= words.says("--verbose");
            }
            Ok(Parsed::Command(Box::new(cli)))
        }
        Err(error) if error.kind() == ClapKind::DisplayHelp => {
            out.raw(&error.render().to_string())?;
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

fn execute(cli: Cli, out: Printer) -> CliResult {
    if cli.version {
        version(&out)?;
        return Ok(Outcome::Done);
    }
    let cwd = std::env::current_dir()
        .map_err(|error| CliError::new(format!("the current directory cannot be used: {error}")))?;
    let context = Context {
        out: out.answering(cli.globals.json),
        globals: cli.globals,
        cwd,
    };
    match cli.command {
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
    fn the_argument_tree_is_consistent() {
        build().debug_assert();
    }

    #[test]
    fn times_are_short() {
        assert_eq!(elapsed(12), "Done in 12ms");
        assert_eq!(elapsed(1500), "Done in 1.50s");
    }
}
