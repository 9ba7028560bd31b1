//! The verbs that coordinator and orchestrator have in common, and their options.

use clap::Subcommand;

use super::role::Role;
use super::{output, status, stop, talk};
use crate::cli::{CliResult, Context};

/// Options of `start`.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct StartArgs {
    /// Show it here after the start: the full screen, or the agent's terminal
    #[arg(long, overrides_with = "no_attach")]
    pub(crate) attach: bool,
    /// Only start it
    #[arg(long, overrides_with = "attach")]
    pub(crate) no_attach: bool,
    /// Also watch the agents' health, unless another process does
    #[arg(long)]
    pub(crate) watchdog: bool,
    /// Start although another process watches already
    #[arg(long)]
    pub(crate) accept_existing_watchdog: bool,
    /// Start the monitor agent as well
    #[arg(long)]
    pub(crate) monitor: bool,
    /// Profile to work by
    #[arg(long, value_name = "name")]
    pub(crate) profile: Option<String>,
}

/// What can be done with one that runs.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Stop it; agents go on
    #[command(after_help = "Examples:\n  grove coordinator stop\n  grove orchestrator stop")]
    Stop,
    /// Report whether it is running
    #[command(
        after_help = "Examples:\n  grove coordinator status --json\n  grove orchestrator status --json"
    )]
    Status,
    /// Send it a message
    #[command(
        after_help = "Examples:\n  grove coordinator send --body \"land login first\"\n  grove orchestrator send --body \"land login first\""
    )]
    Send {
        /// What to say
        #[arg(long, required = true, value_name = "text")]
        body: String,
        /// Subject line
        #[arg(long, default_value = "operator dispatch", value_name = "text")]
        subject: String,
    },
    /// Ask it something and wait for the answer
    #[command(
        after_help = "Examples:\n  grove coordinator ask --body \"what is left?\" --timeout 60\n  grove orchestrator ask --body \"what is left?\" --timeout 60"
    )]
    Ask {
        /// What to ask
        #[arg(long, required = true, value_name = "text")]
        body: String,
        /// Subject line
        #[arg(long, default_value = "operator request", value_name = "text")]
        subject: String,
        /// How long to wait, in seconds
        #[arg(
            long,
            default_value = "120",
            value_name = "seconds",
            allow_hyphen_values = true
        )]
        timeout: String,
    },
    /// Show the end of its screen
    #[command(
        after_help = "Examples:\n  grove coordinator output --lines 20\n  grove orchestrator output --lines 20"
    )]
    Output {
        /// Go on showing what is new
        #[arg(short, long)]
        follow: bool,
        /// How many lines
        #[arg(
            long,
            default_value = "50",
            value_name = "n",
            allow_hyphen_values = true
        )]
        lines: String,
        /// Show what is new at least this often, in milliseconds, with --follow
        #[arg(
            long,
            default_value = "2000",
            value_name = "ms",
            allow_hyphen_values = true
        )]
        interval: String,
    },
}

impl Verb {
    /// Carries the verb out for a role.
    pub(crate) fn run(self, ctx: &Context, role: &Role) -> CliResult {
        match self {
            Self::Stop => stop::run(ctx, role),
            Self::Status => status::run(ctx, role),
            Self::Send { body, subject } => talk::send(ctx, role, &subject, &body),
            Self::Ask {
                body,
                subject,
                timeout,
            } => talk::ask(ctx, role, &subject, &body, &timeout),
            Self::Output {
                follow,
                lines,
                interval,
            } => output::run(ctx, role, follow, &lines, &interval),
        }
    }
}
