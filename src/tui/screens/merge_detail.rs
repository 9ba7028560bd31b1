//! What there is to say about one entry of the merge queue: what it would come to, how far it is, why
//! it did not land, or what its receipt says; and the next step.

use super::merge::{place, whose};
use super::merge_row::progress;
use crate::engine::view::{
    DisplacedView, ForecastView, MergeState as QueueState, MergeView, ReceiptView, RedGateView,
};
use crate::tui::action::Action;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;

/// A line and how it looks.
pub(super) type Line = (String, Token);

/// Lists what the detail pane says, in at most `height` rows where that can be chosen.
pub(super) fn rows(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    if entry.gates.is_some() {
        return under_way(state, entry);
    }
    if let Some(at) = entry.undone_ms {
        return undone(state, entry, at);
    }
    match entry.state {
        QueueState::Pending => pending(state, entry),
        QueueState::Merging => vec![("merging now".to_owned(), Token::StateWorking)],
        QueueState::Review => review(state, entry),
        QueueState::Conflict => conflict(state, entry),
        QueueState::Failed => failed(state, entry, height),
        QueueState::Merged => landed(state, entry),
    }
}

/// Lists everything there is to say about the selected entry, with a dry run of it in full.
pub(crate) fn preview_rows(state: &State) -> Vec<Line> {
    let Some(entry) = state.merge.selected() else {
        return vec![("no branch is selected".to_owned(), Token::Muted)];
    };
    let waits = entry.state == QueueState::Pending;
    let mut rows = if waits {
        Vec::new()
    } else {
        rows(state, entry, usize::MAX)
    };
    if matches!(entry.state, QueueState::Merging | QueueState::Merged) {
        return rows;
    }
    let Some(forecast) = &entry.forecast else {
        rows.push(("a dry run is being made".to_owned(), Token::Muted));
        return rows;
    };
    if !waits {
        rows.push((String::new(), Token::Text));
        rows.push(("merged now it would be:".to_owned(), Token::Muted));
    }
    rows.extend(dry_run(state, entry, forecast));
    rows
}

fn dry_run(state: &State, entry: &MergeView, forecast: &ForecastView) -> Vec<Line> {
    let mut rows = vec![forecast_line(state, forecast)];
    for change in &forecast.changes {
        let lines = match change.lines {
            Some((added, removed)) => format!("+{added} -{removed}"),
            None => "not text".to_owned(),
        };
        rows.push((format!("  {lines:>12}  {}", change.file), Token::Text));
    }
    for file in &forecast.conflict_files {
        rows.push((format!("  both sides changed {file}"), Token::LevelWarn));
    }
    for hunk in &forecast.displaced {
        rows.push(displaced_line(state, hunk));
        let side = |sign: &str, text: &str, token| -> Vec<Line> {
            text.lines()
                .map(|line| {
                    (
                        format!("      {sign} {}", line.replace('\t', "    ")),
                        token,
                    )
                })
                .collect()
        };
        rows.extend(side("-", &hunk.ours, Token::DiffDel));
        rows.extend(side("+", &hunk.theirs, Token::DiffAdd));
    }
    rows.extend(overlap_lines(entry));
    rows.push((gates_line(state), Token::Muted));
    rows
}

/// Names the live key of an action with what it does: `M tries it again`.
fn key(state: &State, action: Action, what: &str) -> String {
    match state.keymap.key_for(state.scope(), action) {
        Some(key) => format!("{key} {what}"),
        None => format!("{}: {what}", action.info().title),
    }
}

fn target(state: &State) -> &str {
    match state.project.branch.as_str() {
        "" => "the target",
        branch => branch,
    }
}

fn time(state: &State, at_ms: i64) -> String {
    label::clock(at_ms, state.settings.utc_offset_s)
}

fn gates_line(state: &State) -> String {
    match state.project.gates.as_slice() {
        [] => "no quality gates are configured: nothing is run before it lands".to_owned(),
        gates => format!("before it lands: {}", gates.join(", ")),
    }
}

fn forecast_line(state: &State, forecast: &ForecastView) -> Line {
    let target = target(state);
    if let Some(problem) = &forecast.problem {
        return (format!("cannot be merged: {problem}"), Token::LevelError);
    }
    if forecast.already_merged {
        return (format!("{target} has all of it already"), Token::Text);
    }
    let files = label::count(forecast.changes.len(), "file");
    let from = format!("{target} {} + {files}", forecast.target);
    let tier = forecast.tier.as_deref().unwrap_or("");
    match (forecast.conflict_files.len(), forecast.displaced.as_slice()) {
        (0, []) => (
            format!("{from} -> {tier}, nothing displaced"),
            Token::LevelOk,
        ),
        (n, []) => (
            format!(
                "{from} -> {}, combined without displacing a line ({tier})",
                label::count(n, "conflict")
            ),
            Token::LevelOk,
        ),
        (n, hunks) => (
            format!(
                "{from} -> {}, {} of earlier work would disappear",
                label::count(n, "conflict"),
                label::count(hunks.len(), "hunk")
            ),
            Token::LevelWarn,
        ),
    }
}

fn displaced_line(state: &State, hunk: &DisplacedView) -> Line {
    let first = hunk
        .ours
        .lines()
        .find(|l| !l.trim().is_empty())
        .unwrap_or("");
    let quoted: String = first.trim().chars().take(40).collect();
    let lines = label::count(hunk.lines as usize, "line");
    let who = whose(state, hunk);
    let place = place(hunk);
    (
        format!("  {place:<22} {lines} {who}  \"{quoted}\""),
        Token::DiffDisplaced,
    )
}

fn overlap_lines(entry: &MergeView) -> Vec<Line> {
    let mut rows = Vec::new();
    for overlap in &entry.overlaps {
        let (what, token) = if overlap.same_lines {
            ("the same lines of", Token::LevelWarn)
        } else {
            ("other places of", Token::Muted)
        };
        let text = format!(
            "  {} changes {what} {} right now",
            overlap.agent, overlap.file
        );
        rows.push((text, token));
    }
    rows
}

fn files_line(entry: &MergeView) -> Option<Line> {
    (!entry.files.is_empty()).then(|| (format!("files {}", entry.files.join("  ")), Token::Muted))
}

fn pending(state: &State, entry: &MergeView) -> Vec<Line> {
    let place = match state.merge.place_in_line(entry.id) {
        Some((1, _)) => "next in line".to_owned(),
        Some((place, count)) => format!("number {place} of {count} in line"),
        None => "waits".to_owned(),
    };
    let verdict = if state.project.merge_paused_ms.is_some() {
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
    rows.extend(overlap_lines(entry));
    rows.extend(files_line(entry));
    rows
}

fn under_way(state: &State, entry: &MergeView) -> Vec<Line> {
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
    rows.extend(files_line(entry));
    rows
}

fn undone(state: &State, entry: &MergeView, at: i64) -> Vec<Line> {
    let target = target(state);
    let mut rows = vec![
        (
            format!(
                "taken back at {}: {target} does not have it",
                time(state, at)
            ),
            Token::Text,
        ),
        (
            format!(
                "{}, {}; the branch is as it was",
                key(state, Action::MergeNow, "lands it again"),
                key(state, Action::DropMerge, "takes it off this list")
            ),
            Token::Muted,
        ),
    ];
    rows.extend(files_line(entry));
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
    let hunks = label::count(entry.displaced.len(), "hunk");
    let mut rows = vec![(
        format!("{from}{files} -> {conflicts}, {hunks} of earlier work would disappear"),
        Token::LevelWarn,
    )];
    rows.extend(entry.displaced.iter().map(|h| displaced_line(state, h)));
    rows.push((
        format!(
            "{target} is untouched.  {}  {}  {}  {}",
            key(state, Action::Open, "review"),
            key(state, Action::MergeCombine, "ask a model"),
            key(state, Action::MergeBoth, "keep both"),
            key(state, Action::DropMerge, "drop"),
        ),
        Token::Text,
    ));
    rows.extend(overlap_lines(entry));
    rows
}

fn next_step(state: &State, entry: &MergeView) -> Line {
    let agent = &entry.agent;
    (
        format!(
            "{}, {}, {}",
            key(state, Action::Message, &format!("tells {agent}")),
            key(
                state,
                Action::MergeNow,
                "tries again once the branch is fixed"
            ),
            key(state, Action::DropMerge, "drops it"),
        ),
        Token::Text,
    )
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
    let files = entry.conflict_files.iter();
    rows.extend(files.map(|file| (format!("  {file}"), Token::LevelWarn)));
    rows.extend(entry.error.clone().map(|why| (why, Token::LevelError)));
    rows.push(next_step(state, entry));
    rows
}

fn failed(state: &State, entry: &MergeView, height: usize) -> Vec<Line> {
    let target = target(state);
    let Some(red) = &entry.red_gate else {
        let why = entry.error.as_deref().unwrap_or("the merge failed");
        let mut rows = vec![(format!("{target} is untouched"), Token::LevelError)];
        let width = 110;
        let wrapped = label::wrap(why, width);
        rows.extend(wrapped.into_iter().map(|row| (row, Token::LevelError)));
        rows.push(next_step(state, entry));
        return rows;
    };
    let mut rows = vec![(
        format!(
            "{target} is untouched: gate {} is red ({})",
            red.name, red.how
        ),
        Token::LevelError,
    )];
    rows.extend(tail(red, height.saturating_sub(2)));
    rows.push(next_step(state, entry));
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

fn landed(state: &State, entry: &MergeView) -> Vec<Line> {
    let target = target(state);
    let time = entry
        .merged_ms
        .map(|at| time(state, at))
        .unwrap_or_default();
    let tier = entry.tier.as_deref().unwrap_or("merged");
    let Some(receipt) = &entry.receipt else {
        return vec![(
            format!("landed on {target} at {time} ({tier}); there is no receipt"),
            Token::LevelOk,
        )];
    };
    let short = |commit: &str| commit.chars().take(8).collect::<String>();
    let mut rows = vec![(
        format!(
            "landed on {target} at {time} as {} ({tier})",
            short(&receipt.commit)
        ),
        Token::LevelOk,
    )];
    rows.push(account(receipt));
    rows.push(gates_of(state, receipt));
    rows.extend(entry.displaced.iter().map(|h| displaced_line(state, h)));
    let undo = key(state, Action::MergeUndo, "takes it back");
    rows.push((
        format!(
            "before: {}  {}  {undo}",
            short(&receipt.before),
            receipt.undo_ref
        ),
        Token::Muted,
    ));
    rows.extend(files_line(entry));
    rows
}

fn account(receipt: &ReceiptView) -> Line {
    let token = if receipt.displaced > 0 {
        Token::DiffDisplaced
    } else {
        Token::Text
    };
    let woven = match receipt.woven {
        0 => String::new(),
        n => format!(", {n} woven into others"),
    };
    let text = format!(
        "lines: {} kept, {} deleted on purpose{woven}, {} displaced; {} compared, {} taken whole",
        receipt.kept,
        receipt.removed,
        receipt.displaced,
        label::count(receipt.compared as usize, "file"),
        receipt.taken_whole
    );
    (text, token)
}

fn gates_of(state: &State, receipt: &ReceiptView) -> Line {
    let done = state.look.glyphs.done;
    let gates = receipt.gates.iter().map(|gate| {
        let again = match gate.attempts {
            0 | 1 => String::new(),
            n => format!(", attempt {n}"),
        };
        format!(
            "{done} {} {}{again}",
            gate.name,
            label::took(gate.duration_ms)
        )
    });
    let gates: Vec<String> = gates.collect();
    if gates.is_empty() {
        return ("gates: none were configured".to_owned(), Token::Muted);
    }
    (format!("gates: {}", gates.join("  ")), Token::Text)
}
