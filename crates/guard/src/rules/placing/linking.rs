//! Where a link lands that a command makes: at its destination, or in the folder that is there.

use std::path::{Path, PathBuf};

use super::super::flags::Flags;
use crate::paths::{Entry, Place, There, absolute};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// How a link is made, by the options of `ln` and `cp`.
#[derive(Debug, Clone, Copy)]
pub(in crate::rules) struct Linking {
    /// The destination is taken for the link itself.
    pub(in crate::rules) whole: bool,
    /// A link at the destination is not followed.
    keeps: bool,
    /// The destination is a folder.
    into: bool,
    /// What is there is replaced.
    replaces: bool,
    /// It leads there by a way of its own, as `-r` makes it, or is another name of the same file.
    leads_itself: bool,
}

impl Linking {
    /// Those of `ln` with so many operands: one alone is linked to under its own name.
    pub(in crate::rules) fn of(flags: &Flags, operands: usize) -> Self {
        let into = flags.has(&["t", "target-directory"]);
        Self {
            whole: flags.has(&["T", "no-target-directory"]) || operands == 1 && !into,
            keeps: flags.has(&["n", "h", "no-dereference"]),
            into,
            replaces: flags.has(&[
                "f",
                "F",
                "i",
                "interactive",
                "b",
                "S",
                "force",
                "backup",
                "suffix",
                "remove-destination",
            ]),
            leads_itself: flags.has(&["r", "relative"])
                || !flags.has(&["s", "symbolic", "symbolic-link"]),
        }
    }

    /// Whether the destination is surely a link that is not followed: it is replaced, wherever it leads.
    pub(in crate::rules) fn replaces_link(self, w: &Walker<'_>, target: &str, st: &State) -> bool {
        let plain = text::is_known(target) && !target.ends_with(['/', '.']);
        let is_link = |place: &PathBuf| {
            let entries = w.paths.entries(place);
            entries.iter().all(|entry| matches!(entry, Entry::Link(_)))
        };
        self.keeps
            && !self.into
            && plain
            && st.cwd.iter().all(|place| {
                absolute(target, place).is_some_and(|at| {
                    let places = w.paths.entry_places(&at);
                    !places.is_empty() && places.iter().all(is_link)
                })
            })
    }

    /// Those of `cp -s`, which follows what is at the destination.
    pub(in crate::rules) fn of_copy(flags: &Flags) -> Self {
        Self {
            keeps: false,
            ..Self::of(flags, 2)
        }
    }
}

/// One link that is made.
struct Link<'a> {
    /// What the destination would be called if it were a folder.
    name: &'a str,
    leads: PathBuf,
    how: Linking,
    sure: bool,
}

/// Remembers the links that are made of these sources.
pub(in crate::rules) fn made(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    how: Linking,
    st: &State,
) {
    let Some(target) = target else { return };
    let sure = w.surely_runs(st)
        && text::is_known(target)
        && sources.iter().all(|source| text::is_known(source));
    let slash = target.ends_with('/') || target.ends_with("/.") || matches!(target, "." | "..");
    let how = Linking {
        into: how.into || sources.len() > 1 || slash,
        ..how
    };
    // Where the command may be in several folders, the link may be in each of them.
    for place in &st.cwd {
        let Some(at) = absolute(target, place) else {
            continue;
        };
        let sources: Vec<String> = sources
            .iter()
            .flat_map(|source| found(w, source, place))
            .collect();
        for source in &sources {
            // What is not known may lead anywhere.
            let source = if text::is_any(source) { "/" } else { source };
            let name = source.trim_end_matches('/').rsplit('/').next();
            let leads = match absolute(source, place) {
                Some(source) if how.leads_itself => source,
                Some(_) | None => PathBuf::from(source),
            };
            let link = Link {
                name: name.unwrap_or_default(),
                leads,
                how,
                sure,
            };
            link.lands(w, &at);
        }
    }
}

/// The names that a source stands for.
fn found(w: &Walker<'_>, source: &str, place: &Place) -> Vec<String> {
    let as_written = vec![source.to_owned()];
    let (folder, pattern) = source.rsplit_once('/').unwrap_or(("", source));
    if !text::has_glob(pattern) || text::has_glob(folder) {
        return as_written;
    }
    let names = absolute(source, place).and_then(|pattern| w.paths.found_by(&pattern));
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        return as_written;
    };
    let spelled = |name: String| match source.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name,
    };
    names.into_iter().map(spelled).collect()
}

impl Link<'_> {
    fn lands(&self, w: &mut Walker<'_>, at: &Path) {
        let places = w.paths.entry_places(at);
        let sure = self.sure && places.len() == 1;
        for place in places {
            w.paths.doubt(&place);
            let entries = w.paths.entries(&place);
            let there = w.paths.there(&place);
            let follows = !self.how.keeps || self.how.into;
            if !self.how.whole {
                self.lands_in(w, &place, &entries, sure && there == There::Yes, follows);
            }
            if self.how.into {
                continue;
            }
            let within = place
                .parent()
                .is_none_or(|above| w.paths.is_directory(above));
            w.paths.change(&place, sure && within, |entry| match entry {
                Entry::Missing => vec![self.entry()],
                Entry::File => self.instead_of(entry),
                Entry::Directory => vec![Entry::Directory],
                Entry::Link(_) if self.how.whole || !follows || there == There::No => {
                    self.instead_of(entry)
                }
                Entry::Link(_) if there == There::Yes => vec![entry.clone()],
                Entry::Link(_) => {
                    let mut either = vec![entry.clone()];
                    either.extend(self.instead_of(entry));
                    either
                }
            });
        }
    }

    /// In the folder that may be there, also where nobody has seen it: programs make folders.
    fn lands_in(
        &self,
        w: &mut Walker<'_>,
        place: &Path,
        entries: &[Entry],
        sure: bool,
        follows: bool,
    ) {
        let may_be_link = |entry: &Entry| matches!(entry, Entry::Link(_));
        if !follows && entries.iter().all(may_be_link) {
            return;
        }
        let ways = w.paths.ways(place);
        let sure = sure && ways.as_ref().is_some_and(|ways| ways.len() == 1);
        for folder in ways.unwrap_or_else(|| vec![place.to_path_buf()]) {
            let inner = folder.join(self.name);
            w.paths.change(&inner, sure, |entry| match entry {
                Entry::Missing => vec![self.entry()],
                Entry::File | Entry::Link(_) => self.instead_of(entry),
                Entry::Directory => vec![Entry::Directory],
            });
        }
    }

    fn entry(&self) -> Entry {
        Entry::Link(self.leads.clone())
    }

    fn instead_of(&self, entry: &Entry) -> Vec<Entry> {
        if self.how.replaces {
            vec![self.entry()]
        } else {
            vec![entry.clone()]
        }
    }
}

impl Walker<'_> {
    /// May this entry be created, or replaced if it exists?
    pub(in crate::rules) fn delete_or_create(&mut self, path: &str, st: &State) -> Judged<()> {
        if text::has_glob(path) {
            // What it matches may be the folder into which a link is put.
            self.write_path(path, st)?;
        }
        if st.cwd.iter().any(|place| {
            crate::paths::absolute(path, place)
                .is_some_and(|path| self.paths.there(&path) != There::No)
        }) {
            self.write_path(path, st)?;
        }
        let certain = st.cwd.iter().all(|place| {
            crate::paths::absolute(path, place).is_some_and(|path| self.paths.is_directory(&path))
        });
        if certain {
            return Ok(());
        }
        self.delete_path(path, false, st)
    }
}
