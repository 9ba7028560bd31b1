//! Paths as text: made absolute, `.` and `..` resolved without the disk.

use std::path::{Component, Path, PathBuf};

/// A directory a command may be running in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Absolute, may hold unknown parts that stay below it.
    Known(PathBuf),
    Unknown,
}

/// The absolute spelling of a path, `..` not yet resolved.
pub(crate) fn absolute(path: &str, place: &Place) -> Option<PathBuf> {
    if path.starts_with('/') {
        return Some(PathBuf::from(path));
    }
    match place {
        Place::Known(directory) => Some(directory.join(path)),
        Place::Unknown => None,
    }
}

pub(super) fn components(path: &Path) -> Vec<std::ffi::OsString> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
        })
        .collect()
}

/// Removes `.` and `..` from the spelling alone.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in components(path) {
        if part == ".." {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}
