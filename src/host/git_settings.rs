//! The agent's copy of the user's git settings, renewed when those change.
//!
//! The sandbox grants files and not their names: a `~/.gitconfig` that is replaced while the agent runs becomes
//! unreadable to it. The copy lies in the agent's private folder, which stays readable whatever is put there.

use crate::git::{Personal, personal_settings};
use crate::platform::{env, fs};
use crate::sandbox::credential_stores;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

/// The variable by which git finds the copy.
pub(super) const VARIABLE: &str = "GIT_CONFIG_GLOBAL";

/// Where an agent's copy lies.
pub(super) fn copy_in(private_dir: &Path) -> PathBuf {
    private_dir.join("gitconfig")
}

/// What tells one content of a file from the next: its length and when it was written; `None` when it is not there.
type Stamp = Option<(u64, SystemTime)>;

/// Keeps one agent's copy.
#[derive(Debug)]
pub(super) struct GitSettings {
    checkout: PathBuf,
    copy: PathBuf,
    /// The files it was made from, as they were then; `None` before the first time.
    made_from: Mutex<Option<Vec<(PathBuf, Stamp)>>>,
}

impl GitSettings {
    pub(super) fn new(checkout: &Path, private_dir: &Path) -> Self {
        Self {
            checkout: checkout.to_owned(),
            copy: copy_in(private_dir),
            made_from: Mutex::new(None),
        }
    }

    /// Makes the copy anew if the user's settings are not those it was made from. Costs a look at a few files when
    /// nothing has changed. Settings that git cannot read leave the copy as it is.
    pub(super) fn renew(&self) {
        let mut made_from = self
            .made_from
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let unchanged = |files: &Vec<(PathBuf, Stamp)>| {
            files.iter().all(|(file, before)| stamp(file) == *before)
        };
        if made_from.as_ref().is_some_and(unchanged) {
            return;
        }
        // Looked at first: a change meanwhile is seen the next time.
        let mut files = usual_files();
        let mut stamps: Vec<(PathBuf, Stamp)> = Vec::new();
        let mut note = |files: &mut Vec<PathBuf>| {
            for file in files.drain(..) {
                if !stamps.iter().any(|(known, _)| *known == file) {
                    let now = stamp(&file);
                    stamps.push((file, now));
                }
            }
        };
        note(&mut files);
        let stores = env::home().map_or_else(Vec::new, |home| credential_stores(&home, &[]));
        let secret = |file: &Path| stores.iter().any(|store| file.starts_with(store));
        match personal_settings(&self.checkout, &secret) {
            Ok(Personal { text, mut files }) => {
                note(&mut files);
                if let Err(e) = fs::write_atomic(&self.copy, text) {
                    tracing::warn!("the agent keeps older settings of git: {e}");
                }
            }
            Err(e) => tracing::warn!("the agent keeps older settings of git: {e}"),
        }
        *made_from = Some(stamps);
    }
}

/// Where git looks for the user's settings.
fn usual_files() -> Vec<PathBuf> {
    if let Some(named) = env::var(VARIABLE) {
        return vec![PathBuf::from(named)];
    }
    let home = env::home();
    let config = env::var("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .or_else(|| home.as_ref().map(|home| home.join(".config")));
    let mut files: Vec<PathBuf> = home.iter().map(|home| home.join(".gitconfig")).collect();
    files.extend(config.map(|config| config.join("git/config")));
    files
}

fn stamp(file: &Path) -> Stamp {
    let found = std::fs::metadata(file).ok()?;
    Some((found.len(), found.modified().ok()?))
}
