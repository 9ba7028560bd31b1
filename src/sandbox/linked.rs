//! What the stores of keys and passwords only link to: people who keep their settings in one folder link the files of
//! many programs there. A store that is hidden hides no file that lies elsewhere.

use std::path::{Path, PathBuf};

/// How deep a store is looked into, and at about how many entries of it.
const DEEPEST: usize = 4;
const MOST: usize = 1024;

/// What belongs to the system: others need it, and hiding one file there would hide what is replaced beside it later.
const OF_THE_SYSTEM: &[&str] = &[
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/nix", "/opt", "/proc", "/run",
    "/sbin", "/snap", "/sys", "/tmp", "/usr", "/var",
];

/// What stores link to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Linked {
    /// Files and folders that are hidden as well.
    pub(super) hidden: Vec<PathBuf>,
    /// Links whose other end stays readable.
    pub(super) exposed: Vec<PathBuf>,
}

/// Follows the links inside of stores. What holds the home folder cannot be hidden.
pub(super) fn linked(stores: &[PathBuf], home: &Path) -> Linked {
    let mut found = Linked::default();
    for store in stores {
        let mut looked_at = 0;
        let mut folders = vec![(store.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            // A file, or one that is not there or cannot be read: then the agent cannot either.
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten() {
                looked_at += 1;
                let Ok(kind) = entry.file_type() else {
                    continue;
                };
                if kind.is_symlink() {
                    follow(&entry.path(), stores, home, &mut found);
                } else if kind.is_dir() && depth + 1 < DEEPEST {
                    folders.push((entry.path(), depth + 1));
                }
            }
            if looked_at > MOST {
                break;
            }
        }
    }
    found.hidden.sort();
    found.hidden.dedup();
    found
}

fn follow(link: &Path, stores: &[PathBuf], home: &Path, found: &mut Linked) {
    // One that leads nowhere leads to nothing that could be read.
    let Ok(target) = link.canonicalize() else {
        return;
    };
    let is_kept = stores.iter().any(|store| target.starts_with(store));
    // Locks of browsers lead to sockets.
    if is_kept || !(target.is_file() || target.is_dir()) {
        return;
    }
    let of_the_system = OF_THE_SYSTEM.iter().any(|place| target.starts_with(place));
    if (of_the_system && !target.starts_with(home)) || home.starts_with(&target) {
        found.exposed.push(link.to_owned());
    } else {
        found.hidden.push(target);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_store_whose_entries_are_links_hides_what_they_lead_to() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let at = |name: &str| home.join(name);
        for folder in [".config/gh", ".ssh/keys", "dotfiles/gh", "dotfiles/keys"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["dotfiles/gh/hosts.yml", "dotfiles/keys/id", ".ssh/id"] {
            std::fs::write(at(file), "secret").unwrap();
        }
        symlink("../../dotfiles/gh/hosts.yml", at(".config/gh/hosts.yml")).unwrap();
        symlink(at("dotfiles/keys"), at(".ssh/keys/more")).unwrap();
        symlink("id", at(".ssh/same")).unwrap();
        symlink("nowhere", at(".ssh/lock")).unwrap();
        symlink(&home, at(".ssh/home")).unwrap();
        symlink("/etc/hostname", at(".ssh/system")).unwrap();
        let stores = [at(".config/gh"), at(".ssh"), at(".absent")];
        let found = linked(&stores, &home);
        assert_eq!(
            found.hidden,
            [at("dotfiles/gh/hosts.yml"), at("dotfiles/keys")]
        );
        let mut exposed = found.exposed;
        exposed.sort();
        let mut expected = vec![at(".ssh/home")];
        if Path::new("/etc/hostname").exists() {
            expected.push(at(".ssh/system"));
        }
        assert_eq!(exposed, expected);
    }
}
