//! `hooks`: put grove's hooks into the settings of a person's own claude session.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use serde_json::{Map, Value, json};

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::platform::{ProjectPaths, fs};
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
    /// Remove all hooks from .claude/settings.local.json
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

fn install(ctx: &Context, paths: &ProjectPaths, force: bool) -> CliResult<()> {
    let source = paths.file("hooks.json");
    let Some(new) =
        object(&source)?.and_then(|map| map.get("hooks").and_then(Value::as_object).cloned())
    else {
        return Err(
            CliError::validation(format!("Hooks source not found: {}", source.display()))
                .hint("run 'grove init' or 'grove doctor --fix' to write it"),
        );
    };
    let mut settings = object(&settings_path(paths))?.unwrap_or_default();
    let present = settings.get("hooks").and_then(Value::as_object).cloned();
    if present.is_some() && !force {
        ctx.out
            .line(format!("Hooks already present in {SETTINGS}"))?;
        return ctx.out.line("Use --force to overwrite.");
    }
    settings.insert(
        "hooks".into(),
        Value::Object(merge(present.unwrap_or_default(), new)),
    );
    fs::create_dir_all(&paths.root.join(".claude"))?;
    fs::write_atomic(&settings_path(paths), to_tabbed_json(&settings)?)?;
    ctx.out.success("Installed orchestrator hooks")?;
    ctx.out.line("  Source: .overstory/hooks.json")
}

/// Adds entries that are not there yet; nothing of the user's is dropped.
fn merge(mut present: Map<String, Value>, new: Map<String, Value>) -> Map<String, Value> {
    for (event, entries) in new {
        let Value::Array(entries) = entries else {
            continue;
        };
        let known = present.entry(event).or_insert_with(|| json!([]));
        if let Value::Array(known) = known {
            for entry in entries {
                if !known.contains(&entry) {
                    known.push(entry);
                }
            }
        }
    }
    present
}

fn uninstall(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    let path = settings_path(paths);
    let Some(mut settings) = object(&path)? else {
        return ctx.out.line(format!("No {SETTINGS} found"));
    };
    if settings.shift_remove("hooks").is_none() {
        return ctx.out.line(format!("No hooks in {SETTINGS}"));
    }
    if settings.is_empty() {
        fs::remove_file(&path)?;
    } else {
        fs::write_atomic(&path, to_tabbed_json(&settings)?)?;
    }
    ctx.out.success("Removed hooks from settings.local.json")
}

fn status(ctx: &Context, paths: &ProjectPaths) -> CliResult<()> {
    let source = paths.file("hooks.json").exists();
    let installed = object(&settings_path(paths))
        .ok()
        .flatten()
        .is_some_and(|map| map.contains_key("hooks"));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_keeps_the_users_entries_and_adds_none_twice() {
        let user = json!({"Stop": [{"matcher": "", "hooks": []}]});
        let ours = json!({"Stop": [{"matcher": "x", "hooks": []}]});
        let (Value::Object(user), Value::Object(ours)) = (user, ours) else {
            unreachable!()
        };
        let once = merge(user, ours.clone());
        assert_eq!(once.get("Stop").unwrap().as_array().unwrap().len(), 2);
        assert_eq!(merge(once.clone(), ours), once);
    }
}
