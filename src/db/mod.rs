//! The SQLite stores under `.overstory/` (L2): one file per store.
//!
//! `open` creates what is missing and migrates what is old, exactly as ov does, so both programs can
//! use the same files at the same time. `look` is for commands that only read: it leaves the files
//! as they are. What grove needs beyond ov's columns is in `grove.db`.

pub(crate) mod actions;
mod audit;
mod by_place;
mod cells;
pub mod connection;
mod event_search;
pub mod events;
pub mod followed;
pub mod grove;
pub mod identity;
pub mod local_time;
pub mod mail;
mod mail_pairs;
mod mail_shape;
mod mail_view;
pub mod merge_queue;
pub mod merge_retries;
pub mod merging;
pub mod metrics;
pub(crate) mod notices;
mod openers;
pub mod pages;
pub mod peek;
mod reading;
pub mod refusals;
mod review_decisions;
mod review_proposals;
pub mod runs;
pub mod sessions;
mod shape;
pub mod stores;
pub mod tool_totals;
pub mod turn_locks;
pub mod wipe;

#[cfg(test)]
mod event_search_tests;

pub use audit::{InStore, secrets_in_store};
pub use connection::DbError;
pub use events::EventStore;
pub use grove::GroveStore;
pub use mail::MailStore;
pub use merge_queue::MergeQueueStore;
pub use metrics::MetricsStore;
pub use notices::take_notices;
pub use reading::reader;
pub use sessions::SessionStore;
pub use stores::Stores;
pub use turn_locks::TurnLockStore;
