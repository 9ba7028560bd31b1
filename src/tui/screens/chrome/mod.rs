//! The bars: where am I, what can I press, how is everybody.
//!
//! Hints come from the live keymap and are dropped whole from the right; `:` and `?` always stay.
//! A hint for something that cannot be done now is not shown.

mod hints;
mod status;
mod top;

pub(super) use hints::{hint_bar, which_key};
pub(super) use status::{counts_text, status_bar};
pub(super) use top::top_bar;
