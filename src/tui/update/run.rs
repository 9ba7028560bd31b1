//! Carrying out an action, whoever asked for it: key, palette, help, hint or mouse.

use super::movement::Motion;
use super::{agents, applies, copy, leave, mail, merge, movement, review, typing};
use crate::engine::command::Command;
use crate::engine::view::PaneMode;
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::options::ExitReason;
use crate::tui::overlay::{Compose, Filter, Help, LogView, Overlay, Palette, Sling, ThemePicker};
use crate::tui::screens::body_of;
use crate::tui::screens::workspace::places;
use crate::tui::state::work::SizeClass;
use crate::tui::state::{Region, ScreenId, State};

/// Carries out an action, or says why it does not apply.
pub(crate) fn run(state: &mut State, action: Action) -> Vec<Effect> {
    state.touch();
    state.notices.key_pressed();
    if let Err(why) = applies(state, action) {
        state.refuse(&why);
        return Vec::new();
    }
    match action {
        Action::Help => state.open(Overlay::Help(Help::new())),
        Action::Palette => state.open(Overlay::Palette(Palette::new())),
        Action::ActionLog => state.open(Overlay::Log(LogView::default())),
        Action::ThemePicker => {
            let picker = ThemePicker::new(state);
            state.open(Overlay::Theme(picker));
        }
        Action::Filter => {
            let filter = Filter::new(state);
            state.open(Overlay::Filter(filter));
        }
        Action::Quit => return leave::quit(state),
        Action::Suspend => return vec![Effect::Suspend],
        Action::Redraw => return vec![Effect::Clear],
        Action::MouseToggle => {
            state.mouse_captured = !state.mouse_captured;
            let text = if state.mouse_captured {
                "the mouse is grove's again"
            } else {
                "the mouse is your terminal's; % takes it back"
            };
            state.refuse(text);
            return vec![Effect::CaptureMouse(state.mouse_captured)];
        }
        Action::ScreenWork => go(state, ScreenId::Work),
        Action::ScreenMail => go(state, ScreenId::Mail),
        Action::ScreenMerge => go(state, ScreenId::Merge),
        Action::ScreenHealth => go(state, ScreenId::Health),
        Action::Up => return movement::go(state, Motion::Up),
        Action::Down => return movement::go(state, Motion::Down),
        Action::Left => return movement::go(state, Motion::Left),
        Action::Right => return movement::go(state, Motion::Right),
        Action::Top => return movement::go(state, Motion::Top),
        Action::Bottom => return movement::go(state, Motion::Bottom),
        Action::PageUp => return movement::go(state, Motion::PageUp),
        Action::PageDown => return movement::go(state, Motion::PageDown),
        Action::HalfUp => return movement::go(state, Motion::HalfUp),
        Action::HalfDown => return movement::go(state, Motion::HalfDown),
        Action::NextRegion => return movement::go(state, Motion::NextRegion),
        Action::PrevRegion => return movement::go(state, Motion::PrevRegion),
        Action::Open => return open(state),
        Action::Back => return movement::back(state),
        Action::NextMatch => step(state, true),
        Action::PrevMatch => step(state, false),
        Action::NextNeedsYou => return needs_you(state, true),
        Action::PrevNeedsYou => return needs_you(state, false),
        Action::TypeInto => {
            let agent = state.work.focus.clone().unwrap_or_default();
            if state
                .fleet
                .get(&agent)
                .is_some_and(|a| a.mode == PaneMode::Stream)
            {
                compose(state, &agent);
                return Vec::new();
            }
            return typing::enter(state, &agent);
        }
        Action::Message => {
            let to = state.subject().unwrap_or_default();
            compose(state, &to);
        }
        Action::Compose => compose(state, ""),
        Action::Answer => return agents::answer(state),
        Action::Nudge => return agents::nudge(state),
        Action::Stop => agents::stop(state),
        Action::Sling => {
            let sling = Sling::new(state);
            state.open(Overlay::Sling(sling));
        }
        Action::GoToAgent => {
            let agent = state.subject().unwrap_or_default();
            return go_to_agent(state, &agent);
        }
        Action::Zoom => zoom(state),
        Action::NextLayout => {
            state.work.layout = state.work.layout.next();
            state.work.zoom = None;
            state.work.rearrange(&state.fleet);
            let text = format!("layout {}", state.work.layout.as_str());
            state.refuse(&text);
        }
        Action::ToggleFleet => match SizeClass::of(state.size.0, state.size.1) {
            SizeClass::Small => state.work.fleet_page = !state.work.fleet_page,
            SizeClass::Medium | SizeClass::Large => {
                state.work.fleet_shown = !state.work.fleet_shown;
            }
        },
        Action::ToggleFold => state.fleet.show_done = !state.fleet.show_done,
        Action::Grow => movement::resize(state, 2),
        Action::Shrink => movement::resize(state, -2),
        Action::Equalise => {
            let class = SizeClass::of(state.size.0, state.size.1);
            state.work.adjust.remove(&(state.work.layout, class));
        }
        Action::NextPage => movement::turn_page(state, true),
        Action::PrevPage => movement::turn_page(state, false),
        Action::Reply => mail::reply(state),
        Action::ToggleRead => return mail::toggle_read(state),
        Action::MergeNow => return merge::now(state),
        Action::MergeAll => return merge::all(state),
        Action::MergePreview => merge::preview(state),
        Action::MergeEarlier => return merge::reorder(state, true),
        Action::MergeLater => return merge::reorder(state, false),
        Action::MergePause => return merge::pause(state),
        Action::MergeUndo => return merge::undo(state),
        Action::MergeCombine => return merge::combine(state),
        Action::MergeBoth => merge::keep_both(state),
        Action::RetryMerge => return merge::retry(state),
        Action::DropMerge => return merge::drop_entry(state),
        Action::Review(verb) => return review::run(state, verb),
        Action::CopyName | Action::CopyBranch | Action::CopyPath | Action::CopyScreen => {
            return copy::run(state, action);
        }
        Action::Demo => {
            let leave = state.send(Command::Quit { handover: false });
            return vec![leave, Effect::Quit(ExitReason::Demo)];
        }
        Action::Init => {
            let effect = state.ask(Command::Init, "initialised".to_owned(), None);
            return vec![effect];
        }
    }
    Vec::new()
}

pub(super) fn go(state: &mut State, screen: ScreenId) {
    state.screen = screen;
    state.pending.clear();
}

fn compose(state: &mut State, to: &str) {
    let compose = match state.draft.take() {
        Some(draft) if to.is_empty() || draft.to == to => Compose::resume(&draft),
        other => {
            state.draft = other;
            Compose::new(to)
        }
    };
    state.open(Overlay::Compose(compose));
}

/// Shows an agent's pane.
pub(crate) fn go_to_agent(state: &mut State, agent: &str) -> Vec<Effect> {
    go(state, ScreenId::Work);
    state.region = Region::Panes;
    state.work.fleet_page = false;
    movement::focus(state, agent)
}

fn open(state: &mut State) -> Vec<Effect> {
    match state.screen {
        ScreenId::Work | ScreenId::Health => {
            let agent = state.subject().unwrap_or_default();
            go_to_agent(state, &agent)
        }
        ScreenId::Mail => mail::open(state),
        ScreenId::Merge => merge::open(state),
    }
}

fn step(state: &mut State, forward: bool) {
    match state.screen {
        ScreenId::Merge => review::step(state, forward),
        ScreenId::Mail => mail::step_thread(state, forward),
        ScreenId::Work | ScreenId::Health => {}
    }
}

fn zoom(state: &mut State) {
    state.work.zoom = match state.work.zoom.take() {
        Some(_) => None,
        None => state.work.focus.clone(),
    };
}

fn needs_you(state: &mut State, forward: bool) -> Vec<Effect> {
    let waiting: Vec<String> = state
        .fleet
        .waiting()
        .iter()
        .map(|a| a.name.clone())
        .collect();
    let at = waiting
        .iter()
        .position(|n| Some(n) == state.work.focus.as_ref());
    let last = waiting.len().saturating_sub(1);
    let next = match (at, forward) {
        (None, true) => 0,
        (None, false) => last,
        (Some(i), true) => (i + 1) % waiting.len().max(1),
        (Some(i), false) => i.checked_sub(1).unwrap_or(last),
    };
    match waiting.get(next).cloned() {
        Some(agent) => go_to_agent(state, &agent),
        None => Vec::new(),
    }
}

/// Says how many panes a page has, and whether the focused one is always first.
pub(super) fn page_places(state: &State) -> (usize, bool) {
    places(state, body_of(state.size.0, state.size.1))
}
