//! `group`: sets of tasks that are followed together.

use clap::Subcommand;
use serde::Serialize;
use serde_json::json;

use crate::agents::groups::{GroupError, GroupStatus, Groups, Progress, TaskGroup};
use crate::cli::{CliError, CliResult, Context, Outcome, Project};
use crate::db::MailStore;
use crate::platform::lock_file::LockError;
use crate::tracker::{Tracker, TrackerError};
use crate::types::mail::{MailType, NewMail};

/// Follow sets of tasks
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  grove group create login sd-12 sd-13\n  grove group status login"
)]
pub struct Args {
    #[command(subcommand)]
    command: GroupCommand,
}

#[derive(Debug, Subcommand)]
enum GroupCommand {
    /// Make a group
    #[command(after_help = "Example: grove group create login sd-12 sd-13")]
    Create {
        /// Name of the group
        name: String,
        /// Tasks
        #[arg(required = true)]
        ids: Vec<String>,
        /// Do not ask the tracker whether the tasks exist
        #[arg(long)]
        skip_validation: bool,
    },
    /// Add tasks to a group
    #[command(after_help = "Example: grove group add login sd-14")]
    Add {
        /// Id or name of the group
        group: String,
        /// Tasks
        #[arg(required = true)]
        ids: Vec<String>,
        /// Do not ask the tracker whether the tasks exist
        #[arg(long)]
        skip_validation: bool,
    },
    /// Remove tasks from a group
    #[command(after_help = "Example: grove group remove login sd-13")]
    Remove {
        /// Id or name of the group
        group: String,
        /// Tasks
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Show how far a group is, or all active ones
    #[command(after_help = "Examples:\n  grove group status\n  grove group status login")]
    Status {
        /// Id or name of the group
        group: Option<String>,
        /// Accepted for compatibility
        #[arg(long)]
        skip_validation: bool,
    },
    /// List all groups
    #[command(after_help = "Example: grove group list --json")]
    List,
}

#[derive(Serialize)]
struct ListJson<'a> {
    groups: &'a [TaskGroup],
}

#[derive(Serialize)]
struct StatusJson<'a> {
    groups: &'a [Progress],
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let project = ctx.project()?;
    let mut groups = Groups::load(&project.paths)?;
    if matches!(
        args.command,
        GroupCommand::Create { .. } | GroupCommand::Add { .. } | GroupCommand::Remove { .. }
    ) {
        groups.refuse_damaged(&project.paths)?;
    }
    for problem in groups.problems() {
        ctx.out.note(format!("! {problem}"));
    }
    match args.command {
        GroupCommand::Create {
            name,
            ids,
            skip_validation,
        } => {
            if name.trim().is_empty() {
                return Err(CliError::validation("Group name cannot be empty"));
            }
            // Checked before the tracker is asked, which may be slow.
            groups.create(&name, &ids)?;
            validate(&project, &ids, skip_validation)?;
            let group = Groups::update(&project.paths, |groups| groups.create(&name, &ids))?;
            changed(ctx, "group create", "Created group", &group)?;
        }
        GroupCommand::Add {
            group,
            ids,
            skip_validation,
        } => {
            groups.add(&group, &ids)?;
            validate(&project, &ids, skip_validation)?;
            let group = Groups::update(&project.paths, |groups| groups.add(&group, &ids))?;
            changed(
                ctx,
                "group add",
                &format!("Added {} issue(s) to", ids.len()),
                &group,
            )?;
        }
        GroupCommand::Remove { group, ids } => {
            // What cannot be is said before anything is locked.
            groups.remove(&group, &ids)?;
            let group = Groups::update(&project.paths, |groups| groups.remove(&group, &ids))?;
            changed(
                ctx,
                "group remove",
                &format!("Removed {} issue(s) from", ids.len()),
                &group,
            )?;
        }
        GroupCommand::Status {
            group,
            skip_validation: _,
        } => {
            status(ctx, &project, &mut groups, group.as_deref())?;
        }
        GroupCommand::List => list(ctx, &groups)?,
    }
    Ok(Outcome::Done)
}

impl From<GroupError> for CliError {
    fn from(error: GroupError) -> Self {
        match error {
            GroupError::Fs(inner) => inner.into(),
            GroupError::Json(inner) => inner.into(),
            GroupError::Lock(LockError::Fs(inner)) => Self {
                code: Some("GROUP_ERROR"),
                ..inner.into()
            },
            GroupError::Lock(inner) => Self::coded("GROUP_ERROR", inner.to_string()),
            GroupError::NotFound { .. } => Self::coded("GROUP_ERROR", error.to_string())
                .tip("'grove group list' shows the groups"),
            GroupError::Damaged { .. }
            | GroupError::Ambiguous { .. }
            | GroupError::Duplicates
            | GroupError::EmptyIssue
            | GroupError::AlreadyMember { .. }
            | GroupError::NotMember { .. }
            | GroupError::WouldBeEmpty
            | GroupError::NotLookedUp { .. }
            | GroupError::UnknownIssue { .. } => Self::coded("GROUP_ERROR", error.to_string()),
        }
    }
}

fn validate(project: &Project, ids: &[String], skip: bool) -> CliResult<()> {
    if skip || !project.config.task_tracker.enabled {
        return Ok(());
    }
    let tracker = Tracker::of(&project.root, &project.config.task_tracker);
    for issue in ids {
        let Err(source) = tracker.get(issue) else {
            continue;
        };
        let issue = issue.clone();
        let anyway = "--skip-validation adds it all the same";
        return Err(match source {
            // The contract's line stands alone: programs read it.
            TrackerError::NotFound { .. } => {
                CliError::from(GroupError::UnknownIssue { issue }).tip(anyway)
            }
            // The same where the tracker's program does not answer: most of them fail that way when
            // they do not know a task.
            TrackerError::Program { .. } => CliError::from(GroupError::UnknownIssue { issue })
                .tip(format!("{source}; {anyway}")),
            TrackerError::NoTracker | TrackerError::Disabled => {
                CliError::from(GroupError::UnknownIssue { issue })
                    .hint("this project has no task tracker: --skip-validation takes any task")
            }
            TrackerError::Fs(_)
            | TrackerError::Lock(_)
            | TrackerError::LockLost { .. }
            | TrackerError::NotInstalled { .. }
            | TrackerError::DependsOnItself { .. }
            | TrackerError::Circle { .. }
            | TrackerError::Invalid { .. } => {
                CliError::from(GroupError::NotLookedUp { issue, source }).hint(anyway)
            }
        });
    }
    Ok(())
}

fn changed(ctx: &Context, command: &str, what: &str, group: &TaskGroup) -> CliResult<()> {
    if ctx.is_json() {
        return ctx.out.json(command, group);
    }
    ctx.out
        .success(format!("{what} \"{}\" ({})", group.name, group.id))?;
    ctx.out
        .line(format!("  Members: {}", group.member_issue_ids.join(", ")))
}

fn list(ctx: &Context, groups: &Groups) -> CliResult<()> {
    if groups.all.is_empty() {
        return if ctx.is_json() {
            ctx.out.json_bare(&json!([]))
        } else {
            ctx.out.hint("No groups")
        };
    }
    if ctx.is_json() {
        return ctx.out.json(
            "group list",
            &ListJson {
                groups: &groups.all,
            },
        );
    }
    for group in &groups.all {
        let count = group.member_issue_ids.len();
        let plural = if count == 1 { "" } else { "s" };
        ctx.out.line(format!(
            "{} [{}] \"{}\" ({count} issue{plural})",
            group.id,
            status_name(group),
            group.name
        ))?;
    }
    Ok(())
}

fn status(
    ctx: &Context,
    project: &Project,
    groups: &mut Groups,
    wanted: Option<&str>,
) -> CliResult<()> {
    let chosen: Vec<TaskGroup> = match wanted {
        Some(wanted) => vec![groups.find(wanted)?.clone()],
        None => groups
            .all
            .iter()
            .filter(|group| group.status == GroupStatus::Active)
            .cloned()
            .collect(),
    };
    let tracker = Tracker::of(&project.root, &project.config.task_tracker);
    let mut report = Vec::new();
    for group in chosen {
        let mut progress = Progress::count(&group, &|id| tracker.status(id));
        if progress.is_done()
            && Groups::update(&project.paths, |groups| Ok(groups.complete(&group.id)))?
        {
            groups.complete(&group.id);
            announce(ctx, project, &group)?;
            progress.group = groups.find(&group.id)?.clone();
        }
        report.push(progress);
    }
    match (wanted, report.as_slice()) {
        (Some(_), [progress]) if ctx.is_json() => ctx.out.json("group status", progress),
        _ if ctx.is_json() => ctx
            .out
            .json("group status", &StatusJson { groups: &report }),
        (None, []) => ctx.out.hint("No active groups"),
        _ => report
            .iter()
            .try_for_each(|progress| show_progress(ctx, progress)),
    }
}

/// Tells everybody that a group is done. The line precedes any JSON, as consumers expect it.
fn announce(ctx: &Context, project: &Project, group: &TaskGroup) -> CliResult<()> {
    let body = format!(
        "Task group {} (\"{}\") completed. All {} member issues are closed.",
        group.id,
        group.name,
        group.member_issue_ids.len()
    );
    let subject = format!("Group auto-closed: {}", group.name);
    let mail = NewMail::new("system", "coordinator", MailType::Status, &subject, &body);
    MailStore::open(&project.paths.mail_db())?.insert(&mail)?;
    ctx.out.line(format!(
        "Group \"{}\" ({}) auto-closed: all issues done",
        group.name, group.id
    ))
}

fn show_progress(ctx: &Context, progress: &Progress) -> CliResult<()> {
    let group = &progress.group;
    ctx.out.line(format!(
        "{} ({}) [{}]",
        group.name,
        group.id,
        status_name(group)
    ))?;
    ctx.out.line(format!(
        "  Issues: {} total | {} completed | {} in_progress | {} blocked | {} open\n",
        progress.total, progress.completed, progress.in_progress, progress.blocked, progress.open
    ))
}

fn status_name(group: &TaskGroup) -> &'static str {
    match group.status {
        GroupStatus::Active => "active",
        GroupStatus::Completed => "completed",
    }
}
