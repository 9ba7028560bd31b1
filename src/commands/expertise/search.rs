//! `expertise search`: find records by words.

use serde::Serialize;

use super::words::{DomainJson, FilterArgs, domains_json, mulch, print};
use crate::cli::{CliResult, Context, Outcome};
use crate::text::counted;

/// Find records by words, the best first
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove expertise search \"file locking\" --domain cli")]
pub(super) struct Args {
    /// Words; records that have any of them are found
    #[arg(value_name = "words")]
    query: String,
    /// Only in this domain
    #[arg(long, value_name = "domain")]
    domain: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Serialize)]
struct SearchJson<'a> {
    query: &'a str,
    total: usize,
    domains: Vec<DomainJson<'a>>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let domains: Vec<String> = args.domain.into_iter().collect();
    let found = mulch(ctx)?.search(&args.query, &domains, &args.filter.filter())?;
    let total = found.iter().map(|(_, records)| records.len()).sum();
    if ctx.is_json() {
        let json = SearchJson {
            query: &args.query,
            total,
            domains: domains_json(&found),
        };
        ctx.out.json("expertise search", &json)?;
    } else if total == 0 {
        ctx.out.hint(format!("Nothing about \"{}\"", args.query))?;
    } else {
        print(ctx, &found)?;
        ctx.out.hint(counted(total as u64, "record"))?;
    }
    Ok(Outcome::Done)
}
