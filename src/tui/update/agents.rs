//! Verbs about one agent.

use crate::engine::command::Command;
use crate::engine::view::{Attention, NeedsReason};
use crate::tui::effect::Effect;
use crate::tui::overlay::{Act, Answer, Choice, Confirm, Overlay};
use crate::tui::state::{ScreenId, State};

/// Leads to wherever the agent's question can be answered: a box over its screen, its mail, or the
/// review of its held merge.
pub(super) fn answer(state: &mut State) -> Vec<Effect> {
    let Some(agent) = state.subject() else {
        return Vec::new();
    };
    let reason = state.fleet.get(&agent).map(|a| a.attention);
    let Some(Attention::NeedsYou { reason }) = reason else {
        return Vec::new();
    };
    match reason {
        NeedsReason::Displaced => {
            super::run::go(state, ScreenId::Merge);
            super::merge::review_of(state, &agent)
        }
        NeedsReason::Escalation => {
            super::run::go(state, ScreenId::Mail);
            super::mail::reply_to_newest(state, &agent);
            Vec::new()
        }
        NeedsReason::Permission
        | NeedsReason::Question
        | NeedsReason::Checkpoint
        | NeedsReason::SignIn
        | NeedsReason::Refused => {
            let effects = match state.screen {
                ScreenId::Work => Vec::new(),
                ScreenId::Mail | ScreenId::Merge | ScreenId::Health => {
                    super::go_to_agent(state, &agent)
                }
            };
            state.open(Overlay::Answer(Answer::new(&agent)));
            effects
        }
    }
}

/// Reminds the agent to go on.
pub(super) fn nudge(state: &mut State) -> Vec<Effect> {
    let Some(agent) = state.subject() else {
        return Vec::new();
    };
    let label = format!("nudged {agent}");
    let command = Command::Nudge {
        agent,
        message: String::new(),
    };
    vec![state.ask(command, label, None)]
}

/// Asks how to stop an agent.
pub(super) fn stop(state: &mut State) {
    let Some(agent) = state.subject() else {
        return;
    };
    let view = state.fleet.get(&agent);
    let children: Vec<&str> = state
        .fleet
        .agents
        .iter()
        .filter(|a| a.parent.as_deref() == Some(agent.as_str()) && !a.state.is_terminal())
        .map(|a| a.name.as_str())
        .collect();
    let mut lines = Vec::new();
    if let Some(task) = view.and_then(|v| v.task.as_deref()) {
        lines.push(format!("It is working on {task}."));
    }
    lines.push("Gracefully: it is asked to finish, then ended after a grace period.".to_owned());
    lines.push("Kill: it ends at once, in the middle of whatever it does.".to_owned());
    lines.push("Its worktree and branch stay, so it can be slung again.".to_owned());
    if !children.is_empty() {
        lines.push(format!("Its agents go on: {}.", children.join(", ")));
    }
    let choice = |key, label: &str, force| {
        let command = Command::Stop {
            agent: agent.clone(),
            force,
        };
        let told = if force { "killed" } else { "stopping" };
        Choice {
            key,
            label: label.to_owned(),
            danger: true,
            act: Act::Send(vec![(command, format!("{told} {agent}"))]),
        }
    };
    let choices = vec![
        choice('s', "Stop gracefully", false),
        choice('k', "Kill", true),
    ];
    let dialog = Confirm::new(format!("Stop {agent}?"), lines, choices);
    state.open(Overlay::Confirm(dialog));
}
