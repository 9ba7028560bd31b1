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
                Attention::Dead | Attention::Done => counts.ended += 1,
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
            let ended = matches!(agent.attention, Attention::Done);
            let below_ended =
                below.is_none_or(|b| b.iter().all(|a| matches!(a.attention, Attention::Done)));
            if ended && below_ended && !self.show_done {
                *folded += 1;
            } else {
                rows.push(FleetRow::Agent { agent, level });
            }
            self.branch(Some(&agent.name), level + 1, children, listed, rows, folded);
        }
    }
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
