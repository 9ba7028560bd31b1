//! `sling`: start an agent on a task.

use std::path::PathBuf;

use serde::Serialize;

use crate::agents::sling::{SlingRequest, Slung, sling};
use crate::cli::{CliResult, Context, Outcome, non_negative};
use crate::platform::env;
use crate::types::host::Mode;

/// Start an agent in its own worktree
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example: grove sling sd-12 --capability builder --spec .overstory/specs/sd-12.md"
)]
pub struct Args {
    /// Task to work on
    #[arg(value_name = "task-id")]
    task: String,
    /// Role of the agent
    #[arg(long, default_value = "builder", value_name = "type")]
    capability: String,
    /// Name of the agent; made from role and task when left out
    #[arg(long)]
    name: Option<String>,
    /// Spec file of the task
    #[arg(long, value_name = "path")]
    spec: Option<PathBuf>,
    /// Files the agent owns, separated by commas
    #[arg(long, value_name = "list")]
    files: Option<String>,
    /// Agents that work on the same thing, separated by commas
    #[arg(long, value_name = "list")]
    siblings: Option<String>,
    /// Agent that this one reports to
    #[arg(long, value_name = "agent")]
    parent: Option<String>,
    /// Depth in the hierarchy
    #[arg(
        long,
        default_value = "0",
        value_name = "n",
        allow_hyphen_values = true
    )]
    depth: String,
    /// Tell a lead to leave out scouting
    #[arg(long)]
    skip_scout: bool,
    /// Do not look the task up in the tracker
    #[arg(long)]
    skip_task_check: bool,
    /// Allow any role without a parent
    #[arg(long)]
    force_hierarchy: bool,
    /// Maximum number of active children of the parent
    #[arg(long, value_name = "n", allow_hyphen_values = true)]
    max_agents: Option<String>,
    /// Tell a lead to leave out reviews
    #[arg(long)]
    skip_review: bool,
    /// Do not warn when a lead starts a builder before any scout
    #[arg(long)]
    no_scout_check: bool,
    /// Tell a lead how many agents it may start
    #[arg(long, value_name = "n", allow_hyphen_values = true)]
    dispatch_max_agents: Option<String>,
    /// Agent CLI to use
    #[arg(long, value_name = "name")]
    runtime: Option<String>,
    /// Branch to start from; the current one when left out
    #[arg(long, value_name = "branch")]
    base_branch: Option<String>,
    /// Profile to add to the instructions
    #[arg(long, value_name = "name")]
    profile: Option<String>,
    /// Structured lines over pipes instead of a terminal
    #[arg(long, conflicts_with = "pty")]
    headless: bool,
    /// A live terminal, whatever the project's default
    #[arg(long)]
    pty: bool,
    /// Start again on a task that is not open any more
    #[arg(long)]
    recover: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SlungJson<'a> {
    agent_name: &'a str,
    capability: &'a str,
    task_id: &'a str,
    branch: &'a str,
    worktree: String,
    tmux_session: &'static str,
    pid: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    initial_turn_final_state: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    claude_session_id: Option<&'a str>,
    mode: &'static str,
    runtime: &'static str,
}

fn list(text: Option<String>) -> Vec<String> {
    let text = text.unwrap_or_default();
    text.split(',')
        .map(str::trim)
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let count = |option: &str, text: Option<String>| {
        text.map(|text| non_negative(option, &text)).transpose()
    };
    let acting = ctx.acting_agent();
    let depth = match &acting {
        // The host that vouches for the caller has said where it stands, whatever the options say.
        Some(_) => own_depth()? + 1,
        None => non_negative("--depth", &args.depth)?,
    };
    let max_agents = count("--max-agents", args.max_agents)?;
    let dispatch_max_agents = count("--dispatch-max-agents", args.dispatch_max_agents)?;
    let project = ctx.project()?;
    let max_agents = max_agents.map(i64::unsigned_abs).map(|most| match &acting {
        Some(_) => own_limit(most, u64::from(project.config.agents.max_agents_per_lead)),
        None => most,
    });
    let mode = match (args.headless, args.pty) {
        (true, _) => Some(Mode::Stream),
        (_, true) => Some(Mode::Pty),
        (false, false) => None,
    };
    let slung = sling(
        &project.paths,
        &project.config,
        &SlingRequest {
            task: args.task,
            capability: args.capability,
            name: args.name,
            spec: args.spec.map(|p| ctx.cwd.join(p)),
            files: list(args.files),
            siblings: list(args.siblings),
            for_agent: acting.is_some(),
            parent: acting.clone().or(args.parent),
            depth,
            skip_scout: args.skip_scout,
            skip_task_check: args.skip_task_check,
            recover: args.recover,
            skip_review: args.skip_review,
            no_scout_check: args.no_scout_check,
            force_hierarchy: args.force_hierarchy,
            max_agents,
            dispatch_max_agents: dispatch_max_agents.map(i64::unsigned_abs),
            runtime: args.runtime,
            base_branch: args.base_branch,
            profile: args.profile.or_else(|| env::var(env::PROFILE)),
            mode,
            sender: acting.or_else(|| env::var(env::AGENT_NAME)),
        },
    )?;
    report(ctx, &slung)?;
    Ok(Outcome::Done)
}

/// What an agent may ask for itself: fewer than it has been given, never more. 0 is no limit.
fn own_limit(asked: u64, given: u64) -> u64 {
    match (asked, given) {
        (asked, 0) => asked,
        (0, given) => given,
        (asked, given) => asked.min(given),
    }
}

fn own_depth() -> CliResult<i64> {
    let depth = env::var(env::ACTING_DEPTH).unwrap_or_else(|| "0".to_owned());
    non_negative(env::ACTING_DEPTH, &depth)
}

fn report(ctx: &Context, slung: &Slung) -> CliResult<()> {
    for warning in &slung.warnings {
        ctx.out.note(format!("! {warning}"));
    }
    if ctx.is_json() {
        return ctx.out.json(
            "sling",
            &SlungJson {
                agent_name: &slung.agent,
                capability: &slung.capability,
                task_id: &slung.task,
                branch: &slung.branch,
                worktree: slung.worktree.to_string_lossy().into_owned(),
                tmux_session: "",
                pid: slung.pid,
                // The agent goes on in its host; nobody waits for its first turn to end.
                initial_turn_final_state: (slung.mode == Mode::Stream)
                    .then(|| slung.state.as_str()),
                claude_session_id: slung.conversation.as_deref(),
                mode: slung.mode.as_str(),
                runtime: slung.runtime,
            },
        );
    }
    ctx.out.success(format!("Agent launched {}", slung.agent))?;
    ctx.out.hint(format!("Task:     {}", slung.task))?;
    ctx.out.hint(format!("Branch:   {}", slung.branch))?;
    ctx.out
        .hint(format!("Worktree: {}", slung.worktree.display()))?;
    ctx.out.hint(format!(
        "Runtime:  {} ({}), pid {}",
        slung.runtime,
        slung.mode.as_str(),
        slung.pid
    ))?;
    ctx.out.hint(format!(
        "Watch it: grove   or: grove attach {}",
        slung.agent
    ))
}
