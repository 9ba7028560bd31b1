//! What `logs` is told and what it prints.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::files::{Entry, Filter, LOG_FILE, LogFiles};
use crate::cli::{CliError, CliResult, Context, Outcome, moment, positive};
use crate::platform::ProjectPaths;
use crate::platform::follow::Follow;
use crate::text::{format_number, to_compact_json, truncate_utf16, utf16_len};
use crate::types::event::Level;

/// Looked for new entries at least this often, in case a notification was missed.
const AT_LEAST: Duration = Duration::from_secs(1);

/// Show the agents' log files
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  grove logs --since 10m\n  grove logs --agent builder-auth --level error --follow"
)]
pub struct Args {
    /// Only this agent
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Only this level
    #[arg(long, value_name = "level")]
    level: Option<String>,
    /// From this time on: ISO 8601, or 30s, 10m, 2h, 1d
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    since: Option<String>,
    /// Up to this time (ISO 8601)
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    until: Option<String>,
    /// At most this many entries, the newest
    #[arg(
        long,
        default_value = "100",
        value_name = "n",
        allow_hyphen_values = true
    )]
    limit: String,
    /// Go on printing entries as they are written
    #[arg(short, long)]
    follow: bool,
}

#[derive(Serialize)]
struct EntriesJson<'a> {
    entries: Vec<&'a Map<String, Value>>,
}

/// Runs the command.
pub fn run(ctx: &Context, args: Args) -> CliResult {
    let limit = usize::try_from(positive("--limit", &args.limit)?).unwrap_or(usize::MAX);
    if let Some(level) = args
        .level
        .as_deref()
        .filter(|level| Level::parse(level).is_none())
    {
        let known: Vec<&str> = Level::ALL.iter().map(|level| level.as_str()).collect();
        let message = format!("--level must be one of: {}", known.join(", "));
        return Err(CliError::validation(message).tip(format!("got: {level}")));
    }
    let filter = Filter {
        agent: args.agent,
        level: args.level,
        since: args
            .since
            .as_deref()
            .map(|text| moment("--since", text, true))
            .transpose()?,
        until: args
            .until
            .as_deref()
            .map(|text| moment("--until", text, false))
            .transpose()?,
    };
    let paths = ctx.paths()?;
    // Before the first look: what is written after it is noticed.
    let changes = args.follow.then(|| changes(&paths));
    let mut files = LogFiles::new(&paths, &filter);
    if !args.follow && files.found().is_empty() {
        if ctx.is_json() {
            ctx.out.json_bare(&json!([]))?;
        } else {
            ctx.out.line("No log files found.")?;
        }
        return Ok(Outcome::Done);
    }
    let mut entries = files.news(!args.follow);
    entries.drain(..entries.len().saturating_sub(limit));
    if ctx.is_json() && !args.follow {
        ctx.out.json(
            "logs",
            &EntriesJson {
                entries: entries.iter().map(|entry| &entry.object).collect(),
            },
        )?;
    } else if let Some(changes) = changes {
        follow(ctx, files, &entries, changes)?;
    } else {
        show(ctx, &entries)?;
    }
    Ok(Outcome::Done)
}

fn show(ctx: &Context, entries: &[Entry]) -> CliResult<()> {
    ctx.out.header("Logs")?;
    if entries.is_empty() {
        return ctx.out.line("No log entries found.");
    }
    ctx.out.line(format!(
        "{} {}",
        entries.len(),
        if entries.len() == 1 {
            "entry"
        } else {
            "entries"
        }
    ))?;
    let mut day = "";
    for entry in entries {
        let this_day = entry.text("timestamp").get(..10).unwrap_or("");
        if this_day != day {
            day = this_day;
            ctx.out.line(format!("\n--- {day} ---"))?;
        }
        ctx.out.line(entry_line(entry)?)?;
    }
    Ok(())
}

fn entry_line(entry: &Entry) -> CliResult<String> {
    let time = entry.text("timestamp").get(11..19).unwrap_or("--:--:--");
    let level = match entry.text("level") {
        "debug" => "DBG",
        "warn" => "WRN",
        "error" => "ERR",
        _ => "INF",
    };
    let mut line = format!("{time} {level} {}", entry.text("event"));
    if let Some(agent) = entry.object.get("agentName").and_then(Value::as_str) {
        write!(line, " [{agent}]").unwrap_or_default();
    }
    for (key, value) in entry
        .object
        .get("data")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        write!(line, " {key}={}", shown(value)?).unwrap_or_default();
    }
    Ok(line)
}

fn shown(value: &Value) -> CliResult<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number
            .as_f64()
            .map_or_else(|| number.to_string(), format_number),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            to_compact_json(value)?
        }
    };
    if utf16_len(&text) > 80 {
        return Ok(format!("{}...", truncate_utf16(&text, 77)));
    }
    Ok(text)
}

fn changes(paths: &ProjectPaths) -> Follow {
    Follow::tree(&paths.file("logs"), &[LOG_FILE], AT_LEAST)
}

fn follow(
    ctx: &Context,
    mut files: LogFiles<'_>,
    shown: &[Entry],
    mut changes: Follow,
) -> CliResult<()> {
    let print = |entry: &Entry| {
        if ctx.is_json() {
            ctx.out.json("logs", &json!({"entry": entry.object}))
        } else {
            ctx.out.line(entry_line(entry)?)
        }
    };
    shown.iter().try_for_each(print)?;
    while changes.wait() {
        files.news(false).iter().try_for_each(print)?;
    }
    Ok(())
}
