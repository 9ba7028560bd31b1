//! `guard log`: the calls the guard has refused, by agent and rule.

use std::collections::HashMap;

use serde::Serialize;

use super::known;
use crate::cli::{CliResult, Context, Outcome, moment, positive};
use crate::db::refusals::{RefusalFilter, Refusals, Refused};
use crate::db::{EventStore, GroveStore};
use crate::platform::ProjectPaths;
use crate::text::{pad_end_utf16, truncate_utf16};

/// Show the calls the guard has refused, and how often each rule did
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove guard log --since 1h\n  grove guard log --agent builder-auth --rule publish --json"
)]
pub(super) struct Args {
    /// Only this agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only this rule, as the log names it
    #[arg(long, value_name = "rule")]
    rule: Option<String>,
    /// From this time on: ISO 8601, or 30s, 10m, 2h, 1d
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    since: Option<String>,
    /// At most this many calls, the newest
    #[arg(
        long,
        default_value = "50",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
}

#[derive(Serialize)]
struct LogJson<'a> {
    total: usize,
    rules: Vec<RuleJson<'a>>,
    refusals: Vec<RefusedJson<'a>>,
}

#[derive(Serialize)]
struct RuleJson<'a> {
    rule: &'a str,
    count: usize,
}

#[derive(Serialize)]
struct RefusedJson<'a> {
    id: i64,
    agent: &'a str,
    rule: &'a str,
    reason: &'a str,
    tool: Option<&'a str>,
    call: Option<&'a str>,
    at: &'a str,
}

/// Runs the command.
pub(super) fn run(ctx: &Context, args: &Args) -> CliResult {
    let limit = usize::try_from(positive("--limit", &args.limit)?).unwrap_or(usize::MAX);
    let since = args
        .since
        .as_deref()
        .map(|text| moment("--since", text, true))
        .transpose()?
        // As stored: without the closing Z.
        .map(|at| at.iso().trim_end_matches('Z').to_owned());
    let paths = ctx.paths()?;
    ctx.require_state(&paths)?;
    let file = paths.file("events.db");
    let found = if file.is_file() {
        EventStore::look(&file)?.refusals(&RefusalFilter {
            agent: args.agent.clone(),
            rule: args.rule.clone(),
            since,
            limit,
        })?
    } else {
        Refusals::default()
    };
    if found.total == 0 {
        known::rule(&file, args.rule.as_deref())?;
        known::agent(&paths, &file, args.agent.as_deref())?;
    }
    if ctx.is_json() {
        json(ctx, &found)?;
    } else {
        text(ctx, &found, args)?;
    }
    // A part of them tells nobody what the rest is.
    if ctx.acting_agent().is_none() && args.rule.is_none() && args.since.is_none() {
        note_seen(ctx, &paths, &found);
    }
    Ok(Outcome::Done)
}

/// What a person has been shown asks for nobody any more.
fn note_seen(ctx: &Context, paths: &ProjectPaths, found: &Refusals) {
    let mut newest: HashMap<&str, i64> = HashMap::new();
    for refused in &found.newest {
        let id = newest.entry(&refused.agent).or_insert(refused.id);
        *id = refused.id.max(*id);
    }
    if newest.is_empty() {
        return;
    }
    let noted = GroveStore::open(&paths.grove_db()).and_then(|grove| {
        let mut newest = newest.into_iter();
        newest.try_for_each(|(agent, id)| grove.note_refusals_seen(agent, id))
    });
    if let Err(error) = noted {
        ctx.out
            .note(format!("! 'grove status' goes on naming them: {error}"));
    }
}

fn json(ctx: &Context, found: &Refusals) -> CliResult<()> {
    let rules = found.by_rule.iter();
    ctx.out.json(
        "guard log",
        &LogJson {
            total: found.total,
            rules: rules
                .map(|(rule, count)| RuleJson {
                    rule,
                    count: *count,
                })
                .collect(),
            refusals: found
                .newest
                .iter()
                .map(|refused| RefusedJson {
                    id: refused.id,
                    agent: &refused.agent,
                    rule: &refused.rule,
                    reason: &refused.reason,
                    tool: refused.tool.as_deref(),
                    call: refused.call.as_deref(),
                    at: &refused.at,
                })
                .collect(),
        },
    )
}

fn text(ctx: &Context, found: &Refusals, args: &Args) -> CliResult<()> {
    if found.total == 0 {
        let of = args.agent.as_ref().map(|agent| format!(" of {agent}"));
        let by = args.rule.as_ref().map(|rule| format!(" by {rule}"));
        return ctx.out.line(format!(
            "No call{} was refused{}.",
            of.unwrap_or_default(),
            by.unwrap_or_default()
        ));
    }
    let counts: Vec<String> = found
        .by_rule
        .iter()
        .map(|(rule, count)| format!("{rule} {count}"))
        .collect();
    let plural = if found.total == 1 { "call" } else { "calls" };
    ctx.out.line(format!(
        "{} {plural} refused: {}",
        found.total,
        counts.join(", ")
    ))?;
    for refused in &found.newest {
        ctx.out.line(line(refused))?;
    }
    Ok(())
}

fn line(refused: &Refused) -> String {
    let day = refused.at.get(..10).unwrap_or("");
    let time = refused.at.get(11..19).unwrap_or("");
    let call = refused.call.as_deref().unwrap_or("");
    let call = call.replace(['\n', '\r'], " ");
    format!(
        "{day} {time}  {}  {}  {}\n    {}",
        pad_end_utf16(&refused.agent, 16),
        pad_end_utf16(&refused.rule, 11),
        truncate_utf16(&call, 100),
        refused.reason
    )
}
