//! `guard explain`: what the guard understands of a shell command, what would run, and what decided.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::known;
use crate::cli::{CliResult, Context, Outcome};
use crate::config::Config;
use crate::guard::{self, Decision, Explanation, Policy};

/// Show what the guard makes of a shell command, without running it
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove guard explain 'git -C .. push'\n  grove guard explain 'make docs' --capability reviewer --json"
)]
pub(super) struct Args {
    /// The command, in quotes
    command: String,
    /// The role that would run it
    #[arg(long, default_value = "builder", value_name = "role")]
    capability: String,
    /// The worktree it would run in; the current directory if not given
    #[arg(long, value_name = "path")]
    worktree: Option<PathBuf>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ExplainJson<'a> {
    capability: &'a str,
    worktree: &'a Path,
    parsed: &'a [String],
    would_run: Vec<RunJson<'a>>,
    decision: &'a str,
    rule: Option<&'a str>,
    reason: Option<&'a str>,
    instead: Option<&'a str>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    depth: usize,
    command: &'a str,
    directory: &'a str,
}

/// Runs the command.
pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    known::capability(&args.capability)?;
    let worktree = match &args.worktree {
        Some(path) => ctx.cwd.join(path),
        None => ctx.cwd.clone(),
    };
    // Also outside of a project there is an answer, by the rules every project has.
    let (root, config) =
        super::project(ctx)?.unwrap_or_else(|| (worktree.clone(), Config::default()));
    let agent = worktree
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let temp = guard::check::usual_temp(&args.capability, &agent);
    let policy = Policy {
        agent,
        capability: args.capability.clone(),
        worktree,
        root,
        temp,
        quality_gates: config
            .project
            .quality_gates
            .iter()
            .map(|gate| gate.command.clone())
            .collect(),
        task_id: None,
        allow: config.guard.allow,
        block: config.guard.block,
    };
    let explanation = guard::explain(&policy, &args.command);
    if ctx.is_json() {
        json(ctx, &policy, &explanation)?;
    } else {
        text(ctx, &policy, &args.command, &explanation)?;
    }
    Ok(Outcome::Done)
}

fn json(ctx: &Context, policy: &Policy, explanation: &Explanation) -> CliResult<()> {
    let (decision, rule) = match &explanation.decision {
        Decision::Allow => ("allow", None),
        Decision::Block { rule, .. } => ("block", Some(*rule)),
    };
    let would_run = explanation.would_run.iter().map(|line| RunJson {
        depth: line.depth,
        command: &line.command,
        directory: &line.directory,
    });
    ctx.out.json(
        "guard explain",
        &ExplainJson {
            capability: &policy.capability,
            worktree: &policy.worktree,
            parsed: &explanation.parsed,
            would_run: would_run.collect(),
            decision,
            rule,
            reason: explanation.why.as_deref(),
            instead: explanation.instead.as_deref(),
        },
    )
}

/// The folder, or that it cannot be told.
fn place_name(directory: &str) -> &str {
    if directory == guard::UNKNOWN {
        "a folder that cannot be told"
    } else {
        directory
    }
}

fn text(ctx: &Context, policy: &Policy, command: &str, explanation: &Explanation) -> CliResult<()> {
    let out = &ctx.out;
    let mut lines = command.lines();
    out.line(format!("Command    {}", lines.next().unwrap_or_default()))?;
    for line in lines {
        out.line(format!("           {line}"))?;
    }
    out.line(format!(
        "As         {} in {}",
        policy.capability,
        policy.worktree.display()
    ))?;
    out.line("Parsed")?;
    for line in &explanation.parsed {
        out.line(format!("  {line}"))?;
    }
    let refused = !explanation.decision.is_allowed();
    out.line("Would run")?;
    if explanation.would_run.is_empty() {
        out.line("  nothing")?;
    }
    let last = explanation.would_run.len().saturating_sub(1);
    for (at, line) in explanation.would_run.iter().enumerate() {
        let mark = if refused && at == last { "✗" } else { " " };
        let indent = line.depth * 2;
        let place = if Path::new(&line.directory) == policy.worktree {
            String::new()
        } else {
            format!("   (in {})", place_name(&line.directory))
        };
        out.line(format!("{mark} {:indent$}{}{place}", "", line.command))?;
    }
    match &explanation.decision {
        Decision::Allow => out.line("Decision   allowed")?,
        Decision::Block { rule, .. } => {
            out.line("Decision   refused")?;
            out.line(format!("Rule       {rule}"))?;
        }
    }
    if let Some(why) = &explanation.why {
        out.line(format!("Reason     {why}"))?;
    }
    if let Some(instead) = &explanation.instead {
        out.line(format!("Instead    {instead}"))?;
    }
    Ok(())
}
