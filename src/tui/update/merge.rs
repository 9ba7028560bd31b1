//! Verbs of the merge screen.

use crate::engine::command::Command;
use crate::engine::view::MergeState as QueueState;
use crate::tui::effect::Effect;
use crate::tui::overlay::{Act, Choice, Confirm, Overlay};
use crate::tui::state::State;

fn selected_branch(state: &State) -> Option<String> {
    state.merge.selected().map(|m| m.branch.clone())
}

/// Lands the selected branch.
pub(super) fn now(state: &mut State) -> Vec<Effect> {
    let Some(branch) = selected_branch(state) else {
        return Vec::new();
    };
    let label = format!("merge {branch}");
    vec![state.ask(Command::MergeNow { branch }, label, None)]
}

/// Puts the selected branch in line again.
pub(super) fn retry(state: &mut State) -> Vec<Effect> {
    let Some(branch) = selected_branch(state) else {
        return Vec::new();
    };
    let label = format!("retry {branch}");
    vec![state.ask(Command::RetryMerge { branch }, label, None)]
}

/// Asks whether to take the selected branch out of the queue.
pub(super) fn drop_entry(state: &mut State) {
    let Some(branch) = selected_branch(state) else {
        return;
    };
    let label = format!("dropped {branch} from the queue");
    let command = Command::DropMerge {
        branch: branch.clone(),
    };
    let dialog = Confirm::new(
        format!("Drop {branch}?"),
        vec![
            "It leaves the merge queue; nothing of it lands.".to_owned(),
            "The branch and its commits stay and can be queued again.".to_owned(),
        ],
        vec![Choice {
            key: 'd',
            label: "Drop from queue".to_owned(),
            danger: true,
            act: Act::Send(vec![(command, label)]),
        }],
    );
    state.open(Overlay::Confirm(dialog));
}

/// Opens the review of the selected branch.
pub(super) fn open(state: &mut State) {
    if state.merge.selected().is_some() {
        state.merge.review = true;
        state.merge.hunk = 0;
        state.merge.scroll = 0;
    }
}

/// Opens the review of an agent's newest entry that waits for a person.
pub(super) fn review_of(state: &mut State, agent: &str) {
    let entries = state.merge.items.iter().rev();
    let waiting = entries
        .filter(|m| m.agent == agent)
        .find(|m| !matches!(m.state, QueueState::Merged | QueueState::Merging));
    if let Some(id) = waiting.map(|m| m.id.to_string()) {
        state.merge.filter.clear();
        state.merge.cursor.select(&id);
        open(state);
    }
}

/// Goes to the next or previous displaced hunk, opening the review if needed.
pub(super) fn step_hunk(state: &mut State, forward: bool) {
    if !state.merge.review {
        open(state);
        return;
    }
    let count = state.merge.selected().map_or(0, |m| m.displaced.len());
    let next = if forward {
        (state.merge.hunk + 1).min(count.saturating_sub(1))
    } else {
        state.merge.hunk.saturating_sub(1)
    };
    state.merge.hunk = next;
    state.merge.scroll = 0;
}
