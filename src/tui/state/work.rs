//! The workspace: which agents have a pane, in which arrangement, and which one is focused.
//!
//! One stable order of all agents decides who is visible. Agents are only moved in it when the
//! user asks, or when one ends and somebody else could use its place; a newcomer goes to the end.

use std::collections::BTreeMap;

use crate::engine::view::{AgentView, Attention};
use crate::tui::state::FleetState;

/// How panes are arranged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Layout {
    /// One large pane and a strip of small ones; on large screens four equal ones.
    #[default]
    Auto,
    Grid,
    Columns,
    Stack,
    Solo,
}

impl Layout {
    /// Gives the next preset.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Auto => Self::Grid,
            Self::Grid => Self::Columns,
            Self::Columns => Self::Stack,
            Self::Stack => Self::Solo,
            Self::Solo => Self::Auto,
        }
    }

    /// Names the preset.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Grid => "grid",
            Self::Columns => "columns",
            Self::Stack => "stack",
            Self::Solo => "solo",
        }
    }
}

/// Terminal sizes that get different arrangements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SizeClass {
    Small,
    Medium,
    Large,
}

impl SizeClass {
    /// Classifies a terminal.
    pub(crate) fn of(cols: u16, rows: u16) -> Self {
        if cols < 100 || rows < 30 {
            Self::Small
        } else if cols >= 180 && rows >= 50 {
            Self::Large
        } else {
            Self::Medium
        }
    }
}

/// What the user changed about the sizes of one arrangement, in cells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Adjust {
    pub fleet: i16,
    pub split: i16,
}

/// Arrangement and focus.
#[derive(Debug, Clone)]
pub(crate) struct WorkState {
    pub focus: Option<String>,
    /// Every agent once; who comes first gets a pane first.
    pub order: Vec<String>,
    pub layout: Layout,
    pub zoom: Option<String>,
    pub fleet_shown: bool,
    /// On a small screen: the fleet fills the page.
    pub fleet_page: bool,
    pub page: usize,
    pub adjust: BTreeMap<(Layout, SizeClass), Adjust>,
}

impl Default for WorkState {
    fn default() -> Self {
        Self {
            focus: None,
            order: Vec::new(),
            layout: Layout::Auto,
            zoom: None,
            fleet_shown: true,
            fleet_page: false,
            page: 0,
            adjust: BTreeMap::new(),
        }
    }
}

fn ended(agent: &AgentView) -> bool {
    matches!(
        agent.attention,
        Attention::Done | Attention::Stopped | Attention::Dead
    )
}

impl WorkState {
    /// Brings the order up to date with the fleet. `places` panes are visible per page.
    pub(crate) fn follow(&mut self, fleet: &FleetState, places: usize) {
        let first = self.order.is_empty();
        self.order.retain(|name| fleet.get(name).is_some());
        if first {
            self.order = sorted(fleet);
        } else {
            for agent in &fleet.agents {
                if !self.order.contains(&agent.name) {
                    self.order.push(agent.name.clone());
                }
            }
        }
        self.refill(fleet, places);
        if self.focus.as_deref().is_none_or(|f| fleet.get(f).is_none()) {
            self.focus = self.order.first().cloned();
        }
        if self.zoom.as_deref().is_some_and(|z| fleet.get(z).is_none()) {
            self.zoom = None;
        }
    }

    /// Gives the places of ended agents on the first page to the most urgent hidden live ones.
    fn refill(&mut self, fleet: &FleetState, places: usize) {
        let live = |name: &str| fleet.get(name).is_some_and(|a| !ended(a));
        for place in 0..places.min(self.order.len()) {
            let Some(name) = self.order.get(place) else {
                continue;
            };
            if live(name) || self.focus.as_deref() == Some(name.as_str()) {
                continue;
            }
            let hidden = self.order.iter().skip(places).filter(|n| live(n));
            let best = hidden.min_by_key(|n| fleet.get(n).map(|a| a.attention.urgency()));
            let from = best.and_then(|best| self.order.iter().position(|n| n == best));
            if let Some(from) = from {
                self.order.swap(place, from);
            }
        }
    }

    /// Sorts the order anew by urgency, the focused agent first.
    pub(crate) fn rearrange(&mut self, fleet: &FleetState) {
        self.order = sorted(fleet);
        self.page = 0;
        if let Some(at) = self
            .focus
            .as_ref()
            .and_then(|f| self.order.iter().position(|n| n == f))
        {
            let name = self.order.remove(at);
            self.order.insert(0, name);
        }
    }

    /// Focuses an agent. `main_first`: the first place is the large one and the focused agent
    /// takes it, changing places with the agent that had it.
    pub(crate) fn focus_on(&mut self, name: &str, places: usize, main_first: bool) {
        let Some(at) = self.order.iter().position(|n| n == name) else {
            return;
        };
        let places = places.max(1);
        if self.zoom.as_deref().is_some_and(|z| z != name) {
            self.zoom = None;
        }
        if main_first {
            self.order.swap(0, at);
            self.page = 0;
        } else if self.layout == Layout::Auto && at >= places {
            let previous = self.focus.as_ref();
            let place = previous
                .and_then(|f| self.order.iter().position(|n| n == f))
                .filter(|p| *p < places)
                .unwrap_or(0);
            self.order.swap(place, at);
        } else {
            self.page = at / places;
        }
        self.focus = Some(name.to_owned());
    }
}

fn sorted(fleet: &FleetState) -> Vec<String> {
    fleet.by_urgency().iter().map(|a| a.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::state::fleet::sample::agent;
    use proptest::prelude::*;

    fn fleet(names: &[(&str, Attention)]) -> FleetState {
        FleetState {
            agents: names.iter().map(|(n, a)| agent(n, None, *a)).collect(),
            ..FleetState::default()
        }
    }

    #[test]
    fn an_ended_agent_gives_its_place_to_the_most_urgent_hidden_one() {
        let mut work = WorkState::default();
        let before = ["a", "b", "c", "d"].map(|n| (n, Attention::Working));
        work.follow(&fleet(&before), 2);
        let shown: Vec<String> = work.order.iter().take(2).cloned().collect();
        work.focus_on(&shown[0], 2, false);
        let hidden: Vec<String> = work.order.iter().skip(2).cloned().collect();
        let after: Vec<(&str, Attention)> = before
            .iter()
            .map(|(name, _)| {
                let attention = if *name == shown[1] {
                    Attention::Done
                } else if *name == hidden[1] {
                    Attention::Stalled
                } else {
                    Attention::Working
                };
                (*name, attention)
            })
            .collect();
        work.follow(&fleet(&after), 2);
        assert_eq!(work.order[0], shown[0]);
        assert_eq!(work.order[1], hidden[1]);
    }

    #[test]
    fn focusing_a_hidden_agent_gives_it_the_large_pane_and_moves_nobody_else() {
        let mut work = WorkState::default();
        work.follow(
            &fleet(&["a", "b", "c", "d"].map(|n| (n, Attention::Working))),
            3,
        );
        let before = work.order.clone();
        work.focus_on(&before[3], 3, true);
        assert_eq!(work.order[0], before[3]);
        assert_eq!(work.order[1..3], before[1..3]);
        assert_eq!(work.order[3], before[0]);
    }

    #[test]
    fn zoom_belongs_to_its_pane() {
        let mut work = WorkState::default();
        work.follow(&fleet(&["a", "b"].map(|n| (n, Attention::Working))), 2);
        work.zoom = work.focus.clone();
        let same = work.focus.clone().unwrap();
        work.focus_on(&same, 2, true);
        assert!(work.zoom.is_some());
        let other = work.order.iter().find(|n| **n != same).cloned().unwrap();
        work.focus_on(&other, 2, true);
        assert!(work.zoom.is_none());
    }

    proptest! {
        #[test]
        fn newcomers_never_take_a_visible_place(start in 1usize..8, more in 1usize..8, places in 1usize..6) {
            let name = |i: usize| format!("agent-{i}");
            let make = |count: usize| FleetState {
                agents: (0..count)
                    .map(|i| {
                        let urgent = i >= start;
                        let attention = if urgent { Attention::Error } else { Attention::Working };
                        agent(&name(i), None, attention)
                    })
                    .collect(),
                ..FleetState::default()
            };
            let mut work = WorkState::default();
            work.follow(&make(start), places);
            let before = work.order.clone();
            work.follow(&make(start + more), places);
            prop_assert_eq!(&work.order[..start], &before[..]);
            let mut all = work.order.clone();
            all.sort();
            all.dedup();
            prop_assert_eq!(all.len(), start + more);
        }
    }
}
