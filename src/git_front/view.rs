//! A git folder that shows the real one: links to everything that is in there, and next to them the agent's own
//! stash and, of the packed refs ([`super::packed`]), the lock that git makes to remove a ref.
//!
//! Links, so that what others change is seen at once, and that the sandbox decides about what they lead to. Nothing
//! in here counts for anybody but the agent's own git.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use super::packed::{self, PackedRefs};
use super::place::Place;
use super::settings;
use super::words::Need;
use crate::git::{VIEW, view_in};

/// Shown also where they are not there: what git would make in their place is none of the agent's.
const ALWAYS: &[&str] = &[
    "HEAD", "hooks", "info", "lfs", "modules", "objects", "shallow",
];
const ALWAYS_REFS: &[&str] = &["heads", "notes", "remotes", "replace", "tags"];

/// Made here, and not links.
const OWN: &[&str] = &["config", "logs", "packed-refs", "refs", "worktrees"];
const STASH: &str = "stash";

/// The file that says for which folders the links were made.
const BUILT: &str = "built";

/// The folder of one worktree.
#[derive(Debug)]
pub(super) struct View {
    /// Everything that is kept for the worktree.
    pub(super) folder: PathBuf,
    /// The git folder that git is shown.
    git: PathBuf,
    /// The worktree's folder in there.
    pub(super) turn: PathBuf,
}

impl View {
    /// Where it is; nothing is made yet.
    pub(super) fn of(place: &Place) -> Option<Self> {
        let folder = place.admin.join(VIEW);
        let git = view_in(&place.admin);
        let turn = git.join("worktrees").join(place.admin.file_name()?);
        Some(Self { folder, git, turn })
    }

    /// Makes the links, and makes right those that lead elsewhere; nothing where nothing has come or gone since.
    /// Returns what the call is shown of the packed refs.
    pub(super) fn build(&self, place: &Place, need: Need) -> io::Result<PackedRefs> {
        fs::create_dir_all(&self.git)?;
        settings::show(&self.git, &place.common, need)?;
        self.make_links(place)?;
        let real = place.common.join("packed-refs");
        PackedRefs::show(&self.git.join(packed::FOLDER), &real, need)
    }

    fn make_links(&self, place: &Place) -> io::Result<()> {
        let shown = ["", "refs", "logs/refs", "worktrees"].map(|name| place.common.join(name));
        let before = stamp(&shown);
        let note = self.folder.join(BUILT);
        let own = || stamp(std::slice::from_ref(&self.git));
        let built = fs::read_to_string(&note).ok();
        if built.is_some() && built == together(before.clone(), own()) {
            return Ok(());
        }
        self.link(place)?;
        match together(before, own()) {
            Some(text) => fs::write(note, text),
            None => Ok(()),
        }
    }

    fn link(&self, place: &Place) -> io::Result<()> {
        let at = |name: &str| self.git.join(name);
        for folder in ["refs", "logs/refs", "worktrees"] {
            fs::create_dir_all(at(folder))?;
        }
        let is_lock = |name: &str| Path::new(name).extension().is_some_and(|end| end == "lock");
        let shown = |name: &str| !OWN.contains(&name) && !is_lock(name);
        show(&self.git, &place.common, ALWAYS, shown)?;
        let not_stash = |name: &str| name != STASH;
        show(
            &at("refs"),
            &place.common.join("refs"),
            ALWAYS_REFS,
            not_stash,
        )?;
        let logs = place.common.join("logs");
        show(&at("logs"), &logs, &["HEAD"], |name| name != "refs")?;
        show(&at("logs/refs"), &logs.join("refs"), ALWAYS_REFS, not_stash)?;
        let own = place.admin.file_name().unwrap_or_default();
        let others = |name: &str| own.to_str() != Some(name);
        show(
            &at("worktrees"),
            &place.common.join("worktrees"),
            &[],
            others,
        )?;
        packed::link(&self.git, &place.common.join("packed-refs"))
    }
}

/// When entries of these folders came or went last; `None` where one is not there.
fn stamp(folders: &[PathBuf]) -> Option<String> {
    let mut text = String::new();
    for folder in folders {
        let found = fs::metadata(folder).ok()?;
        let at = (found.ino(), found.mtime(), found.mtime_nsec());
        text.push_str(&format!("{at:?}\n"));
    }
    Some(text)
}

fn together(shown: Option<String>, own: Option<String>) -> Option<String> {
    Some(shown? + &own?)
}

/// Links every entry of `real` that is to be shown into `folder`, and forgets those that are gone.
fn show(
    folder: &Path,
    real: &Path,
    always: &[&str],
    is_shown: impl Fn(&str) -> bool,
) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let name = entry.file_name();
        let is_known = |name: &str| always.contains(&name) || OWN.contains(&name);
        if is_link && !path.exists() && !name.to_str().is_some_and(is_known) {
            remove(&path)?;
        }
    }
    for name in always {
        lead(&folder.join(name), &real.join(name))?;
    }
    let entries = match fs::read_dir(real) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(&is_shown) {
            lead(&folder.join(&name), &entry.path())?;
        }
    }
    Ok(())
}

/// Makes `link` lead to `target`. A folder in its place is the agent's own and stays.
pub(super) fn lead(link: &Path, target: &Path) -> io::Result<()> {
    match fs::symlink_metadata(link) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(found) if found.is_symlink() && fs::read_link(link)? == target => return Ok(()),
        Ok(_) => fs::remove_file(link)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    symlink(target, link)
}

/// Removes a file or a link; one that is gone already is fine.
pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
