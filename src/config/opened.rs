//! What no entry of `sandbox.writable` opens, wherever links lead.

use std::path::{Path, PathBuf};

/// What git itself has in its folder; another folder there is somebody's own.
pub(crate) const OF_GIT: &[&str] = &[
    "HEAD",
    "config",
    "config.worktree",
    "hooks",
    "index",
    "info",
    "logs",
    "modules",
    "objects",
    "packed-refs",
    "refs",
    "worktrees",
];

/// Whether writing here would change the checkout as a whole, its git folder or the orchestrator's files: with that an
/// agent would have the hooks that you run, and its own rules.
pub(super) fn opens_project(path: &Path, root: &Path) -> bool {
    let git = root.join(".git");
    root.starts_with(path) || is_gits(path, &git) || path.starts_with(root.join(".overstory"))
}

fn is_gits(path: &Path, git: &Path) -> bool {
    path.strip_prefix(git).is_ok_and(|inner| {
        let first = inner.components().next();
        first.is_none_or(|first| OF_GIT.iter().any(|name| first.as_os_str() == *name))
    })
}

/// The git folders of a checkout, wherever it says that they are: its own, and the one that it shares with others.
fn git_folders(root: &Path) -> [PathBuf; 2] {
    let named = |file: &Path, start: &str| {
        let text = std::fs::read_to_string(file).ok()?;
        let name = text.lines().next()?.strip_prefix(start)?.trim();
        Some(file.parent()?.join(name))
    };
    let dot = root.join(".git");
    let own = real(&named(&dot, "gitdir:").unwrap_or(dot));
    let shared = named(&own.join("commondir"), "").map_or_else(|| own.clone(), |path| real(&path));
    [own, shared]
}

/// What the entries are judged by.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    /// The project.
    pub root: &'a Path,
    /// The home folders of the user.
    pub homes: &'a [PathBuf],
    /// Every entry: what is in one of them may be an agent's.
    pub entries: &'a [PathBuf],
}

impl Ground<'_> {
    /// Why an entry is not opened, if it is not. `leads`: where it leads ([`real`]), as the caller goes on with it; an agent
    /// may change that at any time.
    pub(crate) fn closes(&self, named: &Path, leads: &Path) -> Option<String> {
        let root = real(self.root);
        let to = if leads == named {
            String::new()
        } else {
            format!("it leads to {}, and ", leads.display())
        };
        if self.homes.iter().any(|home| real(home).starts_with(leads)) {
            return Some(format!(
                "{to}your home folder as a whole stays closed to agents"
            ));
        }
        if [(named, self.root), (leads, &root)]
            .iter()
            .any(|(path, root)| opens_project(path, root))
            || git_folders(&root)
                .iter()
                .any(|git| git.starts_with(leads) || is_gits(leads, git))
        {
            return Some(format!(
                "{to}the checkout as a whole, .git and .overstory stay closed to agents"
            ));
        }
        // A link from one place in the checkout to another would open what a branch may only change under review.
        let place = named.strip_prefix(self.root);
        let place = place.or_else(|_| named.strip_prefix(&root));
        let of_whom = if place.is_ok_and(|place| leads != root.join(place)) {
            "what is in the checkout can be made by an agent".to_owned()
        } else {
            let others = self.entries.iter().map(PathBuf::as_path);
            let strayed = others
                .filter(|folder| *folder != named && named.starts_with(folder))
                .find(|folder| !leads.starts_with(real(folder)))?;
            format!("agents may write {}", strayed.display())
        };
        Some(format!(
            "{to}{of_whom}, links included; name the place itself, by its full path"
        ))
    }
}

/// Where a path leads; of one that is not there, where the part of it that is there does.
pub(crate) fn real(path: &Path) -> PathBuf {
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
    fn a_link_in_the_checkout_opens_nothing_outside_and_one_of_the_users_own_no_home() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in ["u/p/gen", "u/p/real", "u/mnt", "u/open"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for (target, link) in [
            ("u", "u/p/gen/out"),
            ("u/mnt", "u/p/gen/mnt"),
            ("u/p/real", "u/p/gen/in"),
            ("u/p/.git/hooks", "u/p/gen/hooks"),
            ("u", "u/whole"),
            (".", "u/above"),
            ("u/p", "u/project"),
            ("u/mnt", "u/data"),
            ("u/mnt", "u/open/mnt"),
        ] {
            symlink(at(target), at(link)).unwrap();
        }
        std::fs::create_dir_all(at("u/p/.git/hooks")).unwrap();
        let entries = [at("u/open")];
        let homes = [at("u")];
        let root = at("u/p");
        let ground = Ground {
            root: &root,
            homes: &homes,
            entries: &entries,
        };
        let closes = |named: &str| ground.closes(&at(named), &real(&at(named)));
        for (named, word) in [
            ("u/p/gen/out", "home folder"),
            ("u/p/gen/mnt", "made by an agent"),
            ("u/p/gen/in", "made by an agent"),
            ("u/p/gen/hooks", ".git"),
            ("u/whole", "home folder"),
            ("u/above", "home folder"),
            ("u/project", "checkout as a whole"),
            ("u/open/mnt", "agents may write"),
            ("u/p/gen/out/deeper", "made by an agent"),
        ] {
            let why = closes(named).unwrap_or_default();
            assert!(why.contains(word), "{named}: {why}");
            assert!(why.contains("it leads to /"), "{named}: {why}");
        }
        for named in ["u/p/real", "u/p/real/new", "u/data", "u/open", "u/mnt/x"] {
            assert_eq!(closes(named), None, "{named}");
        }
    }

    #[test]
    fn a_git_folder_beside_the_checkout_stays_closed() {
        let dir = tempfile::tempdir().unwrap();
        let base = dir.path().canonicalize().unwrap();
        let at = |name: &str| base.join(name);
        for folder in [
            "p",
            "gits/p.git/hooks",
            "gits/p.git/worktrees/w",
            "w",
            "linked",
            "else",
        ] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        let write = |name: &str, text: &str| std::fs::write(at(name), text).unwrap();
        write("p/.git", "gitdir: ../gits/p.git\n");
        let worktree = at("gits/p.git/worktrees/w");
        write("w/.git", &format!("gitdir: {}\n", worktree.display()));
        write("gits/p.git/worktrees/w/commondir", "../..\n");
        symlink(at("gits/p.git"), at("linked/.git")).unwrap();
        for root in ["p", "w", "linked"].map(at) {
            let ground = Ground {
                root: &root,
                homes: &[],
                entries: &[],
            };
            for named in ["gits", "gits/p.git", "gits/p.git/hooks"].map(at) {
                let why = ground.closes(&named, &named).unwrap_or_default();
                assert!(why.contains(".git"), "{root:?} {named:?}: {why}");
            }
            assert_eq!(ground.closes(&at("else"), &at("else")), None);
        }
    }
}
