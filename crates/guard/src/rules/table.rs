//! Which rule judges which program.
//!
//! The order matters only where a name could belong to two tables; the stricter one comes first.

use super::{
    archives, build, calculators, checkers, containers, databases, editors, files, find, generic,
    git, network, orchestrator, process, publish, readers, streams, system,
};
use crate::commands::Call;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::walk::Walker;

/// A rule: `None` when it does not know the program.
type Rule = fn(&mut Walker<'_>, &str, &Call, &State) -> Option<Judged<()>>;

const RULES: [Rule; 18] = [
    system::judge,
    process::judge,
    orchestrator::judge,
    git::judge,
    publish::judge,
    files::judge,
    streams::judge,
    calculators::judge,
    find::judge,
    editors::judge,
    archives::judge,
    network::judge,
    containers::judge,
    databases::judge,
    checkers::judge,
    build::judge,
    readers::judge,
    generic::judge,
];

/// Judges one program with its arguments.
pub(crate) fn judge(w: &mut Walker<'_>, name: &str, call: &Call, st: &State) -> Judged<()> {
    for (key, value) in call.env.clone() {
        w.check_variable(&key, &value, st)?;
    }
    for rule in RULES {
        if let Some(result) = rule(w, name, call, st) {
            return result;
        }
    }
    Ok(())
}

/// Whether a program in the project folder with this name is judged as the known one.
pub(crate) fn is_dangerous_name(name: &str) -> bool {
    matches!(
        name,
        "git" | "gh" | "glab" | "sudo" | "rm" | "claude" | "codex" | "gemini"
    )
}

/// Whether a program outside the system folders is at least one that is known by name.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(
        name,
        "git" | "gh" | "rm" | "sudo" | "grove" | "ov" | "overstory" | "bd" | "sd" | "mulch" | "ml"
    ) || readers::is_reader(name)
        || files::is_file_tool(name)
        || crate::interpreters::is_known(name)
}
