//! What the project's configuration opens besides (`sandbox.writable`): nothing that is hidden from agents, and nothing
//! that every agent depends on, whatever links lead there.
//!
//! What may be written may be read. So a folder with something hidden in it is taken apart into its entries, and what
//! is hidden has none; what appears in such a folder later is not open either.

use std::path::{Path, PathBuf};

use super::readable::{List, entries, readable};
use crate::config::opens_project;

/// What became of the folders that the configuration names.
#[derive(Debug, Default, PartialEq, Eq)]
struct Opened {
    /// What may be written.
    write: Vec<PathBuf>,
    /// Named ones that stay as they are for everybody.
    closed: Vec<PathBuf>,
    /// Named ones that were taken apart.
    parted: Vec<PathBuf>,
}

/// What may be written of these.
pub(super) fn opened(extra: &[PathBuf], hidden: &[PathBuf], overstory: &Path) -> Vec<PathBuf> {
    open(extra, hidden, overstory, &entries).write
}

/// What a person should know about the folders that are not opened, or not whole.
pub fn closed_note(extra: &[PathBuf], hidden: &[PathBuf], overstory: &Path) -> Option<String> {
    let found = open(extra, hidden, overstory, &entries);
    let names = |paths: &[PathBuf]| {
        let names: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        names.join(", ")
    };
    let closed = (!found.closed.is_empty()).then(|| {
        let closed = names(&found.closed);
        format!(
            "'sandbox.writable' does not open {closed}: what is hidden from agents stays hidden"
        )
    });
    let parted = (!found.parted.is_empty()).then(|| {
        let parted = names(&found.parted);
        format!("'sandbox.writable' opens in {parted} only what is there at an agent's start and not hidden")
    });
    let notes: Vec<String> = closed.into_iter().chain(parted).collect();
    (!notes.is_empty()).then(|| notes.join("; "))
}

fn open(extra: &[PathBuf], hidden: &[PathBuf], overstory: &Path, list: List<'_>) -> Opened {
    let root = real(overstory.parent().unwrap_or(overstory));
    let hidden: Vec<PathBuf> = hidden.iter().map(|path| real(path)).collect();
    let mut opened = Opened::default();
    for named in extra {
        let path = real(named);
        let is_hidden = hidden.iter().any(|hidden| path.starts_with(hidden));
        if is_hidden || opens_project(&path, &root) {
            opened.closed.push(named.clone());
        } else if hidden.iter().any(|hidden| hidden.starts_with(&path)) {
            opened.write.extend(readable(&path, &hidden, list));
            opened.parted.push(named.clone());
        } else {
            opened.write.push(named.clone());
        }
    }
    opened
}

/// Where a path leads; of one that is not there, where the part of it that is there does.
fn real(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    for there in path.ancestors() {
        if let Ok(real) = there.canonicalize() {
            return rest.iter().rev().fold(real, |at, name| at.join(name));
        }
        rest.extend(there.file_name());
    }
    path.to_owned()
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
        let opened = open(&named, &hidden, &at("p/.overstory"), &entries);
        let closed = [".aws", ".aws/sso", ".aws/new", "link", "link/sso", "hooks"].map(at);
        assert_eq!(opened.closed, closed);
        assert_eq!(opened.parted, [at(".config")]);
        assert_eq!(opened.write, ["data", ".config/app", "p/out"].map(at));
        let note = closed_note(&named, &hidden, &at("p/.overstory")).unwrap();
        assert!(
            note.contains(".aws/sso") && note.contains(".config only"),
            "{note}"
        );
        assert_eq!(
            closed_note(&[at("data")], &hidden, &at("p/.overstory")),
            None
        );
    }
}
