//! `cd` and its kin: which directories the commands behind may run in.

use super::expand::place_text;
use super::state::{State, Var};
use super::text;
use super::walk::{Done, Walker};
use crate::paths::{Place, normal};

impl Walker<'_> {
    pub(super) fn change_directory(&mut self, args: &[String], st: &mut State) -> Done {
        let target = args
            .iter()
            .find(|arg| !matches!(arg.as_str(), "-P" | "-L" | "-e" | "-@" | "--" | "-n"))
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
        let mut certain = true;
        let places = before
            .cwd
            .iter()
            .map(|place| {
                if searched || text::is_any(&target) {
                    return Place::Unknown;
                }
                let Some(absolute) = crate::paths::absolute(&target, place) else {
                    return Place::Unknown;
                };
                let normal = normal(&absolute);
                certain &= self.made.contains(&normal) || self.paths.is_directory(&absolute);
                Place::Known(normal)
            })
            .collect();
        st.cwd = places;
        st.old_cwd.clone_from(&before.cwd);
        Done {
            out: String::new(),
            failed: (!certain).then_some(before),
        }
    }
}
