//! Verbs of the mail screen.

use crate::engine::command::Command;
use crate::tui::effect::Effect;
use crate::tui::overlay::{Compose, Overlay};
use crate::tui::state::State;

/// Opens the selected message; what is opened counts as read.
pub(super) fn open(state: &mut State) -> Vec<Effect> {
    let Some((id, read)) = state.mail.selected().map(|m| (m.id.clone(), m.read)) else {
        return Vec::new();
    };
    state.mail.cursor.select(&id);
    state.mail.detail = true;
    state.mail.scroll = 0;
    if read {
        return Vec::new();
    }
    vec![state.send(Command::MarkRead { id, read: true })]
}

/// Starts a reply to the selected message.
pub(super) fn reply(state: &mut State) {
    let Some(mail) = state.mail.selected() else {
        return;
    };
    let reply = match &state.draft {
        Some(draft) if draft.reply_to.as_ref() == Some(&mail.id) => Compose::resume(draft),
        Some(_) | None => Compose::reply(&mail.id, &mail.from, &mail.subject),
    };
    state.open(Overlay::Compose(reply));
}

/// Starts a reply to the newest message of an agent, or shows the list if there is none.
pub(super) fn reply_to_newest(state: &mut State, agent: &str) {
    let from = state.mail.items.iter().filter(|m| m.from == agent);
    let newest = from.max_by_key(|m| m.created_ms).map(|m| m.id.clone());
    if let Some(id) = newest {
        state.mail.filter.clear();
        state.mail.cursor.select(&id);
        reply(state);
    }
}

/// Marks the selected message read or unread.
pub(super) fn toggle_read(state: &mut State) -> Vec<Effect> {
    let Some((id, read)) = state.mail.selected().map(|m| (m.id.clone(), !m.read)) else {
        return Vec::new();
    };
    state.mail.cursor.select(&id);
    vec![state.send(Command::MarkRead { id, read })]
}

/// Goes to the next or previous message of the thread.
pub(super) fn step_thread(state: &mut State, forward: bool) {
    let Some(mail) = state.mail.selected() else {
        return;
    };
    let thread = state.mail.thread(mail);
    let at = thread.iter().position(|m| m.id == mail.id).unwrap_or(0);
    let next = if forward {
        at + 1
    } else {
        at.saturating_sub(1)
    };
    if let Some(id) = thread.get(next).map(|m| m.id.clone()) {
        state.mail.cursor.select(&id);
    }
}
