//! Starting the interface: options to state, and the real terminal around the loop.
//!
//! A theme or keymap that cannot be taken never keeps grove from starting: the default is used and
//! a banner says what is wrong.

use crate::engine::event::EngineHandle;
use crate::platform::hangup;
use crate::tui::app::run_on;
use crate::tui::keymap::Keymap;
use crate::tui::label;
use crate::tui::look::Look;
use crate::tui::options::{ExitReason, TuiError, TuiOptions};
use crate::tui::overlay::Overlay;
use crate::tui::state::{Mode, State};
use crate::tui::terminal::{RealInput, RealTerminal};
use crate::tui::theme::{Theme, bundled};

/// Runs the full screen on the process's terminal and gives the terminal back afterwards, whatever
/// happens in between.
pub async fn run(handle: EngineHandle, options: TuiOptions) -> Result<ExitReason, TuiError> {
    let mut terminal = RealTerminal::enter(options.mouse)?;
    let input = RealInput::of(&mut terminal);
    let result = run_on(&mut terminal, input, handle, options).await;
    let left = terminal.leave();
    let reason = result?;
    // Nothing can be given back to a terminal that is gone.
    if !hangup::is_input_gone() {
        left?;
    }
    Ok(reason)
}

/// Makes the first state from the options.
pub(crate) fn state(size: (u16, u16), options: &TuiOptions) -> State {
    let (theme, theme_problem) = theme(options);
    let (keymap, keymap_problem) = keymap(options);
    let look = Look::new(theme, options.ascii);
    let mut state = State::new(size, options.settings.clone(), look, keymap);
    state.now_ms = (options.clock)();
    state.mouse_captured = options.mouse;
    state.banner = keymap_problem.or(theme_problem);
    state
}

fn theme(options: &TuiOptions) -> (Theme, Option<String>) {
    let wanted = match &options.theme_text {
        Some(text) => Theme::parse(text, options.depth).map(|(theme, warnings)| {
            let first = warnings.first();
            let problem = first.map(|w| format!("theme line {}: {}", w.line, w.text));
            (theme, problem)
        }),
        None => bundled(&options.theme, options.depth).map(|theme| (theme, None)),
    };
    match wanted {
        Ok(found) => found,
        Err(error) => {
            let problem = Some(error.to_string());
            let plain = bundled("grove-dark", options.depth);
            (
                plain.unwrap_or_else(|_| Theme::plain(options.depth)),
                problem,
            )
        }
    }
}

fn keymap(options: &TuiOptions) -> (Keymap, Option<String>) {
    let env = &options.leader_env;
    match Keymap::load(options.keymap_text.as_deref(), env) {
        Ok(map) => (map, None),
        Err(error) => {
            let problem = Some(error.to_string());
            (
                Keymap::load(None, env).unwrap_or_else(|_| Keymap::bare(env)),
                problem,
            )
        }
    }
}

/// Gives the title of the user's terminal window.
pub(crate) fn title(state: &State) -> String {
    let waiting = state.fleet.counts().needs_you;
    let mark = match waiting {
        0 => String::new(),
        n => format!("{}{n} ", state.look.glyphs.needs_you),
    };
    let name = label::clean(&state.project.name);
    match name.as_ref() {
        "" => format!("{mark}grove"),
        name => format!("{mark}grove {} {name}", state.look.glyphs.dot),
    }
}

/// Tells whether the cursor marks text being typed.
pub(crate) fn wants_bar(state: &State) -> bool {
    let in_text = state.overlays.last().is_some_and(|o| match o {
        Overlay::Palette(_)
        | Overlay::Help(_)
        | Overlay::Compose(_)
        | Overlay::Sling(_)
        | Overlay::Filter(_)
        | Overlay::Edit(_)
        | Overlay::Answer(_) => true,
        Overlay::Confirm(_)
        | Overlay::Theme(_)
        | Overlay::Log(_)
        | Overlay::Preview(_)
        | Overlay::Revert(_) => false,
    });
    in_text || matches!(state.mode, Mode::Typing { .. })
}
