//! Taking what the engine says into the state.
//!
//! A view equal to the one before asks for no frame.

use super::run::page_places;
use super::{copy, merge, review, typing};
use crate::engine::event::{EngineEvent, Level, PaneEvent};
use crate::engine::view::{AgentView, Attention, ProjectView};
use crate::term::TermEvent;
use crate::tui::effect::Effect;
use crate::tui::state::Dirty;
use crate::tui::state::{LogEntry, Mode, PaneStatus, State};

/// Takes one event of the engine.
pub(crate) fn engine(state: &mut State, event: EngineEvent) -> Vec<Effect> {
    match event {
        EngineEvent::Fleet(agents) => return fleet(state, agents),
        EngineEvent::Mail(items) => {
            let changed = !state.mail.known || state.mail.items != items;
            state.mail.known = true;
            state.mail.items = items;
            touch_if(state, changed);
        }
        EngineEvent::Merge(items) => {
            let changed = !state.merge.known || state.merge.items != items;
            let before = review::Before::of(state);
            state.merge.known = true;
            state.merge.items = items;
            touch_if(state, changed);
            return review::queue_changed(state, &before);
        }
        EngineEvent::Attempts { id, attempts } => merge::attempts(state, id, attempts),
        EngineEvent::Undo(view) => merge::ask_undo(state, view),
        EngineEvent::Project(project) => set_project(state, project),
        EngineEvent::Review { id, result } => review::loaded(state, id, result),
        EngineEvent::Place { id, place } => review::looked_up(state, id, *place),
        EngineEvent::Proposal { id, place, result } => {
            review::proposed(state, id, &place, result);
        }
        EngineEvent::Accepted { id, result } => review::accepted(state, id, result),
        EngineEvent::Log(line) => {
            state.log.push(LogEntry {
                at_ms: line.at_ms,
                level: line.level,
                agent: line.agent,
                text: line.text,
                own: false,
            });
            state.touch();
        }
        EngineEvent::Toast { level, text } => {
            state.note(level, text, false);
            if level == Level::Act && !state.window_focused {
                return vec![Effect::Bell];
            }
        }
        EngineEvent::CommandDone { id, result } => state.answered(id, result),
        EngineEvent::Pane { agent, event } => return pane(state, &agent, event),
    }
    Vec::new()
}

fn touch_if(state: &mut State, changed: bool) {
    if changed {
        state.touch();
    }
}

fn set_project(state: &mut State, project: ProjectView) {
    let changed = !state.project_known || state.project != project;
    state.project_known = true;
    state.project = project;
    touch_if(state, changed);
}

fn needs_you(agent: &AgentView) -> bool {
    matches!(agent.attention, Attention::NeedsYou { .. })
}

fn fleet(state: &mut State, agents: Vec<AgentView>) -> Vec<Effect> {
    if state.fleet.known && state.fleet.agents == agents {
        return Vec::new();
    }
    let before = std::mem::replace(&mut state.fleet.agents, agents);
    let first = !std::mem::replace(&mut state.fleet.known, true);
    forget_unavailable(state, &before);
    let (places, _) = page_places(state);
    state.work.follow(&state.fleet, places);
    state.touch();
    let was_waiting = |name: &str| before.iter().any(|a| a.name == name && needs_you(a));
    let new: Vec<String> = state
        .fleet
        .waiting()
        .iter()
        .filter(|a| !was_waiting(&a.name))
        .map(|a| format!("{} needs you: {}", a.name, a.evidence.text))
        .collect();
    let mut effects = Vec::new();
    // What waits already when grove starts is on the list; only news is announced.
    if !first && !new.is_empty() {
        for text in new {
            state.notices.add(Level::Warn, &text, state.now_ms);
        }
        if !state.window_focused {
            effects.push(Effect::Bell);
        }
    }
    if let Mode::Typing { agent } = state.mode.clone()
        && state.fleet.get(&agent).is_none()
    {
        effects.extend(typing::agent_gone(state, &agent));
    }
    effects
}

/// Lets go of panes that had nothing to show once there is news of their agent, so that they are
/// attached anew.
fn forget_unavailable(state: &mut State, before: &[AgentView]) {
    for name in state.panes.names() {
        let unavailable = state
            .panes
            .get(&name)
            .is_some_and(|p| matches!(p.status, PaneStatus::Unavailable { .. }));
        let Some(now) = state.fleet.get(&name).filter(|_| unavailable) else {
            continue;
        };
        let changed = before.iter().find(|a| a.name == name) != Some(now);
        if changed && !now.state.is_terminal() {
            state.panes.remove(&name);
        }
    }
}

fn pane(state: &mut State, agent: &str, event: PaneEvent) -> Vec<Effect> {
    let ended = matches!(
        event,
        PaneEvent::Exited { .. } | PaneEvent::Unavailable { .. }
    );
    let typing = matches!(&state.mode, Mode::Typing { agent: a } if a == agent);
    let focused = state.work.focus.as_deref() == Some(agent);
    let Some(pane) = state.panes.get_mut(agent) else {
        // Detached meanwhile.
        return Vec::new();
    };
    let before = pane.engine.generation();
    let urgent = !matches!(event, PaneEvent::Output(_));
    let happened = pane.apply(event);
    let rang = happened.contains(&TermEvent::Bell);
    if rang && !typing {
        pane.bell = true;
    }
    let changed = pane.engine.generation() != before;
    let dirty = match (urgent, focused) {
        (true, _) => Dirty::Yes,
        (false, _) if !changed && !rang => Dirty::No,
        (false, true) => Dirty::Pane,
        (false, false) => Dirty::Background,
    };
    state.touch_as(dirty);
    let mut effects = reports(state, agent, happened);
    if ended {
        effects.extend(typing::agent_gone(state, agent));
    }
    effects
}

/// Passes on what an agent says through its terminal besides drawing.
fn reports(state: &mut State, agent: &str, happened: Vec<TermEvent>) -> Vec<Effect> {
    let mut effects = Vec::new();
    for event in happened {
        match event {
            TermEvent::Notification { title, body } => {
                let title = title.map(|t| format!("{t}: ")).unwrap_or_default();
                let text = format!("{agent}: {title}{body}");
                state.notices.add(Level::Warn, &text, state.now_ms);
            }
            TermEvent::EngineReset => {
                let text = format!("the view of {agent} failed on its output and was restarted");
                state.note(Level::Warn, text, false);
            }
            // Only the agent that is looked at may write to the clipboard.
            TermEvent::ClipboardStore(text) => {
                if state.work.focus.as_deref() == Some(agent) {
                    effects.push(copy::send(state, text));
                }
            }
            // The host answers queries; titles are read from the engine when drawing.
            TermEvent::Reply(_)
            | TermEvent::Title(_)
            | TermEvent::Bell
            | TermEvent::Cwd(_)
            | TermEvent::Prompt(..) => {}
        }
    }
    effects
}
