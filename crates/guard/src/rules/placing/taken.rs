//! Folders that a command makes, and what it takes away: so that it is known where a link lands behind that.

use super::super::flags::Flags;
use crate::paths::{Place, Taken, absolute};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Whether the command may have put a file itself where a folder is to be made, or on the way there.
pub(in crate::rules) fn are_in_use(w: &Walker<'_>, paths: &[String], st: &State) -> bool {
    let in_use = |path: &String| {
        w.key(path, st).is_some_and(|key| {
            let mut above = key.ancestors();
            above.any(|above| w.written.contains_key(above) && !w.paths.is_recorded(above))
        })
    };
    paths.iter().any(in_use)
}

/// May folders be made here? None of them is a file that this command has written.
pub(in crate::rules) fn holding_nothing(
    w: &mut Walker<'_>,
    paths: &[String],
    st: &State,
) -> Judged<()> {
    for path in paths {
        let key = w.key(path, st).filter(|key| !w.written.contains_key(key));
        w.write_path(path, st)?;
        if let Some(key) = key {
            w.written.remove(&key);
        }
    }
    w.makes_one_of_several();
    Ok(())
}

/// Remembers folders that are made; `parents`: with those on the way to them, `free`: nothing is in their way.
pub(in crate::rules) fn folders(
    w: &mut Walker<'_>,
    paths: &[String],
    parents: bool,
    free: bool,
    st: &State,
) {
    let sure = free && w.surely_runs(st) && paths.iter().all(|path| text::is_known(path));
    for path in paths.iter().filter(|path| text::is_known(path)) {
        for at in st.cwd.iter().filter_map(|place| absolute(path, place)) {
            w.paths.folder_made(&at, parents, sure);
        }
    }
}

/// Remembers that files are made, where it was known that there were none.
pub(in crate::rules) fn files(w: &mut Walker<'_>, paths: &[String], st: &State) {
    for path in paths {
        if let Some(key) = w.key(path, st) {
            w.paths.file_made(&key);
        }
    }
}

/// Remembers what the program of this name deletes.
pub(in crate::rules) fn away(
    w: &mut Walker<'_>,
    flags: &Flags,
    name: &str,
    recursive: bool,
    st: &State,
) {
    let usual = |name: &str| {
        matches!(
            name,
            "f" | "r" | "R" | "v" | "d" | "force" | "recursive" | "verbose" | "dir"
        )
    };
    let folders = if recursive {
        Taken::Whole
    } else if name == "rmdir" || flags.has(&["d", "dir"]) {
        Taken::Empty
    } else {
        Taken::Never
    };
    let sure = matches!(name, "rm" | "unlink")
        && w.surely_runs(st)
        && flags.options.iter().all(|(name, _)| usual(name))
        && flags.operands.iter().all(|path| text::is_known(path));
    for path in &flags.operands {
        // A slash behind it asks for a folder, and what is no folder on the way ends it.
        let direct = !path.ends_with('/') && !path.split('/').any(|part| part == "..");
        for place in &st.cwd {
            match absolute(path.trim_end_matches('/'), place) {
                Some(at) if text::is_known(path) => {
                    w.paths.removed(&at, folders, sure && direct);
                }
                Some(_) | None => w.paths.swept(folders),
            }
        }
    }
}

/// Remembers that what is moved is where it went, and may not be where it was.
pub(in crate::rules) fn moved(
    w: &mut Walker<'_>,
    flags: &Flags,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) {
    let Some(target) = target else { return };
    let usual = |name: &str| matches!(name, "f" | "v" | "force" | "verbose");
    let direct = |path: &str| text::is_known(path) && !path.split('/').any(|part| part == "..");
    let plain = sources.len() == 1
        && flags.options.iter().all(|(name, _)| usual(name))
        && direct(target)
        && !target.ends_with('/')
        && sources
            .iter()
            .all(|source| direct(source) && !source.ends_with('/'));
    let places = st.cwd.iter().map(|place| {
        let to = absolute(target.trim_end_matches('/'), place);
        // Nothing is in its way.
        let free = to.as_ref().is_some_and(|to| {
            let within = to.parent().is_some_and(|above| w.paths.is_directory(above));
            within && w.paths.is_free(to)
        });
        (place, to, free)
    });
    let places: Vec<_> = places.collect();
    super::copies::carry_links(w, sources, Some(target), st);
    for (place, to, free) in places {
        for source in sources {
            let Some(at) =
                absolute(source.trim_end_matches('/'), place).filter(|_| text::is_known(source))
            else {
                w.paths.swept(Taken::Whole);
                continue;
            };
            let sure = plain && free && w.surely_runs(st);
            if sure
                && let Some(to) = &to
                && w.paths.is_plain_folder(&at)
            {
                w.paths.folder_made(to, false, true);
            }
            w.paths.removed(&at, Taken::Whole, sure);
        }
    }
}

/// Remembers the folder that a copy of one is.
pub(in crate::rules) fn copied(
    w: &mut Walker<'_>,
    flags: &Flags,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) {
    let ([source], Some(target)) = (sources, target) else {
        return;
    };
    let is_folder =
        |place: &Place| absolute(source, place).is_some_and(|path| w.paths.is_directory(&path));
    if flags.has(&["a", "r", "R", "archive", "recursive"]) && st.cwd.iter().all(is_folder) {
        folders(w, &[target.to_owned()], false, true, st);
    }
}
