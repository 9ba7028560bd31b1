//! `costs`: tokens and dollars by session, by role, or right now.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::cli::{CliError, CliResult, Context, MetricsJson, Outcome, TextTable, positive};
use crate::costs;
use crate::db::metrics::{SessionMetrics, TokenSnapshot};
use crate::db::{MetricsStore, SessionStore};
use crate::platform::{ProjectPaths, clock, env};
use crate::runtimes;
use crate::text::{format_fixed, format_grouped, format_usd};
use crate::types::{AgentSession, Timestamp};

/// Show tokens and costs
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove costs --by-capability\n  grove costs --live\n  grove costs --agent builder-auth --json"
)]
pub struct Args {
    /// Agents that are working now, from their latest snapshots
    #[arg(long)]
    live: bool,
    /// The session this command runs in
    #[arg(long = "self")]
    own: bool,
    /// Only this agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only this run
    #[arg(long, value_name = "id")]
    run: Option<String>,
    /// Only this task
    #[arg(long, value_name = "task")]
    bead: Option<String>,
    /// Sum up by capability
    #[arg(long)]
    by_capability: bool,
    /// At most this many sessions
    #[arg(
        long,
        default_value = "20",
        value_name = "n",
        allow_hyphen_values = true
    )]
    last: String,
}

#[derive(Serialize, Default, Clone)]
#[serde(rename_all = "camelCase")]
struct Totals {
    // Sums are floating point because the contract's are: beyond 2^53 they round.
    input_tokens: f64,
    output_tokens: f64,
    cache_tokens: f64,
    cost_usd: f64,
}

#[derive(Serialize)]
struct SessionsJson<'a> {
    sessions: Vec<MetricsJson<'a>>,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    sessions: Vec<MetricsJson<'a>>,
    totals: Totals,
}

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

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnJson<'a> {
    source: &'static str,
    transcript_path: String,
    model: Option<&'a str>,
    input_tokens: i64,
    output_tokens: i64,
    cache_read_tokens: i64,
    cache_creation_tokens: i64,
    estimated_cost_usd: Option<f64>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let last = positive("--last", &args.last)?;
    if args.own {
        return own(ctx);
    }
    let paths = ctx.paths()?;
    if args.live {
        return live(ctx, &paths, args.run.as_deref(), args.agent.as_deref());
    }
    if !paths.metrics_db().exists() {
        if ctx.is_json() {
            ctx.out.json(
                "costs",
                &SessionsJson {
                    sessions: Vec::new(),
                },
            )?;
        } else {
            ctx.out.line("No metrics data yet.")?;
        }
        return Ok(Outcome::Done);
    }
    let store = MetricsStore::look(&paths.metrics_db())?;
    let sessions = match (&args.agent, &args.run, &args.bead) {
        (Some(agent), _, _) => store.sessions(Some(("agent_name", agent)), -1)?,
        (None, Some(run), _) => store.sessions(Some(("run_id", run)), -1)?,
        (None, None, Some(task)) => store.sessions(Some(("task_id", task)), -1)?,
        (None, None, None) => store.sessions(None, last)?,
    };
    if args.by_capability {
        by_capability(ctx, &sessions)?;
    } else {
        summary(ctx, &sessions)?;
    }
    Ok(Outcome::Done)
}

/// The session of the person, or of the CLI, that runs this command: the newest transcript of the
/// project.
fn own(ctx: &Context) -> CliResult {
    let project = ctx.project()?;
    let name = &project.config.runtime.default;
    let found = runtimes::find(name).ok().and_then(|runtime| {
        let path = costs::newest(runtime, &env::home()?, &project.root)?;
        Some((runtime, path))
    });
    let Some((runtime, path)) = found else {
        let message = format!("No transcript found for runtime '{name}'");
        ctx.out
            .error(&CliError::of_command("costs", message.clone(), message));
        return Ok(Outcome::Done);
    };
    let usage = costs::read(&path, runtime)?;
    let cost = costs::estimate(&usage);
    if ctx.is_json() {
        ctx.out.json(
            "costs",
            &OwnJson {
                source: "self",
                transcript_path: path.display().to_string(),
                model: usage.model.as_deref(),
                input_tokens: usage.input,
                output_tokens: usage.output,
                cache_read_tokens: usage.cache_read,
                cache_creation_tokens: usage.cache_creation,
                estimated_cost_usd: cost,
            },
        )?;
        return Ok(Outcome::Done);
    }
    ctx.out.header("Orchestrator Session Cost")?;
    let line = |label: &str, value: &str| ctx.out.line(format!("{label:<12}{value}"));
    line("Model:", usage.model.as_deref().unwrap_or("unknown"))?;
    line("Input:", &format_grouped(usage.input))?;
    line("Output:", &format_grouped(usage.output))?;
    let cache = usage.cache_read.saturating_add(usage.cache_creation);
    line("Cache:", &format_grouped(cache))?;
    // A price that is not known is not zero.
    let shown = cost.map_or_else(|| "unknown".to_owned(), |cost| format_usd(Some(cost), 2));
    line("Cost:", &shown)?;
    line("Transcript:", &path.display().to_string())?;
    Ok(Outcome::Done)
}

impl Totals {
    fn of<'a>(sessions: impl IntoIterator<Item = &'a SessionMetrics>) -> Self {
        let mut totals = Self::default();
        for session in sessions {
            totals.input_tokens += session.input_tokens as f64;
            totals.output_tokens += session.output_tokens as f64;
            totals.cache_tokens += cache(session) as f64;
            totals.cost_usd += session.estimated_cost_usd.unwrap_or(0.0);
        }
        totals
    }

    fn columns(&self, start: TextTable) -> String {
        let (input, output) = (self.input_tokens as i64, self.output_tokens as i64);
        columns(
            start,
            input,
            output,
            self.cache_tokens as i64,
            Some(self.cost_usd),
        )
    }
}

fn cache(session: &SessionMetrics) -> i64 {
    session
        .cache_read_tokens
        .saturating_add(session.cache_creation_tokens)
}

fn columns(start: TextTable, input: i64, output: i64, cache: i64, cost: Option<f64>) -> String {
    start
        .right(&format_grouped(input), 10)
        .right(&format_grouped(output), 10)
        .right(&format_grouped(cache), 10)
        .usd(cost, 10)
        .line()
}

fn titles(start: TextTable) -> String {
    start
        .right("Input", 10)
        .right("Output", 10)
        .right("Cache", 10)
        .right("Cost", 10)
        .line()
}

fn rule(ctx: &Context) -> CliResult<()> {
    ctx.out.line("─".repeat(70))
}

fn summary(ctx: &Context, sessions: &[SessionMetrics]) -> CliResult<()> {
    if ctx.is_json() {
        return ctx.out.json(
            "costs",
            &SessionsJson {
                sessions: sessions.iter().map(MetricsJson::from).collect(),
            },
        );
    }
    ctx.out.header("Cost Summary")?;
    if sessions.is_empty() {
        return ctx.out.line("No session data found.");
    }
    ctx.out.line(titles(
        TextTable::new().left("Agent", 19).left("Capability", 12),
    ))?;
    rule(ctx)?;
    for session in sessions {
        let start = TextTable::new()
            .left(&session.agent_name, 19)
            .left(&session.capability, 12);
        let (input, output) = (session.input_tokens, session.output_tokens);
        ctx.out.line(columns(
            start,
            input,
            output,
            cache(session),
            session.estimated_cost_usd,
        ))?;
    }
    rule(ctx)?;
    ctx.out
        .line(Totals::of(sessions).columns(TextTable::new().left("Total", 31)))
}

fn by_capability(ctx: &Context, sessions: &[SessionMetrics]) -> CliResult<()> {
    let mut groups: Vec<(&str, Vec<&SessionMetrics>)> = Vec::new();
    for session in sessions {
        match groups
            .iter_mut()
            .find(|(name, _)| *name == session.capability)
        {
            Some((_, group)) => group.push(session),
            None => groups.push((&session.capability, vec![session])),
        }
    }
    let mut groups: Vec<(&str, Vec<&SessionMetrics>, Totals)> = groups
        .into_iter()
        .map(|(name, group)| (name, group.clone(), Totals::of(group)))
        .collect();
    groups.sort_by(|left, right| right.2.cost_usd.total_cmp(&left.2.cost_usd));
    if ctx.is_json() {
        let mut grouped = Map::new();
        for (name, group, totals) in groups {
            let sessions = group.into_iter().map(MetricsJson::from).collect();
            grouped.insert(
                name.to_owned(),
                serde_json::to_value(GroupJson { sessions, totals })?,
            );
        }
        return ctx.out.json(
            "costs",
            &Value::Object(Map::from_iter([(
                "grouped".to_owned(),
                Value::Object(grouped),
            )])),
        );
    }
    ctx.out.header("Cost by Capability")?;
    if groups.is_empty() {
        return ctx.out.line("No session data found.");
    }
    ctx.out.line(titles(
        TextTable::new()
            .left("Capability", 14)
            .right("Sessions", 10),
    ))?;
    rule(ctx)?;
    for (name, group, totals) in &groups {
        ctx.out.line(
            totals.columns(
                TextTable::new()
                    .left(name, 14)
                    .right(&group.len().to_string(), 10),
            ),
        )?;
    }
    rule(ctx)?;
    let start = TextTable::new()
        .left("Total", 14)
        .right(&sessions.len().to_string(), 10);
    ctx.out.line(Totals::of(sessions).columns(start))
}

fn live(ctx: &Context, paths: &ProjectPaths, run: Option<&str>, agent: Option<&str>) -> CliResult {
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
        sums.cache_tokens += (agent.cache_read_tokens + agent.cache_creation_tokens) as f64;
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
        let cache = agent.cache_read_tokens + agent.cache_creation_tokens;
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
