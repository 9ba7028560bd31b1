//! Counting frames and wake-ups, so that "it sleeps" can be measured.

use std::path::Path;

use crate::tui::options::TuiError;

/// The counts of one run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Stats {
    pub(crate) frames: u64,
    /// Times the loop woke up for anything.
    pub(crate) wakeups: u64,
    pub(crate) inputs: u64,
    pub(crate) engine_events: u64,
}

impl Stats {
    /// Writes the counts as one line of JSON.
    pub(crate) fn write(&self, path: &Path) -> Result<(), TuiError> {
        let text = format!(
            "{{\"frames\":{},\"wakeups\":{},\"inputs\":{},\"engineEvents\":{}}}\n",
            self.frames, self.wakeups, self.inputs, self.engine_events
        );
        std::fs::write(path, text).map_err(|source| TuiError::Stats {
            path: path.to_owned(),
            source,
        })
    }
}
