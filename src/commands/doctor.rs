//! `doctor`: examine the project, optionally repair it.

use serde::Serialize;

use crate::cli::{CliError, CliResult, Context, Outcome};
use crate::config;
use crate::doctor::{self, Check, CheckStatus, Patient, Repaired};
use crate::platform::env;

/// Find out what is wrong with this project
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Categories: dependencies, config, structure, databases, consistency, agents, merge, logs, version,
ecosystem, providers, watchdog, serve; and sandbox, which only runs when it is named. The exit code is
1 when a check fails.

Examples:
  grove doctor                          what is wrong
  grove doctor --category config        only the configuration
  grove doctor --fix                    repair what can be repaired")]
pub struct Args {
    /// Only one category
    #[arg(long, value_name = "name")]
    category: Option<String>,
    /// Repair what can be repaired, then look again
    #[arg(long)]
    fix: bool,
}

#[derive(Serialize)]
struct DoctorJson<'a> {
    checks: Vec<CheckJson<'a>>,
    summary: Summary,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixed: Vec<&'a str>,
}

#[derive(Serialize)]
struct CheckJson<'a> {
    name: &'a str,
    category: &'a str,
    status: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    details: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixable: Option<bool>,
}

/// How many checks ended how.
#[derive(Debug, Serialize, Clone, Copy)]
pub(super) struct Summary {
    pub(super) pass: usize,
    pub(super) warn: usize,
    pub(super) fail: usize,
}

/// Examines the project around the current folder and only counts.
pub(super) fn summary(ctx: &Context) -> CliResult<Summary> {
    Ok(summarise(&doctor::examine(&patient(ctx)?, None)))
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let only = args.category.as_deref();
    if let Some(name) = only.filter(|name| !doctor::all_categories().contains(name)) {
        // The contract settles this text; what it does not know is said to people.
        let names = doctor::categories().join(", ");
        return Err(CliError::validation(format!(
            "Invalid category: {name}. Valid categories: {names}"
        ))
        .tip("there is also 'sandbox', which only runs when it is named"));
    }
    let mut patient = patient(ctx)?;
    let mut checks = doctor::examine(&patient, only);
    let mut fixed = Vec::new();
    if args.fix {
        fixed = doctor::repair(&patient, &checks);
        if !fixed.is_empty() {
            patient = self::patient(ctx)?;
            checks = doctor::examine(&patient, only);
        }
    }
    if !ctx.is_json() && only.is_none() && !patient.paths.dir().is_dir() {
        // Without a project most findings say the same thing in other words.
        checks.retain(|check| ["dependencies", "structure"].contains(&check.category));
    }
    let summary = summarise(&checks);
    if ctx.is_json() {
        ctx.out.json(
            "doctor",
            &DoctorJson {
                checks: checks.iter().map(check_json).collect(),
                summary,
                fixed: fixed.iter().map(Repaired::text).collect(),
            },
        )?;
    } else {
        show(ctx, &checks, summary, &fixed)?;
    }
    Ok(if summary.fail > 0 {
        Outcome::Failed
    } else {
        Outcome::Done
    })
}

fn patient(ctx: &Context) -> CliResult<Patient> {
    let paths = ctx.paths()?;
    let mut unknown_keys = Vec::new();
    let config = config::load(&paths.root).map(|loaded| {
        loaded
            .notices
            .iter()
            .for_each(|notice| ctx.out.note(notice));
        unknown_keys = loaded.unknown;
        loaded.config
    });
    Ok(Patient {
        paths,
        config,
        unknown_keys,
        search_path: env::var("PATH"),
        home: env::home(),
    })
}

fn check_json(check: &Check) -> CheckJson<'_> {
    CheckJson {
        name: &check.name,
        category: check.category,
        status: check.status.as_str(),
        message: &check.message,
        details: check.details.as_deref(),
        fixable: check.fixable,
    }
}

fn summarise(checks: &[Check]) -> Summary {
    let count = |status: CheckStatus| checks.iter().filter(|check| check.status == status).count();
    Summary {
        pass: count(CheckStatus::Pass),
        warn: count(CheckStatus::Warn),
        fail: count(CheckStatus::Fail),
    }
}

fn show(ctx: &Context, checks: &[Check], summary: Summary, fixed: &[Repaired]) -> CliResult<()> {
    let out = &ctx.out;
    out.header("Overstory Doctor")?;
    out.line("")?;
    let always = doctor::categories();
    for category in doctor::all_categories() {
        let all: Vec<&Check> = checks
            .iter()
            .filter(|check| check.category == category)
            .collect();
        if all.is_empty() && !always.contains(&category) {
            continue;
        }
        let shown: Vec<&&Check> = all
            .iter()
            .filter(|check| ctx.globals.verbose || check.status != CheckStatus::Pass)
            .collect();
        if shown.is_empty() && !ctx.globals.verbose {
            continue;
        }
        out.line(format!("[{category}]"))?;
        if shown.is_empty() {
            out.line("  No checks")?;
        }
        for check in shown {
            show_check(ctx, check)?;
        }
        out.line("")?;
    }
    for line in fixed {
        match line {
            Repaired::Done(text) => out.success(text)?,
            Repaired::Failed(text) => out.warning(text, None)?,
        }
    }
    if !fixed.is_empty() {
        out.line("")?;
    }
    let plural =
        |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    out.line(format!(
        "Summary: {} passed, {}, {}",
        summary.pass,
        plural(summary.warn, "warning"),
        plural(summary.fail, "failure")
    ))?;
    let repairable = checks
        .iter()
        .filter(|check| check.repair.is_some() && check.status != CheckStatus::Pass)
        .count();
    if repairable > 0 && out.is_terminal() {
        out.hint(format!(
            "'grove doctor --fix' repairs {repairable} of these"
        ))?;
    }
    Ok(())
}

fn show_check(ctx: &Context, check: &Check) -> CliResult<()> {
    let mark = match check.status {
        CheckStatus::Pass => "-",
        CheckStatus::Warn => "!",
        CheckStatus::Fail => "x",
    };
    ctx.out.line(format!("  {mark} {}", check.message))?;
    for detail in check.details.iter().flatten() {
        ctx.out.line(format!("    → {detail}"))?;
    }
    Ok(())
}
