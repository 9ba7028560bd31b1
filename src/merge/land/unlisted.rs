//! What moving a checkout would take away though no status lists it: ignored files below or above a path that appears,
//! and checkouts of submodules. Looks; changes nothing.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use crate::git::{ChangedPath, Entry, EntryKind, Pinned};
use crate::merge::plan::in_checkout;

/// What is there besides the files of the commit that the checkout stands at, as paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Unlisted {
    /// Files, or folders that hold nothing else.
    pub(super) files: Vec<Vec<u8>>,
    /// Checkouts of submodules in whose place something else comes.
    pub(super) modules: Vec<Vec<u8>>,
}

/// Looks at every path that appears, or that a submodule gives up.
pub(super) fn unlisted(checkout: &Pinned, changed: &[ChangedPath]) -> Unlisted {
    let known = |change: &&ChangedPath| change.old.is_some();
    let looker = Looker {
        top: checkout.path(),
        known: changed.iter().filter(known).map(|it| &*it.path).collect(),
        modules: changed
            .iter()
            .filter(|change| is_module(change.old))
            .map(|change| &*change.path)
            .collect(),
    };
    let mut found = Unlisted::default();
    for change in changed {
        if change.old.is_none() {
            // Where a submodule comes, its repository may be already: git leaves that alone.
            let is_there = is_module(change.new) && looker.is_repository(&change.path);
            if !is_there {
                looker.appears(&change.path, &mut found);
            }
        } else if is_module(change.old) && change.new.is_some() && !is_module(change.new) {
            looker.module(&change.path, &mut found);
        }
    }
    found
}

fn is_module(entry: Option<Entry>) -> bool {
    entry.is_some_and(|entry| entry.kind == EntryKind::Submodule)
}

struct Looker<'c> {
    top: &'c Path,
    /// Paths of the commit the checkout stands at, as far as they change.
    known: HashSet<&'c [u8]>,
    modules: HashSet<&'c [u8]>,
}

impl Looker<'_> {
    fn appears(&self, path: &[u8], found: &mut Unlisted) {
        let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        let above = ends.filter_map(|(at, _)| path.get(..at));
        for step in above.chain([path]) {
            // A file that makes way for a folder; a submodule leaves its files there.
            if self.known.contains(step) && !self.modules.contains(step) {
                return;
            }
            match in_checkout(self.top, step).symlink_metadata() {
                Ok(there) if there.is_dir() => {}
                Ok(_) => return found.files.push(step.to_vec()),
                Err(_) => return,
            }
        }
        self.folder(path, found);
    }

    /// A folder where a file comes: what is known of it goes, the rest is the user's.
    fn folder(&self, folder: &[u8], found: &mut Unlisted) {
        for path in entries(self.top, folder) {
            let is_folder = in_checkout(self.top, &path)
                .symlink_metadata()
                .is_ok_and(|there| there.is_dir());
            if self.modules.contains(&*path) {
                self.module(&path, found);
            } else if is_folder && self.known.iter().any(|known| is_above(&path, known)) {
                self.folder(&path, found);
            } else if is_folder && self.holds_file(&path) || !is_folder && !self.is_known(&path) {
                found.files.push(path);
            }
        }
    }

    fn is_repository(&self, path: &[u8]) -> bool {
        let folder = in_checkout(self.top, path);
        folder.is_dir() && !folder.is_symlink() && folder.join(".git").exists()
    }

    fn is_known(&self, path: &[u8]) -> bool {
        self.known.contains(path)
    }

    fn holds_file(&self, folder: &[u8]) -> bool {
        entries(self.top, folder).iter().any(|path| {
            match in_checkout(self.top, path).symlink_metadata() {
                Ok(there) if there.is_dir() => self.holds_file(path),
                Ok(_) => true,
                Err(_) => false,
            }
        })
    }

    /// Git takes the folder of a submodule away whole, and does not look what is in it.
    fn module(&self, path: &[u8], found: &mut Unlisted) {
        if !entries(self.top, path).is_empty() {
            found.modules.push(path.to_vec());
        }
    }
}

/// The paths in a folder; none where it cannot be read, which git cannot, either.
fn entries(top: &Path, folder: &[u8]) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(in_checkout(top, folder)) else {
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| {
        let name = entry.file_name();
        [folder, b"/", name.as_encoded_bytes()].concat()
    });
    paths.collect()
}

/// Whether a path lies below a folder.
pub(super) fn is_above(folder: &[u8], path: &[u8]) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.first() == Some(&b'/'))
}
