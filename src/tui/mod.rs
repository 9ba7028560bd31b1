//! The full screen: a workspace for a fleet of agents.
//!
//! Events go to `update`, which changes `state` and returns effects; `screens` draw the state and
//! change nothing. `app` is the loop between them, `surface` and `terminal` the real terminal. The
//! interface knows the engine only as an [`crate::engine::event::EngineHandle`]: it opens no
//! store, runs no git and starts no process.

mod action;
mod app;
mod effect;
mod frames;
mod glyphs;
mod hit;
mod keyboard;
mod keymap;
mod label;
mod look;
mod options;
mod outbox;
mod overlay;
mod probe;
mod screens;
mod signals;
mod start;
mod state;
mod stats;
mod surface;
mod terminal;
mod theme;
mod update;
mod wait;
mod widgets;

pub use action::{ACTIONS, Action, ActionInfo};
pub use app::run_on;
pub use effect::Edit;
pub use keymap::{Keymap, KeymapError, LeaderEnv};
pub use options::{Clock, ExitReason, Pace, TuiError, TuiOptions};
pub use start::run;
pub use state::Settings;
pub use surface::{Surface, SurfaceOp};
pub use theme::{BUNDLED as BUNDLED_THEMES, Depth, Theme, ThemeError, Warning as ThemeWarning};
