//! Merge: the queue, and for the selected branch what would happen to whose lines.
//!
//! Displaced lines are never summarised away: the review shows both sides in full.

use ratatui::layout::Rect;

use super::merge_row::{Row, Shown};
use super::{empty, merge_detail, review};
use crate::engine::view::{DisplacedView, MergeState as QueueState};
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
    // The frame, the titles, and the rule above what has landed.
    let height = (state.merge.rows().len() as u16 + 4).clamp(8, body.height * 3 / 5);
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
    let dot = canvas.g().dot;
    let mut title = vec![(format!("Merge queue {dot} into {branch}"), None)];
    if state.project.merge_paused_ms.is_some() {
        title.push((format!(" {dot} paused"), Some(Token::LevelWarn)));
    }
    if !state.merge.filter.is_empty() {
        title.push((format!(" / {}", state.merge.filter), None));
    }
    let (open, review) = state.merge.open();
    let frame = Frame {
        title,
        ..Frame::default()
    };
    let inner = frame
        .kind(FrameKind::Focused)
        .right(format!("{open} open, {review} for you"))
        .draw(canvas, area);
    let rows = state.merge.rows();
    if rows.is_empty() {
        nothing(state, canvas, inner);
        return;
    }
    let ids = state.merge.row_ids();
    let ids: Vec<_> = ids.iter().map(String::as_str).collect();
    let shown = Shown::for_width(inner.width);
    let columns: Vec<Column> = shown.0.iter().map(|c| c.column(inner.width)).collect();
    let cells = rows
        .iter()
        .map(|entry| {
            let place = state.merge.place_in_line(entry.id).map(|(place, _)| place);
            let row = Row::of(state, canvas, entry, place);
            shown
                .0
                .iter()
                .map(|column| row.cell(canvas, *column, &shown))
                .collect()
        })
        .collect();
    let view = ListView {
        columns: &columns,
        rows: cells,
        selected: state.merge.cursor.resolve(&ids),
        rule_above: rows.iter().position(|m| m.state == QueueState::Merged),
        focused: true,
    };
    draw_list(canvas, inner, &view);
}

/// Says why there is nothing, and what would fill the queue.
fn nothing(state: &State, canvas: &mut Canvas<'_>, inner: Rect) {
    let text = match (
        state.is_loaded(state.merge.known),
        state.merge.filter.is_empty(),
    ) {
        (false, _) => return empty::loading(canvas, inner),
        (true, false) => "No branch matches. Esc clears the filter.",
        (true, true) => {
            "Nothing to merge. A branch is queued here when its agent reports that it is done, \
             passes the gates and lands by itself. By hand:  grove merge --branch <name>"
        }
    };
    empty::explain(state, canvas, inner, text, None);
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
    let rows = merge_detail::rows(state, entry, usize::from(inner.height));
    for (y, (text, token)) in (inner.y..inner.bottom()).zip(rows) {
        canvas.say(inner.x + 1, y, inner.width.saturating_sub(2), &text, token);
    }
}

pub(super) fn place(hunk: &DisplacedView) -> String {
    match hunk.line {
        Some(line) => format!("{}:{line}", hunk.file),
        None => hunk.file.clone(),
    }
}

pub(super) fn whose(state: &State, hunk: &DisplacedView) -> String {
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
