//! What the project's configuration opens besides (`sandbox.writable`): nothing that is hidden from agents, and nothing
//! that every agent depends on, whatever links lead there.
//!
//! What may be written may be read. So a folder with something hidden in it is taken apart into its entries, and what
//! is hidden has none; what appears in such a folder later is not open either.

use std::path::{Path, PathBuf};

use super::homes::homes;
use super::readable::{List, entries, readable};
use crate::config::{Ground, real};

/// What became of the folders that the configuration names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Opened {
    /// What may be written, by the names that links lead to.
    write: Vec<PathBuf>,
    /// Named ones that stay as they are for everybody, and why.
    closed: Vec<(PathBuf, String)>,
    /// Named ones that were taken apart.
    parted: Vec<PathBuf>,
}

/// Everything that decides it.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// What the configuration names.
    pub extra: &'a [PathBuf],
    /// What is hidden from the agent.
    pub hidden: &'a [PathBuf],
    /// The project's `.overstory/`.
    pub overstory: &'a Path,
    /// The user's home folder.
    pub home: Option<&'a Path>,
}

/// What may be written of these.
pub(super) fn opened(wanted: Wanted<'_>) -> Vec<PathBuf> {
    open(wanted, &entries).write
}

/// What a person should know about the folders that are not opened, or not whole.
pub fn closed_note(wanted: Wanted<'_>) -> Option<String> {
    let found = open(wanted, &entries);
    let closed = found.closed.iter().map(|(named, why)| {
        let named = named.display();
        format!("'sandbox.writable' does not open {named}: {why}")
    });
    let parted = (!found.parted.is_empty()).then(|| {
        let names: Vec<String> = found.parted.iter().map(|p| p.display().to_string()).collect();
        let parted = names.join(", ");
        format!("'sandbox.writable' opens in {parted} only what is there at an agent's start and not hidden")
    });
    let notes: Vec<String> = closed.chain(parted).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn open(wanted: Wanted<'_>, list: List<'_>) -> Opened {
    let root = wanted.overstory.parent().unwrap_or(wanted.overstory);
    let homes = wanted.home.map_or_else(Vec::new, homes);
    let ground = Ground {
        root,
        homes: &homes,
        entries: wanted.extra,
    };
    let hidden: Vec<PathBuf> = wanted.hidden.iter().map(|path| real(path)).collect();
    let mut opened = Opened::default();
    for named in wanted.extra {
        let path = real(named);
        if hidden.iter().any(|hidden| path.starts_with(hidden)) {
            let why = "what is hidden from agents stays hidden".to_owned();
            opened.closed.push((named.clone(), why));
        } else if let Some(why) = ground.closes(named, &path) {
            opened.closed.push((named.clone(), why));
        } else if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            opened.write.extend(readable(&path, &hidden, list));
            opened.parted.push(named.clone());
        } else {
            opened.write.push(path);
        }
    }
    opened
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_store_that_is_named_writable_stays_hidden() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let at = |name: &str| home.join(name);
        for folder in [
            ".aws/sso",
            ".config/gh",
            ".config/app",
            "data",
            "p/.overstory/hosts",
            "p/.git/hooks",
            "p/out",
        ] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for (target, link) in [
            (".aws", "link"),
            ("p/.git/hooks", "hooks"),
            ("data", ".config/data"),
        ] {
            symlink(at(target), at(link)).unwrap();
        }
        let hidden = [".aws", ".config/gh", ".config/later", "p/.overstory/hosts"].map(at);
        let named = [
            "data", ".aws", ".aws/sso", ".aws/new", ".config", "link", "link/sso", "hooks", "p/out",
        ]
        .map(at);
        let overstory = at("p/.overstory");
        let wanted = Wanted {
            extra: &named,
            hidden: &hidden,
            overstory: &overstory,
            home: Some(&home),
        };
        let opened = open(wanted, &entries);
        let closed = [".aws", ".aws/sso", ".aws/new", "link", "link/sso", "hooks"].map(at);
        let names: Vec<PathBuf> = opened.closed.into_iter().map(|(named, _)| named).collect();
        assert_eq!(names, closed);
        assert_eq!(opened.parted, [at(".config")]);
        assert_eq!(opened.write, ["data", ".config/app", "p/out"].map(at));
        let note = closed_note(wanted).unwrap();
        assert!(
            note.contains(".aws/sso") && note.contains(".config only"),
            "{note}"
        );
        assert_eq!(
            closed_note(Wanted {
                extra: &[at("data")],
                ..wanted
            }),
            None
        );
    }
}
