//! Terminal emulation: what an agent writes becomes a screen, what the user types becomes bytes.
//!
//! One [`Engine`] serves both ends: the host keeps the true screen and answers queries, the
//! interface mirrors it for drawing. Nothing here does I/O or knows of agents, hosts or sockets;
//! ratatui appears in `screen.rs` only, crossterm in `input/` only.

mod cells;
mod engine;
mod forward;
mod input;
mod keyboard;
mod notices;
mod pen;
mod plain;
mod replies;
mod scanner;
mod screen;
mod size;
mod snapshot;
mod surface;
mod tabs;
mod titles;

pub use cells::{
    Attrs, Cell, CellWidth, Color, Cursor, CursorShape, Hyperlink, Modes, MouseMode, Underline,
};
pub use engine::{Engine, EngineOptions, SYNC_TIMEOUT};
pub use input::{
    PasteKind, encode_focus, encode_key, encode_mouse, encode_paste, encode_scroll, inspect_paste,
};
pub use notices::TermEvent;
pub use screen::{ScreenView, Viewport, viewport_for};
pub use size::{PTY_MINIMUM, Size};
