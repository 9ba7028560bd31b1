//! `logs`: the agents' log files, merged by time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::cli::{CliError, CliResult, Context, Outcome, positive};
use crate::platform::{ProjectPaths, clock};
use crate::text::{format_number, to_compact_json, truncate_utf16, utf16_len};
use crate::types::Timestamp;
use crate::types::event::Level;

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

struct Filter {
    agent: Option<String>,
    level: Option<String>,
    since: Option<Timestamp>,
    until: Option<Timestamp>,
}

/// One line of a log file, passed on as it is.
struct Entry {
    object: Map<String, Value>,
    at: Option<Timestamp>,
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
        return Err(CliError::validation(message).hint(format!("got: {level}")));
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
    let files = files(&paths, filter.agent.as_deref());
    if files.is_empty() && !args.follow {
        if ctx.is_json() {
            ctx.out.json_bare(&json!([]))?;
        } else {
            ctx.out.line("No log files found.")?;
        }
        return Ok(Outcome::Done);
    }
    let mut entries = read(&files, &filter);
    let seen = entries.len();
    entries.drain(..entries.len().saturating_sub(limit));
    if ctx.is_json() && !args.follow {
        ctx.out.json(
            "logs",
            &EntriesJson {
                entries: entries.iter().map(|entry| &entry.object).collect(),
            },
        )?;
    } else if args.follow {
        follow(ctx, &paths, &filter, &entries, seen)?;
    } else {
        show(ctx, &entries)?;
    }
    Ok(Outcome::Done)
}

/// A time given on the command line; `relative` allows `10m` and its kin as well.
pub(super) fn moment(option: &str, text: &str, relative: bool) -> CliResult<Timestamp> {
    let wrong = || {
        let also = if relative { " or relative time" } else { "" };
        CliError::validation(format!("{option} must be a valid ISO 8601 timestamp{also}"))
    };
    if let Some(back) = relative.then(|| relative_ms(text)).flatten() {
        return Ok(Timestamp(clock::now().0 - back));
    }
    Timestamp::parse(text)
        .or_else(|| Timestamp::parse(&format!("{text}T00:00:00Z")))
        .ok_or_else(wrong)
}

fn relative_ms(text: &str) -> Option<i64> {
    let unit = text.chars().last()?;
    let factor = match unit {
        's' => 1000,
        'm' => 60_000,
        'h' => 3_600_000,
        'd' => 86_400_000,
        _ => return None,
    };
    let digits = text.strip_suffix(unit)?;
    digits
        .chars()
        .all(|c| c.is_ascii_digit())
        .then(|| digits.parse::<i64>().ok())?
        .and_then(|number| number.checked_mul(factor))
}

/// Every `events.ndjson`, by agent and session.
fn files(paths: &ProjectPaths, agent: Option<&str>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in subfolders(&paths.file("logs")) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        if agent.is_some_and(|agent| agent != name) {
            continue;
        }
        found.extend(
            subfolders(&folder)
                .into_iter()
                .map(|session| session.join("events.ndjson"))
                .filter(|file| file.is_file()),
        );
    }
    found
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Reads, filters and sorts; lines that are no log entries are skipped.
fn read(files: &[PathBuf], filter: &Filter) -> Vec<Entry> {
    let mut entries: Vec<Entry> = files
        .iter()
        .filter_map(|file| std::fs::read(file).ok())
        .flat_map(|bytes| {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            text.lines().filter_map(parse).collect::<Vec<_>>()
        })
        .filter(|entry| filter.admits(entry))
        .collect();
    entries.sort_by(|left, right| text_of(left, "timestamp").cmp(text_of(right, "timestamp")));
    entries
}

fn parse(line: &str) -> Option<Entry> {
    let Value::Object(object) = serde_json::from_str(line).ok()? else {
        return None;
    };
    let at = Timestamp::parse(object.get("timestamp")?.as_str()?);
    object.get("event")?.as_str()?;
    Some(Entry { object, at })
}

impl Filter {
    fn admits(&self, entry: &Entry) -> bool {
        let level = self
            .level
            .as_deref()
            .is_none_or(|level| text_of(entry, "level") == level);
        let since = self
            .since
            .is_none_or(|since| entry.at.is_some_and(|at| at >= since));
        let until = self
            .until
            .is_none_or(|until| entry.at.is_some_and(|at| at <= until));
        level && since && until
    }
}

fn text_of<'a>(entry: &'a Entry, key: &str) -> &'a str {
    entry.object.get(key).and_then(Value::as_str).unwrap_or("")
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
        let this_day = text_of(entry, "timestamp").get(..10).unwrap_or("");
        if this_day != day {
            day = this_day;
            ctx.out.line(format!("\n--- {day} ---"))?;
        }
        ctx.out.line(entry_line(entry)?)?;
    }
    Ok(())
}

fn entry_line(entry: &Entry) -> CliResult<String> {
    let time = text_of(entry, "timestamp")
        .get(11..19)
        .unwrap_or("--:--:--");
    let level = match text_of(entry, "level") {
        "debug" => "DBG",
        "warn" => "WRN",
        "error" => "ERR",
        _ => "INF",
    };
    let mut line = format!("{time} {level} {}", text_of(entry, "event"));
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

fn follow(
    ctx: &Context,
    paths: &ProjectPaths,
    filter: &Filter,
    shown: &[Entry],
    mut seen: usize,
) -> CliResult<()> {
    let print = |entry: &Entry| {
        if ctx.is_json() {
            ctx.out.json("logs", &json!({"entry": entry.object}))
        } else {
            ctx.out.line(entry_line(entry)?)
        }
    };
    shown.iter().try_for_each(print)?;
    loop {
        std::thread::sleep(std::time::Duration::from_secs(1));
        let entries = read(&files(paths, filter.agent.as_deref()), filter);
        entries.iter().skip(seen).try_for_each(print)?;
        seen = entries.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_times_have_one_unit() {
        assert_eq!(relative_ms("90m"), Some(5_400_000));
        assert_eq!(relative_ms("5x"), None);
        assert_eq!(relative_ms("m"), None);
        assert_eq!(relative_ms("1h30m"), None);
    }

    #[test]
    fn lines_without_time_or_event_are_skipped() {
        assert!(parse("{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"event\":\"x\"}").is_some());
        assert!(parse("{\"event\":\"x\"}").is_none());
        assert!(parse("[1]").is_none() && parse("{broken").is_none());
    }
}
