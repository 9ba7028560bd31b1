//! The screen, driven through the production loop on a buffer in memory.
//!
//! Every test types keys into the real loop, with a scripted engine on the other side, and looks at
//! the cells or at what was asked of the engine.

mod depths;
mod dialogs;
mod driver;
mod empty;
mod fixtures;
mod keys;
mod loop_pace;
mod mouse;
mod screens;
#[cfg(unix)]
mod terminal;
mod typing;
