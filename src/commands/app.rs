//! From argv to exit code: parse, dispatch, report.

use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

use clap::error::ErrorKind as ClapKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use serde_json::json;

use super::list::Command;
use crate::cli::{CliError, CliResult, Context, Globals, Outcome, Printer, reword_usage};

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
    Cli::command()
}

/// Runs one command line and returns its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let started = Instant::now();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    if super::completions::answered(&arguments) {
        return ExitCode::SUCCESS;
    }
    // The mode must be known before parsing, because parsing can fail.
    let given = |name: &str| arguments.iter().skip(1).any(|argument| argument == name);
    let out = Printer::new(given("--json"), given("--quiet") || given("-q"));
    let result = parse(&arguments, &out).and_then(|parsed| match parsed {
        Parsed::Shown(outcome) => Ok(outcome),
        Parsed::Command(cli) => execute(*cli, out.clone()),
    });
    if given("--timing") {
        out.note(elapsed(started.elapsed().as_millis()));
    }
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Err(error) => {
            out.error(&error);
            ExitCode::FAILURE
        }
    }
}

enum Parsed {
    Command(Box<Cli>),
    /// Help or version has been printed.
    Shown(Outcome),
}

fn parse(arguments: &[OsString], out: &Printer) -> CliResult<Parsed> {
    let mut command = build();
    let parsed = command
        .try_get_matches_from_mut(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    match parsed {
        Ok(cli) => Ok(Parsed::Command(Box::new(cli))),
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
        Err(error) => Err(report_usage(reword_usage(&error, &command, arguments), out)),
    }
}

/// In JSON mode a usage error is told twice: to people on stderr, to programs on stdout.
fn report_usage(error: CliError, out: &Printer) -> CliError {
    if out.is_json() {
        out.note(&error.message);
    }
    error
}

fn execute(cli: Cli, out: Printer) -> CliResult {
    if cli.version {
        version(&out)?;
        return Ok(Outcome::Done);
    }
    let cwd = std::env::current_dir()
        .map_err(|error| CliError::new(format!("the current directory cannot be used: {error}")))?;
    let context = Context {
        out,
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
