//! Fixed sets of names that every command is looked up in.
//!
//! What is in them is known beforehand, so that a hash without a secret serves: text from outside is only
//! looked up and never put in.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

/// A set of names that never changes.
pub(crate) type Names = HashSet<&'static str, BuildHasherDefault<Quick>>;
/// A table by names that never changes.
pub(crate) type Table<T> = HashMap<&'static str, T, BuildHasherDefault<Quick>>;

/// FNV-1a.
#[derive(Debug, Clone)]
pub(crate) struct Quick(u64);

impl Default for Quick {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
