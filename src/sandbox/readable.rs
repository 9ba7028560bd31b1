//! Reading everything but a few folders, for systems that only know how to allow.
//!
//! Folders on the way to something hidden are taken apart into their entries; all others are
//! allowed whole. An entry that appears later in a folder that was taken apart is not readable.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a folder holds: entries, and whether each is a symbolic link. Of a folder that cannot be listed those of the given
/// entries that are there.
pub(super) type List<'a> = &'a dyn Fn(&Path, &[PathBuf]) -> Vec<(PathBuf, bool)>;

/// The largest allowed parts of `top` that hold nothing of `hidden`. Symbolic links are left out: what they
/// point to is in the answer under its own name, or hidden. Of a folder that may be entered and not listed, as `/home` is
/// where users are kept apart, only the ways to what is hidden are known.
pub(super) fn readable(top: &Path, hidden: &[PathBuf], list: List<'_>) -> Vec<PathBuf> {
    let mut open = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        // The folder itself is in none of them, so no other one can hold an entry of it.
        let hidden: Vec<&PathBuf> = hidden.iter().filter(|h| h.starts_with(&folder)).collect();
        let next = |h: &&PathBuf| Some(folder.join(h.strip_prefix(&folder).ok()?.iter().next()?));
        let mut ways: Vec<PathBuf> = hidden.iter().filter_map(next).collect();
        ways.sort();
        ways.dedup();
        for (entry, is_link) in list(&folder, &ways) {
            if is_link || hidden.iter().any(|h| entry.starts_with(h)) {
                continue;
            }
            if hidden.iter().any(|h| h.starts_with(&entry)) {
                folders.push(entry);
            } else {
                open.push(entry);
            }
        }
    }
    open.sort();
    open
}

/// What a folder holds; of one that may not be listed, which of the known entries are there.
pub(super) fn entries(folder: &Path, known: &[PathBuf]) -> Vec<(PathBuf, bool)> {
    let listed = match std::fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(e) if e.kind() == ErrorKind::PermissionDenied => {
            let there = known.iter().filter_map(|entry| {
                let found = entry.symlink_metadata().ok()?;
                Some((entry.clone(), found.is_symlink()))
            });
            return there.collect();
        }
        Err(_) => return Vec::new(),
    };
    let entries = listed.flatten().map(|entry| {
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        (entry.path(), is_link)
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(path: &Path, _: &[PathBuf]) -> Vec<(PathBuf, bool)> {
        let names: &[(&str, bool)] = match path.to_str() {
            Some("/") => &[("/etc", false), ("/home", false), ("/bin", true)],
            Some("/home") => &[("/home/u", false), ("/home/v", false)],
            Some("/home/u") => &[
                ("/home/u/.ssh", false),
                ("/home/u/src", false),
                ("/home/u/keys", true),
            ],
            _ => &[],
        };
        names.iter().map(|(n, l)| (PathBuf::from(n), *l)).collect()
    }

    #[test]
    fn only_the_way_to_a_hidden_folder_is_taken_apart() {
        let hidden = [PathBuf::from("/home/u/.ssh")];
        let open = readable(Path::new("/"), &hidden, &list);
        let expected = ["/etc", "/home/u/src", "/home/v"].map(PathBuf::from);
        assert_eq!(open, expected);
    }

    #[test]
    fn a_home_in_a_folder_that_cannot_be_listed_is_readable_all_the_same() {
        let hidden = [
            "/home/u/.ssh",
            "/home/u/.aws",
            "/home/p/.overstory/hosts",
            "/home/link/.ssh",
        ]
        .map(PathBuf::from);
        let closed = |path: &Path, ways: &[PathBuf]| match path.to_str() {
            Some("/home") => {
                let known = ways.iter();
                known
                    .map(|way| (way.clone(), way.ends_with("link")))
                    .collect()
            }
            Some("/home/p") => vec![
                (PathBuf::from("/home/p/src"), false),
                (PathBuf::from("/home/p/.overstory"), false),
            ],
            _ => list(path, ways),
        };
        let open = readable(Path::new("/"), &hidden, &closed);
        let expected = ["/etc", "/home/p/src", "/home/u/src"].map(PathBuf::from);
        assert_eq!(open, expected);
    }

    #[test]
    fn nothing_hidden_means_every_entry_whole() {
        let open = readable(Path::new("/"), &[], &list);
        assert_eq!(open, ["/etc", "/home"].map(PathBuf::from));
    }
}
