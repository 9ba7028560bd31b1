//! `task show`: everything that is stored about tasks.

use serde::Serialize;
use serde_json::{Map, Value};

use super::words::{IssueJson, IssuesJson, tracker};
use crate::cli::{CliResult, Context, Outcome, Part};
use crate::tracker::{Issue, TrackerError, priority_name};

/// Show tasks with all they say
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove task show app-1a2b")]
pub(super) struct Args {
    /// Tasks
    #[arg(required = true, value_name = "id")]
    ids: Vec<String>,
}

/// The answer when not all of them are there.
#[derive(Serialize)]
struct SomeJson<'a> {
    success: bool,
    issues: Vec<&'a Map<String, Value>>,
    errors: &'a [MissingJson<'a>],
}

#[derive(Serialize)]
struct MissingJson<'a> {
    id: &'a str,
    error: String,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let tracker = tracker(ctx)?;
    let mut issues = Vec::new();
    let mut missing = Vec::new();
    for id in &args.ids {
        match tracker.get(id) {
            Ok(issue) => issues.push(issue),
            // Of several, those that are there are shown.
            Err(error @ TrackerError::NotFound { .. }) if args.ids.len() > 1 => {
                missing.push(MissingJson {
                    id,
                    error: error.to_string(),
                });
            }
            Err(error) => return Err(error.into()),
        }
    }
    if !missing.is_empty() {
        return some(ctx, &issues, &missing);
    }
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
    show_all(ctx, &issues)?;
    Ok(Outcome::Done)
}

/// Shows those that are there and names the others.
fn some(ctx: &Context, issues: &[Issue], missing: &[MissingJson<'_>]) -> CliResult {
    if ctx.is_json() {
        ctx.out.json(
            "task show",
            &SomeJson {
                success: false,
                issues: issues.iter().map(Issue::fields).collect(),
                errors: missing,
            },
        )?;
        return Ok(Outcome::Failed);
    }
    show_all(ctx, issues)?;
    for absent in missing {
        ctx.out.note(&absent.error);
    }
    Ok(Outcome::Failed)
}

fn show_all(ctx: &Context, issues: &[Issue]) -> CliResult<()> {
    for (n, issue) in issues.iter().enumerate() {
        if n > 0 {
            ctx.out.line("")?;
        }
        show(ctx, issue)?;
    }
    Ok(())
}

fn show(ctx: &Context, issue: &Issue) -> CliResult<()> {
    ctx.out.parts(&[
        Part::Bold(issue.id()),
        Part::Plain("  "),
        Part::Plain(issue.status()),
    ])?;
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
