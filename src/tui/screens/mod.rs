//! The screens: pure functions from state to a buffer.
//!
//! `render` draws one whole frame and returns where things are, where the cursor belongs and when
//! the frame will have aged. Nothing here changes the state.

mod chrome;
mod empty;
mod first_run;
mod health;
mod mail;
mod meetings;
mod merge;
mod review;
mod root;
mod toasts;
pub(crate) mod workspace;

pub(crate) use mail::thread_rows;
pub(crate) use merge::{folded, preview_rows};
pub(crate) use review::{fits_two_sides, hidden_columns, longest_line};
pub(crate) use root::{body_of, render};
