//! `ecosystem`: grove and its companion programs, with versions and health.

use serde::Serialize;

use crate::cli::{CliResult, Context, Outcome};
use crate::config;
use crate::platform::env;
use crate::setup::packages::{self, Installed, NOT_PUBLISHED, ORCHESTRATOR, Package};

/// Show grove and its companion programs, with versions and health
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Companions are optional: grove reads and writes issues (seeds) and expertise (mulch) itself.

Example:
  grove ecosystem --json")]
pub struct Args {}

#[derive(Serialize)]
struct EcosystemJson {
    tools: Vec<ToolJson>,
    summary: SummaryJson,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolJson {
    name: &'static str,
    cli: &'static str,
    npm: &'static str,
    installed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    up_to_date: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    doctor_summary: Option<super::doctor::Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_error: Option<String>,
}

#[derive(Serialize)]
struct SummaryJson {
    total: usize,
    installed: usize,
    missing: usize,
    outdated: usize,
}

/// Runs the command.
pub fn run(ctx: &Context, _args: Args) -> CliResult {
    let path = env::var("PATH");
    let mut tools = vec![own(ctx)?];
    let companions = packages::survey(path.as_deref());
    tools.extend(companions.into_iter().map(companion));
    let installed = tools.iter().filter(|tool| tool.installed).count();
    let summary = SummaryJson {
        total: tools.len(),
        installed,
        missing: tools.len() - installed,
        outdated: tools
            .iter()
            .filter(|tool| tool.up_to_date == Some(false))
            .count(),
    };
    if ctx.is_json() {
        ctx.out
            .json("ecosystem", &EcosystemJson { tools, summary })?;
    } else {
        show(ctx, &tools, &summary)?;
    }
    Ok(Outcome::Done)
}

/// grove itself, with the doctor's findings when there is a project.
fn own(ctx: &Context) -> CliResult<ToolJson> {
    let in_project = config::config_path(&ctx.paths()?.root).is_file();
    Ok(ToolJson {
        name: ORCHESTRATOR.name,
        cli: ORCHESTRATOR.cli,
        npm: ORCHESTRATOR.npm,
        installed: true,
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        latest: None,
        up_to_date: None,
        doctor_summary: if in_project {
            Some(super::doctor::summary(ctx)?)
        } else {
            None
        },
        latest_error: Some(NOT_PUBLISHED.to_owned()),
    })
}

fn companion((package, found): (Package, Installed)) -> ToolJson {
    let (latest, latest_error) = match found.latest {
        Some(Ok(version)) => (Some(version), None),
        Some(Err(error)) => (None, Some(error)),
        None => (None, None),
    };
    ToolJson {
        name: package.name,
        cli: package.cli,
        npm: package.npm,
        installed: found.version.is_some(),
        up_to_date: latest
            .as_ref()
            .map(|latest| found.version.as_ref() == Some(latest)),
        version: found.version,
        latest,
        doctor_summary: None,
        latest_error,
    }
}

fn show(ctx: &Context, tools: &[ToolJson], summary: &SummaryJson) -> CliResult<()> {
    let out = &ctx.out;
    out.header("Ecosystem")?;
    for tool in tools {
        let Some(version) = &tool.version else {
            out.line(format!(
                "  - {} ({}) not installed, and not needed: npm install -g {}",
                tool.name, tool.cli, tool.npm
            ))?;
            continue;
        };
        let state = match (&tool.latest, tool.up_to_date) {
            (Some(_), Some(true)) => ", up to date".to_owned(),
            (Some(latest), Some(false) | None) => format!(", {latest} is available"),
            (None, _) => String::new(),
        };
        let name = if tool.cli == ORCHESTRATOR.cli {
            format!("grove (in place of {})", tool.name)
        } else {
            format!("{} ({})", tool.name, tool.cli)
        };
        out.line(format!("  - {name} {version}{state}"))?;
        if let Some(doctor) = tool.doctor_summary {
            out.line(format!(
                "      doctor: {} passed, {} warnings, {} failures",
                doctor.pass, doctor.warn, doctor.fail
            ))?;
        }
        if let Some(error) = &tool.latest_error {
            out.hint(format!("    {error}"))?;
        }
    }
    out.line("")?;
    out.line(format!(
        "{} of {} installed, {} outdated",
        summary.installed, summary.total, summary.outdated
    ))
}
