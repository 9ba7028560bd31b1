//! `cd` and its kin: which directories the commands behind may run in.

use super::expand::place_text;
use super::state::{State, Var};
use super::text;
use super::walk::{Done, Walker};
use crate::paths::{Place, normal};

impl Walker<'_> {
    /// Whether a folder of this name is there, wherever the command may be.
    fn exists(&self, name: &str, st: &State) -> bool {
        st.cwd.iter().all(|place| {
            crate::paths::absolute(name, place).is_some_and(|path| self.paths.is_directory(&path))
        })
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
        if target == "-" {
            st.cwd.clone_from(&before.old_cwd);
            st.old_cwd.clone_from(&before.cwd);
            return Done {
                out: place_text(&st.cwd),
                failed: None,
            };
        }
        let searched = st.vars.contains_key("CDPATH")
            && !target.starts_with('/')
            && !target.starts_with("./")
            && !target.starts_with("..");
        // Two words are the change of one part of the path to zsh, and a mistake to others.
        let several = rest.iter().filter(|arg| *arg != "--").count() > 1;
        // In zsh only the first part of the path is the variable's name.
        let first = target.split('/').next().unwrap_or_default();
        let by_variable =
            self.enters_variables && super::expand::is_name(first) && !self.exists(&target, st);
        let mut certain = true;
        let mut places = Vec::new();
        for place in &before.cwd {
            let unknown =
                searched || several || self.wanders || by_variable || text::is_any(&target);
            let known = (!unknown)
                .then(|| crate::paths::absolute(&target, place))
                .flatten()
                .filter(|absolute| !crate::paths::climbs_from_unknown(absolute));
            let Some(absolute) = known else {
                places.push(Place::Unknown);
                continue;
            };
            let normal = normal(&absolute);
            certain &= self.made.contains(&normal) || self.paths.is_directory(&absolute);
            places.push(Place::Known(normal));
            if physical {
                places.push(self.paths.folder_behind(&absolute));
            }
        }
        places.dedup();
        st.cwd = places;
        st.old_cwd.clone_from(&before.cwd);
        Done {
            out: String::new(),
            failed: (!certain).then_some(before),
        }
    }

    /// Moves a state into a directory the way programs do, whether it exists or not: links are followed first.
    pub(crate) fn enter(&mut self, target: &str, st: &mut State) {
        let unknown = target == "-" || text::is_any(target);
        st.cwd = st
            .cwd
            .iter()
            .map(|place| match crate::paths::absolute(target, place) {
                Some(absolute) if !unknown => self.paths.folder_behind(&absolute),
                Some(_) | None => Place::Unknown,
            })
            .collect();
    }

    /// Where a shell started here may be: it may have been told another name of the directory, or none.
    pub(crate) fn physical_too(&self, places: &mut Vec<Place>) {
        let behind: Vec<Place> = places
            .iter()
            .filter_map(|place| match place {
                Place::Known(folder) => Some(self.paths.folder_behind(folder)),
                Place::Unknown => None,
            })
            .collect();
        for place in behind {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
}
