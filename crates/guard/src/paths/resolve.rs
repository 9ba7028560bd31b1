//! Where a path physically leads, with the links a command creates on its way laid over the disk.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::links::{Entry, Links};
use super::listed::Listings;
use super::made::Made;
use super::spelling::{Place, absolute, climbs_from_unknown, components, normal};
use super::ways::There;
use super::zones::{Zone, below};
use crate::policy::Policy;
use crate::shell::text;

/// The longest path of a system call.
pub(crate) const LONGEST: usize = 4096;

/// Names in one folder, with whether they can be entered.
pub(super) type Names = Rc<Vec<(String, bool)>>;

/// Resolves paths for one policy, with the links a command creates on its way laid over the disk.
pub(crate) struct Paths<'a> {
    pub(super) links: &'a dyn Links,
    pub(super) worktree: PathBuf,
    pub(super) worktree_real: PathBuf,
    pub(super) temp: Option<PathBuf>,
    pub(super) root: PathBuf,
    pub(super) root_real: PathBuf,
    /// What this command may have made of paths so far.
    pub(super) made: Rc<Made>,
    /// What is at paths that were asked for, by their spelling.
    known: RefCell<HashMap<OsString, Entry>>,
    /// Links inside folders that were asked for.
    pub(super) listed: Listings,
    /// Links anywhere below folders that were asked for.
    pub(super) walked: Listings,
    /// Names in folders that were asked for, with whether they can be entered.
    pub(super) named: RefCell<HashMap<PathBuf, Option<Names>>>,
    /// Folders whose physical place is known, by their spelling.
    pub(super) folders: RefCell<HashMap<OsString, Rc<Folder>>>,
    /// What is known of paths already asked about, by folder.
    pub(super) located: RefCell<HashMap<OsString, HashMap<String, Rc<Located>>>>,
    pub(crate) dotglob: bool,
    /// Steps taken since somebody asked.
    work: Cell<usize>,
    /// A program that may take anything away has run.
    pub(super) cleared: bool,
}

/// Folders in folders that are remembered one by one; deeper ones are followed from the top.
const DEEPEST: usize = 48;
/// Steps it takes to find out where a path leads.
pub(super) const LOCATING: usize = 6;
/// Steps that a question to the disk takes.
const DISK: usize = 2;
/// Questions about names in one folder, after which it is listed.
const ASKED: u32 = 24;

/// A folder whose files were asked about.
pub(super) struct Folder {
    real: Option<PathBuf>,
    asked: Cell<u32>,
    /// The links in it, when it was worth listing; `None` when it holds too much.
    links: OnceCell<Option<HashSet<OsString>>>,
}

/// A path from a known folder.
pub(super) struct Located {
    /// Absolute, `..` resolved in the spelling alone.
    pub(super) spelled: PathBuf,
    /// With links followed.
    pub(super) real: Option<PathBuf>,
    /// What kind of place it is, once somebody asked.
    pub(super) zone: Cell<Option<Zone>>,
    /// Whether secrets of the user are kept there, once somebody asked.
    pub(super) secret: Cell<Option<bool>>,
}

impl<'a> Paths<'a> {
    pub(crate) fn new(policy: &Policy, links: &'a dyn Links) -> Self {
        let mut paths = Self {
            links,
            worktree: normal(&policy.worktree),
            worktree_real: PathBuf::new(),
            temp: policy.temp.as_deref().map(normal),
            root: normal(&policy.root),
            root_real: PathBuf::new(),
            made: Rc::default(),
            known: RefCell::default(),
            listed: Listings::default(),
            walked: Listings::default(),
            named: RefCell::default(),
            folders: RefCell::default(),
            located: RefCell::default(),
            dotglob: false,
            work: Cell::new(0),
            cleared: false,
        };
        paths.worktree_real = paths
            .physical(&paths.worktree)
            .unwrap_or_else(|| paths.worktree.clone());
        paths.root_real = paths
            .physical(&paths.root)
            .unwrap_or_else(|| paths.root.clone());
        paths.temp = paths.temp.as_deref().and_then(|temp| paths.physical(temp));
        paths
    }

    /// The steps it took since the last call to find out where paths lead.
    pub(crate) fn take_work(&self) -> usize {
        self.work.take()
    }

    pub(crate) fn take_steps(&self, steps: usize) {
        self.work.set(self.work.get() + steps);
    }

    pub(crate) fn worktree(&self) -> &Path {
        &self.worktree
    }

    pub(crate) fn links(&self) -> &'a dyn Links {
        self.links
    }

    /// What is at the path, or most likely is where the command may have made one of several things of it.
    pub(super) fn entry(&self, path: &Path) -> Entry {
        match self.made.at(path) {
            Some(entries) => entries.last().cloned().unwrap_or(Entry::Missing),
            None => self.entry_of_disk(path),
        }
    }

    pub(super) fn entry_of_disk(&self, path: &Path) -> Entry {
        if let Some(entry) = self.known.borrow().get(path.as_os_str()) {
            return entry.clone();
        }
        self.take_steps(DISK);
        let entry = self.links.entry(path);
        self.known
            .borrow_mut()
            .insert(path.as_os_str().to_owned(), entry.clone());
        entry
    }

    /// Whether the path surely is a directory now.
    pub(crate) fn is_directory(&self, path: &Path) -> bool {
        self.there(path) == There::Yes
    }

    /// Whether a file is at the path or on the way to it.
    pub(crate) fn is_file(&self, path: &Path) -> bool {
        path.ancestors().any(|path| {
            self.physical(path)
                .is_some_and(|real| self.entry(&real) == Entry::File)
        })
    }

    /// The directories a path may lead to, links followed.
    pub(crate) fn folders_behind(&self, path: &Path) -> Vec<Place> {
        let ways = (!climbs_from_unknown(path)).then(|| self.ways(path));
        match ways.flatten() {
            Some(ways) if !ways.is_empty() => ways.into_iter().map(Place::Known).collect(),
            Some(_) | None => vec![Place::Unknown],
        }
    }

    /// Whether anything exists at the path.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        self.physical(path)
            .is_some_and(|real| self.entry(&real) != Entry::Missing)
    }

    /// Follows links the way the kernel does; `None` when they do not end.
    pub(super) fn physical(&self, path: &Path) -> Option<PathBuf> {
        self.physical_below(path, 0)
    }

    /// Most paths are in a folder that was asked about before: only their last part is new.
    fn physical_below(&self, path: &Path, depth: usize) -> Option<PathBuf> {
        // The kernel takes no longer ones, and following them would take long.
        if path.as_os_str().len() > LONGEST {
            return None;
        }
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return self.followed(path);
        };
        if depth > DEEPEST {
            return self.followed(path);
        }
        let folder = self.folder(parent, depth);
        let real = folder.real.as_ref()?;
        let whole = real.join(name);
        if self.is_link(&folder, name, &whole) {
            self.followed(path)
        } else {
            Some(whole)
        }
    }

    fn folder(&self, path: &Path, depth: usize) -> Rc<Folder> {
        if let Some(folder) = self.folders.borrow().get(path.as_os_str()) {
            return Rc::clone(folder);
        }
        let folder = Rc::new(Folder {
            real: self.physical_below(path, depth + 1),
            asked: Cell::new(0),
            links: OnceCell::new(),
        });
        self.folders
            .borrow_mut()
            .insert(path.as_os_str().to_owned(), Rc::clone(&folder));
        folder
    }

    /// Whether a name in a folder is a link; after many questions the folder is listed once instead.
    fn is_link(&self, folder: &Folder, name: &OsStr, whole: &Path) -> bool {
        if let Some(entries) = self.made.at(whole) {
            return matches!(entries.last(), Some(Entry::Link(_)));
        }
        folder.asked.set(folder.asked.get() + 1);
        if folder.asked.get() > ASKED {
            let names = folder.links.get_or_init(|| {
                let listed = self.links_in(whole.parent()?)?;
                let names = listed.iter().filter_map(|link| link.file_name());
                Some(names.map(OsStr::to_owned).collect())
            });
            if let Some(names) = names {
                return names.contains(name);
            }
        }
        matches!(self.entry(whole), Entry::Link(_))
    }

    fn followed(&self, path: &Path) -> Option<PathBuf> {
        self.take_steps(path.as_os_str().len() / 16);
        let mut done = PathBuf::from("/");
        let mut todo: Vec<std::ffi::OsString> = components(path);
        todo.reverse();
        let mut hops = 0;
        while let Some(part) = todo.pop() {
            if part == ".." {
                done.pop();
                continue;
            }
            done.push(&part);
            if let Entry::Link(target) = self.entry(&done) {
                hops += 1;
                if hops > 40 || target.as_os_str().len() > LONGEST {
                    return None;
                }
                done.pop();
                if target.is_absolute() {
                    done = PathBuf::from("/");
                }
                let mut more = components(&target);
                more.reverse();
                todo.extend(more);
            }
        }
        Some(done)
    }

    /// The spelling of a path below the worktree.
    pub(crate) fn below_worktree(&self, path: &str, place: &Place) -> Option<String> {
        let absolute = normal(&absolute(path, place)?);
        [&self.worktree, &self.worktree_real]
            .into_iter()
            .find_map(|base| below(&absolute, base))
            .map(|inner| inner.to_string_lossy().into_owned())
    }

    /// Where a path physically is, as a key for files the command wrote itself.
    pub(crate) fn key(&self, path: &str, place: &Place) -> Option<PathBuf> {
        if text::is_any(path) {
            return None;
        }
        match place {
            Place::Known(folder) => self.located(path, folder).real.clone(),
            Place::Unknown => self.physical(&absolute(path, place)?),
        }
    }

    /// The same for a command that may be in several folders, where that is one file all the same.
    pub(crate) fn agreed_key(&self, path: &str, places: &[Place]) -> Option<PathBuf> {
        let (first, rest) = places.split_first()?;
        let key = self.key(path, first)?;
        let agrees = |place| self.key(path, place).as_ref() == Some(&key);
        rest.iter().all(agrees).then_some(key)
    }

    /// Where a path is, by its spelling and physically.
    pub(super) fn located(&self, path: &str, folder: &Path) -> Rc<Located> {
        if let Some(found) = self
            .located
            .borrow()
            .get(folder.as_os_str())
            .and_then(|paths| paths.get(path))
        {
            return Rc::clone(found);
        }
        self.take_steps(LOCATING);
        let absolute = folder.join(path);
        let found = Rc::new(Located {
            spelled: normal(&absolute),
            real: self.physical(&absolute),
            zone: Cell::new(None),
            secret: Cell::new(None),
        });
        let mut all = self.located.borrow_mut();
        match all.get_mut(folder.as_os_str()) {
            Some(paths) => {
                paths.insert(path.to_owned(), Rc::clone(&found));
            }
            None => {
                let paths = HashMap::from([(path.to_owned(), Rc::clone(&found))]);
                all.insert(folder.as_os_str().to_owned(), paths);
            }
        }
        found
    }
}
