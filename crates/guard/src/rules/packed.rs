//! What goes through an archive: links that one command packs and unpacks again lead where they did before, and files
//! that are not the project's stay such.
//!
//! What an archive of somebody else holds is not known; links out of it are there for the next call to see.

use std::path::Path;

use crate::paths::{Place, absolute, normal};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// Steps that go into a look for the links of one source.
const LOOKED_AT: usize = 6;

/// Where the marks of a command are: an archive of it holds what is not the project's.
const FOREIGN: &str = "packed: foreign";

/// Remembers the links that an archive takes in with a source, by their names in it.
pub(super) fn take_in(w: &mut Walker<'_>, source: &str, st: &State) -> Judged<()> {
    w.charge(LOOKED_AT)?;
    if w.is_foreign(source, st) {
        w.begun.insert(FOREIGN.to_owned());
    }
    let name = Path::new(source.trim_start_matches('/'));
    for place in &st.cwd {
        let Some(from) = absolute(source.trim_end_matches('/'), place) else {
            continue;
        };
        let from = normal(&from);
        for (link, leads) in w.paths.links_at(&from) {
            if let Ok(inner) = link.strip_prefix(&from) {
                w.packed.push((name.join(inner), leads));
            }
        }
    }
    Ok(())
}

/// Remembers the links that an archive of this command leaves in a folder; behind how many of its folders is not
/// known where it is `renamed`.
pub(super) fn bring_back(w: &mut Walker<'_>, renamed: bool, st: &State) {
    if w.begun.contains(FOREIGN) {
        w.landed_in(".", true, st);
    }
    for (name, leads) in w.packed.clone() {
        for place in &st.cwd {
            let Place::Known(folder) = place else {
                continue;
            };
            let mut rest = Some(name.as_path());
            while let Some(part) = rest.filter(|part| !part.as_os_str().is_empty()) {
                w.paths.link_made(&folder.join(part), &leads);
                let mut inner = part.components();
                inner.next();
                rest = renamed.then_some(inner.as_path());
            }
        }
    }
}
