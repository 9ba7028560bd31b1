//! `task create`: add a task.

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::comma_lists::{kept, list};
use super::words::tracker;
use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::config::config_path;
use crate::tracker::{NewTask, Tracker, TrackerError, parse_priority, seeds};

/// Add a task
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove task create \"Retry failed uploads\" --type bug --priority 1 --depends-on app-1a2b"
)]
pub(super) struct Args {
    /// What is to be done, in one line
    #[arg(value_name = "title", required_unless_present = "title_option")]
    title: Option<String>,
    /// The same as an option
    #[arg(
        long = "title",
        value_name = "title",
        conflicts_with = "title",
        id = "title_option"
    )]
    title_option: Option<String>,
    /// Kind: task, bug, feature or epic
    #[arg(long = "type", value_name = "type")]
    kind: Option<String>,
    /// From 0 (critical) to 4 (backlog)
    #[arg(long, value_name = "n")]
    priority: Option<String>,
    /// Who does it
    #[arg(long, value_name = "name")]
    assignee: Option<String>,
    /// Everything else there is to say
    #[arg(long, aliases = ["desc", "body"], value_name = "text")]
    description: Option<String>,
    /// Labels, separated by commas
    #[arg(long, alias = "label", value_name = "list")]
    labels: Option<String>,
    /// Tasks that have to be closed before, separated by commas
    #[arg(long, value_name = "ids")]
    depends_on: Option<String>,
}

#[derive(Serialize)]
struct CreatedJson<'a> {
    id: &'a str,
    issue: &'a Map<String, Value>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let task = NewTask {
        title: args.title.or(args.title_option).unwrap_or_default(),
        kind: args.kind,
        priority: args.priority.as_deref().map(parse_priority).transpose()?,
        assignee: args.assignee,
        description: args.description,
        labels: kept(args.labels.as_deref()),
        depends_on: list(args.depends_on.as_deref()),
    };
    let issue = match tracker(ctx)?.add(&task) {
        Err(TrackerError::NoTracker) => begin(ctx, &task)?.add(&task)?,
        other => other?,
    };
    if ctx.is_json() {
        let json = CreatedJson {
            id: issue.id(),
            issue: issue.fields(),
        };
        ctx.out.json("task create", &json)?;
    } else {
        ctx.out.success(format!("Created {}", issue.id()))?;
    }
    Ok(Outcome::Done)
}

/// A project's first task makes the files for tasks. Agents do not decide about that.
fn begin(ctx: &Context, task: &NewTask) -> CliResult<Tracker> {
    let project = ctx.project()?;
    if ctx.acting_agent().is_some() {
        return Err(CliError::coded(
            "TRACKER_ERROR",
            "this project has no task tracker; report what you have found by mail",
        ));
    }
    if !config_path(&project.root).is_file() {
        return Err(CliError::coded(
            "TRACKER_ERROR",
            format!("{} is not set up for grove", project.root.display()),
        )
        .hint("go to your project, or run 'grove init' in it first"));
    }
    // A task that is refused makes nothing; nor does one that waits for tasks nobody has made yet.
    task.check()?;
    if let Some(id) = task.depends_on.first() {
        return Err(TrackerError::NotFound { id: id.clone() }.into());
    }
    seeds::create(&project.root)?;
    if !ctx.is_json() {
        ctx.out
            .hint("Tasks of this project are kept in .seeds/ from now on")?;
    }
    Ok(Tracker::of(&project.root, &project.config.task_tracker))
}
