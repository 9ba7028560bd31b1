//! `sandbox-exec`: the seam through which every agent CLI is started.
//!
//! It replaces itself with the CLI, so the CLI keeps the pid, the terminal and the group the
//! host has given it. What the operating system should refuse the CLI is applied here, to this
//! process, before the replacement.

use std::ffi::OsString;

use crate::cli::{CliError, CliResult, Context};

/// Replace this process by an agent CLI
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// The CLI and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    argv: Vec<OsString>,
}

/// Runs the command; returns only when the CLI could not be started.
pub fn run(_ctx: &Context, args: Args) -> CliResult {
    let mut words = args.argv.into_iter();
    let Some(program) = words.next() else {
        return Err(CliError::usage("error: no program given"));
    };
    let shown = program.to_string_lossy().into_owned();
    let error = crate::process::replace(&program, words);
    Err(
        CliError::coded("AGENT_ERROR", format!("cannot start '{shown}': {error}"))
            .hint("check that it is installed and that this user may run it"),
    )
}
