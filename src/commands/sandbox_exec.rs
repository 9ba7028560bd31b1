//! `sandbox-exec`: the seam through which every agent CLI is started.
//!
//! Quality gates are started by it as well, as processes that end with whoever runs them (`--ends-with`).
//!
//! It replaces itself with the CLI, so the CLI keeps the pid, the terminal and the group the
//! host has given it. What the operating system should refuse the CLI is applied here, to this
//! process, before the replacement.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::fs;
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
        Some(file) => confine(file, args.seam.as_deref())
            .map_err(|e| CliError::coded("AGENT_ERROR", e.to_string()))?,
        None => Vec::new(),
    };
    // The kernel's own rules know nothing of modes; on macOS they stand in the wrapper.
    if args.rules.is_some() && args.seam.is_none() && wrapper.is_empty() {
        ctx.out.note(
            "note: no host looks after this sandbox: changes of modes, owners and times of files are not refused",
        );
    }
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

fn confine(file: &Path, seam: Option<&str>) -> Result<Vec<String>, SandboxError> {
    let text = fs::read(file)?;
    let rules: Rules = serde_json::from_str(&text).map_err(|e| SandboxError::Rules {
        path: file.to_owned(),
        message: e.to_string(),
    })?;
    let lost = |e| SandboxError::Refused(format!("the host does not look after it: {e}"));
    let seam = seam.map(Seam::reach).transpose().map_err(lost)?;
    let words = sandbox::apply(&rules)?;
    if let Some(seam) = seam {
        seam.close(&rules.network).map_err(lost)?;
    }
    Ok(words)
}
