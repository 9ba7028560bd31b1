//! What kinds of files may be made where. Programs outside of the sandbox, git of the user's above all, open what lies
//! in the repository and in a worktree: at a named pipe, or a link to one, they would wait for ever.
//!
//! A pipe can also come in a folder that was made elsewhere and is moved. Landlock lets nothing move to where it would
//! gain a right, so the places differ by rights that are of no use: nobody in a sandbox can make devices, not root
//! either. Of single files only the rights about their contents count, which are the same everywhere: they can be
//! moved and linked from place to place.

use super::Rules;
use super::landlock::KNOWN;
use landlock::{Access, AccessFs, BitFlags};
use std::path::{Path, PathBuf};

/// Sets places apart that folders are not moved into from where pipes can be made.
const MARK: AccessFs = AccessFs::MakeBlock;
/// The same for all of the repository, from where links can be made. The worktree's own folder, with the view in it,
/// has only this one: nothing with links in it is moved from there to the rest.
const MARK_OF_GIT: AccessFs = AccessFs::MakeChar;

/// The rights for one of the paths that may be written.
pub(super) fn writable(rules: &Rules, path: &Path) -> BitFlags<AccessFs> {
    let is_in = |list: &[PathBuf]| list.iter().any(|listed| listed == path);
    let no_links = AccessFs::MakeSym | AccessFs::MakeSock | AccessFs::MakeFifo;
    let plain = AccessFs::from_all(KNOWN) & !(no_links | MARK | MARK_OF_GIT);
    if is_in(&rules.git_own) {
        plain | MARK_OF_GIT
    } else if is_in(&rules.git) {
        plain | MARK_OF_GIT | MARK
    } else if is_in(&rules.pipes) {
        plain | no_links
    } else {
        // Programs that develop make links and listen on sockets.
        plain | AccessFs::MakeSym | AccessFs::MakeSock | MARK
    }
}

/// What the agent's view of the repository has besides: it consists of links.
pub(super) fn view() -> BitFlags<AccessFs> {
    AccessFs::MakeSym.into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::git::view_in;
    use crate::sandbox::{Rules, Support, support, within};
    use std::fs::{create_dir, create_dir_all, hard_link, rename, write};
    use std::io::Result;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::path::{Path, PathBuf};

    struct Scene {
        dir: tempfile::TempDir,
        rules: Rules,
    }

    fn scene() -> Option<Scene> {
        if matches!(support(), Support::None(_)) {
            return None;
        }
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        for name in ["work", "temp", "caches", "objects/info", "logs"] {
            create_dir_all(at(name)).unwrap();
        }
        create_dir_all(view_in(&at("own"))).unwrap();
        let all = |names: &[&str]| names.iter().map(|name| at(name)).collect::<Vec<PathBuf>>();
        let rules = Rules {
            write: all(&["work", "temp", "caches", "objects", "own", "logs"]),
            pipes: all(&["temp"]),
            git: all(&["objects", "own", "logs"]),
            git_own: all(&["own"]),
            ..Rules::default()
        };
        Some(Scene { dir, rules })
    }

    impl Scene {
        /// Runs inside of the rules.
        fn inside<T: Send>(&self, work: impl FnOnce(&dyn Fn(&str) -> PathBuf) -> T + Send) -> T {
            let top = self.dir.path();
            within(&self.rules, |_| work(&|name| top.join(name))).unwrap()
        }
    }

    fn pipe(path: &Path) -> Result<()> {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        Ok(rustix::fs::mkfifoat(rustix::fs::CWD, path, mode)?)
    }

    #[test]
    fn pipes_are_made_in_the_temporary_folder_and_stay_there() {
        let Some(scene) = scene() else { return };
        scene.inside(|at| {
            pipe(&at("temp/pipe")).unwrap();
            create_dir(at("temp/folder")).unwrap();
            pipe(&at("temp/folder/alternates")).unwrap();
            for place in [
                "work",
                "caches",
                "objects",
                "objects/info",
                "own",
                "own/grove/git",
                "logs",
            ] {
                let to = at(place).join("new");
                pipe(&to).unwrap_err();
                rename(at("temp/pipe"), &to).unwrap_err();
                hard_link(at("temp/pipe"), &to).unwrap_err();
                rename(at("temp/folder"), &to).unwrap_err();
            }
        });
    }

    #[test]
    fn nothing_but_files_and_folders_gets_into_the_repository() {
        let Some(scene) = scene() else { return };
        scene.inside(|at| {
            let view = view_in(&at("own"));
            for folder in [at("temp/links"), at("work/links"), view.join("links")] {
                create_dir(&folder).unwrap();
                symlink("/tmp/pipe", folder.join("HEAD")).unwrap();
            }
            for place in ["objects", "objects/info", "own", "logs"] {
                let to = at(place).join("new");
                symlink("/tmp/pipe", &to).unwrap_err();
                UnixListener::bind(&to).unwrap_err();
                for from in [at("temp/links"), at("work/links"), view.join("links")] {
                    rename(from.join("HEAD"), &to).unwrap_err();
                    // The view is the agent's as its own folder is.
                    if place != "own" || !from.starts_with(&view) {
                        rename(&from, &to).unwrap_err();
                    }
                }
            }
        });
    }

    #[test]
    fn what_programs_do_every_day_is_still_done() {
        let Some(scene) = scene() else { return };
        scene.inside(|at| {
            // A worktree: links, sockets, files from a cache and out of the temporary folder.
            symlink("a", at("work/link")).unwrap();
            UnixListener::bind(at("work/socket")).unwrap();
            write(at("caches/package"), "x").unwrap();
            hard_link(at("caches/package"), at("work/package")).unwrap();
            create_dir(at("caches/unpacked")).unwrap();
            rename(at("caches/unpacked"), at("work/unpacked")).unwrap();
            write(at("temp/made"), "x").unwrap();
            rename(at("temp/made"), at("work/made")).unwrap();
            rename(at("work/made"), at("temp/made")).unwrap();
            // Git: a file beside its place, from folder to folder, and logs by way of the agent's view.
            write(at("own/index.lock"), "x").unwrap();
            rename(at("own/index.lock"), at("own/index")).unwrap();
            create_dir(at("objects/ab")).unwrap();
            write(at("objects/new"), "x").unwrap();
            rename(at("objects/new"), at("objects/ab/new")).unwrap();
            let view = view_in(&at("own"));
            write(at("own/index.lock"), "x").unwrap();
            rename(at("own/index.lock"), view.join("index.stash")).unwrap();
            create_dir(view.join("rebase-merge")).unwrap();
            rename(view.join("rebase-merge"), at("own/rebase-merge")).unwrap();
            write(at("logs/old"), "x").unwrap();
            rename(at("logs/old"), view.join("renamed")).unwrap();
            rename(view.join("renamed"), at("logs/new")).unwrap();
        });
    }
}
