//! Sessions that are stored: one by one, or summed up by capability.

use serde::Serialize;
use serde_json::{Map, Value};

use super::table::{Totals, cache, columns, rule, titles};
use crate::cli::{CliResult, Context, MetricsJson, TextTable};
use crate::db::metrics::SessionMetrics;

#[derive(Serialize)]
struct SessionsJson<'a> {
    sessions: Vec<MetricsJson<'a>>,
}

#[derive(Serialize)]
struct GroupJson<'a> {
    sessions: Vec<MetricsJson<'a>>,
    totals: Totals,
}

pub(super) fn summary(ctx: &Context, sessions: &[SessionMetrics]) -> CliResult<()> {
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

pub(super) fn by_capability(ctx: &Context, sessions: &[SessionMetrics]) -> CliResult<()> {
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
