//! Merge: the queue, and for the selected branch what would happen to whose lines.
//!
//! Displaced lines are never summarised away: the review shows both sides in full.

use ratatui::layout::Rect;
use ratatui::style::Style;

use super::{empty, review};
use crate::engine::view::{DisplacedView, MergeState as QueueState, MergeView};
use crate::tui::hit::Target;
use crate::tui::label;
use crate::tui::state::State;
use crate::tui::state::work::SizeClass;
use crate::tui::theme::Token;
use crate::tui::widgets::{Canvas, Column, Frame, FrameKind, ListView, draw_list};

/// Draws the merge screen.
pub(super) fn render(state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    if let Some(open) = &state.review.open {
        review::render(state, canvas, body, open);
        return;
    }
    if SizeClass::of(state.size.0, state.size.1) == SizeClass::Small {
        let detail_height = if state.merge.items.is_empty() { 0 } else { 8 };
        let top = Rect::new(body.x, body.y, body.width, body.height - detail_height);
        queue(state, canvas, top);
        if detail_height > 0 {
            detail(
                state,
                canvas,
                Rect::new(body.x, top.bottom(), body.width, detail_height),
            );
        }
        return;
    }
    let height = (state.merge.rows().len() as u16 + 3).clamp(8, body.height * 3 / 5);
    let height = if state.merge.items.is_empty() {
        body.height
    } else {
        height
    };
    queue(state, canvas, Rect::new(body.x, body.y, body.width, height));
    if height < body.height {
        let rest = Rect::new(body.x, body.y + height, body.width, body.height - height);
        detail(state, canvas, rest);
    }
}

fn queue(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let branch = match state.project.branch.as_str() {
        "" => "the target branch",
        branch => branch,
    };
    let mut title = format!("Merge queue {} into {branch}", canvas.g().dot);
    if !state.merge.filter.is_empty() {
        title = format!("{title} / {}", state.merge.filter);
    }
    let (open, review) = state.merge.open();
    let inner = Frame::titled(&title)
        .kind(FrameKind::Focused)
        .right(format!("{open} open, {review} for you"))
        .draw(canvas, area);
    let rows = state.merge.rows();
    if rows.is_empty() {
        let text = match (
            state.is_loaded(state.merge.known),
            state.merge.filter.is_empty(),
        ) {
            (false, _) => return empty::loading(canvas, inner),
            (true, false) => "No branch matches. Esc clears the filter.",
            (true, true) => {
                "Nothing to merge. A branch is queued here when its agent reports that it is \
                 done, or by hand:  grove merge --branch <name>"
            }
        };
        empty::explain(state, canvas, inner, text, None);
        return;
    }
    let ids = state.merge.row_ids();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let wide = inner.width >= 100;
    let columns = [
        Column {
            title: "#",
            width: 3,
        },
        Column {
            title: "branch",
            width: 0,
        },
        Column {
            title: if wide { "agent" } else { "" },
            width: if wide { 16 } else { 0 },
        },
        Column {
            title: "state",
            width: 10,
        },
        Column {
            title: if wide { "tier" } else { "" },
            width: if wide { 13 } else { 0 },
        },
        Column {
            title: "files",
            width: 5,
        },
        Column {
            title: "risk",
            width: if wide { 22 } else { 18 },
        },
        Column {
            title: "age",
            width: 5,
        },
    ];
    // A column that is not there must not take a share of the room.
    let keep: Vec<usize> = (0..columns.len())
        .filter(|i| wide || !matches!(i, 2 | 4))
        .collect();
    let columns: Vec<Column> = keep
        .iter()
        .filter_map(|i| columns.get(*i).copied())
        .collect();
    let cells = rows
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let all = row(canvas, index, entry);
            keep.iter().filter_map(|i| all.get(*i).cloned()).collect()
        })
        .collect();
    let view = ListView {
        columns: &columns,
        rows: cells,
        selected: state.merge.cursor.resolve(&ids),
        focused: true,
    };
    draw_list(canvas, inner, &view);
}

fn row(canvas: &mut Canvas<'_>, index: usize, entry: &MergeView) -> Vec<(String, Style)> {
    let (glyph, token) = canvas.look.merge_state(entry.state);
    let merged = entry.state == QueueState::Merged;
    let text = canvas.style(if merged { Token::Muted } else { Token::Text });
    let muted = canvas.style(Token::Muted);
    let age = canvas.age(entry.merged_ms.unwrap_or(entry.enqueued_ms));
    let number = if merged {
        glyph.to_owned()
    } else {
        (index + 1).to_string()
    };
    let (risk, risk_token) = risk(entry);
    vec![
        (format!("{number:>2}"), muted),
        (entry.branch.clone(), text),
        (entry.agent.clone(), text),
        (
            format!("{glyph} {}", entry.state.as_str()),
            canvas.style(token),
        ),
        (entry.tier.clone().unwrap_or_default(), muted),
        (format!("{:>5}", entry.files.len()), muted),
        (risk, canvas.style(risk_token)),
        (format!("{age:>5}"), muted),
    ]
}

fn risk(entry: &MergeView) -> (String, Token) {
    if let Some(gates) = entry
        .gates
        .as_ref()
        .filter(|_| entry.state == QueueState::Merging)
    {
        return (
            format!("gates {}/{}", gates.done, gates.total),
            Token::StateWorking,
        );
    }
    if !entry.displaced.is_empty() && entry.state != QueueState::Merged {
        let lines: u32 = entry.displaced.iter().map(|d| d.lines).sum();
        return (
            format!("{} displaced", label::count(lines as usize, "line")),
            Token::DiffDisplaced,
        );
    }
    match (entry.conflict_files.as_slice(), &entry.error) {
        ([only], _) => (only.clone(), Token::LevelWarn),
        ([_, _, ..], _) => (
            format!("{} files conflict", entry.conflict_files.len()),
            Token::LevelWarn,
        ),
        ([], Some(error)) => (error.clone(), Token::LevelError),
        ([], None) => ("none".to_owned(), Token::Muted),
    }
}

fn detail(state: &State, canvas: &mut Canvas<'_>, area: Rect) {
    let Some(entry) = state.merge.selected() else {
        Frame::default().draw(canvas, area);
        return;
    };
    let inner = Frame::titled(&format!("{} {}", entry.agent, label::clean(&entry.branch)))
        .right(entry.task.clone().unwrap_or_default())
        .draw(canvas, area);
    canvas.hit(inner, Target::Detail);
    let rows = detail_rows(state, entry);
    for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows) {
        canvas.say(inner.x + 1, y, inner.width.saturating_sub(2), &text, token);
    }
}

fn detail_rows(state: &State, entry: &MergeView) -> Vec<(String, Token)> {
    let mut rows = vec![verdict(state, entry)];
    if let Some(error) = &entry.error {
        rows.push((error.clone(), Token::LevelError));
    }
    for hunk in &entry.displaced {
        let place = place(hunk);
        let who = whose(state, hunk);
        let first = hunk
            .ours
            .lines()
            .find(|l| !l.trim().is_empty())
            .unwrap_or("");
        let quoted: String = first.trim().chars().take(40).collect();
        let lines = label::count(hunk.lines as usize, "line");
        let text = format!("  {place:<28} {lines} {who}   \"{quoted}\"");
        rows.push((text, Token::DiffDisplaced));
    }
    for file in &entry.conflict_files {
        rows.push((format!("  conflict in {file}"), Token::LevelWarn));
    }
    if let Some(gates) = &entry.gates {
        let current = gates.current.as_deref().unwrap_or("");
        let text = format!("gates {} of {}  {current}", gates.done, gates.total);
        rows.push((text, Token::Text));
    }
    if !entry.files.is_empty() {
        rows.push((format!("files {}", entry.files.join("  ")), Token::Muted));
    }
    rows
}

fn verdict(state: &State, entry: &MergeView) -> (String, Token) {
    let target = &state.project.branch;
    let lines: u32 = entry.displaced.iter().map(|d| d.lines).sum();
    match entry.state {
        QueueState::Review => (
            format!(
                "{target} is untouched: {}, {} of earlier work would disappear. Enter shows both.",
                label::count(entry.displaced.len(), "hunk"),
                label::count(lines as usize, "line"),
            ),
            Token::LevelWarn,
        ),
        QueueState::Conflict => (
            format!(
                "{target} is untouched: conflicts in {}",
                label::count(entry.conflict_files.len(), "file"),
            ),
            Token::LevelWarn,
        ),
        QueueState::Failed => (
            format!("{target} is untouched: the merge failed"),
            Token::LevelError,
        ),
        QueueState::Merging => ("merging now".to_owned(), Token::StateWorking),
        QueueState::Pending => ("waits for its turn".to_owned(), Token::Text),
        QueueState::Merged => {
            let text = match lines {
                0 => "landed, nothing displaced".to_owned(),
                n => format!("landed, {} displaced", label::count(n as usize, "line")),
            };
            (text, Token::LevelOk)
        }
    }
}

fn place(hunk: &DisplacedView) -> String {
    match hunk.line {
        Some(line) => format!("{}:{line}", hunk.file),
        None => hunk.file.clone(),
    }
}

fn whose(state: &State, hunk: &DisplacedView) -> String {
    let merged = hunk.merged_ms.map(|at| {
        format!(
            " (merged {})",
            label::clock(at, state.settings.utc_offset_s)
        )
    });
    match &hunk.agent {
        Some(agent) => format!("by {agent}{}", merged.unwrap_or_default()),
        None => format!("of the target{}", merged.unwrap_or_default()),
    }
}
