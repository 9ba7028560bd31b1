//! The fleet: agents as the engine last described them, and the order they are listed in.
//!
//! Two groups: who needs a person comes first, flat, longest waiting on top; then the whole tree,
//! siblings by urgency, finished ones folded.

use std::collections::BTreeMap;

use crate::engine::view::{AgentView, Attention};

/// Agents and how the list is folded.
#[derive(Debug, Clone, Default)]
pub(crate) struct FleetState {
    pub agents: Vec<AgentView>,
    /// Set once the engine has sent a fleet, even an empty one.
    pub known: bool,
    pub show_done: bool,
    pub filter: String,
}

/// One row of the fleet list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FleetRow<'a> {
    /// An agent that needs a person, in the group on top.
    Waiting(&'a AgentView),
    Agent {
        agent: &'a AgentView,
        level: usize,
    },
    /// How many finished agents are folded away.
    Folded(usize),
}

/// How many agents are in which condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub needs_you: usize,
    pub working: usize,
    pub waiting: usize,
    pub trouble: usize,
    pub ended: usize,
}

impl FleetState {
    /// Finds an agent by name.
    pub(crate) fn get(&self, name: &str) -> Option<&AgentView> {
        self.agents.iter().find(|a| a.name == name)
    }

    /// Lists the agents that need a person, longest waiting first.
    pub(crate) fn waiting(&self) -> Vec<&AgentView> {
        let mut waiting: Vec<_> = self
            .agents
            .iter()
            .filter(|a| matches!(a.attention, Attention::NeedsYou { .. }))
            .collect();
        waiting.sort_by_key(|a| (a.evidence.since_ms, a.name.clone()));
        waiting
    }

    /// Lists all agents by urgency; within the same urgency by the most recent output.
    pub(crate) fn by_urgency(&self) -> Vec<&AgentView> {
        let mut all: Vec<_> = self.agents.iter().collect();
        all.sort_by(|a, b| urgency_key(a).cmp(&urgency_key(b)));
        all
    }

    /// Counts the conditions for status bar and chips.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for agent in &self.agents {
            match agent.attention {
                Attention::NeedsYou { .. } => counts.needs_you += 1,
                Attention::Working => counts.working += 1,
                Attention::Booting | Attention::BetweenTurns | Attention::RateLimited => {
                    counts.waiting += 1;
                }
                Attention::Error | Attention::OverBudget | Attention::Stalled => {
                    counts.trouble += 1;
                }
                Attention::Dead | Attention::Stopped | Attention::Done => counts.ended += 1,
            }
        }
        counts
    }

    /// Lists the rows as they are drawn from top to bottom.
    pub(crate) fn rows(&self) -> Vec<FleetRow<'_>> {
        let mut rows = Vec::new();
        let needle = self.filter.to_lowercase();
        if !needle.is_empty() {
            let mut found: Vec<_> = self.agents.iter().filter(|a| matches(a, &needle)).collect();
            found.sort_by(|a, b| urgency_key(a).cmp(&urgency_key(b)));
            rows.extend(
                found
                    .into_iter()
                    .map(|agent| FleetRow::Agent { agent, level: 0 }),
            );
            return rows;
        }
        rows.extend(self.waiting().into_iter().map(FleetRow::Waiting));
        let mut children: BTreeMap<Option<&str>, Vec<&AgentView>> = BTreeMap::new();
        for agent in &self.agents {
            // An agent whose parent is not listed is shown at the root, never hidden.
            let parent = agent
                .parent
                .as_deref()
                .filter(|p| *p != agent.name && self.get(p).is_some());
            children.entry(parent).or_default().push(agent);
        }
        for siblings in children.values_mut() {
            siblings.sort_by_key(|a| (a.attention.urgency(), a.started_ms, a.name.clone()));
        }
        let mut listed = Vec::new();
        let mut folded = 0;
        self.branch(None, 0, &children, &mut listed, &mut rows, &mut folded);
        // Agents that are each other's parents are reachable from no root.
        for agent in &self.agents {
            if !listed.contains(&agent.name.as_str()) {
                rows.push(FleetRow::Agent { agent, level: 0 });
            }
        }
        if folded > 0 {
            rows.push(FleetRow::Folded(folded));
        }
        rows
    }

    fn branch<'a>(
        &'a self,
        parent: Option<&str>,
        level: usize,
        children: &BTreeMap<Option<&'a str>, Vec<&'a AgentView>>,
        listed: &mut Vec<&'a str>,
        rows: &mut Vec<FleetRow<'a>>,
        folded: &mut usize,
    ) {
        for agent in children.get(&parent).into_iter().flatten() {
            let below = children.get(&Some(agent.name.as_str()));
            listed.push(&agent.name);
            let ended = has_ended(agent);
            let below_ended = below.is_none_or(|b| b.iter().all(|a| has_ended(a)));
            if ended && below_ended && !self.show_done {
                *folded += 1;
            } else {
                rows.push(FleetRow::Agent { agent, level });
            }
            self.branch(Some(&agent.name), level + 1, children, listed, rows, folded);
        }
    }
}

/// Tells whether nothing of the agent is left to look at: it is done, or was stopped.
pub(crate) fn has_ended(agent: &AgentView) -> bool {
    matches!(agent.attention, Attention::Done | Attention::Stopped)
}

fn matches(agent: &AgentView, needle: &str) -> bool {
    let fields = [
        Some(agent.name.as_str()),
        Some(agent.capability.as_str()),
        agent.task.as_deref(),
        agent.branch.as_deref(),
    ];
    fields
        .into_iter()
        .flatten()
        .any(|f| f.to_lowercase().contains(needle))
}

fn urgency_key(agent: &AgentView) -> (u8, i64, &str) {
    let recent = -agent.last_output_ms.unwrap_or(agent.started_ms);
    (agent.attention.urgency(), recent, &agent.name)
}

/// Agents for tests of this module's neighbours.
#[cfg(test)]
pub(crate) mod sample {
    use crate::engine::view::{AgentState, AgentView, Attention, Evidence, PaneMode, TokenCounts};

    pub(crate) fn agent(name: &str, parent: Option<&str>, attention: Attention) -> AgentView {
        AgentView {
            name: name.to_owned(),
            capability: "builder".to_owned(),
            state: match attention {
                Attention::Done | Attention::Stopped => AgentState::Completed,
                Attention::NeedsYou { .. }
                | Attention::Error
                | Attention::OverBudget
                | Attention::Stalled
                | Attention::RateLimited
                | Attention::Working
                | Attention::Booting
                | Attention::BetweenTurns
                | Attention::Dead => AgentState::Working,
            },
            attention,
            evidence: Evidence {
                text: String::new(),
                since_ms: 0,
            },
            observations: Vec::new(),
            parent: parent.map(str::to_owned),
            depth: 0,
            task: None,
            branch: None,
            worktree: None,
            runtime: "claude".to_owned(),
            mode: PaneMode::Pty,
            model: None,
            cost_micro_usd: None,
            tokens: TokenCounts::default(),
            context_percent: None,
            pid: None,
            started_ms: 0,
            last_output_ms: None,
            unread_mail: 0,
            escalation_level: 0,
            next_step: None,
            exit: None,
            protection: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample::agent;
    use super::*;
    use proptest::prelude::*;

    fn names<'a>(rows: &'a [FleetRow<'a>]) -> Vec<&'a str> {
        let names = rows.iter().filter_map(|r| match r {
            FleetRow::Agent { agent, .. } => Some(agent.name.as_str()),
            FleetRow::Waiting(_) | FleetRow::Folded(_) => None,
        });
        names.collect()
    }

    #[test]
    fn children_follow_their_parent_and_urgent_siblings_come_first() {
        let state = FleetState {
            agents: vec![
                agent("lead", None, Attention::Working),
                agent("calm", Some("lead"), Attention::Working),
                agent("stuck", Some("lead"), Attention::Stalled),
                agent("other", None, Attention::Working),
            ],
            ..FleetState::default()
        };
        assert_eq!(names(&state.rows()), ["lead", "stuck", "calm", "other"]);
    }

    #[test]
    fn a_finished_parent_with_live_children_is_not_folded() {
        let state = FleetState {
            agents: vec![
                agent("lead", None, Attention::Done),
                agent("live", Some("lead"), Attention::Working),
                agent("gone", None, Attention::Done),
            ],
            ..FleetState::default()
        };
        let rows = state.rows();
        assert_eq!(names(&rows), ["lead", "live"]);
        assert_eq!(rows.last(), Some(&FleetRow::Folded(1)));
    }

    proptest! {
        #[test]
        fn every_agent_is_listed_once_whoever_claims_to_be_whose_parent(
            parents in prop::collection::vec(prop::option::of(0usize..12), 1..12),
            ended in prop::collection::vec(any::<bool>(), 12),
        ) {
            let name = |i: usize| format!("a{i}");
            let agents: Vec<_> = parents
                .iter()
                .zip(&ended)
                .enumerate()
                .map(|(i, (parent, ended))| {
                    let attention = if *ended { Attention::Done } else { Attention::Working };
                    agent(&name(i), parent.map(name).as_deref(), attention)
                })
                .collect();
            let count = agents.len();
            let state = FleetState { agents, ..FleetState::default() };
            let rows = state.rows();
            let folded: usize = rows
                .iter()
                .map(|r| if let FleetRow::Folded(n) = r { *n } else { 0 })
                .sum();
            let mut listed = names(&rows);
            prop_assert_eq!(listed.len() + folded, count);
            listed.sort_unstable();
            listed.dedup();
            prop_assert_eq!(listed.len() + folded, count);
        }
    }
}
