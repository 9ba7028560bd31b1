//! The mouse: what was clicked is what was drawn there.
//!
//! Every click has a key that does the same. An agent gets mouse events only while it is typed
//! into and only if it asked for them.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::{movement, run, typing};
use crate::engine::command::Command;
use crate::term::{MouseMode, encode_mouse, viewport_for};
use crate::tui::action::Action;
use crate::tui::effect::Effect;
use crate::tui::hit::{Press, Target};
use crate::tui::overlay;
use crate::tui::state::work::SizeClass;
use crate::tui::state::{Mode, Region, ScreenId, State};

const DOUBLE_CLICK_MS: i64 = 400;
const WHEEL_LINES: isize = 3;

/// Takes a mouse event.
pub(super) fn mouse(state: &mut State, event: MouseEvent) -> Vec<Effect> {
    if let Some(effects) = to_agent(state, event) {
        return effects;
    }
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => down(state, event.column, event.row),
        MouseEventKind::Drag(MouseButton::Left) => drag(state, event.column, event.row),
        MouseEventKind::Up(_) => Vec::new(),
        MouseEventKind::ScrollUp => wheel(state, event.column, event.row, true),
        MouseEventKind::ScrollDown => wheel(state, event.column, event.row, false),
        MouseEventKind::Down(_)
        | MouseEventKind::Drag(_)
        | MouseEventKind::Moved
        | MouseEventKind::ScrollLeft
        | MouseEventKind::ScrollRight => Vec::new(),
    }
}

/// Forwards an event over the pane being typed into, translated to the agent's own cells.
fn to_agent(state: &mut State, event: MouseEvent) -> Option<Vec<Effect>> {
    let Mode::Typing { agent } = state.mode.clone() else {
        return None;
    };
    if !state.overlays.is_empty() {
        return None;
    }
    let area = state.hits.area_of(&Target::Pane(agent.clone()))?;
    if !area.contains(Position::new(event.column, event.row)) {
        return None;
    }
    let pane = state.panes.get(&agent)?;
    let modes = pane.engine.modes();
    if modes.mouse == MouseMode::None {
        return None;
    }
    let slot = crate::term::Size::new(area.width, area.height);
    let view = viewport_for(&pane.engine, slot);
    let (row, col) = (
        event.row - area.y + view.top,
        event.column - area.x + view.left,
    );
    match encode_mouse(&event, row, col, &modes) {
        Some(bytes) => Some(vec![state.send(Command::Input { agent, bytes })]),
        None => Some(Vec::new()),
    }
}

fn down(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    let target = state.hits.at(x, y).map(|(_, target)| target.clone());
    let double = state.press.as_ref().is_some_and(|press| {
        press.target == target && state.now_ms - press.at_ms <= DOUBLE_CLICK_MS
    });
    state.press = Some(Press {
        at: Position::new(x, y),
        target: target.clone(),
        at_ms: state.now_ms,
    });
    state.touch();
    if !state.overlays.is_empty() {
        return match target {
            Some(Target::OverlayRow(row)) => overlay::on_click(state, row),
            _ => Vec::new(),
        };
    }
    let mut effects = Vec::new();
    let typed_into = match &state.mode {
        Mode::Typing { agent } => Some(Target::Pane(agent.clone())),
        Mode::Normal => None,
    };
    if typed_into.is_some() && typed_into != target {
        effects.extend(typing::leave(state));
    }
    if let Some(target) = target {
        effects.extend(click(state, target, double));
    }
    effects
}

fn click(state: &mut State, target: Target, double: bool) -> Vec<Effect> {
    match target {
        Target::Screen(screen) => {
            state.screen = screen;
            Vec::new()
        }
        Target::Agent(agent) => {
            state.region = Region::Fleet;
            state.work.fleet_page &= !double;
            movement::focus(state, &agent)
        }
        Target::Fold => run(state, Action::ToggleFold),
        Target::Pane(agent) => {
            let again = state.work.focus.as_deref() == Some(agent.as_str())
                && state.region == Region::Panes
                && state.mode == Mode::Normal;
            state.region = Region::Panes;
            let mut effects = movement::focus(state, &agent);
            if again {
                effects.extend(typing::enter(state, &agent));
            }
            effects
        }
        Target::PaneTitle(agent) => {
            state.region = Region::Panes;
            let effects = movement::focus(state, &agent);
            if double {
                return run(state, Action::Zoom);
            }
            effects
        }
        Target::Row(index) => {
            movement::select_row(state, index);
            if double {
                return run(state, Action::Open);
            }
            Vec::new()
        }
        Target::Detail => {
            state.mail.detail |= state.screen == ScreenId::Mail;
            Vec::new()
        }
        Target::Run(action) => run(state, action),
        Target::FleetDivider | Target::SplitDivider => {
            if double {
                return run(state, Action::Equalise);
            }
            Vec::new()
        }
        Target::OverlayRow(_) | Target::Overlay => Vec::new(),
    }
}

fn drag(state: &mut State, x: u16, y: u16) -> Vec<Effect> {
    let Some(press) = state.press.clone() else {
        return Vec::new();
    };
    let class = SizeClass::of(state.size.0, state.size.1);
    let adjust = state
        .work
        .adjust
        .entry((state.work.layout, class))
        .or_default();
    match press.target {
        Some(Target::FleetDivider) => {
            adjust.fleet = (adjust.fleet + x as i16 - press.at.x as i16).clamp(-12, 60);
        }
        Some(Target::SplitDivider) => {
            adjust.split = (adjust.split + y as i16 - press.at.y as i16).clamp(-12, 12);
        }
        Some(_) | None => return Vec::new(),
    }
    state.press = Some(Press {
        at: Position::new(x, y),
        ..press
    });
    state.touch();
    Vec::new()
}

fn wheel(state: &mut State, x: u16, y: u16, up: bool) -> Vec<Effect> {
    let lines = if up { WHEEL_LINES } else { -WHEEL_LINES };
    let action = if up { Action::Up } else { Action::Down };
    if !state.overlays.is_empty() {
        let key = crate::tui::keymap::Key::parse(if up { "up" } else { "down" });
        return key
            .map(|key| overlay::on_key(state, key))
            .unwrap_or_default();
    }
    match state.hits.at(x, y).map(|(_, target)| target.clone()) {
        Some(Target::Pane(agent) | Target::PaneTitle(agent)) => {
            movement::scroll_pane(state, &agent, lines);
            Vec::new()
        }
        Some(Target::Detail) if state.screen == ScreenId::Mail => {
            state.mail.scroll = state.mail.scroll.saturating_add_signed(-lines);
            state.touch();
            Vec::new()
        }
        Some(Target::Row(_)) => run(state, action),
        Some(Target::Detail) if state.review.open.is_some() => run(state, action),
        Some(Target::Agent(_)) => {
            state.region = Region::Fleet;
            run(state, action)
        }
        Some(_) | None => Vec::new(),
    }
}
