//! What happens because time passed, and when that is next.
//!
//! There is no tick: the loop sleeps until the nearest deadline that something asked for.

use crate::tui::state::State;

/// Lets go of what has had its time.
pub(crate) fn tick(state: &mut State) {
    if state.notices.expire(state.now_ms) {
        state.touch();
    }
    let due = state.pending_since_ms + state.settings.which_key_ms;
    if !state.pending.is_empty() && due <= state.now_ms {
        // Drawn once; the sequence stays pending without asking for more frames.
        state.touch();
    }
}

/// Gives the next time at which something changes by itself, in epoch milliseconds.
pub(crate) fn deadline(state: &State, stale_at_ms: Option<i64>) -> Option<i64> {
    let which_key = state.pending_since_ms + state.settings.which_key_ms;
    let which_key = (!state.pending.is_empty() && which_key > state.now_ms).then_some(which_key);
    [
        state.notices.deadline(),
        state.panes.size_deadline(),
        which_key,
        stale_at_ms,
    ]
    .into_iter()
    .flatten()
    .min()
}
