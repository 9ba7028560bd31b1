//! What a command makes of paths on its way: links and folders, found by whatever way leads to them, and what is gone.
//!
//! Where it is not certain, each of the things that may be there is kept, and every way through them counts.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::links::Entry;
use super::resolve::Paths;
use super::spelling::{Place, absolute};
use super::ways::There;

/// Which folders go when something is taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Never,
    /// Those that hold nothing.
    Empty,
    /// With all that is in them.
    Whole,
}

/// What may be at paths that the command changed.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made {
    /// By where they really are; the likeliest is the last.
    entries: HashMap<OsString, Vec<Entry>>,
    /// Folders that may be gone with all that was in them.
    gone: HashSet<PathBuf>,
    /// A link is among them.
    links: bool,
    /// A link is where there may be something else.
    manifold: bool,
}

impl Made {
    pub(super) fn at(&self, path: &Path) -> Option<&[Entry]> {
        if self.entries.is_empty() {
            return None;
        }
        self.entries.get(path.as_os_str()).map(Vec::as_slice)
    }

    /// Whether a path may lead to several places.
    pub(super) fn is_manifold(&self) -> bool {
        self.manifold
    }

    /// The paths where there may be a link.
    pub(super) fn links(&self) -> impl Iterator<Item = &Path> {
        let is_link = |entry: &Entry| matches!(entry, Entry::Link(_));
        let links = self.entries.iter().filter(|_| self.links);
        links
            .filter(move |(_, entries)| entries.iter().any(is_link))
            .map(|(path, _)| Path::new(path))
    }
}

impl Paths<'_> {
    pub(crate) fn has_made_links(&self) -> bool {
        self.made.links
    }

    /// What the command made so far, to come back to.
    pub(crate) fn made_so_far(&self) -> Rc<Made> {
        Rc::clone(&self.made)
    }

    /// Goes on from what the command had made at another point of it.
    pub(crate) fn go_on_from(&mut self, made: Rc<Made>) {
        if !Rc::ptr_eq(&self.made, &made) {
            self.made = made;
            self.forget_ways();
        }
    }

    /// Adds what the command had made at another point of it.
    pub(crate) fn or_as(&mut self, other: &Rc<Made>) {
        if Rc::ptr_eq(&self.made, other) {
            return;
        }
        let looked_at = self.made.entries.len() + other.entries.len();
        let mut paths: Vec<PathBuf> = Vec::new();
        for (path, entries) in &other.entries {
            if self.made.entries.get(path) != Some(entries) {
                paths.push(path.into());
            }
        }
        for path in self.made.entries.keys() {
            if !other.entries.contains_key(path) {
                paths.push(path.into());
            }
        }
        self.take_steps(looked_at / 4 + paths.len() * 4);
        for path in paths {
            let theirs = match other.at(&path) {
                Some(entries) => entries.to_vec(),
                None => vec![self.entry_of_disk(&path)],
            };
            let mut all = self.entries(&path);
            all.splice(
                0..0,
                theirs
                    .into_iter()
                    .filter(|entry| !all.contains(entry))
                    .collect::<Vec<_>>(),
            );
            self.put(&path, all);
        }
        let made = Rc::make_mut(&mut self.made);
        made.gone.extend(other.gone.iter().cloned());
    }

    /// Everything that may be at a path, links on the way to it followed already.
    pub(crate) fn entries(&self, path: &Path) -> Vec<Entry> {
        if let Some(entries) = self.made.at(path) {
            return entries.to_vec();
        }
        let entry = self.entry_of_disk(path);
        let mut above = path.ancestors().skip(1);
        if entry != Entry::Missing
            && !self.made.gone.is_empty()
            && above.any(|above| self.made.gone.contains(above))
        {
            return vec![Entry::Missing, entry];
        }
        vec![entry]
    }

    fn put(&mut self, path: &Path, entries: Vec<Entry>) {
        if self.made.at(path) == Some(entries.as_slice()) {
            return;
        }
        let is_link = |entry: &Entry| matches!(entry, Entry::Link(_));
        let had_links = self.made.links || is_link(&self.entry_of_disk(path));
        let has_links = entries.iter().any(is_link);
        if Rc::strong_count(&self.made) > 1 {
            self.take_steps(self.made.entries.len() / 4);
        }
        let made = Rc::make_mut(&mut self.made);
        made.links |= has_links;
        made.manifold |= has_links && entries.len() > 1;
        made.entries.insert(path.into(), entries);
        if has_links || had_links {
            self.forget_ways();
        }
    }

    fn forget_ways(&mut self) {
        self.folders.borrow_mut().clear();
        self.located.borrow_mut().clear();
    }

    /// Changes what may be at a path: each thing becomes what `becomes` says, and where that is not `sure`, it may
    /// have stayed.
    pub(crate) fn change(
        &mut self,
        place: &Path,
        sure: bool,
        becomes: impl Fn(&Entry) -> Vec<Entry>,
    ) {
        let before = self.entries(place);
        let mut after: Vec<Entry> = Vec::new();
        let kept = before.iter().filter(|_| !sure).cloned();
        for entry in kept.chain(before.iter().flat_map(becomes)) {
            after.retain(|other| *other != entry);
            after.push(entry);
        }
        if after != before {
            self.put(place, after);
        }
    }

    /// Remembers a link that the command may have made.
    pub(crate) fn link_made(&mut self, at: &Path, target: &Path) {
        for place in self.entry_places(at) {
            self.change(&place, false, |_| vec![Entry::Link(target.to_path_buf())]);
        }
    }

    /// Whether it is remembered what the command made of a path.
    pub(crate) fn is_recorded(&self, place: &Path) -> bool {
        self.made.at(place).is_some()
    }

    /// Remembers that a file may be where it was known that there is none.
    pub(crate) fn file_made(&mut self, place: &Path) {
        if self.is_recorded(place) {
            self.change(place, false, |entry| match entry {
                Entry::Missing => vec![Entry::File],
                Entry::File | Entry::Directory | Entry::Link(_) => vec![entry.clone()],
            });
        }
    }

    /// Remembers folders that the command makes: this one, and with `parents` those on the way to it.
    pub(crate) fn folder_made(&mut self, at: &Path, parents: bool, sure: bool) {
        if parents
            && let Some(above) = at.parent()
            && self.there(above) != There::Yes
        {
            self.folder_made(above, parents, sure);
        }
        let places = self.entry_places(at);
        let within = at
            .parent()
            .is_none_or(|above| self.there(above) == There::Yes);
        let sure = sure && within && places.len() == 1;
        for place in places {
            self.change(&place, sure, |entry| match entry {
                Entry::Missing | Entry::Directory => vec![Entry::Directory],
                Entry::File | Entry::Link(_) => vec![entry.clone()],
            });
        }
    }

    /// Remembers that an entry is taken away, and all that is in it where that is `recursive`.
    pub(crate) fn removed(&mut self, at: &Path, folders: Taken, sure: bool) {
        let places = self.entry_places(at);
        let sure = sure && places.len() == 1;
        for place in places {
            self.change(&place, sure, |entry| match entry {
                Entry::Directory if folders == Taken::Never => vec![Entry::Directory],
                Entry::Directory if folders == Taken::Empty => {
                    vec![Entry::Directory, Entry::Missing]
                }
                Entry::Directory | Entry::Missing | Entry::File | Entry::Link(_) => {
                    vec![Entry::Missing]
                }
            });
            let recursive = folders == Taken::Whole;
            let inner: Vec<PathBuf> = self
                .made
                .entries
                .keys()
                .map(Path::new)
                .filter(|path| recursive && path.starts_with(&place) && *path != place)
                .map(Path::to_path_buf)
                .collect();
            self.take_steps(self.made.entries.len() / 4);
            for path in inner {
                self.change(&path, sure, |_| vec![Entry::Missing]);
            }
            if recursive {
                Rc::make_mut(&mut self.made).gone.insert(place);
            }
        }
    }

    /// A program has run of which it is not known what it takes away.
    pub(crate) fn may_be_cleared(&mut self) {
        self.cleared = true;
    }

    /// What is on disk may be gone, if a program before may have taken it away.
    pub(crate) fn doubt(&mut self, place: &Path) {
        if self.cleared && !self.is_recorded(place) {
            self.change(place, false, |_| vec![Entry::Missing]);
        }
    }

    /// Remembers that something which is not known is taken away: anything may be gone.
    pub(crate) fn swept(&mut self, folders: Taken) {
        let paths: Vec<PathBuf> = self.made.entries.keys().map(PathBuf::from).collect();
        self.take_steps(paths.len());
        for path in paths {
            self.change(&path, false, |entry| match entry {
                Entry::Directory if folders == Taken::Never => vec![Entry::Directory],
                Entry::Directory | Entry::Missing | Entry::File | Entry::Link(_) => {
                    vec![Entry::Missing]
                }
            });
        }
        if folders == Taken::Whole {
            Rc::make_mut(&mut self.made)
                .gone
                .insert(self.worktree_real.clone());
        }
    }

    /// Whether the command itself may have made a link at this path.
    pub(crate) fn is_made_link(&self, path: &str, place: &Place) -> bool {
        let is_link = |path: &PathBuf| {
            let entries = self.made.at(path).unwrap_or_default();
            entries.iter().any(|entry| matches!(entry, Entry::Link(_)))
        };
        self.made.links
            && absolute(path, place)
                .is_some_and(|path| self.entry_places(&path).iter().any(is_link))
    }

    /// The links that may be at this path, or those in this folder, each by this spelling and with what it leads to as
    /// written.
    pub(crate) fn links_at(&self, path: &Path) -> Vec<(PathBuf, PathBuf)> {
        let mut found = Vec::new();
        for real in self.entry_places(path) {
            let entries = self.entries(&real);
            for entry in &entries {
                if let Entry::Link(target) = entry {
                    found.push((path.to_path_buf(), target.clone()));
                }
            }
            if entries.iter().all(|entry| matches!(entry, Entry::Link(_))) {
                continue;
            }
            let disk = self.links_in(&real);
            let disk = disk.iter().flat_map(|links| links.iter());
            let made = self
                .made
                .links()
                .filter(|link| link.starts_with(&real) && *link != real.as_path());
            for link in disk.map(PathBuf::as_path).chain(made) {
                let Ok(inner) = link.strip_prefix(&real) else {
                    continue;
                };
                for entry in self.entries(link) {
                    if let Entry::Link(target) = entry {
                        found.push((path.join(inner), target));
                    }
                }
            }
        }
        found
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
