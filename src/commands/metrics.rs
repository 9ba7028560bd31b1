//! `metrics`: how long sessions took and how their merges went.

use serde::Serialize;

use crate::cli::{CliResult, Context, MetricsJson, Outcome, countable, positive};
use crate::db::MetricsStore;
use crate::db::metrics::SessionMetrics;
use crate::text::format_duration;

/// Show durations and merge results of sessions
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove metrics --last 5")]
pub struct Args {
    /// At most this many sessions
    #[arg(
        long,
        default_value = "20",
        value_name = "n",
        allow_hyphen_values = true
    )]
    last: String,
}

#[derive(Serialize)]
struct SessionsJson<'a> {
    sessions: Vec<MetricsJson<'a>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    // Whatever else it is, without a store the contract takes it.
    countable("--last", &args.last)?;
    let paths = ctx.paths()?;
    if !paths.metrics_db().exists() {
        if ctx.is_json() {
            ctx.out.json(
                "metrics",
                &SessionsJson {
                    sessions: Vec::new(),
                },
            )?;
        } else {
            ctx.out.line("No metrics data yet.")?;
        }
        return Ok(Outcome::Done);
    }
    let last = positive("--last", &args.last)?;
    let sessions = MetricsStore::look(&paths.metrics_db())?.sessions(None, last)?;
    if ctx.is_json() {
        ctx.out.json(
            "metrics",
            &SessionsJson {
                sessions: sessions.iter().map(MetricsJson::from).collect(),
            },
        )?;
    } else {
        show(ctx, &sessions)?;
    }
    Ok(Outcome::Done)
}

fn show(ctx: &Context, sessions: &[SessionMetrics]) -> CliResult<()> {
    if sessions.is_empty() {
        return ctx.out.line("No sessions recorded yet.");
    }
    ctx.out.header("Session Metrics")?;
    ctx.out.line("")?;
    let finished = sessions
        .iter()
        .filter(|session| session.completed_at.is_some())
        .count();
    ctx.out
        .line(format!("Total sessions: {}", sessions.len()))?;
    ctx.out.line(format!("Completed: {finished}"))?;
    if let Some(mean) = mean_duration(sessions.iter()) {
        ctx.out
            .line(format!("Avg duration: {}", format_duration(mean)))?;
    }
    let tiers = counts(
        sessions
            .iter()
            .filter_map(|session| session.merge_result.as_deref()),
    );
    if !tiers.is_empty() {
        ctx.out.line("\nMerge tiers:")?;
        for (tier, count) in tiers {
            ctx.out.line(format!("  {tier}: {count}"))?;
        }
    }
    ctx.out.line("\nBy capability:")?;
    for (capability, count) in counts(sessions.iter().map(|session| session.capability.as_str())) {
        let mean = mean_duration(
            sessions
                .iter()
                .filter(|session| session.capability == capability),
        )
        .unwrap_or(0);
        ctx.out.line(format!(
            "  {capability}: {count} sessions (avg {})",
            format_duration(mean)
        ))?;
    }
    ctx.out.line("\nRecent sessions:")?;
    for session in sessions {
        let state = if session.completed_at.is_some() {
            "done"
        } else {
            "running"
        };
        ctx.out.line(format!(
            "  {} [{}] {} | {state} | {}",
            session.agent_name,
            session.capability,
            session.task_id,
            format_duration(session.duration_ms)
        ))?;
    }
    Ok(())
}

/// Mean over finished sessions only; a running one has no duration yet.
fn mean_duration<'a>(sessions: impl Iterator<Item = &'a SessionMetrics>) -> Option<i64> {
    let durations: Vec<i64> = sessions
        .filter(|session| session.completed_at.is_some())
        .map(|session| session.duration_ms)
        .collect();
    let count = i64::try_from(durations.len())
        .ok()
        .filter(|count| *count > 0)?;
    Some(durations.iter().sum::<i64>() / count)
}

/// Counts equal texts, in order of first appearance.
fn counts<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<(&'a str, usize)> {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for text in texts {
        match counts.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counts.push((text, 1)),
        }
    }
    counts
}
