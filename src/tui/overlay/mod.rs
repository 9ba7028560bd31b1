//! What lies on top of a screen and has the keys while it does.
//!
//! One file per overlay: its data, what its keys do, how it is drawn. The screen behind stays
//! live; `Esc` always leads back to it.

mod answer;
mod compose;
mod confirm;
mod edit;
mod filter;
mod help;
mod log;
mod palette;
mod preview;
mod revert;
mod sheet;
mod sling;
mod stack;
mod theme_picker;

pub(crate) use answer::Answer;
pub(crate) use compose::{Compose, Draft};
pub(crate) use confirm::{Act, Choice, Confirm};
pub(crate) use edit::EditText;
pub(crate) use filter::Filter;
pub(crate) use filter::{current as current_filter, set as set_filter};
pub(crate) use help::Help;
pub(crate) use log::LogView;
pub(crate) use palette::Palette;
pub(crate) use preview::Preview;
pub(crate) use revert::RevertSheet;
pub(crate) use sling::Sling;
pub(crate) use stack::{Overlay, on_click, on_key, on_paste, render};
pub(crate) use theme_picker::ThemePicker;
