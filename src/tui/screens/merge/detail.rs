//! What there is to say about one entry of the merge queue: what it would come to, how far it is, why
//! it did not land, or what its receipt says; and the next step.

use super::landed::{attempts, landed, undone};
use super::lines::{
    Line, at_stake, displaced_line, files_lines, forecast_line, gates_line, key, overlap_lines,
    target,
};
use super::row::progress;
use crate::engine::view::{MergeState as QueueState, MergeView, RedGateView};
use crate::tui::action::Action;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;
use crate::tui::update;

/// Lists what the detail pane says, in at most `height` rows where that can be chosen.
pub(super) fn rows(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    if entry.gates.is_some() {
        return under_way(state, entry, height);
    }
    let mut rows = match (entry.undone_ms, entry.state) {
        (Some(at), _) => undone(state, entry, at),
        (None, QueueState::Pending) => pending(state, entry, height),
        (None, QueueState::Merging) => vec![("merging now".to_owned(), Token::StateWorking)],
        (None, QueueState::Review) => review(state, entry),
        (None, QueueState::Conflict) => conflict(state, entry),
        (None, QueueState::Failed) => failed(state, entry, height),
        (None, QueueState::Merged) => landed(state, entry),
    };
    if entry.undone_ms.is_some() || matches!(entry.state, QueueState::Conflict | QueueState::Failed)
    {
        let on = key(state, Action::Open, "opens the review");
        let said = decided_line(entry, Some(&on));
        let at = rows.len().min(2);
        rows.splice(at..at, said);
    }
    rows.extend(attempts(state, entry));
    if entry.undone_ms.is_some() || entry.state == QueueState::Merged {
        rows.extend(files_lines(entry, height));
    }
    rows
}

fn pending(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    let place = match state.merge.place_in_line(entry.id) {
        Some((1, _)) => "next in line".to_owned(),
        Some((place, count)) => format!("number {place} of {count} in line"),
        None => "waits".to_owned(),
    };
    let verdict = if entry.looked_at {
        let now = key(state, Action::MergeNow, "merges it");
        (
            format!("only a dry run has put it here, so nothing lands it by itself; {now}"),
            Token::Text,
        )
    } else if state.project.merge_paused_ms.is_some() {
        let resume = key(state, Action::MergePause, "resumes");
        let now = key(state, Action::MergeNow, "merges it now");
        (
            format!("{place}; the queue is paused: {resume}, {now}"),
            Token::LevelWarn,
        )
    } else {
        (format!("{place}; {}", gates_line(state)), Token::Text)
    };
    let mut rows = vec![verdict];
    if let Some(forecast) = &entry.forecast {
        rows.push(forecast_line(state, forecast));
        rows.extend(forecast.displaced.iter().map(|h| displaced_line(state, h)));
    }
    rows.extend(decided_line(entry, None));
    rows.extend(overlap_lines(entry));
    rows.extend(files_lines(entry, height));
    rows
}

fn under_way(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    let Some(gates) = &entry.gates else {
        return Vec::new();
    };
    // The row of the list has asked for the next frame.
    let passed = |since| label::elapsed(state.now_ms - since);
    let (whole, part) = (passed(gates.began_ms), passed(gates.since_ms));
    let where_ = match gates.elsewhere {
        Some(pid) => format!(" by pid {pid}"),
        None => String::new(),
    };
    let verb = match entry.state {
        QueueState::Merged => "taken back",
        QueueState::Pending
        | QueueState::Merging
        | QueueState::Review
        | QueueState::Conflict
        | QueueState::Failed => "merged",
    };
    let mut rows = vec![
        (
            format!("being {verb}{where_} for {whole}"),
            Token::StateWorking,
        ),
        (format!("{} for {part}", progress(gates)), Token::Text),
    ];
    for (index, name) in state.project.gates.iter().enumerate() {
        let done = u32::try_from(index).is_ok_and(|i| i < gates.done);
        let runs = gates.current.as_deref() == Some(name.as_str());
        let (mark, token) = match (done, runs) {
            (true, _) => (state.look.glyphs.done, Token::LevelOk),
            (false, true) => (state.look.glyphs.working, Token::StateWorking),
            (false, false) => (" ", Token::Muted),
        };
        rows.push((format!("  {mark} {name}"), token));
    }
    rows.extend(files_lines(entry, height));
    rows
}

fn review(state: &State, entry: &MergeView) -> Vec<Line> {
    let target = target(state);
    let from = match &entry.forecast {
        Some(f) => format!("{target} {} + ", f.target),
        None => String::new(),
    };
    let files = label::count(entry.files.len(), "file");
    let conflicts = label::count(entry.conflict_files.len(), "conflict");
    let stake = at_stake(&entry.displaced);
    let verbs = [
        (Action::Open, "review"),
        (Action::MergeCombine, "ask a model"),
        (Action::MergeBoth, "keep both (asks)"),
        (Action::DropMerge, "drop"),
    ];
    let verbs: Vec<String> = verbs
        .into_iter()
        .filter(|(action, _)| update::applies(state, *action).is_ok())
        .map(|(action, what)| key(state, action, what))
        .collect();
    let mut rows = vec![
        (
            format!("{from}{files} -> {conflicts}, {stake}"),
            Token::LevelWarn,
        ),
        (
            format!("{target} is untouched.  {}", verbs.join("  ")),
            Token::Text,
        ),
    ];
    rows.extend(decided_line(
        entry,
        Some(&key(state, Action::Open, "goes on")),
    ));
    let warnings = entry.warnings.iter();
    rows.extend(warnings.map(|said| (said.clone(), Token::LevelWarn)));
    rows.extend(entry.displaced.iter().map(|h| displaced_line(state, h)));
    rows.extend(overlap_lines(entry));
    rows
}

/// Says what a person has decided about the branch before, and what that means for a merge of it. `on` is how to go on.
pub(super) fn decided_line(entry: &MergeView, on: Option<&str>) -> Option<Line> {
    if entry.decided == 0 {
        return None;
    }
    let places = label::count(entry.decided as usize, "place");
    let on = on.map_or_else(String::new, |on| format!("; {on}"));
    Some(if entry.is_accepted {
        let text = format!("{places} decided and accepted: they land so{on}");
        (text, Token::Text)
    } else {
        let text = format!("{places} decided, and not accepted yet: nothing lands by that{on}");
        (text, Token::LevelWarn)
    })
}

fn next_step(state: &State, entry: &MergeView) -> Line {
    let agent = &entry.agent;
    let when = match (entry.is_cancelled, entry.in_passing) {
        (true, _) => "merges it again",
        (false, true) => "tries again",
        (false, false) => "tries again once the branch is fixed",
    };
    let again = key(state, Action::MergeNow, when);
    let drops = key(state, Action::DropMerge, "drops it");
    // One that has ended reads no message.
    let listens = state
        .fleet
        .get(agent)
        .is_some_and(|a| !a.state.is_terminal());
    let tells = listens.then(|| key(state, Action::Message, &format!("tells {agent}")));
    let steps: Vec<String> = tells.into_iter().chain([again, drops]).collect();
    (steps.join(", "), Token::Text)
}

fn conflict(state: &State, entry: &MergeView) -> Vec<Line> {
    let target = target(state);
    let mut rows = vec![(
        format!(
            "{target} is untouched: conflicts in {}",
            label::count(entry.conflict_files.len(), "file")
        ),
        Token::LevelWarn,
    )];
    rows.extend(entry.error.clone().map(|why| (why, Token::LevelError)));
    rows.push(next_step(state, entry));
    let files = entry.conflict_files.iter();
    rows.extend(files.map(|file| (format!("  {file}"), Token::LevelWarn)));
    rows
}

fn failed(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    let target = target(state);
    let Some(red) = &entry.red_gate else {
        let why = entry.error.as_deref().unwrap_or("the merge failed");
        return vec![
            (format!("{target} is untouched"), Token::LevelError),
            (why.to_owned(), Token::LevelError),
            next_step(state, entry),
        ];
    };
    let mut rows = vec![(
        format!(
            "{target} is untouched: gate {} is red ({})",
            red.name, red.how
        ),
        Token::LevelError,
    )];
    rows.push(next_step(state, entry));
    rows.extend(tail(red, height.saturating_sub(2)));
    rows
}

/// The last lines of what a gate printed; they say what went wrong.
fn tail(red: &RedGateView, room: usize) -> Vec<Line> {
    if red.tail.is_empty() {
        return vec![("  it printed nothing".to_owned(), Token::Muted)];
    }
    let first = red.tail.len().saturating_sub(room);
    let lines = red.tail.iter().skip(first);
    lines
        .map(|line| (format!("  {}", line.replace('\t', "    ")), Token::Muted))
        .collect()
}
