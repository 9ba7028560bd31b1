//! The sums and the columns that every report of `costs` shares.

use serde::Serialize;

use crate::cli::{CliResult, Context, TextTable};
use crate::db::metrics::SessionMetrics;
use crate::text::format_grouped;

/// Tokens and dollars of several sessions.
#[derive(Serialize, Default, Clone)]
#[serde(rename_all = "camelCase")]
pub(super) struct Totals {
    // Sums are floating point because the contract's are: beyond 2^53 they round.
    pub(super) input_tokens: f64,
    pub(super) output_tokens: f64,
    pub(super) cache_tokens: f64,
    pub(super) cost_usd: f64,
}

impl Totals {
    pub(super) fn of<'a>(sessions: impl IntoIterator<Item = &'a SessionMetrics>) -> Self {
        let mut totals = Self::default();
        for session in sessions {
            totals.input_tokens += session.input_tokens as f64;
            totals.output_tokens += session.output_tokens as f64;
            totals.cache_tokens += cache(session) as f64;
            totals.cost_usd += session.estimated_cost_usd.unwrap_or(0.0);
        }
        totals
    }

    pub(super) fn columns(&self, start: TextTable) -> String {
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

pub(super) fn cache(session: &SessionMetrics) -> i64 {
    session
        .cache_read_tokens
        .saturating_add(session.cache_creation_tokens)
}

pub(super) fn columns(
    start: TextTable,
    input: i64,
    output: i64,
    cache: i64,
    cost: Option<f64>,
) -> String {
    start
        .right(&format_grouped(input), 10)
        .right(&format_grouped(output), 10)
        .right(&format_grouped(cache), 10)
        .usd(cost, 10)
        .line()
}

pub(super) fn titles(start: TextTable) -> String {
    start
        .right("Input", 10)
        .right("Output", 10)
        .right("Cache", 10)
        .right("Cost", 10)
        .line()
}

pub(super) fn rule(ctx: &Context) -> CliResult<()> {
    ctx.out.line("─".repeat(70))
}
