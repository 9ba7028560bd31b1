//! Copying, moving and linking: which operands are sources, which is the target, and what lands in it.
//!
//! Links that are copied and moved are remembered, so that later paths through them are followed.

use std::ffi::OsStr;

use super::super::flags::{Flags, parse};
use crate::paths::There;
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Options with which `cp` makes links of links.
pub(in crate::rules) const KEEPS_LINKS: &[&str] = &[
    "d",
    "P",
    "a",
    "r",
    "R",
    "no-dereference",
    "archive",
    "recursive",
    "preserve",
];

/// Options, sources and target of `cp`, `mv` and `ln`.
pub(in crate::rules) fn copying(args: &[String]) -> (Flags, Vec<String>, Option<String>) {
    let flags = parse(
        args,
        "tS",
        // `--backup` and `--context` take theirs only in the same word.
        &["target-directory", "suffix"],
    );
    let (sources, target) = split_target(&flags);
    (flags, sources, target)
}

/// Whether `cp` and its like may be told to leave a file that is there as it is.
pub(in crate::rules) fn keeps_what_is_there(args: &[String]) -> bool {
    let long = ["--no-clobber", "--update", "--interactive"];
    args.iter().any(|arg| {
        let is_short = arg.starts_with('-') && !arg.starts_with("--");
        is_short && arg.contains(['n', 'u', 'i'])
            || arg.len() > 3 && long.iter().any(|long| long.starts_with(arg.as_str()))
            || arg.starts_with("--update=")
    })
}

pub(in crate::rules) fn split_target(flags: &Flags) -> (Vec<String>, Option<String>) {
    if let Some(target) = flags.value(&["t", "target-directory"]) {
        return (flags.operands.clone(), Some(target.to_owned()));
    }
    match flags.operands.split_last() {
        Some((target, sources)) if !sources.is_empty() => (sources.to_vec(), Some(target.clone())),
        Some((only, _)) => (vec![only.clone()], None),
        None => (Vec::new(), None),
    }
}

/// The target itself, and what each source would be called in it when it is a folder.
pub(in crate::rules) fn targets_of(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) -> Judged<()> {
    let Some(target) = target else {
        return Ok(());
    };
    w.write_path(target, st)?;
    for source in sources {
        let last = source
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or("");
        // All that is in a folder may hold settings of the same name.
        if last.is_empty() || last == "." || last == ".." || source.ends_with('/') {
            w.keep_guard_files(target, st)?;
        }
        if last.is_empty() || last == "." || last == ".." {
            continue;
        }
        // Copying over `.git` or a settings file by its name inside the folder.
        let inner = format!("{}/{last}", target.trim_end_matches('/'));
        let is_folder = st.cwd.iter().any(|place| {
            crate::paths::absolute(target, place)
                .is_some_and(|path| w.paths.there(&path) != There::No)
        });
        if is_folder {
            w.write_path(&inner, st)?;
        }
    }
    Ok(())
}

/// Remembers links that are moved or copied as links, the ones directly in a moved folder as well.
pub(crate) fn carry_links(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) {
    let Some(target) = target else { return };
    for place in &st.cwd {
        let Some(to) = crate::paths::absolute(target, place) else {
            continue;
        };
        let is_folder = w.paths.is_directory(&to);
        for source in sources {
            let Some(from) = crate::paths::absolute(source.trim_end_matches('/'), place) else {
                continue;
            };
            let Some(name) = crate::paths::normal(&from).file_name().map(OsStr::to_owned) else {
                continue;
            };
            for (link, leads) in w.paths.links_at(&from) {
                let Ok(inner) = link.strip_prefix(&from) else {
                    continue;
                };
                // The target may be a folder or become the new name; a slash at the end takes what is inside.
                let inside = to.join(&name).join(inner);
                w.paths.link_made(&inside, &leads);
                if !is_folder || source.ends_with('/') || source.ends_with("/.") {
                    w.paths.link_made(&to.join(inner), &leads);
                }
            }
        }
    }
}

/// Remembers what `dd` puts into a file: that of another one, or its input.
pub(in crate::rules) fn converted(w: &mut Walker<'_>, args: &[String], input: &str, st: &State) {
    let named = |prefix: &str| args.iter().find_map(|arg| arg.strip_prefix(prefix));
    let Some(target) = named("of=") else { return };
    match named("if=") {
        Some(source) => w.carry_contents(&[source.to_owned()], Some(target), st),
        None => w.put(&[target.to_owned()], input, Vec::new(), st),
    }
}

/// Remembers folders that now hold files of unknown names which are not of this project.
pub(in crate::rules) fn carry_trees(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    recursive: bool,
    st: &State,
) {
    let Some(target) = target else { return };
    for source in sources {
        let listed = text::has_glob(source);
        if !(recursive || listed) || !w.is_foreign(source, st) {
            continue;
        }
        let name = source.trim_end_matches('/').rsplit('/').next();
        let name = name.filter(|name| !matches!(*name, "" | "." | ".."));
        let there = |place| w.is_there(target, place);
        match name {
            // What a pattern finds has names that fit it.
            Some(name) if listed || st.cwd.iter().all(there) => {
                w.landed_in(&format!("{target}/{name}"), true, st);
            }
            Some(_) | None => w.landed_in(target, true, st),
        }
    }
}

/// Remembers that a copy holds what is not of this project.
pub(in crate::rules) fn carry_origin(
    w: &mut Walker<'_>,
    name: &str,
    flags: &Flags,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) {
    let whole = name == "ditto" || flags.has(&["a", "r", "R", "archive", "recursive"]);
    carry_trees(w, sources, target, whole, st);
    let Some(target) = target else { return };
    for source in sources
        .iter()
        .filter(|source| source.starts_with(['/', '~', '.']))
    {
        let own = |key| w.written.contains_key(&key);
        if !w.is_foreign(source, st) || w.key(source, st).is_some_and(own) {
            continue;
        }
        let name = source.rsplit('/').next().unwrap_or(source);
        for copy in [target.to_owned(), format!("{target}/{name}")] {
            if let Some(key) = w.key(&copy, st) {
                let content = text::secret(text::ANY.to_string());
                w.written.insert(key, Some(content.into()));
            }
        }
    }
}
