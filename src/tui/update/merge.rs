//! Verbs of the merge screen.

use super::queue_rules::{self, cancellable};
use crate::engine::command::Command;
use crate::engine::view::{
    AttemptView, LookedOver, MergeState as QueueState, MergeView, UndoView, UndoWay,
};
use crate::tui::effect::Effect;
use crate::tui::label;
use crate::tui::overlay::{Act, Choice, Confirm, Overlay, Preview, RevertSheet};
use crate::tui::state::{After, Attempts, Foreground, ScreenId, State};

fn selected_branch(state: &State) -> Option<String> {
    state.merge.selected().map(|m| m.branch.clone())
}

/// Asks for something that takes its time; the status bar shows how far it is.
fn in_front(state: &mut State, command: Command, what: &str, ids: Vec<i64>) -> Vec<Effect> {
    let (doing, label) = if matches!(command, Command::UndoMerge { .. }) {
        (format!("undoing {what}"), format!("undo {what}"))
    } else {
        (format!("merging {what}"), format!("merge {what}"))
    };
    let (id, effect) = state.ask_then(command, label, None, After::Foreground);
    state.merge.foreground = Some(Foreground {
        command: id,
        what: doing,
        ids,
        began_ms: state.now_ms,
        hidden: false,
    });
    vec![effect]
}

/// Asks for a merge of the selected branch, one way or another.
fn selected_in_front(state: &mut State, command: impl FnOnce(String) -> Command) -> Vec<Effect> {
    let Some(entry) = state.merge.selected() else {
        return Vec::new();
    };
    let (what, ids) = (entry.agent.clone(), vec![entry.id]);
    let command = command(entry.branch.clone());
    in_front(state, command, &what, ids)
}

/// Lands the selected branch.
pub(super) fn now(state: &mut State) -> Vec<Effect> {
    selected_in_front(state, |branch| Command::MergeNow { branch })
}

/// Lands the selected branch with a model deciding what is contested.
pub(super) fn combine(state: &mut State) -> Vec<Effect> {
    selected_in_front(state, |branch| Command::CombineMerge { branch })
}

/// Asks whether to land the selected branch with both sides of all that is contested: elsewhere the same key
/// does something small.
pub(super) fn keep_both(state: &mut State) {
    let Some(entry) = state.merge.selected() else {
        return;
    };
    let places = label::count(entry.displaced.len(), "contested place");
    let mut files: Vec<&str> = entry
        .displaced
        .iter()
        .map(|hunk| hunk.file.as_str())
        .collect();
    files.sort_unstable();
    files.dedup();
    let files = match files.as_slice() {
        [only] => (*only).to_owned(),
        files => label::count(files.len(), "file"),
    };
    let lines = vec![
        format!("{places} in {files}: the lines of both sides stay in each, the target's first."),
        "It lands when the gates are green, and can be undone. The review decides place by place."
            .to_owned(),
    ];
    let act = Act::KeepBoth {
        branch: entry.branch.clone(),
        id: entry.id,
        what: entry.agent.clone(),
    };
    let dialog = Confirm::new(
        format!("Land {} with both sides?", entry.branch),
        lines,
        vec![Choice {
            key: 'l',
            label: "Land both".to_owned(),
            danger: true,
            act,
        }],
    );
    state.open(Overlay::Confirm(dialog));
}

/// Lands a branch with both sides of what is contested, as was confirmed.
pub(crate) fn confirmed_both(
    state: &mut State,
    branch: String,
    id: i64,
    what: &str,
) -> Vec<Effect> {
    in_front(state, Command::KeepBoth { branch }, what, vec![id])
}

/// Lands everything that waits and is clean.
pub(super) fn all(state: &mut State) -> Vec<Effect> {
    let waiting = state.merge.items.iter();
    let ids: Vec<i64> = waiting
        .filter(|m| m.state == QueueState::Pending && !m.looked_at)
        .map(|m| m.id)
        .collect();
    in_front(state, Command::MergeClean, "all clean", ids)
}

/// Puts the selected branch in line again.
pub(super) fn retry(state: &mut State) -> Vec<Effect> {
    let Some(branch) = selected_branch(state) else {
        return Vec::new();
    };
    let label = format!("retry {branch}");
    vec![state.ask(Command::RetryMerge { branch }, label, None)]
}

/// Shows what a merge of the selected branch would come to.
pub(super) fn preview(state: &mut State) {
    state.open(Overlay::Preview(Preview::default()));
}

/// Lets the selected branch land earlier or later.
pub(super) fn reorder(state: &mut State, earlier: bool) -> Vec<Effect> {
    let Some((id, agent)) = state.merge.selected().map(|m| (m.id, m.agent.clone())) else {
        return Vec::new();
    };
    // The cursor stays with what is moved.
    state.merge.cursor.select(&id.to_string());
    let word = if earlier { "earlier" } else { "later" };
    let label = format!("{agent} lands {word}");
    vec![state.ask(Command::ReorderMerge { id, earlier }, label, None)]
}

/// Pauses the queue, or lets it go on.
pub(super) fn pause(state: &mut State) -> Vec<Effect> {
    let paused = state.project.merge_paused_ms.is_none();
    let is_tested = |m: &MergeView| m.state == QueueState::Merging && m.gates.is_some();
    let label = match (paused, state.merge.items.iter().any(is_tested)) {
        (true, false) => "the queue is paused: nothing lands by itself",
        // It has to fit into 80 columns.
        (true, true) => "the queue is paused; what it is testing waits again",
        (false, _) => "the queue goes on",
    };
    vec![state.ask(Command::PauseMerges { paused }, label.to_owned(), None)]
}

/// Takes the selected branch out of the queue; one that is being merged stays there, and its merge is
/// cancelled.
pub(super) fn drop_entry(state: &mut State) -> Vec<Effect> {
    if let Some(review) = &state.review.open {
        let landing = queue_rules::landing_entry(state, review);
        let branch = landing.map(|entry| entry.branch.clone());
        return branch.map_or_else(Vec::new, |branch| cancel(state, branch));
    }
    let Some(entry) = state.merge.selected() else {
        return Vec::new();
    };
    let (id, branch) = (entry.id, entry.branch.clone());
    if entry.state == QueueState::Merging {
        return cancel(state, branch);
    }
    let label = format!("dropped {branch} from the queue");
    let command = Command::DropMerge {
        branch: branch.clone(),
    };
    let after = After::Dropped { id, branch };
    vec![state.ask_then(command, label, None, after).1]
}

fn cancel(state: &mut State, branch: String) -> Vec<Effect> {
    let label = format!("cancelling the merge of {branch}");
    let branch = Some(branch);
    vec![state.ask(Command::CancelMerge { branch }, label, None)]
}

/// Cancels the merge that was asked for here and is in view, as far as it can be; tells what it did.
pub(super) fn cancel_in_front(state: &mut State) -> Option<Vec<Effect>> {
    let (front, _) = state.merge.in_front()?;
    let ids = front.ids.clone();
    let items = state.merge.items.iter();
    let meant: Vec<(String, Result<(), String>)> = items
        .filter(|m| ids.contains(&m.id))
        .filter_map(|m| Some((m.branch.clone(), cancellable(m, m.gates.as_ref()?))))
        .collect();
    if let Some((_, Err(why))) = meant.iter().find(|(_, can)| can.is_err())
        && meant.iter().all(|(_, can)| can.is_err())
    {
        let why = why.clone();
        state.refuse(&why);
        return Some(Vec::new());
    }
    let can = meant.into_iter().filter(|(_, can)| can.is_ok());
    let effects: Vec<Effect> = can.flat_map(|(branch, _)| cancel(state, branch)).collect();
    (!effects.is_empty()).then_some(effects)
}

/// Puts back what was just dropped; else asks what taking a landed merge back would do.
pub(super) fn undo(state: &mut State) -> Vec<Effect> {
    if let Some(dropped) = state.merge.recently_dropped(state.now_ms).cloned() {
        let label = format!("{} is in the queue again", dropped.branch);
        let command = Command::RestoreMerge { id: dropped.id };
        state.merge.cursor.select(&dropped.id.to_string());
        state.notices.dismiss();
        return vec![state.ask_then(command, label, None, After::Restored).1];
    }
    let Ok(id) = queue_rules::undo_target(state).map(|m| m.id) else {
        return Vec::new();
    };
    vec![state.send(Command::PlanUndo { id })]
}

/// Asks whether to take a landed merge back, now that it is known what that does.
pub(super) fn ask_undo(state: &mut State, view: UndoView) {
    let UndoView {
        id,
        branch,
        target,
        from,
        way,
        files,
    } = &view;
    let short = |commit: &str| commit.chars().take(8).collect::<String>();
    let changed = match files.as_slice() {
        [] => "No file changes.".to_owned(),
        files if files.len() <= 6 => format!("Files that change: {}", files.join(", ")),
        files => {
            let some: Vec<&str> = files.iter().take(5).map(String::as_str).collect();
            let more = files.len() - some.len();
            format!("Files that change: {} and {more} more", some.join(", "))
        }
    };
    let (mut lines, word, revert) = match way {
        UndoWay::Exact { to } => (
            vec![format!(
                "{target} goes from {} back to {}: exactly what it was before.",
                short(from),
                short(to)
            )],
            "Take it back",
            None,
        ),
        // A revert is shown whole before anybody lands it.
        UndoWay::Revert { .. } => {
            let agent = state.merge.items.iter().find(|m| m.id == view.id);
            let what = agent.map_or_else(|| view.branch.clone(), |m| m.agent.clone());
            state.open(Overlay::Revert(RevertSheet::new(view, what)));
            return;
        }
    };
    lines.push(changed);
    lines.push("The branch and its commits stay; the merge can be landed again.".to_owned());
    let agent = state.merge.items.iter().find(|m| m.id == *id);
    let what = agent.map_or_else(|| branch.clone(), |m| m.agent.clone());
    let dialog = Confirm::new(
        format!("Undo the merge of {branch}?"),
        lines,
        vec![Choice {
            key: 'l',
            label: word.to_owned(),
            danger: true,
            act: Act::Undo {
                id: *id,
                revert,
                what,
            },
        }],
    );
    state.open(Overlay::Confirm(dialog));
}

/// Takes a landed merge back, as was confirmed.
pub(crate) fn confirmed_undo(
    state: &mut State,
    id: i64,
    revert: Option<String>,
    what: &str,
) -> Vec<Effect> {
    in_front(state, Command::UndoMerge { id, revert }, what, vec![id])
}

/// Puts the running merge out of sight; tells whether there was one.
pub(super) fn hide(state: &mut State) -> bool {
    let Some(front) = state.merge.foreground.as_mut().filter(|f| !f.hidden) else {
        return false;
    };
    front.hidden = true;
    let text = format!("{} goes on; its end is announced", front.what);
    state.refuse(&text);
    true
}

/// Tells the engine whether anybody looks at the queue, or where it is told whose work meets: forecasts are made for
/// somebody only.
pub(super) fn watch(state: &mut State) -> Vec<Effect> {
    let is_on = |screens: &[ScreenId]| screens.contains(&state.screen) && !state.is_first_run();
    let merges = is_on(&[ScreenId::Merge]);
    let mut at_work = state.fleet.agents.iter().filter(|a| !a.state.is_terminal());
    let overlaps = is_on(&[ScreenId::Work, ScreenId::Health]) && at_work.nth(1).is_some();
    let mut effects = Vec::new();
    // What begins before what ends: the map is kept.
    if overlaps && !state.merge.overlaps_watched {
        effects.push(state.send(Command::WatchOverlaps { on: true }));
    }
    if state.merge.watched != merges {
        effects.push(state.send(Command::WatchMerges { on: merges }));
    }
    if !overlaps && state.merge.overlaps_watched {
        effects.push(state.send(Command::WatchOverlaps { on: false }));
    }
    state.merge.watched = merges;
    state.merge.overlaps_watched = overlaps;
    effects
}

/// Asks for the attempts of the entry looked at, once for each state it is in.
pub(super) fn look_back(state: &mut State) -> Option<Effect> {
    if state.screen != ScreenId::Merge || state.is_first_run() {
        return None;
    }
    state.merge.settle_cursor();
    let entry = state.merge.selected()?;
    let (id, asked_in) = (entry.id, Attempts::depends_on(entry));
    let known = state.merge.attempts.take().filter(|known| known.id == id);
    let is_new = known.as_ref().is_none_or(|k| k.asked_in != asked_in);
    state.merge.attempts = Some(Attempts {
        id,
        asked_in,
        list: known.map_or_else(Vec::new, |known| known.list),
    });
    is_new.then(|| state.send(Command::MergeHistory { id }))
}

/// Takes the attempts of an entry.
pub(super) fn attempts(state: &mut State, id: i64, list: Vec<AttemptView>) {
    let known = state.merge.attempts.as_mut().filter(|known| known.id == id);
    if let Some(known) = known.filter(|known| known.list != list) {
        known.list = list;
        state.touch();
    }
}

/// Opens the review of the selected branch; where nobody has to decide, everything there is to say.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let Some(entry) = state.merge.selected().cloned() else {
        return Vec::new();
    };
    match entry.state {
        QueueState::Review | QueueState::Conflict => super::review::open(state, &entry),
        QueueState::Merged if entry.looked_over == LookedOver::Waits => {
            super::review::open(state, &entry)
        }
        // What was decided can be decided anew.
        QueueState::Failed if entry.decided > 0 || !entry.displaced.is_empty() => {
            super::review::open(state, &entry)
        }
        QueueState::Pending | QueueState::Merging | QueueState::Merged | QueueState::Failed => {
            preview(state);
            Vec::new()
        }
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
