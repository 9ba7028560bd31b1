//! `expertise outcome`: say what came of using a record.

use serde::Serialize;
use serde_json::Value;

use super::words::mulch;
use crate::cli::{CliResult, Context, Outcome, non_negative};
use crate::mulch::{NewOutcome, OutcomeStatus};

/// Say what came of using a record, or list what others said
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove expertise outcome cli mx-1a2b3c --status success")]
pub(super) struct Args {
    /// Domain of the record
    #[arg(value_name = "domain")]
    domain: String,
    /// Id of the record, or the beginning of it
    #[arg(value_name = "id")]
    id: String,
    /// How it went: success, failure or partial; left out, what is known is listed
    #[arg(long, value_name = "status")]
    status: Option<String>,
    /// How long it took; milliseconds
    #[arg(long, value_name = "ms", allow_hyphen_values = true)]
    duration: Option<String>,
    /// Who tried it
    #[arg(long, value_name = "name")]
    agent: Option<String>,
    /// Anything else
    #[arg(long, value_name = "text")]
    notes: Option<String>,
    /// What the tests said
    #[arg(long, value_name = "text")]
    test_results: Option<String>,
}

#[derive(Serialize)]
struct ListJson<'a> {
    domain: &'a str,
    id: &'a str,
    outcomes: Vec<&'a Value>,
}

#[derive(Serialize)]
struct AddedJson<'a> {
    action: &'static str,
    domain: &'a str,
    id: &'a str,
    outcome: Option<&'a Value>,
    total_outcomes: usize,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let duration = args
        .duration
        .map(|text| non_negative("--duration", &text))
        .transpose()?;
    let mulch = mulch(ctx)?;
    let Some(status) = args.status.as_deref() else {
        let record = mulch.get(&args.domain, &args.id)?;
        let json = ListJson {
            domain: &args.domain,
            id: record.id(),
            outcomes: record.outcomes(),
        };
        list(ctx, &json)?;
        return Ok(Outcome::Done);
    };
    let outcome = NewOutcome {
        status: OutcomeStatus::parse(status)?,
        duration_ms: duration.map(i64::unsigned_abs),
        agent: ctx.acting_agent().or(args.agent),
        notes: args.notes,
        test_results: args.test_results,
    };
    let record = mulch.add_outcome(&args.domain, &args.id, &outcome)?;
    let all = record.outcomes();
    if ctx.is_json() {
        let json = AddedJson {
            action: "appended",
            domain: &args.domain,
            id: record.id(),
            outcome: all.last().copied(),
            total_outcomes: all.len(),
        };
        ctx.out.json("expertise outcome", &json)?;
    } else {
        ctx.out
            .success(format!("Outcome {status} added to {}", record.id()))?;
    }
    Ok(Outcome::Done)
}

fn list(ctx: &Context, found: &ListJson<'_>) -> CliResult<()> {
    if ctx.is_json() {
        return ctx.out.json("expertise outcome", found);
    }
    if found.outcomes.is_empty() {
        return ctx.out.hint("No outcomes");
    }
    let text = |value: &Value, field: &str| {
        let text = value.get(field).and_then(Value::as_str);
        text.unwrap_or("").to_owned()
    };
    for outcome in &found.outcomes {
        let fields = ["recorded_at", "status", "agent", "notes", "test_results"];
        let words = fields.map(|field| text(outcome, field));
        let said: Vec<&str> = words.iter().map(String::as_str).collect();
        let said: Vec<&str> = said.into_iter().filter(|word| !word.is_empty()).collect();
        ctx.out.line(said.join("  "))?;
    }
    Ok(())
}
