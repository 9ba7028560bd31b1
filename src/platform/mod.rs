//! The operating system, kept in one place (L1): clock, files, locks, identity of processes.
//!
//! Every file error carries the path and what was tried. Only this layer, `process` and the
//! sandbox may contain code for one operating system.

pub mod alarm;
pub mod claims;
pub mod clock;
pub mod closed;
pub mod demos;
pub mod env;
pub mod follow;
pub mod fs;
pub mod hangup;
pub mod holders;
pub mod landed;
pub mod lease;
pub mod leftovers;
pub mod liveness;
pub mod lock_file;
pub mod paths;
pub mod patience;
pub mod plain;
pub mod random;
pub mod settle;
pub mod signals;
pub mod sockets;
pub mod watch;
pub mod writable;

pub use fs::FsError;
pub use paths::ProjectPaths;
