//! Copying: what there is to copy, and how it gets to the clipboard.
//!
//! The only route is the terminal itself (OSC 52), which also works over ssh; the notice names it,
//! because a terminal may refuse without saying so.

use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::label;
use crate::tui::state::{ScreenId, State};

/// Terminals refuse or cut longer texts.
const MOST_BYTES: usize = 75 * 1024;

/// Finds what an action would copy, or why there is nothing.
pub(super) fn text(state: &State, action: Action) -> Result<String, String> {
    if action == Action::CopyBranch
        && state.screen == ScreenId::Merge
        && let Some(entry) = state.merge.selected()
    {
        // The row names it, whatever became of the agent.
        return Ok(entry.branch.clone());
    }
    let name = state.subject().ok_or("no agent is selected")?;
    let agent = state.fleet.get(&name);
    let found = if action == Action::CopyBranch {
        agent.and_then(|a| a.branch.clone())
    } else if action == Action::CopyPath {
        agent.and_then(|a| a.worktree.clone())
    } else if action == Action::CopyScreen {
        state.panes.get(&name).map(|p| p.engine.screen_text())
    } else {
        Some(name.clone())
    };
    let found = found.filter(|t| !t.trim().is_empty());
    found.ok_or_else(|| format!("{name} has none"))
}

/// Copies it and says so.
pub(super) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    match text(state, action) {
        Ok(text) => vec![send(state, text.trim_end().to_owned())],
        Err(why) => {
            state.refuse(&why);
            Vec::new()
        }
    }
}

/// Sends text to the clipboard, within what terminals take.
pub(super) fn send(state: &mut State, text: String) -> Effect {
    let cut = text.len() > MOST_BYTES;
    let mut text = text;
    if cut {
        let end = (0..=MOST_BYTES)
            .rev()
            .find(|i| text.is_char_boundary(*i))
            .unwrap_or(0);
        text.truncate(end);
    }
    let first = text.lines().next().unwrap_or("");
    let shown = label::fit(first, 40, state.look.glyphs.ellipsis).into_owned();
    let note = if cut { ", cut at 75 KB" } else { "" };
    state.refuse(&format!(
        "copied through the terminal (OSC 52){note}: {shown}"
    ));
    Effect::Copy(text)
}
