//! The health screen: which agent's evidence is looked at.

use crate::engine::view::AgentView;
use crate::tui::state::{FleetState, RowCursor};

/// Cursor and page of the health screen.
#[derive(Debug, Clone, Default)]
pub struct HealthState {
    pub cursor: RowCursor,
    /// On a narrow screen: the detail page is open.
    pub detail: bool,
    pub filter: String,
}

impl HealthState {
    /// Lists the agents as rows, most urgent first.
    pub fn rows<'a>(&self, fleet: &'a FleetState) -> Vec<&'a AgentView> {
        let needle = self.filter.to_lowercase();
        let mut rows = fleet.by_urgency();
        rows.retain(|a| a.name.to_lowercase().contains(&needle));
        rows
    }
}
