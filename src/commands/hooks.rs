//! `hooks`: put grove's hooks into the settings of a person's own claude session.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::{ProjectPaths, fs};
use crate::setup::session_hooks;
use crate::text::to_tabbed_json;

const SETTINGS: &str = ".claude/settings.local.json";

/// Install or remove hooks for your own session
#[derive(Debug, clap::Args)]
#[command(
    arg_required_else_help = true,
    after_help = "Examples:\n  grove hooks install\n  grove hooks status"
)]
pub struct Args {
    #[command(subcommand)]
    command: HooksCommand,
}

#[derive(Debug, Subcommand)]
enum HooksCommand {
    /// Merge .overstory/hooks.json into .claude/settings.local.json
    #[command(after_help = "Example: grove hooks install")]
    Install {
        /// Also when there are hooks already
        #[arg(long)]
        force: bool,
    },
    /// Take grove's hooks out of .claude/settings.local.json again
    #[command(after_help = "Example: grove hooks uninstall")]
    Uninstall,
    /// Show whether hooks are installed
    #[command(after_help = "Example: grove hooks status")]
    Status,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let paths = ctx.paths()?;
    match args.command {
        HooksCommand::Install { force } => install(ctx, &paths, force),
        HooksCommand::Uninstall => uninstall(ctx, &paths),
        HooksCommand::Status => status(ctx, &paths),
    }?;
    Ok(Outcome::Done)
}

fn settings_path(paths: &ProjectPaths) -> PathBuf {
    paths.root.join(SETTINGS)
}

/// Reads a JSON object; a file that is none is refused, because writing would destroy it.
fn object(path: &Path) -> CliResult<Option<Map<String, Value>>> {
    let Some(text) = fs::read_optional(path)? else {
        return Ok(None);
    };
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => Ok(Some(map)),
        Ok(_) => Err(CliError::validation(format!(
            "{} is not a JSON object",
            path.display()
        ))),
        Err(error) => Err(CliError::validation(format!(
            "{} is not valid JSON: {error}",
            path.display()
        ))
        .hint("repair it or move it away; it has not been changed")),
    }
}

/// The hooks that are to be installed.
fn source(paths: &ProjectPaths) -> CliResult<Option<Map<String, Value>>> {
    let source = object(&paths.file("hooks.json"))?;
    Ok(source.and_then(|map| map.get("hooks").and_then(Value::as_object).cloned()))
}

fn hooks_of(settings: &Map<String, Value>) -> Map<String, Value> {
    let hooks = settings.get("hooks").and_then(Value::as_object);
    hooks.cloned().unwrap_or_default()
}

fn install(ctx: &Context, paths: &ProjectPaths, force: bool) -> CliResult<()> {
    let Some(new) = source(paths)? else {
        let path = paths.file("hooks.json");
        return Err(
            CliError::validation(format!("Hooks source not found: {}", path.display()))
                .hint("run 'grove init' or 'grove doctor --fix' to write it"),
        );
    };
    if let Some((event, _)) = new.iter().find(|(_, entries)| !entries.is_array()) {
        let path = paths.file("hooks.json");
        return Err(CliError::validation(format!(
            "{}: hooks.{event} is not a list, so it cannot be installed",
            path.display()
        ))
        .hint("repair it, or run 'grove update --hooks' to write a fresh one"));
    }
    let mut settings = object(&settings_path(paths))?.unwrap_or_default();
    let present = hooks_of(&settings);
    if session_hooks::has_ours(&present, &new) && !force {
        ctx.out
            .line(format!("Hooks already present in {SETTINGS}"))?;
        return ctx.out.line("Use --force to overwrite.");
    }
    let merged = session_hooks::install(present, new);
    settings.insert("hooks".into(), Value::Object(merged));
    fs::create_dir_all(&paths.root.join(".claude"))?;
    fs::write_through(&settings_path(paths), to_tabbed_json(&settings)?)?;
    ctx.out.success("Installed orchestrator hooks")?;
    ctx.out.line("  Source: .overstory/hooks.json")
}

fn uninstall(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    let path = settings_path(paths);
    let Some(mut settings) = object(&path)? else {
        return ctx.out.line(format!("No {SETTINGS} found"));
    };
    if !settings.contains_key("hooks") {
        return ctx.out.line(format!("No hooks in {SETTINGS}"));
    }
    let known = source(paths)?.unwrap_or_default();
    let present = hooks_of(&settings);
    let theirs = session_hooks::without_ours(present.clone(), &known);
    let kept = theirs.len();
    if !theirs.is_empty() && theirs == present {
        ctx.out.line(format!("No hooks of grove's in {SETTINGS}"))?;
        return own_are_left(ctx, kept);
    }
    if theirs.is_empty() {
        settings.shift_remove("hooks");
    } else {
        settings.insert("hooks".into(), Value::Object(theirs));
    }
    // A link is the person's own, and may be shared with other projects.
    if settings.is_empty() && !path.is_symlink() {
        fs::remove_file(&path)?;
    } else {
        fs::write_through(&path, to_tabbed_json(&settings)?)?;
    }
    ctx.out.success("Removed hooks from settings.local.json")?;
    own_are_left(ctx, kept)
}

fn own_are_left(ctx: &Context, kept: usize) -> CliResult<()> {
    if kept > 0 {
        ctx.out.hint(format!(
            "your own hooks for {kept} event(s) are still there"
        ))?;
    }
    Ok(())
}

fn status(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    let known = source(paths).ok().flatten().unwrap_or_default();
    let source = paths.file("hooks.json").exists();
    let installed = object(&settings_path(paths))
        .ok()
        .flatten()
        .is_some_and(|settings| session_hooks::has_ours(&hooks_of(&settings), &known));
    if ctx.is_json() {
        return ctx.out.json(
            "hooks status",
            &json!({"sourceExists": source, "installed": installed}),
        );
    }
    let word = |present: bool, yes: &'static str, no: &'static str| if present { yes } else { no };
    ctx.out.line(format!(
        "Hooks source (.overstory/hooks.json): {}",
        word(source, "present", "missing")
    ))?;
    ctx.out.line(format!(
        "Hooks installed ({SETTINGS}): {}",
        word(installed, "yes", "no")
    ))?;
    if source && !installed {
        ctx.out.hint("Run grove hooks install to install")?;
    }
    Ok(())
}
