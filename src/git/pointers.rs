//! The files by which a worktree and its repository find each other: `.git` in the worktree, `gitdir` and
//! `commondir` in its folder below `worktrees/`. Whoever works in the worktree can bend them towards a repository
//! of its own, whose settings start programs for everybody who runs git there: what they must say is remembered
//! from outside, and put back.

use std::path::{Path, PathBuf};

use super::pinned;
use super::repo::Repo;
use crate::platform::FsError;
use crate::platform::fs::{self, AtPath};
use crate::platform::{plain, random};

/// Larger ones are none of git's.
const LARGEST: u64 = 16 * 1024;

/// So often a file is written before it counts as one that cannot be.
const ATTEMPTS: u32 = 20;

/// The names of all these files.
pub const POINTERS: [&str; 5] = [".git", "gitdir", "commondir", SETTINGS, HEAD];
/// It may say whatever the agent likes, but is to be a file: everybody's git reads it, and would wait at a pipe.
const HEAD: &str = "HEAD";
const SETTINGS: &str = "config.worktree";

/// What the files of one worktree must say.
#[derive(Debug)]
pub struct Pointers {
    worktree: PathBuf,
    git_dir: PathBuf,
    common: PathBuf,
    must: Vec<(PathBuf, Vec<u8>)>,
    /// The worktree's own settings as they were found; they may change, but name no programs.
    settings: Option<Vec<u8>>,
    /// What its HEAD said as it was found.
    head: Option<Vec<u8>>,
}

impl Pointers {
    /// Learns the pointers of the worktree at `path`; `None` where the repository knows no such worktree.
    pub fn of(repo: &Repo, path: &Path) -> Option<Self> {
        let common = pinned::canonical(repo.common_dir());
        let worktree = pinned::canonical(path);
        let found = pinned::folder_of(&common, &worktree);
        let git_dir = found.or_else(|| left_by(&common, &worktree))?;
        if git_dir == common || !pinned::is_real_dir(&git_dir) {
            return None;
        }
        let leads = |file: &Path, prefix: &str, from: &Path, to: &Path| {
            let text = read(file)?;
            let target = std::str::from_utf8(&text).ok()?.strip_prefix(prefix)?;
            let target = from.join(target.trim_end());
            (pinned::canonical(target) == to).then_some(text)
        };
        let dot_git = worktree.join(".git");
        let up = git_dir.join("commondir");
        let there = leads(&dot_git, "gitdir: ", &worktree, &git_dir);
        let above = leads(&up, "", &git_dir, &common);
        let down = git_dir.join("gitdir");
        let back = read(&down).filter(|_| pinned::leads_to(&git_dir).as_ref() == Some(&worktree));
        let back = back.unwrap_or_else(|| format!("{}\n", dot_git.display()).into_bytes());
        let must = vec![
            (
                dot_git,
                there.unwrap_or_else(|| format!("gitdir: {}\n", git_dir.display()).into_bytes()),
            ),
            (up, above.unwrap_or_else(|| b"../..\n".to_vec())),
            (down, back),
        ];
        let harmless = pinned::are_harmless(&common, &git_dir);
        let settings = read(&git_dir.join(SETTINGS)).filter(|_| harmless);
        let head = read(&git_dir.join(HEAD));
        Some(Self {
            worktree,
            git_dir,
            common,
            must,
            settings,
            head,
        })
    }

    /// The folders that hold these files.
    pub fn folders(&self) -> [&Path; 2] {
        [&self.worktree, &self.git_dir]
    }

    /// The files that say something else, each with what it must say; nothing: it must not be there.
    fn bent(&self) -> impl Iterator<Item = (PathBuf, Option<&[u8]>)> {
        // A worktree that is being removed needs none.
        let is_there = pinned::is_real_dir(&self.worktree) && pinned::is_real_dir(&self.git_dir);
        let must = self.must.iter().filter(move |_| is_there);
        let bent = must.filter(|(path, text)| read(path).as_ref() != Some(text));
        let bent = bent.map(|(path, text)| (path.clone(), Some(text.as_slice())));
        let head = self
            .head
            .as_deref()
            .map(|text| (self.git_dir.join(HEAD), Some(text)));
        let bent = bent.chain(head.filter(|(path, _)| is_there && is_no_ref(path)));
        // Looked at when the rest is as it should be: it may name other files.
        let settings = std::iter::once_with(|| self.git_dir.join(SETTINGS));
        let settings = settings.filter(move |path| is_there && self.starts_programs(path));
        bent.chain(settings.map(|path| (path, self.settings.as_deref())))
    }

    fn starts_programs(&self, settings: &Path) -> bool {
        let harmless =
            || read(settings).is_some() && pinned::are_harmless(&self.common, &self.git_dir);
        settings.symlink_metadata().is_ok() && !harmless()
    }

    /// Names the files that say something else.
    pub fn astray(&self) -> Vec<PathBuf> {
        self.bent().map(|(path, _)| path).collect()
    }

    /// Puts back what says something else; returns those files.
    pub fn restore(&self) -> Result<Vec<PathBuf>, FsError> {
        let mut restored = Vec::new();
        for (path, text) in self.bent() {
            put(&path, text)?;
            restored.push(path);
        }
        Ok(restored)
    }
}

/// The folder that git made for a worktree of this name, where it leads to no checkout at all any more.
fn left_by(common: &Path, worktree: &Path) -> Option<PathBuf> {
    let folder = common.join("worktrees").join(worktree.file_name()?);
    let leads_back = |checkout: PathBuf| {
        let text = read(&checkout.join(".git"))?;
        let target = std::str::from_utf8(&text).ok()?.strip_prefix("gitdir: ")?;
        let target = pinned::canonical(checkout.join(target.trim_end()));
        (target == pinned::canonical(&folder)).then_some(())
    };
    let is_others = pinned::leads_to(&folder).and_then(leads_back).is_some();
    (pinned::is_real_dir(&folder) && !is_others).then_some(folder)
}

/// Whether what is there is neither a file nor one of git's old links to a ref.
fn is_no_ref(path: &Path) -> bool {
    let is_ref = |target: PathBuf| target.starts_with("refs");
    path.symlink_metadata().is_ok_and(|found| {
        let is_old_link = || path.read_link().is_ok_and(is_ref);
        !(found.is_file() || found.is_symlink() && is_old_link())
    })
}

fn read(path: &Path) -> Option<Vec<u8>> {
    plain::read(path, LARGEST)
}

/// Writes the file anew, or removes it. A folder in its place is kept under another name; somebody may make one
/// again meanwhile.
fn put(path: &Path, text: Option<&[u8]>) -> Result<(), FsError> {
    let mut left = ATTEMPTS;
    loop {
        left -= 1;
        let done = put_once(path, text);
        if done.is_ok() || left == 0 {
            return done;
        }
    }
}

fn put_once(path: &Path, text: Option<&[u8]>) -> Result<(), FsError> {
    if pinned::is_real_dir(path) {
        let mut aside = path.as_os_str().to_owned();
        aside.push(format!("-set-aside-{}", random::alphanumeric(6)));
        std::fs::rename(path, &aside).at("move", path)?;
    }
    match text {
        Some(text) => fs::write_atomic(path, text),
        None => fs::remove_file(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::git;

    struct Place {
        dir: tempfile::TempDir,
        pointers: Pointers,
    }

    impl Place {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let run = |args: &[&str]| git(dir.path()).args(args).run().unwrap();
            run(&["init", "-q", "-b", "main", "p"]);
            let main = dir.path().join("p");
            let run = |args: &[&str]| git(&main).args(args).run().unwrap();
            let who = ["-c", "user.name=n", "-c", "user.email=e"];
            run(&[&who[..], &["commit", "-q", "--allow-empty", "-m", "a"]].concat());
            run(&["worktree", "add", "-q", "../w"]);
            let repo = Repo::open(&main).unwrap();
            let pointers = Pointers::of(&repo, &dir.path().join("w")).unwrap();
            Self { dir, pointers }
        }

        fn dot_git(&self) -> PathBuf {
            self.dir.path().join("w/.git")
        }

        fn admin(&self, name: &str) -> PathBuf {
            self.dir.path().join("p/.git/worktrees/w").join(name)
        }

        fn restored(&self) -> usize {
            let count = self.pointers.restore().unwrap().len();
            let top = git(&self.dir.path().join("w"))
                .args(["rev-parse", "--git-common-dir"])
                .text()
                .unwrap();
            let expected = self.dir.path().join("p/.git").canonicalize().unwrap();
            assert_eq!(Path::new(&top).canonicalize().unwrap(), expected);
            count
        }
    }

    #[test]
    fn what_leads_right_is_left_alone() {
        assert_eq!(Place::new().restored(), 0);
    }

    #[test]
    fn a_pointer_that_was_bent_leads_to_the_repository_again() {
        let place = Place::new();
        std::fs::write(place.dot_git(), "gitdir: /tmp/evil\n").unwrap();
        std::fs::write(place.admin("commondir"), "/tmp/evil\n").unwrap();
        std::fs::write(place.admin("gitdir"), "/tmp/evil/.git\n").unwrap();
        assert_eq!(place.restored(), 3);
        assert_eq!(place.restored(), 0);
        std::fs::remove_file(place.dot_git()).unwrap();
        assert_eq!(place.restored(), 1);
    }

    #[test]
    fn a_worktree_that_was_bent_before_anybody_looked_is_found_and_straightened() {
        let place = Place::new();
        std::fs::write(place.dot_git(), "gitdir: /tmp/evil\n").unwrap();
        std::fs::write(place.admin("gitdir"), "/tmp/evil/.git\n").unwrap();
        let repo = Repo::open(&place.dir.path().join("p")).unwrap();
        let seen = Pointers::of(&repo, &place.dir.path().join("w")).unwrap();
        assert_eq!(seen.astray().len(), 2);
        assert_eq!(seen.restore().unwrap().len(), 2);
        assert_eq!(place.restored(), 0);
        assert_eq!(seen.astray(), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_worktree_of_somebody_else_is_not_taken_for_one_of_the_same_name() {
        let place = Place::new();
        let elsewhere = place.dir.path().join("elsewhere");
        std::fs::create_dir_all(elsewhere.join("w")).unwrap();
        let repo = Repo::open(&place.dir.path().join("p")).unwrap();
        assert!(Pointers::of(&repo, &elsewhere.join("w")).is_none());
    }

    #[test]
    fn a_repository_in_place_of_the_pointer_is_set_aside_and_kept() {
        let place = Place::new();
        std::fs::remove_file(place.dot_git()).unwrap();
        std::fs::create_dir(place.dot_git()).unwrap();
        std::fs::write(place.dot_git().join("config"), "mine").unwrap();
        assert_eq!(place.restored(), 1);
        let aside = std::fs::read_dir(place.dir.path().join("w"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.to_string_lossy().contains("set-aside"))
            .unwrap();
        assert_eq!(std::fs::read(aside.join("config")).unwrap(), b"mine");
    }

    #[cfg(unix)]
    #[test]
    fn a_head_that_is_no_file_is_put_back_and_another_branch_stays() {
        let place = Place::new();
        let head = place.admin("HEAD");
        let before = std::fs::read(&head).unwrap();
        std::fs::remove_file(&head).unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &head, mode).unwrap();
        assert_eq!(place.restored(), 1);
        assert_eq!(std::fs::read(&head).unwrap(), before);
        std::fs::remove_file(&head).unwrap();
        std::os::unix::fs::symlink("/dev/zero", &head).unwrap();
        assert_eq!(place.restored(), 1);
        std::fs::write(&head, "ref: refs/heads/main\n").unwrap();
        assert_eq!(place.restored(), 0);
    }

    #[test]
    fn a_link_and_a_pipe_are_replaced_and_nobody_waits_for_them() {
        let place = Place::new();
        let elsewhere = place.dir.path().join("elsewhere");
        std::fs::rename(place.dot_git(), &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, place.dot_git()).unwrap();
        let text = std::fs::read(&elsewhere).unwrap();
        assert_eq!(place.restored(), 1);
        assert!(!place.dot_git().is_symlink());
        assert_eq!(std::fs::read(&elsewhere).unwrap(), text);
        std::fs::remove_file(place.admin("commondir")).unwrap();
        let made = std::process::Command::new("mkfifo")
            .arg(place.admin("commondir"))
            .status();
        assert!(made.unwrap().success());
        assert_eq!(place.restored(), 1);
    }

    #[test]
    fn settings_of_the_worktree_may_change_but_name_no_programs() {
        let place = Place::new();
        let file = place.admin(SETTINGS);
        std::fs::write(&file, "[core]\n\tsparseCheckout = true\n").unwrap();
        assert_eq!(place.restored(), 0);
        std::fs::write(&file, "[core]\n\tfsmonitor = ./evil\n").unwrap();
        assert_eq!(place.restored(), 1);
        assert!(!file.exists());
    }
}
