//! What the interface knows: a mirror of the engine's views plus where the user is.
//!
//! Data and questions about it only. Nothing here draws, sends, sleeps or reads a clock: `now_ms`
//! is set by the loop before every update.

mod fleet;
mod health;
mod log;
mod mail;
mod merge;
mod pane;
mod place;
mod requests;
pub(crate) mod review;
mod root;
pub(crate) mod row;
mod text_field;
mod toast;
pub(crate) mod work;

#[cfg(test)]
pub(crate) use fleet::sample;
pub(crate) use fleet::{FleetRow, FleetState, has_ended};
pub(crate) use health::HealthState;
pub(crate) use log::{LogEntry, LogState};
pub(crate) use mail::MailState;
pub(crate) use merge::{Attempts, Dropped, Foreground, MergeState};
pub(crate) use pane::{Pane, PaneStatus, Panes};
pub use place::Settings;
pub(crate) use place::{Dirty, Mode, Region, ScreenId};
pub(crate) use requests::After;
pub(crate) use review::ReviewState;
pub(crate) use root::State;
pub(crate) use row::RowCursor;
pub(crate) use text_field::{TAB, TextField};
pub(crate) use toast::Notices;
pub(crate) use work::{Layout, WorkState};
