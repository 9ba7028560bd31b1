//! When the next frame is due.
//!
//! A frame is owed from the moment something changed. What the user did is drawn as soon as the
//! pace allows; output is collected a little first, and output nobody looks at waits longer.

use std::time::{Duration, Instant};

use crate::tui::options::Pace;
use crate::tui::state::Dirty;

/// What is known about the last frame and the next one.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    drawn_at: Option<Instant>,
    owed_since: Option<Instant>,
}

impl Frames {
    /// Notes that a frame is owed, if one is.
    pub(crate) fn owe(&mut self, dirty: Dirty) {
        if dirty != Dirty::No && self.owed_since.is_none() {
            self.owed_since = Some(Instant::now());
        }
    }

    /// Notes that a frame was drawn.
    pub(crate) fn drawn(&mut self) {
        self.owed_since = None;
        self.drawn_at = Some(Instant::now());
    }

    /// Gives the time of the next frame, if one is owed.
    pub(crate) fn due(&self, dirty: Dirty, pace: Pace) -> Option<Instant> {
        let owed_since = self.owed_since?;
        let (apart, collect) = match dirty {
            Dirty::No => return None,
            Dirty::Background => (pace.background_ms, pace.coalesce_ms),
            Dirty::Pane => (pace.frame_ms, pace.coalesce_ms),
            Dirty::Yes => (pace.frame_ms, 0),
        };
        let soonest = owed_since + Duration::from_millis(collect);
        let spaced = self.drawn_at.map(|at| at + Duration::from_millis(apart));
        Some(spaced.map_or(soonest, |at| at.max(soonest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_user_did_is_drawn_at_once_and_output_a_little_later() {
        let mut frames = Frames::default();
        assert_eq!(frames.due(Dirty::Yes, Pace::LOCAL), None);
        frames.owe(Dirty::No);
        assert_eq!(frames.due(Dirty::Yes, Pace::LOCAL), None);
        let before = Instant::now();
        frames.owe(Dirty::Pane);
        let output = frames.due(Dirty::Pane, Pace::LOCAL).unwrap();
        assert!(output >= before + Duration::from_millis(Pace::LOCAL.coalesce_ms));
        assert!(frames.due(Dirty::Yes, Pace::LOCAL).unwrap() < output);
    }

    #[test]
    fn frames_keep_their_distance() {
        let mut frames = Frames::default();
        frames.owe(Dirty::Yes);
        frames.drawn();
        assert_eq!(frames.due(Dirty::Yes, Pace::LOCAL), None);
        let drawn = Instant::now();
        frames.owe(Dirty::Background);
        let due = frames.due(Dirty::Background, Pace::LOCAL).unwrap();
        assert!(due + Duration::from_millis(5) >= drawn + Duration::from_millis(66));
    }
}
