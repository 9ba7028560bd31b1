//! `update`: bring the files that grove manages in `.overstory/` up to date.

use serde::Serialize;

use crate::cli::{CliResult, Context, Outcome};
use crate::config;
use crate::setup::update::{self, Replaced, Selection, UpdatePlan};

/// Refresh the files that grove manages in .overstory/
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without a choice, .gitignore and README.md are refreshed too. The configuration is never touched.
Whatever is replaced is copied to .overstory/replaced/ first.

Examples:
  grove update --dry-run     show what differs
  grove update --agents      only the role definitions")]
pub struct Args {
    /// Role definitions in agent-defs/
    #[arg(long)]
    agents: bool,
    /// agent-manifest.json
    #[arg(long)]
    manifest: bool,
    /// hooks.json
    #[arg(long)]
    hooks: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UpdateJson<'a> {
    dry_run: bool,
    agent_defs: Definitions<'a>,
    manifest: Updated,
    hooks: Updated,
    gitignore: Updated,
    readme: Updated,
}

#[derive(Serialize)]
struct Definitions<'a> {
    updated: Vec<&'a str>,
    unchanged: Vec<&'a str>,
}

#[derive(Serialize)]
struct Updated {
    updated: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    // The contract works on the current folder, not on the project around it.
    let root = ctx
        .globals
        .project
        .as_ref()
        .map_or_else(|| ctx.cwd.clone(), |given| ctx.cwd.join(given));
    config::refuse_odd_path(&root)?;
    let plan = update::plan(
        &root,
        Selection {
            agents: args.agents,
            manifest: args.manifest,
            hooks: args.hooks,
        },
    )?;
    if !args.dry_run {
        update::apply(&root, &plan)?;
    }
    if ctx.is_json() {
        show_json(ctx, &plan, args.dry_run)?;
    } else {
        show_text(ctx, &plan, args.dry_run)?;
    }
    Ok(Outcome::Done)
}

fn show_json(ctx: &Context, plan: &UpdatePlan, dry_run: bool) -> CliResult<()> {
    let (updated, unchanged) = plan.definitions();
    let file = |name: &str| Updated {
        updated: plan.updates(name),
    };
    ctx.out.json(
        "update",
        &UpdateJson {
            dry_run,
            agent_defs: Definitions { updated, unchanged },
            manifest: file("agent-manifest.json"),
            hooks: file("hooks.json"),
            gitignore: file(".gitignore"),
            readme: file("README.md"),
        },
    )
}

fn show_text(ctx: &Context, plan: &UpdatePlan, dry_run: bool) -> CliResult<()> {
    if plan.files.is_empty() {
        return ctx.out.success("Already up to date");
    }
    let verb = if dry_run { "Would update" } else { "Updated" };
    for file in &plan.files {
        let name = file.path.strip_prefix(".overstory/").unwrap_or(&file.path);
        ctx.out.success(format!("{verb} {name}"))?;
    }
    show_copies(ctx, &plan.replaced, dry_run)
}

/// Says where the old texts are.
pub(super) fn show_copies(ctx: &Context, replaced: &[Replaced], dry_run: bool) -> CliResult<()> {
    let Some(first) = replaced.first() else {
        return Ok(());
    };
    let name = first
        .path
        .strip_prefix(".overstory/")
        .unwrap_or(&first.path);
    let folder = first
        .copy
        .path
        .strip_suffix(name)
        .unwrap_or(&first.copy.path);
    let (verb, number) = (if dry_run { "would be" } else { "is" }, replaced.len());
    let files = if number == 1 { "file" } else { "files" };
    ctx.out.hint(format!(
        "the old text of {number} replaced {files} {verb} kept in {folder}"
    ))
}
