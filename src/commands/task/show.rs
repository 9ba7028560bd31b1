//! `task show`: everything that is stored about tasks.

use super::words::{IssueJson, IssuesJson, tracker};
use crate::cli::{CliResult, Context, Outcome};
use crate::tracker::{Issue, priority_name};

/// Show tasks with all they say
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task show app-1a2b")]
pub(super) struct Args {
    /// Tasks
    #[arg(required = true, value_name = "id")]
    ids: Vec<String>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let tracker = tracker(ctx)?;
    let issues = args
        .ids
        .iter()
        .map(|id| tracker.get(id))
        .collect::<Result<Vec<_>, _>>()?;
    if ctx.is_json() {
        match issues.as_slice() {
            [issue] => ctx.out.json(
                "task show",
                &IssueJson {
                    issue: issue.fields(),
                },
            )?,
            several => ctx.out.json("task show", &IssuesJson::of(several))?,
        }
        return Ok(Outcome::Done);
    }
    for (n, issue) in issues.iter().enumerate() {
        if n > 0 {
            ctx.out.line("")?;
        }
        show(ctx, issue)?;
    }
    Ok(Outcome::Done)
}

fn show(ctx: &Context, issue: &Issue) -> CliResult<()> {
    ctx.out
        .line(format!("{}  {}", ctx.out.bold(issue.id()), issue.status()))?;
    let lists = |field| issue.list(field).join(", ");
    let fields = [
        ("Title", issue.title().to_owned()),
        ("Type", issue.kind().to_owned()),
        ("Priority", priority_name(issue.priority()).to_owned()),
        ("Assignee", issue.text("assignee").to_owned()),
        ("Labels", lists("labels")),
        ("Waits for", lists("blockedBy")),
        ("Holds up", lists("blocks")),
        ("Created", issue.text("createdAt").to_owned()),
        ("Updated", issue.text("updatedAt").to_owned()),
        ("Closed", issue.text("closedAt").to_owned()),
        ("Reason", issue.text("closeReason").to_owned()),
    ];
    for (name, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
        ctx.out.line(format!("{:<11}{text}", format!("{name}:")))?;
    }
    let description = issue.text("description");
    if !description.is_empty() {
        ctx.out.line(format!("\n{description}"))?;
    }
    Ok(())
}
