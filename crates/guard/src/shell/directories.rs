//! `cd` and its kin: which directories the commands behind may run in.

use super::ast::{Command, Pipeline, Word};
use super::expand::place_text;
use super::state::{State, Var};
use super::text::{self, BRACKET, QUEST, STAR};
use super::walk::{Done, Walker};
use crate::paths::{LONGEST, Place, normal};

impl Walker<'_> {
    /// Whether a folder of this name is there, wherever the command may be.
    fn exists(&self, name: &str, st: &State) -> bool {
        st.cwd.iter().all(|place| {
            crate::paths::absolute(name, place).is_some_and(|path| self.paths.is_directory(&path))
        })
    }

    /// `cd folder`, where the folder is there.
    pub(super) fn surely_enters(&self, pipeline: &Pipeline, st: &State) -> bool {
        let ([Command::Simple(simple)], false) = (pipeline.stages.as_slice(), pipeline.negated)
        else {
            return false;
        };
        let words: Option<Vec<&str>> = simple.words.iter().map(Word::plain).collect();
        let Some(["cd", folder]) = words.as_deref() else {
            return false;
        };
        let plain = simple.redirects.is_empty() && !folder.starts_with('-');
        plain && !st.functions.contains_key("cd") && self.exists(folder, st)
    }

    pub(super) fn change_directory(&mut self, args: &[String], st: &mut State) -> Done {
        let is_option = |arg: &&String| {
            arg.len() > 1
                && arg.starts_with('-')
                && arg.chars().skip(1).all(|c| "LPe@n".contains(c))
        };
        let options = args.iter().take_while(is_option).count();
        let (options, rest) = args.split_at(options);
        let physical = st.physical || options.iter().any(|arg| arg.contains('P'));
        let target = rest
            .iter()
            .find(|arg| *arg != "--")
            .cloned()
            .unwrap_or_else(|| {
                st.vars
                    .get("HOME")
                    .map_or_else(|| text::HOME.to_owned(), Var::value)
            });
        let before = st.clone();
        let presumed = self.presumes(&target);
        if target == "-" {
            st.cwd.clone_from(&before.old_cwd);
            st.old_cwd.clone_from(&before.cwd);
            return Done {
                out: place_text(&st.cwd),
                ..Done::default()
            };
        }
        let searched = searched_folders(&target, st);
        // Two words are the change of one part of the path to zsh, and a mistake to others.
        let several = rest.iter().filter(|arg| *arg != "--").count() > 1;
        // In zsh only the first part of the path is the variable's name.
        let first = target.split('/').next().unwrap_or_default();
        let by_variable =
            self.enters_variables && super::expand::is_name(first) && !self.exists(&target, st);
        // No folder has so long a path, so that this fails; where the command is then is not worked out.
        let too_long = target.len() > LONGEST;
        let mut certain = true;
        let mut places = Vec::new();
        for place in &before.cwd {
            let unknown =
                several || self.wanders || by_variable || too_long || text::is_any(&target);
            for folder in &searched {
                if places.len() >= MOST_PLACES {
                    places.push(Place::Unknown);
                    break;
                }
                let known = (!unknown && !text::is_any(folder))
                    .then(|| below(folder, &target, place))
                    .flatten()
                    .filter(|absolute| !crate::paths::climbs_from_unknown(absolute));
                let Some(absolute) = known else {
                    places.push(Place::Unknown);
                    places.extend(self.store_of_home(&target));
                    continue;
                };
                let normal = normal(&absolute);
                certain &= self.made.contains(&normal)
                    || self.paths.is_directory(&absolute)
                    || self.climbs_out(&absolute)
                    || self.all_enter(&target, &normal);
                let found = Place::Known(normal);
                if !places.contains(&found) {
                    places.push(found);
                }
                if physical {
                    places.extend(self.paths.folders_behind(&absolute));
                }
            }
        }
        places.dedup();
        st.doubt.clear();
        if is_up(&target) && self.is_bare() && !st.idle {
            st.doubt = paired(&before.cwd, &mut places);
        }
        st.idle = !is_up(&target);
        st.cwd = places;
        st.old_cwd.clone_from(&before.cwd);
        // A reading takes the folder to be there.
        let enters = certain || presumed && self.decisions.are_made();
        let failed = (!enters).then(|| State {
            // Back is where the shell is already.
            old_cwd: if presumed {
                before.cwd.clone()
            } else {
                before.old_cwd.clone()
            },
            ..before
        });
        Done {
            out: String::new(),
            failed,
            enters: certain,
        }
    }

    /// The folder of credentials in a home that this name may lead to, where it is not known what stands before it.
    fn store_of_home(&self, target: &str) -> Option<Place> {
        let told = target.rsplit(text::ANY).next().unwrap_or(target);
        let told = told.trim_start_matches('/');
        let place = Place::Known(text::HOME.into());
        (!told.is_empty() && text::is_known(told) && self.paths.is_secret(told, &place))
            .then(|| Place::Known(normal(&std::path::Path::new(text::HOME).join(told))))
    }

    /// Whether the worktree holds nothing yet that could be looked at.
    fn is_bare(&self) -> bool {
        self.paths.is_bare()
    }

    /// Whether a folder is taken to be there for the way back out of it: one below, named in full, in a worktree that
    /// tells nothing about it.
    pub(super) fn presumes(&self, target: &str) -> bool {
        let below = !target.is_empty()
            && !target.starts_with(['/', '-', '~'])
            && target.split('/').all(|part| part != "..");
        let told = text::is_known(target) || is_pattern(target);
        below && told && self.is_bare()
    }

    /// `scripts/..`, where this command made the folders that it leads through.
    fn climbs_out(&self, absolute: &std::path::Path) -> bool {
        let stands = |path: &std::path::Path| {
            let path = normal(path);
            self.made.contains(&path) || self.paths.is_directory(&path)
        };
        let climbs = absolute
            .components()
            .any(|part| part == std::path::Component::ParentDir);
        climbs && absolute.ancestors().all(stands)
    }

    /// Whether a pattern finds folders only, and this command wrote nothing next to them.
    fn all_enter(&self, target: &str, absolute: &std::path::Path) -> bool {
        is_pattern(target)
            && self.paths.finds_folders(absolute, target.ends_with('/'))
            && !self
                .written
                .keys()
                .any(|file| file.parent() == absolute.parent())
    }

    /// Moves a state into a directory the way programs do, whether it exists or not: links are followed first.
    pub(crate) fn enter(&mut self, target: &str, st: &mut State) {
        let unknown = target == "-" || text::is_any(target);
        st.cwd = st
            .cwd
            .iter()
            .flat_map(|place| match crate::paths::absolute(target, place) {
                Some(absolute) if !unknown => self.paths.folders_behind(&absolute),
                Some(_) | None => vec![Place::Unknown],
            })
            .collect();
    }

    /// Where a shell started here may be: it may have been told another name of the directory, or none.
    pub(crate) fn physical_too(&self, places: &mut Vec<Place>) {
        let behind: Vec<Place> = places
            .iter()
            .filter_map(Place::folder)
            .flat_map(|folder| {
                let behind = self.paths.folders_behind(folder).into_iter();
                behind.filter(|behind| {
                    behind
                        .folder()
                        .is_none_or(|real| !self.paths.is_same_inside(folder, real))
                })
            })
            .collect();
        for place in behind {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
}

/// The folders in which `cd` looks for a name, the one that the shell is in by an empty name: those of `CDPATH`, which
/// zsh also keeps as a list, and last the own one.
fn searched_folders(target: &str, st: &State) -> Vec<String> {
    let mut folders = Vec::new();
    let named = !target.starts_with('/') && !matches!(target.split('/').next(), Some("." | ".."));
    if named {
        for value in st.vars.get("CDPATH").iter().flat_map(|var| &var.values) {
            folders.extend(value.split(':').take(MOST_SEARCHED).map(str::to_owned));
            if value.split(':').nth(MOST_SEARCHED).is_some() {
                folders.push(text::ANY.to_string());
            }
        }
        if let Some(var) = st.vars.get("cdpath") {
            let listed = var.array.as_ref().unwrap_or(&var.values);
            folders.extend(listed.iter().take(MOST_SEARCHED).cloned());
        }
    }
    folders.push(String::new());
    folders.dedup();
    folders
}

/// More folders than this are not looked at one by one.
const MOST_SEARCHED: usize = 16;

/// In more places than this a command is not followed; of each one after another more may come.
const MOST_PLACES: usize = 64;

/// A name in a folder, which itself may be one below where the command is.
fn below(folder: &str, target: &str, place: &Place) -> Option<std::path::PathBuf> {
    match folder {
        "" | "." => crate::paths::absolute(target, place),
        _ => Some(crate::paths::absolute(folder, place)?.join(target)),
    }
}

/// `..`, `../..`
fn is_up(target: &str) -> bool {
    target
        .trim_end_matches('/')
        .split('/')
        .all(|part| part == "..")
}

/// A pattern of names, with nothing else in it that is not known.
fn is_pattern(target: &str) -> bool {
    let plain: String = target
        .chars()
        .filter(|c| !matches!(*c, STAR | QUEST | BRACKET))
        .collect();
    plain.len() < target.len() && text::is_known(&plain)
}

/// Of `cd web; …; cd ..`, the way back leads to where the way in began: where the command is not known to have gone in,
/// the place above is left out and given back.
fn paired(before: &[Place], after: &mut Vec<Place>) -> Vec<Place> {
    let came_back: Vec<Place> = before
        .iter()
        .filter(|place| after.contains(place))
        .cloned()
        .collect();
    let above = |place: &Place| match place {
        Place::Known(above) => came_back.iter().any(|back| match back {
            Place::Known(back) => back != above && back.starts_with(above),
            Place::Unknown => false,
        }),
        Place::Unknown => false,
    };
    let left_out = after.iter().filter(|place| above(place)).cloned().collect();
    after.retain(|place| !above(place));
    left_out
}
