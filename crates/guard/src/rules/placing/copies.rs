//! Copying, moving and linking: which operands are sources, which is the target, and what lands in it.
//!
//! Links that a command makes are remembered, so that later paths through them are followed.

use std::path::Path;

use super::flags::{Flags, parse};
use crate::policy::Judged;
use crate::shell::state::State;
use crate::shell::text;
use crate::shell::walk::Walker;

/// Options, sources and target of `cp`, `mv` and `ln`.
pub(super) fn copying(args: &[String]) -> (Flags, Vec<String>, Option<String>) {
    let flags = parse(
        args,
        "tS",
        &["target-directory", "suffix", "backup=", "context="],
    );
    let (sources, target) = split_target(&flags);
    (flags, sources, target)
}

pub(super) fn split_target(flags: &Flags) -> (Vec<String>, Option<String>) {
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
pub(super) fn targets_of(
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
            crate::paths::absolute(target, place).is_some_and(|path| w.paths.is_directory(&path))
        });
        if is_folder {
            w.write_path(&inner, st)?;
        }
    }
    Ok(())
}

pub(super) fn remember_links(
    w: &mut Walker<'_>,
    sources: &[String],
    target: Option<&str>,
    st: &State,
) {
    let Some(target) = target else { return };
    // Where the command may be in several folders, the link may be in each of them.
    for place in &st.cwd {
        let Some(at) = crate::paths::absolute(target, place) else {
            continue;
        };
        let into = w.paths.is_directory(&at);
        for source in sources {
            let name = source.trim_end_matches('/').rsplit('/').next();
            let at = match name {
                Some(name) if into => at.join(name),
                Some(_) | None => at.clone(),
            };
            // A source that is not known makes the link lead anywhere.
            let source = if text::is_any(source) { "/" } else { source };
            w.paths.link_made(&at, Path::new(source));
        }
    }
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
        let to = crate::paths::normal(&to);
        for source in sources {
            let Some(from) = crate::paths::absolute(source.trim_end_matches('/'), place) else {
                continue;
            };
            let from = crate::paths::normal(&from);
            let Some(name) = from.file_name() else {
                continue;
            };
            for (link, leads) in w.paths.links_at(&from) {
                let Ok(inner) = link.strip_prefix(&from) else {
                    continue;
                };
                // The target may be a folder or become the new name; a slash at the end takes what is inside.
                let inside = to.join(name).join(inner);
                w.paths.link_made(&inside, &leads);
                if !w.paths.is_directory(&to) || source.ends_with('/') || source.ends_with("/.") {
                    w.paths.link_made(&to.join(inner), &leads);
                }
            }
        }
    }
}

/// Remembers what `dd` puts into a file: that of another one, or its input.
pub(super) fn converted(w: &mut Walker<'_>, args: &[String], input: &str, st: &State) {
    let named = |prefix: &str| args.iter().find_map(|arg| arg.strip_prefix(prefix));
    let Some(target) = named("of=") else { return };
    match named("if=") {
        Some(source) => w.carry_contents(&[source.to_owned()], Some(target), st),
        None => w.put(&[target.to_owned()], input, Vec::new(), st),
    }
}

/// Remembers folders that now hold files of unknown names which are not of this project.
pub(super) fn carry_trees(
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
pub(super) fn carry_origin(
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
