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
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    match state.merge.selected().cloned() {
        Some(entry) => super::review::open(state, &entry),
        None => Vec::new(),
    }
}

/// Opens the review of an agent's newest entry that waits for a person.
pub(super) fn review_of(state: &mut State, agent: &str) -> Vec<Effect> {
    let entries = state.merge.items.iter().rev();
    let waiting = entries
        .filter(|m| m.agent == agent)
        .find(|m| !matches!(m.state, QueueState::Merged | QueueState::Merging));
    if let Some(id) = waiting.map(|m| m.id.to_string()) {
        state.merge.filter.clear();
        state.merge.cursor.select(&id);
        return open(state);
    }
    Vec::new()
}
