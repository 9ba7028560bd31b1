//! `host`: the process around one agent. Started by `sling`, not by people.

use std::io::stdout;
use std::path::PathBuf;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::host;
use crate::logging::RedactingWriter;

/// Run the host of one agent
#[derive(Debug, clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// Project root
    #[arg(long)]
    root: PathBuf,
    /// Session to host
    #[arg(long)]
    session: String,
}

/// Runs the command.
pub fn run(_ctx: &Context, args: Args) -> CliResult {
    tracing_subscriber::fmt()
        .with_writer(|| RedactingWriter(std::io::stderr()))
        .with_ansi(false)
        .with_max_level(tracing::Level::INFO)
        .init();
    let mut ready = stdout();
    match host::run::run(&args.root, &args.session, &mut ready) {
        Ok(()) => Ok(Outcome::Done),
        Err(error) => {
            host::launch::report_error(&mut ready, &error);
            Err(CliError::coded("AGENT_ERROR", error.to_string()))
        }
    }
}
