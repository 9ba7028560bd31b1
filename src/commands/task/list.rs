//! `task list` and `task ready`: choose tasks and print one line each.

use super::words::{IssuesJson, row, tracker};
use crate::cli::{CliResult, Context, Outcome, non_negative};
use crate::db::local_time::LocalTime;
use crate::platform::clock;
use crate::text::counted;
use crate::tracker::{Issue, Selection};

/// List tasks
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task list --status in_progress")]
pub(super) struct Args {
    /// Only tasks in this state: open, in_progress or closed
    #[arg(long, value_name = "status")]
    status: Option<String>,
    /// Closed ones too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

/// List the tasks that wait for nothing
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task ready --limit 5")]
pub(super) struct ReadyArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Leave out what is parked or scheduled for later
    #[arg(long)]
    respect_schedule: bool,
}

#[derive(Debug, clap::Args)]
struct FilterArgs {
    /// Only of this kind
    #[arg(long = "type", value_name = "type")]
    kind: Option<String>,
    /// Only of this person or agent
    #[arg(long, value_name = "name")]
    assignee: Option<String>,
    /// Only with all of these labels, separated by commas
    #[arg(long, value_name = "labels")]
    label: Option<String>,
    /// Maximum number to show
    #[arg(
        long,
        value_name = "n",
        default_value = "50",
        allow_hyphen_values = true
    )]
    limit: String,
}

impl FilterArgs {
    fn selection(self) -> CliResult<Selection> {
        let limit = non_negative("--limit", &self.limit)?;
        Ok(Selection {
            kind: self.kind,
            assignee: self.assignee,
            label: self.label,
            limit: Some(usize::try_from(limit).unwrap_or(usize::MAX)),
            ..Selection::default()
        })
    }
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let selection = Selection {
        status: args.status,
        all: args.all,
        ..args.filter.selection()?
    };
    let issues = tracker(ctx)?.list(&selection)?;
    print(ctx, "task list", &issues, "No tasks")
}

pub(super) fn ready(ctx: &Context, args: ReadyArgs) -> CliResult {
    let mut selection = args.filter.selection()?;
    // What is put off must not take the room of what is not.
    let limit = selection.limit.take();
    let mut issues = tracker(ctx)?.ready(&selection)?;
    if args.respect_schedule {
        let (now, place) = (clock::now(), LocalTime::default());
        issues.retain(|issue| !issue.is_put_off(now, |at| place.ahead_ms(at)));
    }
    issues.truncate(limit.unwrap_or(usize::MAX));
    print(ctx, "task ready", &issues, "No task is ready")
}

fn print(ctx: &Context, command: &str, issues: &[Issue], none: &str) -> CliResult {
    if ctx.is_json() {
        ctx.out.json(command, &IssuesJson::of(issues))?;
    } else if issues.is_empty() {
        ctx.out.hint(none)?;
    } else {
        for issue in issues {
            ctx.out.line(row(issue))?;
        }
        let count = counted(issues.len() as u64, "task");
        ctx.out.hint(count)?;
    }
    Ok(Outcome::Done)
}
