//! What the user does, as the bytes an agent expects. Pure functions of the event and the
//! [`Modes`](super::Modes) the agent has set; the only place here that knows crossterm.

mod keys;
mod kitty;
mod mouse;
mod paste;

pub use keys::encode_key;
pub use mouse::{encode_focus, encode_mouse, encode_scroll};
pub use paste::{PasteKind, encode_paste, inspect_paste};
