//! The ways through what a command may have made: every place that a path may lead to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::links::Entry;
use super::resolve::{LONGEST, Paths};
use super::spelling::{components, normal};

/// More ways than this through what may be there are not followed.
const MOST_WAYS: usize = 128;

/// Links that one way may go through, as for the kernel.
const MOST_HOPS: usize = 40;

/// Whether a folder is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum There {
    Yes,
    No,
    Perhaps,
}

impl Paths<'_> {
    /// Whether a folder is at the path, links followed.
    pub(crate) fn there(&self, path: &Path) -> There {
        let Some(ways) = self.ways(path) else {
            return There::Perhaps;
        };
        let mut folders = ways
            .iter()
            .flat_map(|way| self.entries(way))
            .map(|entry| entry == Entry::Directory);
        let Some(first) = folders.next() else {
            return There::No;
        };
        match (first, folders.all(|folder| folder == first)) {
            (true, true) => There::Yes,
            (false, true) => There::No,
            (_, false) => There::Perhaps,
        }
    }

    /// Whether surely nothing is at the path.
    pub(crate) fn is_free(&self, path: &Path) -> bool {
        let places = self.entry_places(path);
        let free = |place: &PathBuf| self.entries(place) == [Entry::Missing];
        !places.is_empty() && places.iter().all(free)
    }

    /// Whether surely a folder is at the path, and no link to one.
    pub(crate) fn is_plain_folder(&self, path: &Path) -> bool {
        let places = self.entry_places(path);
        let plain = |place: &PathBuf| self.entries(place) == [Entry::Directory];
        !places.is_empty() && places.iter().all(plain)
    }

    /// Every place a path may lead to; `None` where that are too many. What leads in circles leads nowhere.
    pub(crate) fn ways(&self, path: &Path) -> Option<Vec<PathBuf>> {
        if !self.made.is_manifold() {
            return Some(self.physical(path).into_iter().collect());
        }
        if path.as_os_str().len() > LONGEST {
            return None;
        }
        let mut parts = components(path);
        self.take_steps(2 + parts.len());
        parts.reverse();
        let mut open = vec![(PathBuf::from("/"), parts, 0)];
        let mut found: Vec<PathBuf> = Vec::new();
        let mut begun: Vec<(PathBuf, Vec<OsString>)> = Vec::new();
        while let Some((mut done, mut todo, hops)) = open.pop() {
            if begun.len() > MOST_WAYS {
                return None;
            }
            let arrives = loop {
                let Some(part) = todo.pop() else { break true };
                if part == ".." {
                    done.pop();
                    continue;
                }
                let folder = done.clone();
                done.push(&part);
                let entries = self.entries(&done);
                for entry in &entries {
                    let Entry::Link(target) = entry else { continue };
                    if hops >= MOST_HOPS || target.as_os_str().len() > LONGEST {
                        continue;
                    }
                    self.take_steps(1);
                    let mut more = todo.clone();
                    more.extend(components(target).into_iter().rev());
                    let from = if target.is_absolute() {
                        "/".into()
                    } else {
                        folder.clone()
                    };
                    let way = (from, more);
                    // What comes round leads nowhere else.
                    if !begun.contains(&way) {
                        begun.push(way.clone());
                        open.push((way.0, way.1, hops + 1));
                    }
                }
                if entries.iter().all(|entry| matches!(entry, Entry::Link(_))) {
                    break false;
                }
            };
            if arrives && !found.contains(&done) {
                found.push(done);
            }
        }
        Some(found)
    }

    /// Where the entry itself may be: links on the way are followed, one at the end is not.
    pub(crate) fn entry_places(&self, path: &Path) -> Vec<PathBuf> {
        let places = match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self
                .ways(parent)
                .map(|ways| ways.into_iter().map(|folder| folder.join(name)).collect()),
            // `..` at the end, or nothing at all.
            (_, None) | (None, _) => self.ways(path),
        };
        places.unwrap_or_else(|| vec![normal(path)])
    }
}
