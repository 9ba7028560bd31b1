//! Whose events, and of which time: the options that the commands here share.

use super::lines::Clock;
use crate::cli::{CliResult, iso_time};
use crate::db::EventStore;
use crate::db::events::EventFilter;
use crate::types::event::StoredEvent;

#[derive(Debug, clap::Args)]
pub(super) struct Scope {
    /// Only this run; wins over --agent
    #[arg(long, value_name = "id")]
    run: Option<String>,
    /// Only this agent; may be repeated
    #[arg(long, value_name = "name")]
    agent: Vec<String>,
}

impl Scope {
    /// Whether a run or an agent is named.
    pub(super) fn names_somebody(&self) -> bool {
        self.run.is_some() || !self.agent.is_empty()
    }

    /// The events of whom the options name, else of everybody. Of several agents each has its rows,
    /// merged by time; equal times keep the order in which the agents were named.
    pub(super) fn read(
        &self,
        store: &EventStore,
        filter: &EventFilter,
    ) -> CliResult<Vec<StoredEvent>> {
        if self.run.is_some() || self.agent.is_empty() {
            return Ok(store.query(&EventFilter {
                run: self.run.clone(),
                ..filter.clone()
            })?);
        }
        let mut events = self.merged(store, filter)?;
        events.sort_by(|left, right| left.created_at.cmp(&right.created_at));
        if let Some(limit) = filter.limit {
            events.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        }
        Ok(events)
    }

    /// The same, but of more than the limit the newest; oldest first all the same.
    pub(super) fn newest(
        &self,
        store: &EventStore,
        filter: &EventFilter,
    ) -> CliResult<Vec<StoredEvent>> {
        let filter = EventFilter {
            newest_first: true,
            ..filter.clone()
        };
        let mut events = if self.run.is_some() || self.agent.is_empty() {
            store.query(&EventFilter {
                run: self.run.clone(),
                ..filter.clone()
            })?
        } else {
            self.merged(store, &filter)?
        };
        // Equal times stay in the order in which they were written.
        events
            .sort_by(|left, right| (&left.created_at, left.id).cmp(&(&right.created_at, right.id)));
        let limit = filter.limit.and_then(|limit| usize::try_from(limit).ok());
        let surplus = events.len().saturating_sub(limit.unwrap_or(usize::MAX));
        Ok(events.split_off(surplus))
    }

    /// The events of the agents that are named.
    fn merged(&self, store: &EventStore, filter: &EventFilter) -> CliResult<Vec<StoredEvent>> {
        let mut events = Vec::new();
        for agent in &self.agent {
            events.extend(store.query(&EventFilter {
                agent: Some(agent.clone()),
                ..filter.clone()
            })?);
        }
        Ok(events)
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct Window {
    /// From this time on (ISO 8601)
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    since: Option<String>,
    /// Up to this time (ISO 8601)
    #[arg(long, value_name = "time", allow_hyphen_values = true)]
    until: Option<String>,
}

impl Window {
    /// Checks the times and makes a filter of them.
    pub(super) fn filter(&self, limit: i64) -> CliResult<EventFilter> {
        let time = |option: &str, text: &Option<String>| {
            text.as_deref()
                .map(|text| iso_time(option, text))
                .transpose()
        };
        Ok(EventFilter {
            since: time("--since", &self.since)?,
            until: time("--until", &self.until)?,
            limit: Some(limit),
            ..EventFilter::default()
        })
    }

    /// Who asks for a time of day is shown times of day.
    pub(super) fn clock(&self) -> Clock {
        if self.since.is_some() || self.until.is_some() {
            Clock::Absolute
        } else {
            Clock::Age
        }
    }
}
