//! The health screen: which agent's evidence is looked at.

use crate::engine::view::AgentView;
use crate::tui::state::{FleetState, RowCursor};

/// Cursor and filter of the health screen.
#[derive(Debug, Clone, Default)]
pub(crate) struct HealthState {
    pub cursor: RowCursor,
    pub filter: String,
}

impl HealthState {
    /// Lists the agents as rows, most urgent first.
    pub(crate) fn rows<'a>(&self, fleet: &'a FleetState) -> Vec<&'a AgentView> {
        let needle = self.filter.to_lowercase();
        let mut rows = fleet.by_urgency();
        rows.retain(|a| a.name.to_lowercase().contains(&needle));
        rows
    }
}
