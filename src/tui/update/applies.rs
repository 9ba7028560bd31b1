//! Which actions make sense right now, and why the others do not.
//!
//! The one source for hints, palette, help and refusals, so that they cannot disagree.

use super::{queue_rules, typing};
use crate::engine::view::{AgentView, Attention, NeedsReason, PaneMode, ProjectStage};
use crate::tui::action::Action;
use crate::tui::state::work::SizeClass;
use crate::tui::state::{Layout, ScreenId, State};

/// Says whether an action applies; the error is the reason, for people.
pub(crate) fn applies(state: &State, action: Action) -> Result<(), String> {
    if action == Action::Init {
        return init(state);
    }
    if state.is_first_run() && !always(action) {
        return Err("this project is not initialised yet".to_owned());
    }
    let on_work = state.screen == ScreenId::Work;
    match action {
        Action::TypeInto => {
            let agent = state.work.focus.as_deref().unwrap_or("");
            if state
                .fleet
                .get(agent)
                .is_some_and(|a| a.mode == PaneMode::Stream)
            {
                // It has no terminal: the message box opens instead.
                return Ok(());
            }
            typing::refusal(state, agent).map_or(Ok(()), Err)
        }
        Action::Message | Action::GoToAgent => subject(state).map(|_| ()),
        Action::Nudge => live_subject(state).map(|_| ()),
        Action::Stop => live_subject(state).map(|_| ()),
        Action::Answer => answer(state),
        Action::NextNeedsYou | Action::PrevNeedsYou => {
            if state.fleet.waiting().is_empty() {
                Err("nobody needs you".to_owned())
            } else {
                Ok(())
            }
        }
        Action::Zoom => match (on_work, state.work.focus.is_some()) {
            (false, _) => Err("panes are on the Work screen".to_owned()),
            (true, false) => Err("no agent is focused".to_owned()),
            (true, true) => Ok(()),
        },
        Action::NextLayout | Action::ToggleFleet | Action::ToggleFold | Action::Equalise => {
            somebody(state, on_work)
        }
        Action::Grow | Action::Shrink => resizable(state, on_work),
        Action::NextPage | Action::PrevPage => pages(state, on_work),
        Action::Reply | Action::ToggleRead => match state.mail.selected() {
            Some(_) if state.screen == ScreenId::Mail => Ok(()),
            _ => Err("no message is selected".to_owned()),
        },
        Action::MergeNow => queue_rules::now(state),
        Action::MergeAll => queue_rules::all(state),
        Action::MergePreview => queue_rules::untouched(state),
        Action::DropMerge => queue_rules::droppable(state),
        Action::MergeEarlier => queue_rules::in_line(state, true),
        Action::MergeLater => queue_rules::in_line(state, false),
        Action::MergePause => queue_rules::on_screen(state),
        Action::MergeUndo => queue_rules::undo(state),
        Action::MergeCombine => queue_rules::combine(state),
        Action::MergeBoth => queue_rules::both(state),
        Action::RetryMerge => queue_rules::retry(state),
        Action::Demo => demo(state),
        Action::Review(verb) => super::review::applies(state, verb),
        Action::NextMatch | Action::PrevMatch => match state.screen {
            ScreenId::Merge => super::review::has_others(state),
            ScreenId::Mail => Ok(()),
            ScreenId::Work | ScreenId::Health => Err("there is nothing to step through".to_owned()),
        },
        Action::Sling
        | Action::Compose
        | Action::ScreenWork
        | Action::ScreenMail
        | Action::ScreenMerge
        | Action::ScreenHealth
        | Action::Up
        | Action::Down
        | Action::Left
        | Action::Right
        | Action::Top
        | Action::Bottom
        | Action::PageUp
        | Action::PageDown
        | Action::HalfUp
        | Action::HalfDown
        | Action::NextRegion
        | Action::PrevRegion => Ok(()),
        Action::Filter if state.screen == ScreenId::Merge && state.review.open.is_some() => {
            Err("a review has nothing to filter".to_owned())
        }
        Action::Filter => Ok(()),
        Action::Open => open(state),
        Action::CopyName | Action::CopyBranch | Action::CopyPath | Action::CopyScreen => {
            super::copy::text(state, action).map(|_| ())
        }
        Action::Help
        | Action::Palette
        | Action::Quit
        | Action::Suspend
        | Action::Redraw
        | Action::MouseToggle
        | Action::ActionLog
        | Action::ThemePicker
        | Action::Back
        | Action::Init => Ok(()),
    }
}

/// Tells whether an action works even where there is no project yet.
fn always(action: Action) -> bool {
    matches!(
        action,
        Action::Help
            | Action::Palette
            | Action::Quit
            | Action::Suspend
            | Action::Redraw
            | Action::MouseToggle
            | Action::ActionLog
            | Action::ThemePicker
            | Action::Demo
            | Action::Back
    )
}

fn init(state: &State) -> Result<(), String> {
    match state.project.stage {
        ProjectStage::NotInitialised => Ok(()),
        ProjectStage::NotGit => Err("make this folder a git repository first".to_owned()),
        ProjectStage::Ready => Err("this project is initialised already".to_owned()),
    }
}

/// The demo is for somebody who has nothing to look at yet.
fn demo(state: &State) -> Result<(), String> {
    let nobody = state.screen == ScreenId::Work && state.fleet.known;
    if state.is_first_run() || (nobody && state.fleet.agents.is_empty()) {
        return Ok(());
    }
    Err("agents are at work here; from a shell: grove demo".to_owned())
}

fn open(state: &State) -> Result<(), String> {
    let there = match state.screen {
        ScreenId::Work | ScreenId::Health => state.subject().is_some(),
        ScreenId::Mail if state.mail.detail => return Err("the message is open".to_owned()),
        ScreenId::Merge if state.review.open.is_some() => {
            return Err("the review is open".to_owned());
        }
        ScreenId::Mail => state.mail.selected().is_some(),
        ScreenId::Merge => state.merge.selected().is_some(),
    };
    if there {
        Ok(())
    } else {
        Err("nothing is selected".to_owned())
    }
}

fn subject(state: &State) -> Result<String, String> {
    let name = state.subject().ok_or("no agent is selected")?;
    match state.fleet.get(&name) {
        Some(_) => Ok(name),
        None => Err(format!("{name} is not an agent of this fleet")),
    }
}

fn live_subject(state: &State) -> Result<String, String> {
    let name = subject(state)?;
    match state.fleet.get(&name) {
        Some(agent) if agent.state.is_terminal() => Err(format!("{name} has already ended")),
        Some(_) | None => Ok(name),
    }
}

fn answer(state: &State) -> Result<(), String> {
    let name = subject(state)?;
    let Some(agent) = state.fleet.get(&name) else {
        return Err(format!("{name} is not an agent of this fleet"));
    };
    let Attention::NeedsYou { reason } = agent.attention else {
        return Err(format!("{name} is not waiting for an answer"));
    };
    answerable(agent, reason)
}

/// Says whether an agent that waits for somebody can be answered from here.
pub(crate) fn answerable(agent: &AgentView, reason: NeedsReason) -> Result<(), String> {
    let name = &agent.name;
    match reason {
        // Answered on the merge and mail screens, whatever became of the agent.
        NeedsReason::Displaced | NeedsReason::Escalation => Ok(()),
        NeedsReason::Permission
        | NeedsReason::Question
        | NeedsReason::Checkpoint
        | NeedsReason::SignIn
        | NeedsReason::Refused => match agent.mode {
            _ if agent.state.is_terminal() => Err(format!("{name} has already ended")),
            PaneMode::Stream => Err(format!("{name} has no terminal; send it a message instead")),
            PaneMode::Pty => Ok(()),
        },
    }
}

fn work_only(on_work: bool) -> Result<(), String> {
    if on_work {
        Ok(())
    } else {
        Err("this belongs to the Work screen".to_owned())
    }
}

/// There is nothing to arrange while nobody is there.
fn somebody(state: &State, on_work: bool) -> Result<(), String> {
    work_only(on_work)?;
    if state.fleet.known && state.fleet.agents.is_empty() {
        return Err("there are no agents yet".to_owned());
    }
    Ok(())
}

fn resizable(state: &State, on_work: bool) -> Result<(), String> {
    somebody(state, on_work)?;
    let class = SizeClass::of(state.size.0, state.size.1);
    match (class, &state.work.zoom) {
        (_, Some(_)) => Err("a zoomed pane has no neighbours".to_owned()),
        (SizeClass::Small, None) => Err("the terminal is too small for splits".to_owned()),
        (SizeClass::Medium | SizeClass::Large, None) => Ok(()),
    }
}

fn pages(state: &State, on_work: bool) -> Result<(), String> {
    work_only(on_work)?;
    match state.work.layout {
        Layout::Grid | Layout::Columns | Layout::Stack => Ok(()),
        Layout::Auto | Layout::Solo => {
            Err("pages belong to the grid; L changes the layout".to_owned())
        }
    }
}
