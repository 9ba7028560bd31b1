//! What the operating system refuses an agent, whatever its guard was talked into (L2).
//!
//! [`Rules`] say where an agent may write and what it may not read; they are made by the host, outside of
//! the agent, and applied by `grove sandbox-exec` to itself just before it becomes the agent's CLI. Nothing
//! here decides who gets a sandbox: that is the configuration's part. Code for one operating
//! system lives in `landlock` and `seatbelt` only.

#[cfg(target_os = "linux")]
mod attributes;
mod caches;
#[cfg(target_os = "linux")]
mod capabilities;
mod cargo_home;
mod checks;
mod credentials;
mod doors;
mod git_paths;
mod homes;
#[cfg(target_os = "linux")]
mod kinds;
#[cfg(target_os = "linux")]
mod landlock;
mod linked;
mod moved;
mod named;
mod readable;
mod rules;
mod seam;
mod seatbelt;
mod sometimes;
mod system;
mod trial;
mod writable;

#[cfg(target_os = "linux")]
pub use attributes::is_supported as is_looked_after;
pub use caches::{ASK_CACHES, CACHE_FOLDERS, GATE_CACHES, cache_folder, cache_variables};
pub use cargo_home::offer_crates;
pub use checks::{CheckPlace, check_rules};
pub use credentials::{credential_stores, exposed_note};
pub use doors::closed_doors;
pub use git_paths::{GitPaths, git_of_branch, prepare_git, saving_git};
pub use rules::{Place, Rules, git_rules, is_lock, rules};
pub use seam::{Seam, await_child, unattended};
pub use system::{SandboxError, Support, apply, keep_signals_in, network_note, support, within};
pub use trial::{Finding, Ground, Trial, attempt, try_out};
pub use writable::{Wanted, closed_note};
