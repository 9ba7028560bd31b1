//! Prints the report on one agent.

use serde::Serialize;

use super::gather::{Report, TokenUsage, ToolCall, TurnInfo, clock_12, took};
use crate::cli::{CliResult, Context, SessionJson, TextTable};
use crate::text::{format_duration, format_fixed, format_grouped, format_usd};
use crate::types::AgentState;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InspectJson<'a> {
    session: SessionJson<'a>,
    time_since_last_activity: Option<i64>,
    recent_tool_calls: &'a [ToolCall],
    current_file: Option<&'a str>,
    tool_stats: Vec<StatsJson<'a>>,
    token_usage: Option<&'a TokenUsage>,
    tmux_output: Option<&'a str>,
    headless_turn_info: Option<&'a TurnInfo>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StatsJson<'a> {
    tool_name: &'a str,
    count: i64,
    avg_duration_ms: f64,
    max_duration_ms: i64,
}

pub(super) fn json(ctx: &Context, report: &Report) -> CliResult<()> {
    let stats = report.stats.iter().map(|stats| StatsJson {
        tool_name: &stats.tool_name,
        count: stats.count,
        avg_duration_ms: stats.avg_duration_ms,
        max_duration_ms: stats.max_duration_ms,
    });
    ctx.out.json(
        "inspect",
        &InspectJson {
            session: SessionJson::from(&report.session),
            time_since_last_activity: report.since_activity_ms,
            recent_tool_calls: &report.calls,
            current_file: report.current_file.as_deref(),
            tool_stats: stats.collect(),
            token_usage: report.tokens.as_ref(),
            tmux_output: report.output.as_deref(),
            headless_turn_info: report.turn.as_ref(),
        },
    )
}

pub(super) fn text(ctx: &Context, report: &Report) -> CliResult<()> {
    identity(ctx, report)?;
    if let Some(file) = &report.current_file {
        ctx.out.line(format!("Current file: {file}\n"))?;
    }
    if let Some(turn) = &report.turn {
        progress(ctx, turn)?;
    }
    if let Some(tokens) = &report.tokens {
        usage(ctx, tokens)?;
    }
    tools(ctx, report)?;
    if let Some(output) = &report.output {
        let title = if report.session.tmux_session.is_empty() {
            "Recent Activity (headless)"
        } else {
            "Live Tmux Output"
        };
        ctx.out.header(title)?;
        ctx.out.line(output)?;
        ctx.out.line("─".repeat(70))?;
    }
    Ok(())
}

fn identity(ctx: &Context, report: &Report) -> CliResult<()> {
    let session = &report.session;
    let mark = match session.state {
        AgentState::Working | AgentState::InTurn => ">",
        AgentState::Booting | AgentState::BetweenTurns => "~",
        AgentState::Stalled => "!",
        AgentState::Completed => "✓",
        AgentState::Zombie => "x",
    };
    ctx.out.line("")?;
    ctx.out
        .header(&format!("Agent Inspection: {}", session.agent_name))?;
    ctx.out.line("")?;
    ctx.out
        .line(format!("{mark} State: {}", session.state.as_str()))?;
    let ago = report.since_activity_ms.map_or_else(
        || "unknown".to_owned(),
        |ms| format!("{} ago", format_duration(ms.max(0))),
    );
    ctx.out.line(format!("Last activity: {ago}"))?;
    ctx.out.line(format!("Task: {}", session.task_id))?;
    ctx.out
        .line(format!("Capability: {}", session.capability))?;
    ctx.out.line(format!("Branch: {}", session.branch_name))?;
    if let Some(parent) = &session.parent_agent {
        ctx.out
            .line(format!("Parent: {parent} (depth: {})", session.depth))?;
    }
    ctx.out.line(format!("Started: {}", session.started_at))?;
    match (session.tmux_session.is_empty(), session.pid) {
        (false, _) => ctx.out.line(format!("Tmux: {}", session.tmux_session))?,
        (true, Some(pid)) => ctx.out.line(format!("Process: PID {pid} (headless)"))?,
        (true, None) => {}
    }
    if let Some(walls) = &report.walls {
        ctx.out.line(format!("Sandbox: {walls}"))?;
    }
    ctx.out.line("")
}

fn progress(ctx: &Context, turn: &TurnInfo) -> CliResult<()> {
    ctx.out.header("Turn Progress")?;
    ctx.out
        .line(format!("  Current turn:  {}", turn.current_turn))?;
    if let Some(used) = turn.context_utilization {
        ctx.out.line(format!(
            "  Context usage: {}%",
            format_fixed(used * 100.0, 1)
        ))?;
    }
    let status = if turn.is_mid_tool {
        "executing tool"
    } else {
        "between tools"
    };
    ctx.out.line(format!("  Status:        {status}\n"))
}

fn usage(ctx: &Context, tokens: &TokenUsage) -> CliResult<()> {
    ctx.out.header("Token Usage")?;
    ctx.out.line(format!(
        "  Input:         {}",
        format_grouped(tokens.input_tokens)
    ))?;
    ctx.out.line(format!(
        "  Output:        {}",
        format_grouped(tokens.output_tokens)
    ))?;
    ctx.out.line(format!(
        "  Cache read:    {}",
        format_grouped(tokens.cache_read_tokens)
    ))?;
    ctx.out.line(format!(
        "  Cache created: {}",
        format_grouped(tokens.cache_creation_tokens)
    ))?;
    if tokens.estimated_cost_usd.is_some() {
        ctx.out.line(format!(
            "  Estimated cost: {}",
            format_usd(tokens.estimated_cost_usd, 4)
        ))?;
    }
    if let Some(model) = &tokens.model_used {
        ctx.out.line(format!("  Model: {model}"))?;
    }
    ctx.out.line("")
}

fn tools(ctx: &Context, report: &Report) -> CliResult<()> {
    if !report.stats.is_empty() {
        ctx.out.header("Tool Usage (Top 10)")?;
        for stats in report.stats.iter().take(10) {
            let average = format_fixed(stats.avg_duration_ms, 0);
            let start = TextTable::new()
                .left("  ", 2)
                .left(&stats.tool_name, 20)
                .left(" ", 1);
            let line = start
                .right(&stats.count.to_string(), 6)
                .left(" calls  avg: ", 0)
                .right(&average, 6)
                .line();
            ctx.out
                .line(format!("{line}ms  max: {}ms", stats.max_duration_ms))?;
        }
        ctx.out.line("")?;
    }
    if !report.calls.is_empty() {
        ctx.out
            .header(&format!("Recent Tool Calls (last {})", report.calls.len()))?;
        for call in &report.calls {
            let time = clock_12(&call.timestamp);
            let line = TextTable::new()
                .left(&call.tool_name, 15)
                .left(" ", 1)
                .right(&took(call), 10)
                .line();
            let args = if call.args.is_empty() {
                String::new()
            } else {
                format!("  {}", call.args)
            };
            ctx.out.line(format!("  [{time}] {line}{args}"))?;
        }
        ctx.out.line("")?;
    }
    Ok(())
}
