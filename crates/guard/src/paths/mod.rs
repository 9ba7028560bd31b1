//! Where a path really leads: relative to which directory, through which links, inside what.
//!
//! Works on text with unknown parts (`shell::text`). The only effect is reading links, behind `Links`.

mod disks;
mod guarded;
mod links;
mod listed;
mod made;
mod reached;
mod resolve;
mod secrets;
mod spelling;
mod stores;
mod ways;
mod zones;

pub use links::{DiskLinks, Entry, Links};
pub use stores::STORES;

pub(crate) use disks::names_disk;
pub(crate) use guarded::{GUARD_FILES, holds_guard_files};
pub(crate) use made::Taken;
pub(crate) use resolve::{LONGEST, Paths};
pub(crate) use secrets::{may_be_secret, names_key};
pub(crate) use spelling::{Place, absolute, climbs_from_unknown, normal};
pub(crate) use ways::There;
pub(crate) use zones::Zone;
