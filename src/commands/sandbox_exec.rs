//! `sandbox-exec`: the seam through which every agent CLI is started.
//!
//! Quality gates are started by it as well, as processes that end with whoever runs them (`--ends-with`).
//!
//! It replaces itself with the CLI, so the CLI keeps the pid, the terminal and the group the
//! host has given it. What the operating system should refuse the CLI is applied here, to this
//! process, before the replacement. Without a host that looks after the rest it does so itself, and stays beside the CLI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::fs;
#[cfg(target_os = "linux")]
use crate::process::beside;
use crate::process::{bound, detach, room};
use crate::sandbox::{self, Rules, SandboxError, Seam, Trial};

/// Replace this process by an agent CLI
#[derive(Debug, clap::Args)]
#[command(
    hide = true,
    after_help = "Example: grove sandbox-exec --rules sandbox.json -- claude --version"
)]
pub struct Args {
    /// Apply these rules first
    #[arg(long, value_name = "file")]
    rules: Option<PathBuf>,
    /// Hand what these rules need looked after to the starter, who waits by this name
    #[arg(long, value_name = "name", requires = "rules")]
    seam: Option<String>,
    /// Attempt what must fail, as standard input says, instead of starting a CLI
    #[arg(long, conflicts_with_all = ["rules", "argv"])]
    attempt: bool,
    /// Run the program instead, and end it, with all it has started, when this process ends
    #[arg(long, value_name = "pid", conflicts_with_all = ["rules", "attempt"])]
    ends_with: Option<i32>,
    /// The CLI and its arguments
    #[arg(
        required_unless_present = "attempt",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    argv: Vec<OsString>,
}

/// Runs the command; returns only when the CLI could not be started.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    if args.attempt {
        return attempt();
    }
    room::leave_room().map_err(|e| not_started(&args.argv, &e))?;
    if let Some(starter) = args.ends_with {
        return bound::run(starter, &args.argv, sandbox::keep_signals_in)
            .map(Outcome::Code)
            .map_err(|e| not_started(&args.argv, &e));
    }
    // Over pipes, too, a CLI gets a session of its own: by it the host tells what its agent has
    // started from what it has started itself. In a terminal it has one already.
    detach::leave_session();
    let wrapper = match &args.rules {
        None => Vec::new(),
        Some(file) => {
            let rules = read(file).map_err(|e| refused(&e))?;
            if args.seam.is_none() {
                tell_what_is_missing(ctx);
                #[cfg(target_os = "linux")]
                if sandbox::is_looked_after() {
                    return alone(&rules, &args.argv);
                }
            }
            confine(&rules, args.seam.as_deref()).map_err(|e| refused(&e))?
        }
    };
    let mut words = wrapper.into_iter().map(OsString::from).chain(args.argv);
    let Some(program) = words.next() else {
        return Err(CliError::usage("error: no program given"));
    };
    let error = crate::process::replace(&program, words);
    Err(not_started(&[program], &error))
}

fn not_started(argv: &[OsString], error: &std::io::Error) -> CliError {
    let program = argv.first().map(|word| word.to_string_lossy());
    let shown = program.unwrap_or_default();
    CliError::coded("AGENT_ERROR", format!("cannot start '{shown}': {error}"))
        .hint("check that it is installed and that this user may run it")
}

fn attempt() -> CliResult {
    let trial: Trial = serde_json::from_reader(std::io::stdin().lock())
        .map_err(|e| CliError::usage(format!("error: the trial is not readable: {e}")))?;
    sandbox::attempt(&trial)
        .map(|()| Outcome::Done)
        .map_err(|why| CliError::coded("AGENT_ERROR", why))
}

/// Without a host: this process looks after what it has started, until that ends.
#[cfg(target_os = "linux")]
fn alone(rules: &Rules, argv: &[OsString]) -> CliResult {
    sandbox::within(rules, |_| beside::run(argv))
        .map_err(|e| refused(&e))?
        .map(Outcome::Code)
        .map_err(|e| not_started(argv, &e))
}

fn tell_what_is_missing(ctx: &Context) {
    if let Some(note) = sandbox::support().note() {
        ctx.out.note(format!("note: {note}"));
    }
}

fn refused(error: &SandboxError) -> CliError {
    CliError::coded("AGENT_ERROR", error.to_string())
}

fn read(file: &Path) -> Result<Rules, SandboxError> {
    let text = fs::read(file)?;
    serde_json::from_str(&text).map_err(|e| SandboxError::Rules {
        path: file.to_owned(),
        message: e.to_string(),
    })
}

fn confine(rules: &Rules, seam: Option<&str>) -> Result<Vec<String>, SandboxError> {
    let lost = |e| SandboxError::Refused(format!("the host does not look after it: {e}"));
    let seam = seam.map(Seam::reach).transpose().map_err(lost)?;
    let words = sandbox::apply(rules)?;
    match seam {
        Some(seam) => seam.close(&rules.network).map_err(lost)?,
        None => sandbox::unattended(&rules.network),
    }
    Ok(words)
}
