//! `expertise prime`: what a session should know at its start.

use serde::Serialize;
use serde_json::Value;

use super::words::mulch;
use crate::cli::{CliError, CliResult, Context, Outcome, positive};
use crate::config::PrimeFormat;
use crate::mulch::PrimeRequest;

/// Print what a session should know
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove expertise prime --files src/mail/send.rs")]
pub(super) struct Args {
    /// Only these domains
    #[arg(value_name = "domain")]
    domains: Vec<String>,
    /// Exclude these domains
    #[arg(long, value_name = "domain", num_args = 1..)]
    exclude_domain: Vec<String>,
    /// Only what concerns these files
    #[arg(long, value_name = "path", num_args = 1..)]
    files: Vec<String>,
    /// How it is written: markdown, xml or json; as the project is configured when left out
    #[arg(long, value_name = "format")]
    format: Option<String>,
    /// Room in tokens
    #[arg(
        long,
        value_name = "n",
        conflicts_with = "no_limit",
        allow_hyphen_values = true
    )]
    budget: Option<String>,
    /// Everything, whatever room it takes
    #[arg(long)]
    no_limit: bool,
}

#[derive(Serialize)]
struct PrimeJson {
    domains: Value,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let budget = args
        .budget
        .map(|text| positive("--budget", &text))
        .transpose()?;
    let configured = ctx.project()?.config.mulch.prime_format;
    let format = match args.format.as_deref() {
        None => configured,
        Some("markdown") => PrimeFormat::Markdown,
        Some("xml") => PrimeFormat::Xml,
        Some("json") => PrimeFormat::Json,
        Some(other) => {
            return Err(CliError::validation(format!(
                "Invalid format \"{other}\". Valid: markdown, xml, json"
            )));
        }
    };
    let primed = mulch(ctx)?.prime(&PrimeRequest {
        domains: &args.domains,
        exclude: &args.exclude_domain,
        files: &args.files,
        format: if ctx.is_json() {
            PrimeFormat::Json
        } else {
            format
        },
        budget: if args.no_limit {
            Some(usize::MAX)
        } else {
            budget.map(|tokens| usize::try_from(tokens).unwrap_or(usize::MAX))
        },
        bare: false,
    })?;
    if ctx.is_json() {
        let mut value: Value = serde_json::from_str(&primed.text)?;
        let domains = value.get_mut("domains").map(Value::take);
        let json = PrimeJson {
            domains: domains.unwrap_or_default(),
        };
        ctx.out.json("expertise prime", &json)?;
    } else {
        ctx.out.text(&primed.text)?;
    }
    Ok(Outcome::Done)
}
