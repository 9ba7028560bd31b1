//! Leaving: who works and what merges here is asked about first.

use crate::engine::command::Command;
use crate::engine::view::{AgentView, Lease, MergeState as QueueState, MergeStep};
use crate::tui::effect::Effect;
use crate::tui::options::ExitReason;
use crate::tui::overlay::{Act, Choice, Confirm, Overlay};
use crate::tui::state::State;

const NO_HANDOVER: ExitReason = ExitReason::Quit { handover: false };

fn choice(key: char, label: &str, danger: bool, act: Act) -> Choice {
    Choice {
        key,
        label: label.to_owned(),
        danger,
        act,
    }
}

/// Leaves at once if nothing is under way here, asks otherwise. Merges are not cancelled, nor waited for,
/// silently; agents are never stopped silently.
pub(super) fn quit(state: &mut State) -> Vec<Effect> {
    if state.settings.ends_with_screen {
        return leave_demo(state);
    }
    let merges = merges_here(state);
    if !merges.is_empty() {
        let dialog = while_merging(state, &merges);
        state.open(Overlay::Confirm(dialog));
        return Vec::new();
    }
    match about_agents(state, Vec::new()) {
        Some(dialog) => {
            state.open(Overlay::Confirm(dialog));
            Vec::new()
        }
        None => vec![
            state.send(Command::Quit { handover: false }),
            Effect::Quit(NO_HANDOVER),
        ],
    }
}

/// The branches that this process merges, or whose merge it takes back.
fn merges_here(state: &State) -> Vec<(String, MergeStep)> {
    let items = state.merge.items.iter();
    items
        .filter_map(|m| {
            let gates = m.gates.as_ref().filter(|g| g.elsewhere.is_none())?;
            let is_under_way = m.state == QueueState::Merging || gates.step == MergeStep::Reverting;
            is_under_way.then(|| (m.branch.clone(), gates.step))
        })
        .collect()
}

fn while_merging(state: &State, merges: &[(String, MergeStep)]) -> Confirm {
    let title = match merges {
        [(branch, _)] => format!("Quit while {branch} merges?"),
        many => format!("Quit while {} branches merge?", many.len()),
    };
    let next = |first: Vec<Command>| match about_agents(state, first.clone()) {
        Some(dialog) => Act::Ask(Box::new(dialog)),
        None => Act::Leave(
            [first, vec![Command::Quit { handover: false }]].concat(),
            NO_HANDOVER,
        ),
    };
    let cancel = vec![Command::CancelMerge { branch: None }];
    let mut lines = vec![
        "The merge goes on until its gates have said yes or no; the terminal waits for it."
            .to_owned(),
        "Cancelled, its branch waits in the queue as before, and the target stays as it is."
            .to_owned(),
    ];
    if merges.iter().any(|(_, step)| *step == MergeStep::Landing) {
        lines.push("What is landing already is finished in any case.".to_owned());
    }
    let choices = vec![
        choice('w', "Wait for it, then leave", false, next(Vec::new())),
        choice('c', "Cancel it and leave", true, next(cancel)),
    ];
    Confirm::new(title, lines, choices)
}

/// Asks about the agents that work; `first` is done before leaving.
fn about_agents(state: &State, first: Vec<Command>) -> Option<Confirm> {
    let live: Vec<&AgentView> = state
        .fleet
        .agents
        .iter()
        .filter(|a| !a.state.is_terminal())
        .collect();
    if live.is_empty() {
        return None;
    }
    let count = live.len();
    let names: Vec<String> = live.iter().map(|a| a.name.clone()).collect();
    let leave = |handover: bool| {
        let reason = ExitReason::Quit { handover };
        let mut commands = first.clone();
        commands.push(Command::Quit { handover });
        Act::Leave(commands, reason)
    };
    let mine = state.project.coordinator == Lease::Mine;
    let mut choices = Vec::new();
    if mine {
        choices.push(choice(
            'd',
            "Detach, coordinate headless",
            false,
            leave(true),
        ));
        choices.push(choice('l', "Leave uncoordinated", false, leave(false)));
    } else {
        choices.push(choice('d', "Detach", false, leave(false)));
    }
    let stops = names.iter().map(|agent| {
        let command = Command::Stop {
            agent: agent.clone(),
            force: false,
        };
        (command, format!("stop {agent}"))
    });
    let stop_all = Confirm::new(
        format!("Stop all {count} agents?"),
        vec![
            names.join(", "),
            "Each is asked to finish and then ended. Worktrees and branches stay.".to_owned(),
        ],
        vec![choice('s', "Stop all", true, Act::Send(stops.collect()))],
    )
    .typing(&count.to_string());
    choices.push(choice(
        's',
        "Stop all first",
        true,
        Act::Ask(Box::new(stop_all)),
    ));
    let noun = if count == 1 {
        "agent works"
    } else {
        "agents work"
    };
    let mut lines = vec!["They go on without this window; come back with `grove`.".to_owned()];
    if mine {
        lines.push("This window coordinates them: merges, mail and the watchdog.".to_owned());
    }
    Some(Confirm::new(
        format!("Quit while {count} {noun}?"),
        lines,
        choices,
    ))
}

/// Nothing of the demo goes on without its screen, and no merge of it is waited for.
fn leave_demo(state: &mut State) -> Vec<Effect> {
    let commands = vec![
        Command::CancelMerge { branch: None },
        Command::Quit { handover: false },
    ];
    if state.fleet.agents.iter().all(|a| a.state.is_terminal()) {
        let sent = commands.into_iter().map(|command| state.send(command));
        let mut effects: Vec<Effect> = sent.collect();
        effects.push(Effect::Quit(NO_HANDOVER));
        return effects;
    }
    let lines = vec![
        "Its agents are ended and its repository goes, unless it was asked to --keep it."
            .to_owned(),
    ];
    let act = Act::Leave(commands, NO_HANDOVER);
    let leave = choice('l', "Leave the demo", false, act);
    let dialog = Confirm::new("Leave the demo?".to_owned(), lines, vec![leave]);
    state.open(Overlay::Confirm(dialog));
    Vec::new()
}
