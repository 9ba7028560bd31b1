//! `mktemp`: where the fresh file or folder lands.

use super::flags::parse;
use crate::commands::Call;
use crate::paths::normal;
use crate::policy::Judged;
use crate::shell::output;
use crate::shell::state::{State, Var};
use crate::shell::text;
use crate::shell::walk::Walker;

/// The folder for temporary files this call would use when it names none; `None` for the system's own.
pub(crate) fn folder(w: &Walker<'_>, call: &Call, st: &State) -> Option<String> {
    call.variable("TMPDIR")
        .map(str::to_owned)
        .or_else(|| st.vars.get("TMPDIR").map(Var::value))
        .filter(|folder| !folder.is_empty())
        .or_else(|| {
            w.policy
                .temp
                .as_ref()
                .map(|temp| temp.to_string_lossy().into_owned())
        })
}

pub(super) fn fresh(w: &mut Walker<'_>, call: &Call, st: &State) -> Judged<()> {
    let args = call.args();
    let temp = folder(w, call, st);
    let flags = parse(args, "p", &["suffix"]);
    // A name alone, which the command may use for what it makes there.
    let only_named = flags.has(&["u", "dry-run"]);
    let named = ["p", "tmpdir"]
        .iter()
        .any(|name| flags.value(&[*name]).is_some_and(|value| !value.is_empty()));
    if only_named && (named || temp.is_some() || !w.role.writes()) {
        return Ok(());
    }
    let under_temp = flags.operands.is_empty() || flags.has(&["t", "tmpdir"]);
    // Without a place of its own a fresh file in the system's temporary folder harms nobody.
    if !named && under_temp && temp.is_none() {
        w.need_temp()?;
    }
    let made = output::of_program("mktemp", args, None, st, temp.as_deref());
    let made = made.trim_end();
    if !named && under_temp && temp.is_none() {
        w.fresh.push(normal(std::path::Path::new(made)));
        return Ok(());
    }
    if only_named {
        return Ok(());
    }
    if w.role.writes() && text::is_known(&made.replace(text::TOKEN, "x")) {
        let path = normal(std::path::Path::new(made));
        let shared = made.starts_with('/') && path.starts_with("/tmp");
        if shared && !w.paths.is_of_project(&path) {
            w.fresh.push(path);
            return Ok(());
        }
    }
    w.write_path(made, st)
}
