//! The SQLite stores under `.overstory/` (L2): one file per store.
//!
//! Every open creates what is missing and migrates what is old, exactly as ov does, so both
//! programs can use the same files at the same time. What grove needs beyond ov's columns is
//! in `grove.db`.

pub mod connection;
pub mod events;
pub mod grove;
pub mod mail;
pub mod merge_queue;
pub mod metrics;
pub mod pages;
pub mod peek;
pub mod runs;
pub mod sessions;
pub mod stores;
pub mod turn_locks;
pub mod wipe;

pub use connection::DbError;
pub use events::EventStore;
pub use grove::GroveStore;
pub use mail::MailStore;
pub use merge_queue::MergeQueueStore;
pub use metrics::MetricsStore;
pub use sessions::SessionStore;
pub use stores::Stores;
pub use turn_locks::TurnLockStore;
