//! Paths that something printed: each may be that of a link, as far as there are links below that folder.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::resolve::{LONGEST, Names, Paths};
use super::spelling::components;
use super::zones::Zone;
use crate::shell::glob;
use crate::shell::text::{self, PATH, SOLID, TRACKED, WHOLE};

/// A pattern that finds more folders is not followed.
const MOST_FOLDERS: usize = 256;

/// Nor one for which more names have to be looked at.
const MOST_NAMES: usize = 8192;

impl Paths<'_> {
    /// The worst place a path leads to whose first printed part is one of the links that exist, or one that leads
    /// on through such a link.
    pub(super) fn through_listed(&self, absolute: &Path) -> Zone {
        let parts = components(absolute);
        let listed = |part: &std::ffi::OsString| text::is_listed(&part.to_string_lossy());
        let Some(at) = parts.iter().position(listed) else {
            return Zone::Device;
        };
        let folder: PathBuf = Path::new("/").join(parts.iter().take(at).collect::<PathBuf>());
        let name = parts.get(at).map(|part| part.to_string_lossy());
        let name = name.unwrap_or_default();
        let rest: Vec<String> = parts
            .iter()
            .skip(at + 1)
            .map(|part| part.to_string_lossy().into_owned())
            .collect();
        let solid = name.replace(WHOLE, "") == format!("{SOLID}{PATH}");
        if solid && rest.is_empty() {
            return Zone::Device;
        }
        let base = self.physical(&folder).unwrap_or(folder);
        let tracked = name.replace(WHOLE, "").starts_with(TRACKED) && rest.is_empty();
        let found = match self.links_below(&base) {
            Some(found) => found,
            None if tracked => Rc::default(),
            None => return Zone::Unknown,
        };
        let made = self.made.links().filter(|link| link.starts_with(&base));
        let mut worst = Zone::Device;
        for link in found.iter().map(PathBuf::as_path).chain(made) {
            let Ok(inner) = link.strip_prefix(&base) else {
                continue;
            };
            let inner: Vec<String> = components(inner)
                .iter()
                .map(|part| part.to_string_lossy().into_owned())
                .collect();
            for used in 0..=rest.len().min(inner.len().saturating_sub(1)) {
                // So many of the parts behind belong to the name of the link.
                let (first, last) = inner.split_at(inner.len() - used);
                let fits = (used > 0 || !solid)
                    && glob::matches(&name, &first.join("/"), true)
                    && last
                        .iter()
                        .zip(&rest)
                        .all(|(part, sign)| glob::matches(sign, part, self.dotglob));
                if !fits {
                    continue;
                }
                let behind: PathBuf = rest.iter().skip(used).collect();
                let real = self.physical(&link.join(&behind));
                worst = worst.max(real.map_or(Zone::Unknown, |real| self.of_normal(&real)));
                worst = worst.max(self.of_other_ways(&link.join(behind)));
            }
        }
        worst
    }

    /// The links in a folder; each folder is listed once. `None` when it holds too much.
    pub(super) fn links_in(&self, folder: &Path) -> Option<Rc<Vec<PathBuf>>> {
        self.listed.of(folder, || self.links.links_in(folder))
    }

    /// The links below a folder; each folder is walked through once. `None` when it holds too much.
    fn links_below(&self, folder: &Path) -> Option<Rc<Vec<PathBuf>>> {
        self.walked.of(folder, || self.links.links_below(folder))
    }

    /// Whether a pattern of folders finds something, and nothing but folders that can be entered.
    pub(crate) fn finds_folders(&self, pattern: &Path, only_folders: bool) -> bool {
        if pattern.as_os_str().len() > LONGEST {
            return false;
        }
        let mut found = vec![PathBuf::from("/")];
        let parts = components(pattern);
        let last = parts.len().saturating_sub(1);
        let mut looked_at = 0;
        for (at, part) in parts.iter().enumerate() {
            let sign = part.to_string_lossy();
            if !text::has_glob(&sign) {
                for folder in &mut found {
                    folder.push(part);
                }
                if at == last && !found.iter().all(|folder| self.is_directory(folder)) {
                    return false;
                }
                continue;
            }
            let mut next = Vec::new();
            for folder in &found {
                let Some(names) = self.names_in(folder) else {
                    return false;
                };
                looked_at += names.len();
                if looked_at > MOST_NAMES {
                    return false;
                }
                for (name, enters) in names.iter() {
                    if !glob::matches(&sign, name, self.dotglob) {
                        continue;
                    }
                    if *enters {
                        next.push(folder.join(name));
                    } else if at == last && !only_folders {
                        return false;
                    }
                }
            }
            if next.len() > MOST_FOLDERS {
                return false;
            }
            found = next;
        }
        !found.is_empty()
    }

    /// What the pattern of a name finds in a folder; `None` when it holds too much.
    pub(crate) fn found_by(&self, pattern: &Path) -> Option<Vec<String>> {
        let sign = pattern.file_name()?.to_string_lossy();
        let folder = self.physical(pattern.parent()?)?;
        let names = self.names_in(&folder)?;
        let fits = names
            .iter()
            .filter(|(name, _)| glob::matches(&sign, name, self.dotglob));
        Some(
            fits.map(|(name, _)| name.clone())
                .take(MOST_FOLDERS)
                .collect(),
        )
    }

    fn names_in(&self, folder: &Path) -> Option<Names> {
        if let Some(known) = self.named.borrow().get(folder) {
            return known.clone();
        }
        let names = self.links.names_in(folder).map(Rc::new);
        self.take_steps(names.as_ref().map_or(1, |names| names.len() / 8 + 1));
        self.named
            .borrow_mut()
            .insert(folder.to_path_buf(), names.clone());
        names
    }

    /// Whether some folder held too much to look for the links below it.
    pub(crate) fn was_too_large(&self) -> bool {
        self.walked.0.borrow().values().any(Option::is_none)
    }
}

/// The links of folders that were asked for; `None` for those that hold too much.
#[derive(Default)]
pub(super) struct Listings(RefCell<HashMap<PathBuf, Option<Rc<Vec<PathBuf>>>>>);

impl Listings {
    /// What is remembered of a folder, or else what looking finds.
    fn of(
        &self,
        folder: &Path,
        look: impl FnOnce() -> Option<Vec<PathBuf>>,
    ) -> Option<Rc<Vec<PathBuf>>> {
        if let Some(found) = self.0.borrow().get(folder) {
            return found.clone();
        }
        let found = look().map(Rc::new);
        self.0
            .borrow_mut()
            .insert(folder.to_path_buf(), found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use crate::paths::{Entry, Links, Place};
    use crate::policy::Policy;
    use crate::shell::walk::Walker;

    /// A disk whose folders hold more than is looked through.
    struct Large;

    impl Links for Large {
        fn entry(&self, _path: &Path) -> Entry {
            Entry::Directory
        }
        fn links_in(&self, _directory: &Path) -> Option<Vec<PathBuf>> {
            Some(Vec::new())
        }
        fn links_below(&self, _directory: &Path) -> Option<Vec<PathBuf>> {
            None
        }
        fn names_in(&self, _directory: &Path) -> Option<Vec<(String, bool)>> {
            None
        }
        fn is_bare(&self, _directory: &Path) -> bool {
            false
        }
    }

    #[test]
    fn what_is_found_in_too_large_a_tree_is_refused_with_what_to_do() {
        let policy = Policy {
            agent: "ada".to_owned(),
            capability: "builder".to_owned(),
            worktree: PathBuf::from("/w/x"),
            root: PathBuf::from("/w"),
            temp: None,
            quality_gates: Vec::new(),
            task_id: None,
            allow: Vec::new(),
            block: Vec::new(),
        };
        let asked = |command: &str| {
            let mut walker = Walker::new(&policy, &Large);
            let mut state = walker.start(Place::Known(policy.worktree.clone()));
            walker.command_line(command, &mut state).map(|_| ())
        };
        for command in ["find . | xargs touch", "find . -exec touch {} +"] {
            let reason = asked(command).err().map(|refusal| refusal.reason);
            assert!(
                reason
                    .as_ref()
                    .is_some_and(|reason| reason.contains("-type f")),
                "{command}: {reason:?}"
            );
        }
        for command in [
            "find . -type f | xargs touch",
            "find . -type f -exec touch {} +",
        ] {
            assert!(asked(command).is_ok(), "{command}");
        }
    }
}
