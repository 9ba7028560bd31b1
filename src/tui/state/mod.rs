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
mod root;
pub(crate) mod row;
mod text_field;
mod toast;
pub(crate) mod work;

pub use fleet::{FleetRow, FleetState};
pub use health::HealthState;
pub use log::{LogEntry, LogState};
pub use mail::MailState;
pub use merge::MergeState;
pub use pane::{Pane, PaneStatus, Panes};
pub use root::{Dirty, Mode, Region, ScreenId, Settings, State};
pub use row::RowCursor;
pub use text_field::TextField;
pub use toast::{Notices, Toast};
pub use work::{Layout, WorkState};
