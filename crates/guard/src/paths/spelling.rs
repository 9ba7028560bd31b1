//! Paths as text: made absolute, `.` and `..` resolved without the disk.

use std::path::{Component, Path, PathBuf};

use crate::shell::text::{self, PATH, SOLID, STAR, WHOLE};

/// A directory a command may be running in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// Absolute, may hold unknown parts that stay below it.
    Known(PathBuf),
    Unknown,
}

impl Place {
    /// The folder, when it is known.
    pub(crate) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Known(folder) => Some(folder),
            Self::Unknown => None,
        }
    }
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
    let mut out = PathBuf::with_capacity(path.as_os_str().len() + 1);
    out.push("/");
    for part in path.components() {
        match part {
            Component::Normal(name) => out.push(name),
            Component::ParentDir => {
                out.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

/// Whether `..` goes up from a part that may be any number of folders, also none: `{}/..`, `**/..`.
pub(crate) fn climbs_from_unknown(path: &Path) -> bool {
    let Some(spelled) = path.to_str() else {
        return false;
    };
    if text::is_known(spelled) || !spelled.contains("..") {
        return false;
    }
    let mut known = None;
    spelled.split('/').any(|part| {
        let several =
            part.contains(PATH) || part.len() > STAR.len_utf8() && part.chars().all(|c| c == STAR);
        if part.contains(PATH) && part.replace([PATH, SOLID, WHOLE], "") == ".." {
            return true;
        }
        match (part, known) {
            ("" | ".", _) => {}
            ("..", Some(0)) => return true,
            ("..", Some(below)) => known = Some(below - 1),
            (_, _) if several => known = Some(0_usize),
            (_, Some(below)) => known = Some(below + 1),
            (_, None) => {}
        }
        false
    })
}
