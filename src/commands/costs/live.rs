//! `costs --live`: the agents that are working now, from their latest snapshots.

use serde::Serialize;

use super::table::{Totals, columns, rule, titles};
use crate::cli::{CliResult, Context, Outcome, TextTable};
use crate::db::metrics::TokenSnapshot;
use crate::db::{MetricsStore, SessionStore};
use crate::platform::{ProjectPaths, clock};
use crate::text::{format_fixed, format_grouped};
use crate::types::{AgentSession, Timestamp};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LiveAgent {
    agent_name: String,
    capability: String,
    input_tokens: i64,
    output_tokens: i64,
    cache_read_tokens: i64,
    cache_creation_tokens: i64,
    estimated_cost_usd: f64,
    model_used: Option<String>,
    snapshot_at: String,
    session_started_at: String,
    elapsed_ms: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LiveTotals {
    #[serde(flatten)]
    sums: Totals,
    burn_rate_per_min: f64,
    tokens_per_min: f64,
}

#[derive(Serialize)]
struct LiveJson {
    agents: Vec<LiveAgent>,
    totals: LiveTotals,
}

pub(super) fn live(
    ctx: &Context,
    paths: &ProjectPaths,
    run: Option<&str>,
    agent: Option<&str>,
) -> CliResult {
    let snapshots = if paths.metrics_db().exists() {
        MetricsStore::look(&paths.metrics_db())?.latest_snapshots(run)?
    } else {
        Vec::new()
    };
    let active = if paths.sessions_db().exists() {
        SessionStore::look(&paths.sessions_db())?.active()?
    } else {
        Vec::new()
    };
    let none = snapshots.is_empty();
    let report = live_report(snapshots, &active, agent);
    if ctx.is_json() {
        ctx.out.json("costs", &report)?;
    } else if none {
        ctx.out
            .line("No live data available. Token snapshots begin after first tool call.")?;
    } else {
        show_live(ctx, &report)?;
    }
    Ok(Outcome::Done)
}

fn live_report(
    snapshots: Vec<TokenSnapshot>,
    active: &[AgentSession],
    only: Option<&str>,
) -> LiveJson {
    let now = clock::now();
    let agents: Vec<LiveAgent> = snapshots
        .into_iter()
        .filter(|snapshot| only.is_none_or(|only| only == snapshot.agent_name))
        .filter_map(|snapshot| {
            let session = active
                .iter()
                .find(|session| session.agent_name == snapshot.agent_name)?;
            let started = Timestamp::parse(&session.started_at).unwrap_or(now);
            Some(LiveAgent {
                agent_name: snapshot.agent_name,
                capability: session.capability.clone(),
                input_tokens: snapshot.input_tokens,
                output_tokens: snapshot.output_tokens,
                cache_read_tokens: snapshot.cache_read_tokens,
                cache_creation_tokens: snapshot.cache_creation_tokens,
                estimated_cost_usd: snapshot.estimated_cost_usd.unwrap_or(0.0),
                model_used: snapshot.model_used,
                snapshot_at: snapshot.created_at,
                session_started_at: session.started_at.clone(),
                elapsed_ms: now.0 - started.0,
            })
        })
        .collect();
    let mut sums = Totals::default();
    for agent in &agents {
        sums.input_tokens += agent.input_tokens as f64;
        sums.output_tokens += agent.output_tokens as f64;
        sums.cache_tokens += agent.cache_read_tokens as f64 + agent.cache_creation_tokens as f64;
        sums.cost_usd += agent.estimated_cost_usd;
    }
    let minutes = mean_elapsed(&agents) / 60_000.0;
    let per_minute = |amount: f64| if minutes > 0.0 { amount / minutes } else { 0.0 };
    let tokens = sums.input_tokens + sums.output_tokens;
    let totals = LiveTotals {
        burn_rate_per_min: per_minute(sums.cost_usd),
        tokens_per_min: per_minute(tokens),
        sums,
    };
    LiveJson { agents, totals }
}

fn mean_elapsed(agents: &[LiveAgent]) -> f64 {
    if agents.is_empty() {
        return 0.0;
    }
    agents
        .iter()
        .map(|agent| agent.elapsed_ms as f64)
        .sum::<f64>()
        / agents.len() as f64
}

fn show_live(ctx: &Context, report: &LiveJson) -> CliResult<()> {
    ctx.out.header(&format!(
        "Live Token Usage ({} active agents)",
        report.agents.len()
    ))?;
    ctx.out.line(titles(
        TextTable::new().left("Agent", 19).left("Capability", 12),
    ))?;
    rule(ctx)?;
    for agent in &report.agents {
        let start = TextTable::new()
            .left(&agent.agent_name, 19)
            .left(&agent.capability, 12);
        let cache = agent
            .cache_read_tokens
            .saturating_add(agent.cache_creation_tokens);
        ctx.out.line(columns(
            start,
            agent.input_tokens,
            agent.output_tokens,
            cache,
            Some(agent.estimated_cost_usd),
        ))?;
    }
    rule(ctx)?;
    ctx.out.line(
        report
            .totals
            .sums
            .columns(TextTable::new().left("Total", 31)),
    )?;
    let seconds = mean_elapsed(&report.agents) as i64 / 1000;
    ctx.out.line(format!(
        "\nBurn rate: ${}/min  |  {} tokens/min  |  Elapsed: {}m {}s",
        format_fixed(report.totals.burn_rate_per_min, 2),
        format_grouped(report.totals.tokens_per_min as i64),
        seconds / 60,
        seconds % 60
    ))
}
