//! What lies on top of a screen and has the keys while it does.
//!
//! One file per overlay: its data, what its keys do, how it is drawn. The screen behind stays
//! live; `Esc` always leads back to it.

mod answer;
mod compose;
mod confirm;
mod filter;
mod help;
mod log;
mod palette;
mod sheet;
mod sling;
mod stack;
mod theme_picker;

pub use answer::Answer;
pub use compose::{Compose, Draft};
pub use confirm::{Act, Choice, Confirm};
pub use filter::Filter;
pub(crate) use filter::{current as current_filter, set as set_filter};
pub use help::Help;
pub use log::LogView;
pub use palette::Palette;
pub use sling::Sling;
pub use stack::{Next, Overlay, on_click, on_key, on_paste, render};
pub use theme_picker::ThemePicker;
