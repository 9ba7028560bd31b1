//! Who is refused the same thing again and again, by what is stored.

use std::collections::HashMap;

use super::refusals::{Repeated, repeated};
use crate::config::GuardConfig;
use crate::db::refusals::RefusalFilter;
use crate::db::{DbError, EventStore};
use crate::types::Timestamp;

/// So many refusals are looked at; an agent needs far fewer to be noticed.
const MOST_REFUSALS: usize = 1_000;

/// By the agents' names; refusals before the window of the settings do not count.
pub fn refused_again(
    events: &EventStore,
    limits: &GuardConfig,
    now: Timestamp,
) -> Result<HashMap<String, Repeated>, DbError> {
    let window = i64::try_from(limits.attention_window_ms).unwrap_or(i64::MAX);
    let since = Timestamp(now.0.saturating_sub(window)).iso();
    let found = events.refusals(&RefusalFilter {
        // As stored: without the closing Z.
        since: Some(since.trim_end_matches('Z').to_owned()),
        limit: MOST_REFUSALS,
        ..RefusalFilter::default()
    })?;
    let mut by_agent: HashMap<String, Vec<(String, i64)>> = HashMap::new();
    for refused in found.newest {
        let at = Timestamp::parse(&refused.at).map_or(0, |t| t.0);
        by_agent
            .entry(refused.agent)
            .or_default()
            .push((refused.rule, at));
    }
    let again = by_agent.into_iter().filter_map(|(agent, seen)| {
        repeated(&seen, now.0, limits.attention_after, window).map(|again| (agent, again))
    });
    Ok(again.collect())
}
