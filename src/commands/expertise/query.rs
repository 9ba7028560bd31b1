//! `expertise query`: list records.

use serde::Serialize;

use super::words::{DomainJson, FilterArgs, domains_json, mulch, print};
use crate::cli::{CliResult, Context, Outcome};

/// List what is recorded
#[derive(Debug, clap::Args)]
#[command(after_help = "Example: grove expertise query cli --type failure")]
pub(super) struct Args {
    /// Only of this domain
    #[arg(value_name = "domain")]
    domain: Option<String>,
    /// All domains; the same as naming none
    #[arg(long, conflicts_with = "domain")]
    all: bool,
    #[command(flatten)]
    filter: FilterArgs,
}

#[derive(Serialize)]
struct QueryJson<'a> {
    domains: Vec<DomainJson<'a>>,
}

pub(super) fn run(ctx: &Context, args: Args) -> CliResult {
    let domains: Vec<String> = args.domain.into_iter().collect();
    let found = mulch(ctx)?.query(&domains, &args.filter.filter())?;
    if ctx.is_json() {
        let json = QueryJson {
            domains: domains_json(&found),
        };
        ctx.out.json("expertise query", &json)?;
    } else if found.iter().all(|(_, records)| records.is_empty()) {
        ctx.out.hint("No records")?;
    } else {
        print(ctx, &found)?;
    }
    Ok(Outcome::Done)
}
