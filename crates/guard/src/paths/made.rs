//! Links that a command makes, found by whatever way leads to them: through links of the disk, and through others
//! that it made before.

use std::path::{Path, PathBuf};

use super::links::Entry;
use super::resolve::Paths;
use super::spelling::{Place, absolute, normal};

impl Paths<'_> {
    /// Remembers a link the command makes, by its spelling and by where it really is.
    pub(crate) fn link_made(&mut self, at: &Path, target: &Path) {
        let real = self.entry_behind(at);
        self.made.insert(normal(at), target.to_path_buf());
        if let Some(real) = real {
            self.made.insert(real, target.to_path_buf());
        }
        self.folders.borrow_mut().clear();
        self.located.borrow_mut().clear();
    }

    /// Whether the command itself made a link at this path.
    pub(crate) fn is_made_link(&self, path: &str, place: &Place) -> bool {
        !self.made.is_empty()
            && absolute(path, place).is_some_and(|path| {
                self.made.contains_key(&normal(&path))
                    || self
                        .entry_behind(&path)
                        .is_some_and(|real| self.made.contains_key(&real))
            })
    }

    /// The link at this path, or the links in this folder, each by this spelling and with what it leads to as written.
    pub(crate) fn links_at(&self, path: &Path) -> Vec<(PathBuf, PathBuf)> {
        let real = self.entry_behind(path);
        for at in [Some(path), real.as_deref()].into_iter().flatten() {
            if let Entry::Link(target) = self.entry(at) {
                return vec![(path.to_path_buf(), target)];
            }
        }
        let real = real.unwrap_or_else(|| path.to_path_buf());
        let spelled = |link: &Path| {
            let inner = link
                .strip_prefix(path)
                .or_else(|_| link.strip_prefix(&real));
            inner.map(|inner| path.join(inner)).ok()
        };
        let mut found: Vec<(PathBuf, PathBuf)> = self
            .made
            .iter()
            .filter_map(|(link, target)| Some((spelled(link)?, target.clone())))
            .collect();
        for link in self.links_in(&real).iter().flat_map(|links| links.iter()) {
            if let (Entry::Link(target), Some(link)) = (self.entry(link), spelled(link)) {
                found.push((link, target));
            }
        }
        found
    }

    /// Where the entry itself is: links on the way are followed, one at the end is not.
    fn entry_behind(&self, path: &Path) -> Option<PathBuf> {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => Some(self.physical(parent)?.join(name)),
            // `..` at the end, or nothing at all.
            (_, None) | (None, _) => self.physical(path),
        }
    }

    /// Whether two folders differ only by the way to the project, which is given through a link.
    pub(crate) fn is_same_inside(&self, spelled: &Path, real: &Path) -> bool {
        [
            (&self.worktree, &self.worktree_real),
            (&self.root, &self.root_real),
        ]
        .into_iter()
        .any(|(by_link, plain)| {
            let inner = spelled.strip_prefix(by_link);
            inner.is_ok_and(|inner| real.strip_prefix(plain) == Ok(inner))
        })
    }

    /// Whether a path is spelled as one in the worktree or the main checkout, in either of their spellings.
    pub(crate) fn is_of_project(&self, path: &Path) -> bool {
        self.is_of_root(path)
            || path.starts_with(&self.worktree)
            || path.starts_with(&self.worktree_real)
    }

    /// The same of the main checkout.
    pub(crate) fn is_of_root(&self, path: &Path) -> bool {
        path.starts_with(&self.root) || path.starts_with(&self.root_real)
    }
}
