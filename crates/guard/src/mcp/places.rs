//! The folders that a call says it works in.

use crate::judge::malformed;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;
use crate::tool_paths::{names_variable, readings};

/// Every folder that the fields may mean, as a server reads them.
pub(super) fn folders(places: &[String]) -> Judged<Vec<String>> {
    if places.iter().any(|place| names_variable(place)) {
        return Err(malformed(
            "the folder begins with a variable; write its path out",
        ));
    }
    Ok(places.iter().flat_map(|place| readings(place)).collect())
}

/// The states in which the call may run: one for each folder, or the one it was made in.
pub(super) fn entered(w: &mut Walker<'_>, places: &[String], st: &State) -> Judged<Vec<State>> {
    let mut found = Vec::new();
    for folder in folders(places)? {
        let mut there = st.clone();
        w.enter(&folder, &mut there);
        found.push(there);
    }
    if found.is_empty() {
        found.push(st.clone());
    }
    Ok(found)
}
