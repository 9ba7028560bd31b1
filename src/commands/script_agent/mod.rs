//! `script-agent`: an agent without a model, which does what a YAML file says.
//!
//! It goes through the same doors as a real CLI: every command and every write is shown to the
//! guard first, mail comes with the hooks, and it speaks to grove as any agent does.

mod act;
mod hooks;
mod steps;

use std::path::PathBuf;

use crate::cli::{CliError, CliResult, Context, Outcome};

/// Run a scripted agent
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// The script
    file: PathBuf,
}

/// Runs the command.
pub fn run(_ctx: &Context, args: Args) -> CliResult {
    let text = crate::platform::fs::read(&args.file)?;
    let script = steps::parse(&text)
        .map_err(|e| CliError::validation(format!("{}: {e}", args.file.display())))?;
    match act::act(&script) {
        Ok(0) => Ok(Outcome::Done),
        Ok(_) => Ok(Outcome::Failed),
        Err(e) => Err(CliError::coded(
            "AGENT_ERROR",
            format!("the script stopped: {e}"),
        )),
    }
}
