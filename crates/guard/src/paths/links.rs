//! What the file system is asked: what is at a path, and which links a folder holds.
//!
//! Read only, and behind a trait so that tests can answer from memory.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    Missing,
    File,
    Directory,
    Link(PathBuf),
}

/// Read-only questions about the file system.
pub trait Links {
    /// What is at `path`, without following it if it is a link.
    fn entry(&self, path: &Path) -> Entry;
    /// The links directly inside a directory; `None` when there are too many entries to tell.
    fn links_in(&self, directory: &Path) -> Option<Vec<PathBuf>>;
    /// The links anywhere below a directory, none of them followed; `None` when there are too many entries to tell.
    fn links_below(&self, directory: &Path) -> Option<Vec<PathBuf>>;
    /// The names in a directory, and whether each is a directory or a link to one; `None` when there are too many to tell.
    fn names_in(&self, directory: &Path) -> Option<Vec<(String, bool)>>;
    /// Whether a directory is there and holds nothing but hidden entries.
    fn is_bare(&self, directory: &Path) -> bool;
}

/// Answers from the disk.
#[derive(Debug, Clone, Copy, Default)]
pub struct DiskLinks;

/// A tree with more entries than this is not searched for links.
const TREE_LIMIT: usize = 20_000;

/// A directory with more entries than this is not searched for links.
const LISTING_LIMIT: usize = 4096;

/// The entries of a folder that can be read; `None` when there are too many to look at.
fn listed(directory: &Path) -> Option<Vec<DirEntry>> {
    let Ok(entries) = directory.read_dir() else {
        return Some(Vec::new());
    };
    let mut found = Vec::new();
    for (seen, entry) in entries.enumerate() {
        if seen >= LISTING_LIMIT {
            return None;
        }
        found.extend(entry);
    }
    Some(found)
}

impl Links for DiskLinks {
    fn entry(&self, path: &Path) -> Entry {
        match path.symlink_metadata() {
            Ok(meta) if meta.is_symlink() => match path.read_link() {
                Ok(target) => Entry::Link(target),
                Err(_) => Entry::Missing,
            },
            Ok(meta) if meta.is_dir() => Entry::Directory,
            Ok(_) => Entry::File,
            Err(_) => Entry::Missing,
        }
    }

    fn links_in(&self, directory: &Path) -> Option<Vec<PathBuf>> {
        let entries = listed(directory)?.into_iter();
        let links = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_symlink()));
        Some(links.map(|entry| entry.path()).collect())
    }

    fn names_in(&self, directory: &Path) -> Option<Vec<(String, bool)>> {
        let entries = listed(directory)?.into_iter();
        let named = entries.map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let enters = match entry.file_type() {
                Ok(kind) if !kind.is_symlink() => kind.is_dir(),
                Ok(_) | Err(_) => entry.path().is_dir(),
            };
            (name, enters)
        });
        Some(named.collect())
    }

    fn is_bare(&self, directory: &Path) -> bool {
        directory.read_dir().is_ok_and(|mut entries| {
            entries.all(|entry| {
                entry.is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with('.'))
            })
        })
    }

    fn links_below(&self, directory: &Path) -> Option<Vec<PathBuf>> {
        let mut found = Vec::new();
        let mut seen = 0;
        let mut open = vec![directory.to_path_buf()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = folder.read_dir() else {
                continue;
            };
            for entry in entries.flatten() {
                seen += 1;
                if seen > TREE_LIMIT {
                    return None;
                }
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_symlink() {
                    found.push(entry.path());
                } else if kind.is_dir() && entry.file_name() != ".git" {
                    open.push(entry.path());
                }
            }
        }
        Some(found)
    }
}

impl super::resolve::Paths<'_> {
    /// Whether the worktree holds nothing yet that could be looked at.
    pub(crate) fn is_bare(&self) -> bool {
        self.links.is_bare(&self.worktree)
    }
}
