//! `task update`: change what a task says.

use super::super::comma_lists::{kept, list};
use super::words::{IssueJson, may_close, tracker};
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::tracker::{TaskChange, parse_priority};

/// Change a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task update app-1a2b --status in_progress --assignee me")]
pub(super) struct Args {
    /// The task
    #[arg(value_name = "id")]
    id: String,
    /// State: open, in_progress or closed
    #[arg(long, short, value_name = "status")]
    status: Option<String>,
    /// Title
    #[arg(long, value_name = "title")]
    title: Option<String>,
    /// Kind: task, bug, feature or epic
    #[arg(long = "type", value_name = "type")]
    kind: Option<String>,
    /// From 0 (critical) to 4 (backlog)
    #[arg(long, value_name = "n")]
    priority: Option<String>,
    /// Who does it
    #[arg(long, value_name = "name")]
    assignee: Option<String>,
    /// Description
    #[arg(long, aliases = ["desc", "body"], value_name = "text")]
    description: Option<String>,
    /// Labels to add, separated by commas
    #[arg(long, value_name = "list")]
    add_label: Option<String>,
    /// Labels to remove, separated by commas
    #[arg(long, value_name = "list")]
    remove_label: Option<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let change = TaskChange {
        status: args.status,
        title: args.title,
        kind: args.kind,
        priority: args.priority.as_deref().map(parse_priority).transpose()?,
        assignee: args.assignee,
        description: args.description,
        add_labels: kept(args.add_label.as_deref()),
        remove_labels: list(args.remove_label.as_deref()),
    };
    if change.is_empty() {
        return Err(CliError::validation("nothing to change was given")
            .hint("e.g. --status in_progress, --assignee <name>, --priority 1"));
    }
    if change.status.as_deref() == Some("closed") {
        may_close(ctx, std::slice::from_ref(&args.id))?;
    }
    let issue = tracker(ctx)?.update(&args.id, &change)?;
    if ctx.is_json() {
        let json = IssueJson {
            issue: issue.fields(),
        };
        ctx.out.json("task update", &json)?;
    } else {
        ctx.out.success(format!("Updated {}", issue.id()))?;
    }
    Ok(Outcome::Done)
}
