//! `mail purge`: delete messages for good.

use serde_json::json;

use crate::cli::{CliError, CliResult, Context, Outcome, positive};
use crate::db::MailStore;
use crate::db::mail::PurgeFilter;
use crate::platform::clock;
use crate::types::Timestamp;

const DAY_MS: i64 = 86_400_000;

/// Delete messages
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove mail purge --days 30\n  grove mail purge --agent builder-auth"
)]
pub struct Args {
    /// Delete everything
    #[arg(long)]
    all: bool,
    /// Delete what is older than this many days
    #[arg(long, value_name = "n", allow_hyphen_values = true)]
    days: Option<String>,
    /// Delete what this agent sent or received
    #[arg(long, value_name = "name")]
    agent: Option<String>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    if !args.all && args.days.is_none() && args.agent.is_none() {
        return Err(CliError::validation(
            "mail purge requires at least one filter: --all, --days <n>, or --agent <name>",
        ));
    }
    let days = args
        .days
        .as_deref()
        .map(|days| positive("--days", days))
        .transpose()?;
    let filter = if args.all {
        PurgeFilter::default()
    } else {
        let oldest =
            |days: i64| Timestamp(clock::now().0.saturating_sub(days.saturating_mul(DAY_MS))).iso();
        PurgeFilter {
            agent: args.agent,
            before: days.map(oldest),
        }
    };
    let purged = MailStore::open(&ctx.paths()?.mail_db())?.purge(&filter)?;
    if ctx.is_json() {
        ctx.out.json("mail purge", &json!({"purged": purged}))?;
    } else {
        ctx.out.success(format!(
            "Purged {purged} message{}",
            if purged == 1 { "" } else { "s" }
        ))?;
    }
    Ok(Outcome::Done)
}
