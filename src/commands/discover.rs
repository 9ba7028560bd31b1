//! `discover`: an agent with a model that has a project explored.

use super::coordinator::{AgentStart, StartArgs, start_agent};
use crate::cli::{CliError, CliResult, Context};

/// What is looked at, each with what to look for.
const CATEGORIES: [(&str, &str); 6] = [
    (
        "architecture",
        "folders, modules and layers, who may use whom, the style the whole follows, its main parts and how they meet",
    ),
    (
        "dependencies",
        "packages and tools with their versions, what is needed to run and what to build, what is pinned, outdated or started as a process",
    ),
    (
        "testing",
        "the test runner, where tests live, how they are named, what they replace and why, what is not covered",
    ),
    (
        "apis",
        "what is exported, commands and their options, types at the edges, how errors are formed and passed on",
    ),
    (
        "config",
        "files and variables that configure it, how they are read and checked, what holds when nothing is set",
    ),
    (
        "implicit",
        "what everybody does and nobody wrote down: names, comments, error style, unfinished work, recurring notes",
    ),
];

/// Have an existing project explored and written down
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove discover --skip testing,apis")]
pub struct Args {
    /// Categories to leave out, separated by commas: architecture, dependencies, testing, apis, config, implicit
    #[arg(long, value_name = "categories")]
    skip: Option<String>,
    /// Name of the agent
    #[arg(long, default_value = "discover-coordinator", value_name = "name")]
    name: String,
    /// Accepted for compatibility; has no effect
    #[arg(long, value_name = "id")]
    task_id: Option<String>,
    /// Show the agent's terminal here after the start
    #[arg(long, overrides_with = "no_attach")]
    attach: bool,
    /// Only start it
    #[arg(long, overrides_with = "attach")]
    no_attach: bool,
    /// Also watch the agents' health, unless another process does
    #[arg(long)]
    watchdog: bool,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let categories = chosen(args.skip.as_deref())?;
    let names: Vec<&str> = categories.iter().map(|(name, _)| *name).collect();
    let details: Vec<String> = categories
        .iter()
        .map(|(name, what)| format!("{name}: {what}"))
        .collect();
    let start = StartArgs {
        attach: args.attach,
        no_attach: args.no_attach,
        watchdog: args.watchdog,
        // Exploring is no second coordinator: whoever watches may go on.
        accept_existing_watchdog: true,
        ..StartArgs::default()
    };
    let wanted = AgentStart {
        name: &args.name,
        role: super::coordinator::COORDINATOR,
        beacon: format!(
            "Role: discovery coordinator | Categories: {} — Startup: start one lead per category, compare what they report, keep what lasts — {}",
            names.join(", "),
            details.join(" | ")
        ),
        profile: Some("ov-discovery".to_owned()),
    };
    start_agent(ctx, &start, wanted)
}

/// Names of what is looked at.
pub(crate) fn categories() -> impl Iterator<Item = &'static str> {
    CATEGORIES.iter().map(|(name, _)| *name)
}

/// The categories that are not left out.
fn chosen(skip: Option<&str>) -> CliResult<Vec<(&'static str, &'static str)>> {
    let skip: Vec<&str> = skip
        .unwrap_or_default()
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .collect();
    let known: Vec<&str> = CATEGORIES.iter().map(|(name, _)| *name).collect();
    let unknown: Vec<&str> = skip
        .iter()
        .copied()
        .filter(|s| !known.contains(s))
        .collect();
    if !unknown.is_empty() {
        return Err(CliError::validation(format!(
            "Invalid category name(s): {}. Valid categories: {}",
            unknown.join(", "),
            known.join(", ")
        )));
    }
    let left: Vec<_> = CATEGORIES
        .into_iter()
        .filter(|(name, _)| !skip.contains(name))
        .collect();
    if left.is_empty() {
        return Err(CliError::validation(
            "All categories skipped — nothing to discover.",
        ));
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_left_out_by_name() {
        let names = |skip| chosen(skip).map(|c| c.iter().map(|(n, _)| *n).collect::<Vec<_>>());
        assert_eq!(names(None).unwrap().len(), 6);
        assert_eq!(
            names(Some(" testing, apis,,config,implicit ")).unwrap(),
            ["architecture", "dependencies"]
        );
        assert!(names(Some("nope")).is_err());
    }
}
