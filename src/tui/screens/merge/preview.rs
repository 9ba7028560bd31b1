//! Everything there is to say about the selected entry, with a dry run of it in full.

use super::detail::{decided_line, rows};
use super::lines::{Line, displaced_line, forecast_line, gates_line, overlap_lines};
use crate::engine::view::{ForecastView, MergeState as QueueState, MergeView};
use crate::tui::state::State;
use crate::tui::theme::Token;

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
    rows.extend(decided_line(entry, None));
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
