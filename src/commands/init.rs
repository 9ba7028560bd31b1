//! `init`: make a repository a project. Shows what it writes; writes all of it or nothing.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::config;
use crate::platform::env;
use crate::platform::signals::Noted;
use crate::setup::SetupError;
use crate::setup::init::{self, InitPlan};
use crate::setup::repository::{self, Facts};
use crate::setup::tools::{TOOLS, ToolStatus};

/// Set up grove in this repository
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  grove init                        set this repository up, with what is found in it
  grove init --dry-run              show what that would write
  grove init --tools seeds,mulch    also create stores for issues and expertise")]
pub struct Args {
    /// Write a fresh configuration over an existing one (a copy of the old one is kept)
    #[arg(long)]
    force: bool,
    /// Refresh the managed files of an existing project without asking
    #[arg(short, long)]
    yes: bool,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Project name; the repository's own when left out
    #[arg(long, value_name = "name")]
    name: Option<String>,
    /// Stores to create: seeds (issues), mulch (expertise)
    #[arg(long, value_name = "csv")]
    tools: Option<String>,
    /// Leave mulch out
    #[arg(long)]
    skip_mulch: bool,
    /// Leave seeds out
    #[arg(long)]
    skip_seeds: bool,
    /// Leave canopy out
    #[arg(long)]
    skip_canopy: bool,
    /// Accepted for compatibility: grove writes no onboarding texts
    #[arg(long)]
    skip_onboard: bool,
}

/// The last line of `--json`. The first five keys are the contract's.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InitJson<'a> {
    project: &'a str,
    tools: Map<String, Value>,
    onboard: Map<String, Value>,
    gitattributes: bool,
    scaffold_committed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    dry_run: Option<DryRunJson<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DryRunJson<'a> {
    would_write: Vec<&'a str>,
    canonical_branch: &'a str,
    runtimes: &'a [&'static str],
    quality_gates: Vec<&'a str>,
    /// Build files that could not be understood; left out when there are none.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    unread: &'a [String],
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let wanted = wanted_tools(&args)?;
    let start = ctx
        .globals
        .project
        .as_ref()
        .map_or_else(|| ctx.cwd.clone(), |given| ctx.cwd.join(given));
    let path = env::var("PATH");
    let facts = repository::inspect(&start, args.name.as_deref(), path.as_deref())?;
    let existed = config::config_path(&facts.root).is_file();
    if existed && !args.force && !args.yes && !args.dry_run && wanted.is_empty() {
        return already(ctx, &facts);
    }
    let fresh = !existed || args.force;
    let make = || -> Result<InitPlan, SetupError> {
        let mut plan = init::plan(&facts, fresh, &wanted)?;
        if existed && !args.force && !args.yes {
            // Only companions were asked for: the project's own files stay as they are.
            plan.only_tools();
        }
        Ok(plan)
    };
    // What is in the way is named before anything is written.
    let mut plan = make()?;
    if !args.dry_run {
        // From the first file on: whoever breaks it off is to find nothing of it.
        let noted = Noted::listen()?;
        match init::carry_out(&facts.root, !existed && !args.force, make, || {
            noted.signal()
        })? {
            Some(carried_out) => plan = carried_out,
            None => return already(ctx, &facts),
        }
    }
    if ctx.is_json() {
        show_json(ctx, &facts, Some(&plan), existed, args.dry_run)?;
    } else {
        show_text(ctx, &facts, &plan, args.dry_run)?;
    }
    Ok(Outcome::Done)
}

fn wanted_tools(args: &Args) -> CliResult<Vec<&'static str>> {
    let skipped = [
        ("mulch", args.skip_mulch),
        ("seeds", args.skip_seeds),
        ("canopy", args.skip_canopy),
    ];
    let mut wanted = Vec::new();
    let names = args.tools.iter().flat_map(|csv| csv.split(','));
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        let Some(tool) = TOOLS.iter().find(|tool| **tool == name) else {
            return Err(CliError::validation(format!(
                "Unknown tool \"{name}\". Valid tools: {}",
                TOOLS.join(", ")
            )));
        };
        if !skipped.contains(&(tool, true)) {
            wanted.push(*tool);
        }
    }
    Ok(wanted)
}

fn already(ctx: &Context, facts: &Facts) -> CliResult {
    if ctx.is_json() {
        show_json(ctx, facts, None, true, false)?;
        return Ok(Outcome::Done);
    }
    ctx.out
        .warning(&format!("{} is set up already", facts.root.display()), None)?;
    ctx.out
        .hint("--yes refreshes the managed files, --force writes a fresh configuration too")?;
    Ok(Outcome::Done)
}

fn show_json(
    ctx: &Context,
    facts: &Facts,
    plan: Option<&InitPlan>,
    existed: bool,
    dry_run: bool,
) -> CliResult<()> {
    let own = if existed {
        ToolStatus::AlreadyInitialized
    } else {
        ToolStatus::Initialized
    };
    let entry = |status: ToolStatus, folder: String| {
        let path = facts.root.join(&folder);
        (
            folder.trim_start_matches('.').to_owned(),
            json!({"status": status.as_str(), "path": path.to_string_lossy()}),
        )
    };
    let companions = TOOLS.iter().map(|tool| {
        let status = plan.map_or(ToolStatus::Skipped, |plan| plan.tool(tool));
        entry(status, format!(".{tool}"))
    });
    let tools = std::iter::once(entry(own, ".overstory".to_owned())).chain(companions);
    let preview = plan.filter(|_| dry_run).map(|plan| DryRunJson {
        would_write: plan.paths().collect(),
        canonical_branch: &facts.branch,
        runtimes: &facts.runtimes,
        quality_gates: facts
            .gates
            .iter()
            .map(|gate| gate.command.as_str())
            .collect(),
        unread: &facts.unread,
    });
    ctx.out.json(
        "init",
        &InitJson {
            project: &facts.name,
            tools: tools.collect(),
            onboard: Map::new(),
            gitattributes: plan.is_some_and(|plan| plan.attributes),
            scaffold_committed: false,
            dry_run: preview,
        },
    )
}

fn show_text(ctx: &Context, facts: &Facts, plan: &InitPlan, dry_run: bool) -> CliResult<()> {
    let out = &ctx.out;
    for path in plan.paths() {
        if dry_run {
            out.line(format!("would write {path}"))?;
        } else {
            out.success(path)?;
        }
    }
    if plan.paths().next().is_none() {
        out.hint("every managed file is up to date")?;
    }
    super::update::show_copies(ctx, &plan.replaced, dry_run)?;
    for tool in plan.tools.iter().filter(|tool| tool.asked) {
        match tool.status {
            ToolStatus::Initialized => {}
            ToolStatus::AlreadyInitialized => {
                out.hint(format!(".{} is there already", tool.name))?;
            }
            ToolStatus::Skipped => out.warning(
                &format!("{} is not built in", tool.name),
                Some("run its own 'init' if you use it; grove does not need it"),
            )?,
        }
    }
    out.line("")?;
    let state = if dry_run {
        "would be set up"
    } else {
        "is ready"
    };
    out.line(format!("{} {state}: {}", facts.name, facts.root.display()))?;
    if let Some(inside) = &facts.inside {
        out.line(format!(
            "  project    the whole repository, not only {}",
            inside.display()
        ))?;
    }
    let only_there = if facts.is_local {
        String::new()
    } else {
        let branch = &facts.branch;
        format!(" (not here yet: git branch {branch} origin/{branch})")
    };
    out.line(format!("  lands on   {}{only_there}", facts.branch))?;
    show_runtimes(ctx, facts)?;
    show_gates(ctx, facts)?;
    for file in &facts.unread {
        out.warning(
            &format!("cannot read {file}"),
            Some("gates it declares are not proposed"),
        )?;
    }
    if dry_run {
        return out.hint("nothing has been written");
    }
    out.line("")?;
    out.hint("next: grove          the workspace")?;
    out.hint("      grove doctor   what is missing, if anything")?;
    out.hint("      git add .overstory && git commit   if others are to share the setup")
}

fn show_runtimes(ctx: &Context, facts: &Facts) -> CliResult<()> {
    let chosen = facts.default_runtime();
    let others: Vec<&str> = facts
        .runtimes
        .iter()
        .copied()
        .filter(|found| *found != chosen)
        .collect();
    let note = if facts.runtimes.is_empty() {
        " (no agent CLI found on PATH; install one before 'grove sling')".to_owned()
    } else if others.is_empty() {
        String::new()
    } else {
        format!(" (also found: {})", others.join(", "))
    };
    ctx.out.line(format!("  runtime    {chosen}{note}"))
}

fn show_gates(ctx: &Context, facts: &Facts) -> CliResult<()> {
    if facts.gates.is_empty() {
        return ctx.out.line("  gates      none recognised; name them under project.qualityGates in .overstory/config.yaml");
    }
    for (index, gate) in facts.gates.iter().enumerate() {
        let label = if index == 0 { "gates" } else { "" };
        ctx.out.line(format!("  {label:<10} {}", gate.command))?;
    }
    Ok(())
}
