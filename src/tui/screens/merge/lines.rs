//! The sentences about an entry that several parts of the screen share.

use crate::engine::review::PlaceKind;
use crate::engine::view::{DisplacedView, ForecastView, MeetingKind, MergeView};
use crate::tui::action::Action;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::theme::Token;

/// So long a time of day is clear by itself.
const RECENTLY_MS: i64 = 18 * 3_600_000;

/// A line and how it looks.
pub(crate) type Line = (String, Token);

/// Names the live key of an action with what it does: `M tries it again`.
pub(super) fn key(state: &State, action: Action, what: &str) -> String {
    match state.keymap.key_for(state.scope(), action) {
        Some(key) => format!("{key} {what}"),
        None => format!("{}: {what}", action.info().title),
    }
}

pub(super) fn target(state: &State) -> &str {
    match state.project.branch.as_str() {
        "" => "the target",
        branch => branch,
    }
}

/// Says when something was: the time of day alone would say too little of another day.
pub(super) fn time(state: &State, at_ms: i64) -> String {
    if state.now_ms - at_ms < RECENTLY_MS {
        return format!("at {}", label::clock(at_ms, state.settings.utc_offset_s));
    }
    format!("{} ago", label::age(state.now_ms, at_ms))
}

pub(super) fn gates_line(state: &State) -> String {
    match state.project.gates.as_slice() {
        [] => "no quality gates are configured: nothing is run before it lands".to_owned(),
        gates => format!("before it lands: {}", gates.join(", ")),
    }
}

pub(super) fn forecast_line(state: &State, forecast: &ForecastView) -> Line {
    let target = target(state);
    if let Some(problem) = &forecast.problem {
        return (format!("cannot be merged: {problem}"), Token::LevelError);
    }
    if forecast.already_merged {
        return (format!("{target} has all of it already"), Token::Text);
    }
    if let Some(held) = &forecast.held {
        return (format!("held: {held}"), Token::LevelWarn);
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
                "{from} -> {}, {}",
                label::count(n, "conflict"),
                at_stake(hunks)
            ),
            Token::LevelWarn,
        ),
    }
}

/// Says what a person has to decide about.
pub(super) fn at_stake(hunks: &[DisplacedView]) -> String {
    let of_lines = |hunk: &&DisplacedView| hunk.kind == PlaceKind::Text;
    match (hunks.len(), hunks.iter().filter(of_lines).count()) {
        (all, lines) if all == lines => format!(
            "{} of earlier work would disappear",
            label::count(all, "hunk")
        ),
        (1, _) => "1 file to decide as a whole".to_owned(),
        (all, _) => format!("{} to decide", label::count(all, "place")),
    }
}

/// One contested place: where, and what would become of whose lines.
pub(super) fn displaced_line(state: &State, hunk: &DisplacedView) -> Line {
    let who = whose(state, hunk);
    let place = place(hunk);
    let both = |what: &str| format!("{what}; here {who}");
    let what = match hunk.kind {
        PlaceKind::Text => lines_of(hunk, &who),
        PlaceKind::DeletedByBranch if hunk.lines == 0 => both("deleted by the branch"),
        PlaceKind::DeletedByBranch => format!("deleted by the branch: {}", lines_of(hunk, &who)),
        PlaceKind::DeletedByTarget => format!("changed by the branch, deleted here {who}"),
        PlaceKind::Whole => format!("not merged line by line: {}", lines_of(hunk, &who)),
        PlaceKind::Binary => both("not text, changed on both sides"),
        PlaceKind::Symlink => both("a link that points to two places"),
        PlaceKind::Mode => both("permissions that differ"),
        PlaceKind::Renamed => both("renamed on both sides"),
        PlaceKind::Driven => format!("left out by the merge driver: {}", lines_of(hunk, &who)),
    };
    (format!("  {place:<22} {what}"), Token::DiffDisplaced)
}

/// What a landed merge does not have: of the target or of the branch, as was decided.
pub(super) fn gone_line(state: &State, hunk: &DisplacedView) -> Line {
    let who = whose(state, hunk);
    let place = place(hunk);
    let what = match hunk.kind {
        PlaceKind::Text if hunk.lines == 0 => {
            format!("lines are here, too, though removed or moved {who}")
        }
        PlaceKind::Text => lines_of(hunk, &who),
        PlaceKind::DeletedByBranch if hunk.lines == 0 => format!("deleted; it was {who}"),
        PlaceKind::DeletedByBranch => format!("deleted: {}", lines_of(hunk, &who)),
        PlaceKind::DeletedByTarget if hunk.ours.is_empty() => {
            format!("is back, though deleted {who}")
        }
        PlaceKind::DeletedByTarget => format!("stays deleted: {}", lines_of(hunk, &who)),
        PlaceKind::Whole => lines_of(hunk, &who),
        PlaceKind::Binary => format!("the version {who}"),
        PlaceKind::Symlink => format!("the link as it was set {who}"),
        PlaceKind::Mode => format!("the permissions given {who}"),
        PlaceKind::Renamed => format!("the name given {who}"),
        PlaceKind::Driven => format!("left out by the merge driver: {}", lines_of(hunk, &who)),
    };
    (format!("  {place:<22} {what}"), Token::DiffDisplaced)
}

fn lines_of(hunk: &DisplacedView, who: &str) -> String {
    let first = hunk.ours.lines().find(|l| !l.trim().is_empty());
    let quoted = label::fit(first.unwrap_or("").trim(), 40, "…");
    let lines = label::count(hunk.lines as usize, "line");
    format!("{lines} {who}  \"{quoted}\"")
}

/// Breaks sentences that are wider than the room; rows of a list are cut where they are drawn.
pub(crate) fn folded(rows: Vec<Line>, width: usize) -> Vec<Line> {
    let fold = |(text, token): Line| -> Vec<Line> {
        if text.starts_with(' ') || label::width(&text) <= width {
            return vec![(text, token)];
        }
        let rows = label::wrap(&text, width).into_iter();
        rows.map(|row| (row, token)).collect()
    };
    rows.into_iter().flat_map(fold).collect()
}

pub(super) fn overlap_lines(entry: &MergeView) -> Vec<Line> {
    let mut rows = Vec::new();
    for overlap in &entry.overlaps {
        let (agent, file) = (&overlap.agent, &overlap.file);
        rows.push(match overlap.kind {
            MeetingKind::Lines => (
                format!("  {agent} changes the same lines of {file} right now"),
                Token::LevelWarn,
            ),
            MeetingKind::File => (
                format!("  {agent} changes other places of {file} right now"),
                Token::Muted,
            ),
            MeetingKind::TheirScope => (
                format!("  it changes {file}, which was given to {agent}"),
                Token::LevelWarn,
            ),
            MeetingKind::OwnScope => (
                format!("  {agent} changes {file}, which was given to it"),
                Token::LevelWarn,
            ),
        });
    }
    rows
}

/// Lists the files of an entry: in one row, or in a row each where there is room for everything.
pub(super) fn files_lines(entry: &MergeView, height: usize) -> Vec<Line> {
    if entry.files.is_empty() {
        return Vec::new();
    }
    if height < usize::MAX {
        return vec![(format!("  files {}", entry.files.join("  ")), Token::Muted)];
    }
    let head = (label::count(entry.files.len(), "file") + ":", Token::Muted);
    let rows = entry.files.iter();
    let rows = rows.map(|file| (format!("  {file}"), Token::Muted));
    std::iter::once(head).chain(rows).collect()
}

fn place(hunk: &DisplacedView) -> String {
    match hunk.line {
        Some(line) => format!("{}:{line}", hunk.file),
        None => hunk.file.clone(),
    }
}

fn whose(state: &State, hunk: &DisplacedView) -> String {
    let merged = hunk.merged_ms.map(|at| format!(" ({})", time(state, at)));
    match &hunk.agent {
        Some(agent) => format!("by {agent}{}", merged.unwrap_or_default()),
        None => format!("of the target{}", merged.unwrap_or_default()),
    }
}
