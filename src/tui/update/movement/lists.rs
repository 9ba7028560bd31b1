//! Moving in lists.

use super::motion::{Motion, rows_of};
use crate::tui::state::{ScreenId, State};
use crate::tui::update;

fn scrolled(value: usize, motion: Motion) -> usize {
    match rows_of(motion) {
        Some(delta) => value.saturating_add_signed(delta).min(10_000),
        None => value,
    }
}

pub(super) fn mail(state: &mut State, motion: Motion) {
    match motion {
        Motion::NextRegion | Motion::PrevRegion => state.mail.detail = !state.mail.detail,
        Motion::Left => state.mail.detail = false,
        Motion::Right => state.mail.detail = true,
        Motion::Up
        | Motion::Down
        | Motion::Top
        | Motion::Bottom
        | Motion::PageUp
        | Motion::PageDown
        | Motion::HalfUp
        | Motion::HalfDown => {
            if state.mail.detail {
                let rows = crate::tui::screens::thread_rows(state, state.size.0 / 2).len();
                state.mail.scroll = scrolled(state.mail.scroll, motion).min(rows);
            } else if let Some(delta) = rows_of(motion) {
                let ids: Vec<String> = state.mail.rows().iter().map(|m| m.id.clone()).collect();
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                state.mail.cursor.step(&ids, delta);
                state.mail.scroll = 0;
            }
        }
    }
}

pub(super) fn merge(state: &mut State, motion: Motion) {
    if state.review.open.is_some() {
        review(state, motion);
        return;
    }
    if let Some(delta) = rows_of(motion) {
        let ids = state.merge.row_ids();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        state.merge.cursor.step(&ids, delta);
    }
}

fn review(state: &mut State, motion: Motion) {
    match (motion, rows_of(motion)) {
        (Motion::Left | Motion::Right, _) => update::review::step(state, motion == Motion::Right),
        (_, Some(rows)) => update::review::scroll(state, rows),
        (_, None) => {}
    }
}

pub(super) fn health(state: &mut State, motion: Motion) {
    if let Some(delta) = rows_of(motion) {
        let names: Vec<String> = state
            .health
            .rows(&state.fleet)
            .iter()
            .map(|a| a.name.clone())
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        state.health.cursor.step(&names, delta);
    }
}

/// Selects a row of the current screen's list.
pub(in crate::tui::update) fn select_row(state: &mut State, index: usize) {
    match state.screen {
        ScreenId::Work => {}
        ScreenId::Mail => {
            let ids: Vec<String> = state.mail.rows().iter().map(|m| m.id.clone()).collect();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            state.mail.cursor.set(&ids, index);
            state.mail.scroll = 0;
        }
        ScreenId::Merge => {
            let ids = state.merge.row_ids();
            let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
            state.merge.cursor.set(&ids, index);
        }
        ScreenId::Health => {
            let names: Vec<String> = state
                .health
                .rows(&state.fleet)
                .iter()
                .map(|a| a.name.clone())
                .collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            state.health.cursor.set(&names, index);
        }
    }
}
