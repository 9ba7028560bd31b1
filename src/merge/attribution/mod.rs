//! Who brought lines to the target: which commits touched which files, and the agents whose branches carried those in.

mod arrivals;
mod former;
mod names;
mod origins;
mod own;
mod parts;
mod removed;
mod removers;
mod touched;

pub(super) use former::former_names;
pub(super) use names::Names;
pub use origins::Origin;
pub(super) use origins::{Attribution, Origins, Stretch, Whose};
pub(super) use own::{GivenUp, own_parts};
pub(super) use parts::Place;
pub(super) use removed::overridden;
